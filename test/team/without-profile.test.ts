/** Commands of the journal as screens print them, at a desk with two accounts of teams and no default profile. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { reset } from '../harness/server.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';
import { record, refundOf } from './rows.ts';

let desk: Desk;
let team: Team;
let proxy: CuttingProxy;
let ana: Home;
let lea: Home;
let losesReplies = false;

beforeAll(async () => {
  const instead: NonNullable<Parameters<typeof startDesk>[0]>['instead'] = ({ method }) =>
    losesReplies && method === 'POST' ? reset : undefined;
  [desk, team] = await Promise.all([startDesk({ instead }), newTeam()]);
  proxy = await startCuttingProxy(team.database.server.port);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await desk[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

beforeEach(async () => {
  [ana, lea] = [newHome(), newHome()];
  for (const [home, person] of [
    [ana, 'ana'],
    [lea, 'lea'],
  ] as const) {
    await storeProfile(home, { name: 'shop', baseUrl: desk.url, mode: 'sandbox' }, desk.key);
    await storeProfile(
      home,
      { name: 'other', baseUrl: 'http://127.0.0.1:9', mode: 'sandbox' },
      'key_other_0123456789',
    );
    await joinTeam(home, desk.url, team.database, { person, port: proxy.port });
  }
});
afterEach(() => {
  proxy.refuse(false);
  for (const home of [ana, lea]) home[Symbol.dispose]();
});

const run = (home: Home, line: string): Promise<Ran> =>
  paydesk(line.split(' '), { home, env: { TZ: 'UTC' } });

const isWhole = ({ payment_status: status, charges, amount_refunded: refunded }: Order) =>
  status === 'paid' &&
  refunded === 0 &&
  charges?.data.length === 1 &&
  charges.data[0]?.is_refundable === true;

/** A refund of lea's whose reply is lost, and that was not made. */
async function unconfirmed(): Promise<{ readonly id: string; readonly intent: string }> {
  const { id } = await desk.take(isWhole);
  losesReplies = true;
  const sent = await run(lea, `-p shop orders refund ${id} --yes`);
  losesReplies = false;
  expect(sent.code, sent.stderr).toBe(7);
  return { id, intent: /i_\w+/.exec(sent.stderr)?.[0] ?? '' };
}

describe('without a profile', () => {
  test("a colleague's unconfirmed refund is found by its id, in lists, and by journal reconcile --all, which exits 7", async () => {
    const { id, intent } = await unconfirmed();
    const cron = await run(ana, 'journal reconcile --all --quiet');
    expect(cron.code, cron.stderr).toBe(7);
    expect(cron.stdout + cron.stderr).toContain(intent);
    const shown = await run(ana, `journal show ${intent} --json`);
    expect(JSON.parse(shown.stdout)).toMatchObject({ intent, operator: 'lea', open: true });
    const one = await run(ana, `journal reconcile ${intent}`);
    expect(one.code, one.stderr).toBe(7);
    for (const line of ['journal list', 'journal list --open', '-p other journal list --all-profiles'])
      expect((await run(ana, line)).stdout).toContain(intent);
    const elsewhere = await run(ana, '-p other journal list');
    expect(elsewhere.stderr).toContain(
      'unconfirmed in another profile (shop): paydesk -p shop journal list --open',
    );
    await desk.request('POST', `/orders/${id}/refunds`, {});
    await run(ana, `journal reconcile ${intent}`);
    const made = await run(lea, `journal show ${intent}`);
    expect(made.stdout.replaceAll(/\s+/g, ' ')).toContain(', read by ana');
  });

  test('what a person records goes to the journal of the team', async () => {
    const { id, intent } = await unconfirmed();
    const said = `--applied --note seen-at-the-bank --yes --confirm ${id}`;
    const settled = await run(ana, `journal settle ${intent} ${said}`);
    expect(settled.code, settled.stderr).toBe(0);
    const told = await run(lea, `-p shop journal show ${intent} --json`);
    expect(JSON.parse(told.stdout)).toMatchObject({ stated_by: 'ana', open: false });
  });

  test('while the server of a team is away, nothing says that all is well', async () => {
    await unconfirmed();
    expect((await run(ana, 'journal reconcile --all --quiet')).code).toBe(7);
    proxy.refuse(true);
    proxy.cut();
    const away = await run(ana, 'journal reconcile --all --quiet');
    expect(away.code).not.toBe(0);
    expect(away.stderr).toContain('cannot be used');
    expect(away.stderr).not.toContain('nothing is unconfirmed');
  });

  test('a refund that a colleague may still send is not read, and the screen says until when', async () => {
    const now = Date.now();
    const row = refundOf(500, 'ord_early', { time: now, sendBy: now + 60_000, origin: desk.url });
    await record(team.desk({ person: 'lea' }), row);
    const early = await run(ana, `journal reconcile ${row.intent}`);
    expect(early.code, early.stderr).toBe(7);
    expect(early.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /not read again: the run of lea may still send it until .* so the order proves nothing before; run this again then/,
    );
  });
});
