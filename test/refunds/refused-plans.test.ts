/** Plans that are not applied: changed, old, of another account, or not the one that was looked at. Nothing is sent. */

import { expect, it } from 'vitest';
import { later } from '../harness/clock.ts';
import type { Json } from '../harness/orders.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { environment } from '../harness/service.ts';
import { order, orders, type RefundService, startRefunds } from './refund-service.ts';

const titles = 'order_id,charge_id,amount,note';
const rows = [titles, 'ord_1,any,full,one', 'ord_2,any,100,two'];

async function planned(mode: 'sandbox' | 'production' = 'sandbox'): Promise<RefundService> {
  const live: Json = { livemode: mode === 'production' };
  const service = await startRefunds([order('ord_1', live), order('ord_2', live)], { mode });
  await service.plan(rows, '--expect-count', '2', '--expect-total', 'MXN=35100');
  return service;
}

function digestIn(service: RefundService): string {
  return /"digest":"(\w{8})/.exec(service.read('refunds.plan'))?.[1] ?? '';
}

const production = ['--expect-count', '2', '--expect-total', 'MXN=35100'];

// ── F53: the plan itself ────────────────────────────────────────────────────────────────────────

it.each<[string, (text: string) => string]>([
  ['the account in its first line', (text) => text.replace('"mode":"sandbox"', '"mode":"sandboy"')],
  [
    'the time in its first line',
    (text) => text.replace(/"made_at":(\d)/, (_, digit) => `"made_at":${Number(digit) + 1}`),
  ],
  ['the amount of a row', (text) => text.replace('"amount":100,', '"amount":900,')],
  ['the body of a row', (text) => text.replace('"amount":100}', '"amount":900}')],
  ['the note of a row', (text) => text.replace('"note":"two"', '"note":"twa"')],
  ['the state of a row', (text) => text.replace('"state":"ready"', '"state":"reody"')],
  ['a total in its last line', (text) => text.replace('"amount":35100', '"amount":35101')],
  [
    'its digest',
    (text) => text.replace(/"digest":"(.)/, (_, digit) => `"digest":"${digit === '0' ? '1' : '0'}`),
  ],
  ['the end of a line', (text) => text.replace('}\n{', '} {')],
  ['the last line break', (text) => text.slice(0, -1)],
  ['a blank at the end', (text) => `${text} `],
  ['a row that is gone', (text) => text.split('\n').toSpliced(2, 1).join('\n')],
  ['rows in another order', (text) => swapped(text.split('\n')).join('\n')],
])('F53 a plan that was edited, in %s, is refused', async (_, edit) => {
  await using service = await planned();
  const text = service.read('refunds.plan');
  service.write('refunds.plan', edit(text));
  expect(service.read('refunds.plan')).not.toBe(text);

  const applied = await service.apply();
  const status = await service.run(['refunds', 'status', 'refunds.plan']);
  const refreshed = await service.run(['refunds', 'plan', '--refresh', 'refunds.plan', '--to', 'new.plan']);

  expect([applied.code, status.code, refreshed.code]).toEqual([3, 3, 3]);
  expect(applied.stderr).toContain('refused: refunds.plan ');
  expect(applied.stdout).toBe('');
  expect(service.posts).toEqual([]);
});

function swapped([head = '', one = '', two = '', ...more]: readonly string[]): readonly string[] {
  return [head, two, one, ...more];
}

it('F53 a plan older than plan.max_age is refused; after --refresh it is applied', async () => {
  await using service = await planned();
  const env = later(25 * 3_600_000);

  const old = await service.run(['refunds', 'apply', 'refunds.plan', '--yes'], { env });
  const refreshed = await service.run(['refunds', 'plan', '--refresh', 'refunds.plan', '--to', 'new.plan'], {
    env,
  });
  const posts = service.posts.length;
  const applied = await service.run(['refunds', 'apply', 'new.plan', '--yes'], { env });

  expect([old.code, refreshed.code, applied.code]).toEqual([3, 0, 0]);
  expect(inOneLine(old.stderr)).toContain('25 h ago; the limit is 24 h (plan.max_age)');
  expect(inOneLine(old.stderr)).toContain('paydesk refunds plan --refresh refunds.plan --to refunds-2.plan');
  expect(posts).toBe(0);
  expect(service.made).toHaveLength(2);
});

it('F53 a plan of another address is refused', async () => {
  await using service = await planned();
  await using other = await startRefunds(orders(2));

  const ran = await service.run(['refunds', 'apply', 'refunds.plan', '--yes'], {
    env: environment(other.url),
  });

  expect(ran.code).toBe(3);
  expect([...service.posts, ...other.posts]).toEqual([]);
});

it('F53 a plan of the sandbox is refused in production', async () => {
  await using service = await planned();

  const ran = await service.run(
    ['refunds', 'apply', 'refunds.plan', '--confirm', digestIn(service), ...production],
    { env: { PAYDESK_MODE: 'production' } },
  );

  expect(ran.code).toBe(3);
  expect(service.posts).toEqual([]);
});

it('F53 a plan that somebody replaced between the preview and the yes is refused', async () => {
  await using service = await planned();
  const first = service.read('refunds.plan');
  await service.plan([titles, 'ord_2,any,34000,another']);
  const second = service.read('refunds.plan');
  service.write('refunds.plan', first);

  const person = sit(['refunds', 'apply', 'refunds.plan'], service);
  await person.waitFor('Send them?');
  service.write('refunds.plan', second);
  person.type('y\r');
  const { code, screen } = await person.leaves;

  expect(code).toBe(3);
  expect(screen).toContain('refunds.plan is no longer the plan that was confirmed');
  expect(service.posts).toEqual([]);
});

it.each(['sandbox', 'production'] as const)(
  'F53 --confirm with the digest of another plan is refused in %s',
  async (mode) => {
    await using service = await planned(mode);
    const digest = digestIn(service);
    await service.plan(
      [...rows, 'ord_2,any,200,three'].map((line, at) => (at === 0 ? `${line},ref` : `${line},r${at}`)),
      '--expect-count',
      '3',
      '--expect-total',
      'MXN=35300',
    );

    const ran = await service.run([
      'refunds',
      'apply',
      'refunds.plan',
      '--confirm',
      digest,
      '--expect-count',
      '3',
      '--expect-total',
      'MXN=35300',
    ]);

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`--confirm ${digest} is not the digest of refunds.plan`);
    expect(service.posts).toEqual([]);
  },
);

it.each([
  ['a text', 'not a plan at all\n'],
  ['an empty file', ''],
  ['a table', csv()],
  ['JSON that is no plan', '{"object":"plan","version":1}\n'],
  ['bytes that are no text', '\u0000\u0001\n'],
])('F53 %s is no plan', async (_, text) => {
  await using service = await planned();
  service.write('refunds.plan', text);

  const ran = await service.apply();

  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('refunds.plan is not a plan of this version of paydesk');
  expect(service.posts).toEqual([]);
});

it('F53 a plan of a newer version is named as that', async () => {
  await using service = await planned();
  service.write('refunds.plan', '{"object":"plan","version":2}\n');
  const ran = await service.apply();
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('refunds.plan was made by a newer version of paydesk');
  expect(service.posts).toEqual([]);
});

function csv(): string {
  return rows.join('\n');
}

// ── F52: control totals ─────────────────────────────────────────────────────────────────────────

it.each([
  ['plan', 'another count', ['--expect-count', '3'], '--expect-count 3: there are 2 rows'],
  ['plan', 'another total', ['--expect-total', 'MXN=35101'], '35101'],
  ['plan', 'a currency that no row has', ['--expect-total', 'USD=35100'], 'USD'],
  ['apply', 'another count', ['--expect-count', '1'], '--expect-count 1: there are 2 rows'],
  ['apply', 'another total', ['--expect-total', 'MXN=1'], 'MXN'],
  ['apply', 'a currency that no row has', ['--expect-total', 'USD=0'], 'USD'],
])('F52 refunds %s with %s is refused, and nothing is sent', async (verb, _, flags, words) => {
  await using service = await planned();

  const ran =
    verb === 'plan' ? await service.plan(rows, '--to', 'new.plan', ...flags) : await service.apply(...flags);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(words);
  expect(() => service.read('new.plan')).toThrow('ENOENT');
  expect(service.posts).toEqual([]);
});

it('F52 in production without a terminal, plan and apply name the totals that are missing', async () => {
  await using service = await planned('production');

  const plan = await service.plan(rows, '--to', 'new.plan');
  const half = await service.plan(rows, '--to', 'new.plan', '--expect-count', '2');
  const bare = await service.apply();
  const noTotals = await service.apply('--confirm', digestIn(service));
  const digest = /"digest":"(\w{64})/.exec(service.read('refunds.plan'))?.[1] ?? '';
  const wrong = [
    digest.slice(0, 7),
    `${digest.slice(0, 63)}${digest.endsWith('0') ? '1' : '0'}`,
    `${digest}0`,
  ];
  for (const text of wrong) expect((await service.apply('--confirm', text, ...production)).code).toBe(3);
  expect(service.posts).toEqual([]);
  const sent = await service.apply('--confirm', digest, ...production);

  expect([plan.code, half.code, bare.code, noTotals.code, sent.code]).toEqual([2, 2, 2, 2, 0]);
  expect(plan.stderr).toContain('missing --expect-count N and --expect-total CUR=N');
  expect(half.stderr).toContain('missing --expect-total CUR=N');
  expect(bare.stderr).toContain('missing --confirm DIGEST, --expect-count N, --expect-total CUR=N');
  expect(noTotals.stderr).toContain('missing --expect-count N, --expect-total CUR=N');
  expect(service.made).toHaveLength(2);
});

it('F52 a total in a second currency that nobody expected is refused', async () => {
  await using service = await startRefunds([order('ord_1'), order('ord_2', { currency: 'USD' })]);

  const ran = await service.plan(rows, '--expect-total', 'MXN=35000');

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('USD');
});

// ── F54: the yes ────────────────────────────────────────────────────────────────────────────────

it('F54 a yes that is piped in is no yes', async () => {
  await using service = await planned();

  const ran = await service.run(['refunds', 'apply', 'refunds.plan'], { input: 'y\n' });

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('missing --yes: no terminal to ask on');
  expect(service.posts).toEqual([]);
});

it('F54 what was typed before the question is dropped', async () => {
  await using service = await planned();

  const person = sit(['refunds', 'apply', 'refunds.plan'], service);
  person.type('y\r');
  await person.waitFor('Send them?');
  person.type('\r');
  const { code } = await person.leaves;

  expect(code).toBe(3);
  expect(service.posts).toEqual([]);
});

it('F54 in production only the digest is a yes; Enter cancels', async () => {
  await using service = await planned('production');

  const careless = sit(['refunds', 'apply', 'refunds.plan'], service);
  await careless.waitFor('Type the digest');
  careless.type('y\r');
  await careless.waitFor('is not the digest above');
  careless.type('\u007f\r');
  const left = await careless.leaves;
  const posts = service.posts.length;
  const careful = sit(['refunds', 'apply', 'refunds.plan'], service);
  await careful.answer('Type the digest', `${digestIn(service)}\r`);
  const sent = await careful.leaves;

  expect([left.code, posts, sent.code]).toEqual([3, 0, 0]);
  expect(service.made).toHaveLength(2);
});

it('--dry-run reads everything and sends nothing', async () => {
  await using service = await planned();

  const ran = await service.run(['refunds', 'apply', 'refunds.plan', '--dry-run', '--json']);

  const { data } = JSON.parse(ran.stdout);
  const sent = { verdict: 'would_be_sent', state: null, why: 'dry run: it would be sent' };
  expect(data).toMatchObject([sent, sent]);
  expect(service.posts).toEqual([]);
});
