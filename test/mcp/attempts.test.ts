/** What a software agent with a shell tries in production, beside its tools: no money moves until a person releases a plan. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import type { RefundService } from '../refunds/refund-service.ts';
import { asAgent, digestOf, planOf, proposed, release } from '../release/released.ts';
import { newToken, signatureOf } from '../release/token.ts';
import { agentAt } from './agent.ts';

type Shell = (...words: readonly string[]) => Promise<Ran>;
interface Seat {
  readonly shell: Shell;
  readonly service: RefundService;
  /** The plan that it proposed, the release of another plan, and one that was used. */
  readonly plan: string;
  readonly other: string;
  readonly used: string;
}
const inEnv =
  (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  ({ service }: Seat) =>
    service.run(words, { env: { ...asAgent, ...env } });
const applied =
  (text: (seat: Seat) => string): ((seat: Seat) => Promise<Ran>) =>
  (seat) => {
    seat.service.write(`${seat.plan}.release`, text(seat));
    return seat.shell('refunds', 'apply', seat.plan);
  };
const claim = (seat: Seat, by = 'ana') =>
  JSON.stringify({
    object: 'release',
    version: 1,
    id: '0123456789abcdef',
    digest: /"digest":"(\w{64})"\}\s*$/.exec(seat.service.read(seat.plan))?.[1],
    until: Date.now() + 60_000,
    by,
  });
type Attempt = (seat: Seat) => Promise<Pick<Ran, 'code'>>;
const attempts: readonly (readonly [name: string, act: Attempt])[] = [
  ['a refund', ({ shell }) => shell('orders', 'refund', 'ord_1', '--yes', '--confirm', 'ord_1')],
  [
    'a refund under the name of a person',
    inEnv({ PAYDESK_OPERATOR: 'ana', USER: 'ana' }, 'orders', 'refund', 'ord_1', '--confirm', 'ord_1'),
  ],
  [
    'another variable of agents alone',
    inEnv({ PAYDESK_AGENT: '', AI_AGENT: 'helper' }, 'orders', 'refund', 'ord_1', '--confirm', 'ord_1'),
  ],
  [
    'a payment link',
    ({ shell }) =>
      shell(
        'checkout',
        'create',
        '--name',
        'A',
        '--item',
        'A:100:1',
        '--currency',
        'MXN',
        '--confirm',
        'environment',
      ),
  ],
  ['a request', ({ shell }) => shell('api', 'POST', 'orders/ord_1/notes', '--confirm', 'environment')],
  [
    'its plan, confirmed',
    (seat) =>
      seat.shell(
        'refunds',
        'apply',
        seat.plan,
        '--yes',
        '--confirm',
        digestOf(seat.service, seat.plan),
        '--expect-count',
        '1',
        '--expect-total',
        'MXN=100',
      ),
  ],
  [
    'its plan in another home',
    (seat) => inEnv({ HOME: join(seat.service.home.path, 'other') }, 'refunds', 'apply', seat.plan)(seat),
  ],
  [
    'its plan with another state folder',
    (seat) =>
      inEnv({ XDG_STATE_HOME: join(seat.service.home.path, 'state') }, 'refunds', 'apply', seat.plan)(seat),
  ],
  ['a release of its own', ({ shell, plan }) => shell('release', plan, '--yes')],
  ['a key of its own', ({ shell }) => shell('release', '--enrol', '--yes')],
  ['a release without a signature', applied((seat) => `${claim(seat)}\n`)],
  [
    'a release that it signed itself',
    applied((seat) => `${claim(seat)}\n${signatureOf(newToken('ed25519'), claim(seat), { flags: 5 })}\n`),
  ],
  [
    'a release by somebody who is not enrolled',
    applied((seat) => `${claim(seat, 'helper')}\n${seat.other.split('\n')[1]}\n`),
  ],
  ['the release of another plan', applied(({ other }) => other)],
  ['the signature of another plan', applied((seat) => `${claim(seat)}\n${seat.other.split('\n')[1]}\n`)],
  [
    'a release that was used',
    async ({ shell, service, used }) => {
      service.write('used.plan.release', used);
      return await shell('refunds', 'apply', 'used.plan');
    },
  ],
  [
    'its plan under the name of one that was released',
    async ({ shell, service, plan, other }) => {
      service.write('other.plan.release', other);
      service.write('other.plan', service.read(plan));
      return await shell('refunds', 'apply', 'other.plan');
    },
  ],
  [
    'its plan, at a terminal',
    ({ service, plan }) =>
      sit(['refunds', 'apply', plan], { home: service.home, env: { ...service.env, ...asAgent } }).leaves,
  ],
];

test(`of ${attempts.length} attempts with a shell and releases, none is sent; what a person releases then is sent once`, async () => {
  await using service = await proposed();
  await using agent = await agentAt({ home: service.home, env: { ...service.env, ...asAgent } });
  const row = { order_id: 'ord_2', charge_id: '1', amount: '100', reason: 'requested_by_client' };
  const answer = await agent.call('propose_refunds', { rows: [row], totals: { MXN: '100' } });
  expect(answer.exit_code, answer.text).toBe(0);
  const [plan = ''] = readdirSync(service.home.path).filter((name) => /^proposed-.*\.plan$/.test(name));
  await planOf(service, ['ord_1,any,100'], '100', 'other.plan');
  await planOf(service, ['ord_1,any,200', 'ord_2,any,50'], '250', 'used.plan');
  await release(service, { plan: 'other.plan' });
  await release(service, { plan: 'used.plan' });
  const [other, used] = [service.read('other.plan.release'), service.read('used.plan.release')];
  // A row of it is left, since somebody else has refunded its order.
  const before = service.orders;
  service.refund('ord_2', 'ch_ord_2', 1);
  expect((await service.run(['refunds', 'apply', 'used.plan'], { env: asAgent })).code).toBe(8);
  service.orders = service.orders.map(
    (one) => before.find(({ id }) => id === 'ord_2' && id === one.id) ?? one,
  );
  const sent = service.posts.length;

  const shell: Shell = (...words) => service.run(words, { env: asAgent });
  const seat: Seat = { shell, service, plan, other, used };
  const ended: unknown[] = [];
  for (const [name, act] of attempts) {
    const { code } = await act(seat);
    ended.push([name, code, service.posts.length - sent]);
  }

  expect(ended).toEqual(attempts.map(([name]) => [name, 3, 0]));
  const released = await release(service, { plan });
  expect(released.code, released.screen).toBe(0);
  const applied = await shell('refunds', 'apply', plan);
  expect(applied.code, applied.stderr).toBe(0);
  await shell('refunds', 'apply', plan);
  expect(service.posts.length - sent).toBe(1);
});
