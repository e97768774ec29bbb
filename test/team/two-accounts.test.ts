/** A team with two accounts, one of them in production: what a lead approves, and with which profile. No profile is the default. */

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { chargeOf, type Json, listOf, orderOf, refundedWhole, refundOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { lastRecord } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, startService, testKey } from '../harness/service.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';
import { setLimits } from './rows.ts';

const created = 1_790_000_000;
const buyer = { object: 'customer_info', customer_id: 'cus_1', name: 'Ana', email: 'ana@example.com' };

function bought(id: string, livemode: boolean, at = created, changes: Json = {}): Json {
  const charge = chargeOf(`ch_${id}`, 900, { paid_at: at + 20, livemode });
  return orderOf(id, [charge], {
    livemode,
    created_at: at,
    updated_at: at + 30,
    customer_info: { ...buyer, customer_id: `cus_${id}`, name: id, email: `${id}@example.com` },
    ...changes,
  });
}

/** Two orders of one buyer, four minutes apart; the older one was refunded. */
function twins(): readonly Json[] {
  const refunds = listOf(refundOf('rf_twinA', 900, { created_at: created + 600 }));
  return [
    bought('ord_twinB', true, created + 86_400, { customer_info: buyer }),
    {
      ...bought('ord_twinA', true, created + 86_160, { customer_info: buyer }),
      amount_refunded: 900,
      charges: listOf(chargeOf('ch_ord_twinA', 900, { refunds, livemode: true })),
    },
  ];
}

let team: Team;
let proxy: CuttingProxy;
let shop: Service;
let live: Service;
let ana: Home;
let ben: Home;

beforeAll(async () => {
  team = await newTeam();
  proxy = await startCuttingProxy(team.database.server.port);
  const onPost = (order: Json | undefined, service: Service) => {
    const changed = refundedWhole(order ?? {});
    service.orders = service.orders.map((one) => (one.id === changed.id ? changed : one));
    return json(changed);
  };
  const ids = [1, 2, 3, 4, 5, 6];
  const orders = (livemode: boolean) =>
    ids.map((number) =>
      bought(`ord_${livemode ? 'live' : 'shop'}${number}`, livemode, created + number * 3600),
    );
  shop = await startService({ orders: orders(false), onPost, sendsDate: false });
  live = await startService({
    orders: [...twins(), ...orders(true)],
    onPost,
    mode: 'production',
    sendsDate: false,
  });
  [ana, ben] = [newHome(), newHome()];
  for (const [home, person] of [
    [ana, 'ana'],
    [ben, 'ben'],
  ] as const) {
    await storeProfile(home, { name: 'shop', baseUrl: shop.url, mode: 'sandbox' }, testKey);
    await storeProfile(home, { name: 'live', baseUrl: live.url, mode: 'production' }, testKey);
    await joinTeam(home, shop.url, team.database, { person, port: proxy.port });
    await joinTeam(home, live.url, team.database, { person, port: proxy.port });
  }
  await setLimits(team, { max: 100_000, second: 500 });
});
afterAll(async () => {
  for (const home of [ana, ben]) home[Symbol.dispose]();
  await proxy[Symbol.asyncDispose]();
  for (const service of [shop, live]) await service[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const env = { TZ: 'UTC', ...standingAt(new Date((created + 90_000) * 1000).toISOString()) };
const run = (home: Home, line: string): Promise<Ran> => paydesk(line.split(' '), { home, env });
const errorOf = ({ stderr }: Ran) => lastRecord(stderr);

/** Ana asks for the approval of a refund; returns the request. */
async function ask(profile: 'shop' | 'live', id: string, more = ''): Promise<string> {
  const yes = profile === 'live' ? `--confirm ${id}` : '--yes';
  const asked = await run(ana, `-p ${profile} orders refund ${id}${more} ${yes} --json`);
  expect(asked.code, asked.stderr).toBe(3);
  return errorOf(asked).approval;
}

describe('a team with two accounts', () => {
  test('what is printed names the profile, and works at another desk as it stands', async () => {
    const asked = await run(ana, '-p shop orders refund ord_shop1 --yes --json');
    const error = errorOf(asked);
    const approve = ['paydesk', '-p', 'shop', 'approvals', 'approve', error.approval];
    expect(error.now).toContain(approve.join(' '));
    // Whoever asked may not approve it, so a script gets no such command.
    expect(error.commands).not.toContainEqual(approve);
    const approved = await paydesk([...approve.slice(1), '--yes'], { home: ben, env });
    expect(approved.code, approved.stderr).toBe(0);
    const again = await run(ben, `-p shop approvals approve ${error.approval} --yes --json`);
    const [shown = []] = errorOf(again).commands;
    expect(shown).toEqual(['paydesk', '-p', 'shop', 'approvals', 'show', error.approval]);
    expect(await paydesk(shown.slice(1), { home: ben, env })).toMatchObject({ code: 0 });
    await setLimits(team, { max: 100 }, 'ben');
    const over = await run(ben, '-p shop orders refund ord_shop2 --yes --json');
    await setLimits(team, { max: null }, 'ben');
    expect(errorOf(over).commands).toContainEqual(['paydesk', '-p', 'shop', 'team', 'limits']);
    const none = await run(ben, '-p shop approvals show r_none --json');
    expect(errorOf(none).commands).toEqual([['paydesk', '-p', 'shop', 'approvals', 'list']]);
    expect((await run(ben, 'approvals list')).stderr).toContain('no profile is given');
  });

  test('a list has the requests of its account, and says that there are others', async () => {
    const [sandbox, production] = [await ask('shop', 'ord_shop3'), await ask('live', 'ord_live3')];
    const list = await run(ben, '-p live approvals list');
    expect(list.stdout).toContain(production);
    expect(list.stdout).not.toContain(sandbox);
    expect(list.stderr).toMatch(
      /\d of another account \(sandbox, profile shop\): paydesk -p shop approvals list/,
    );
    const told = await run(ben, `-p live approvals show ${production} --json`);
    expect(JSON.parse(told.stdout)).toMatchObject({ mode: 'production', profile: 'live' });
  });

  test('a request of the other account is refused with the command for it, and its order is never read', async () => {
    const request = await ask('live', 'ord_live4');
    const before = [shop, live].map(({ requests }) => requests.length);
    for (const verb of ['approve', 'show']) {
      const refused = await run(ben, `-p shop approvals ${verb} ${request} --json`);
      expect(refused.code, refused.stderr).toBe(3);
      expect(errorOf(refused)).toMatchObject({
        message: `${request} is about another account: production, profile live, not that of profile shop`,
        commands: [['paydesk', '-p', 'live', 'approvals', verb, request]],
      });
    }
    expect([shop, live].map(({ requests }) => requests.length)).toEqual(before);
  });

  test('the approver sees the warnings of whoever asked, who asked, and other requests of the order', async () => {
    const request = await ask('live', 'ord_twinB', ' --again rf_twinA');
    const other = await run(
      ben,
      '-p live orders refund ord_twinB --again rf_twinA --confirm ord_twinB --json',
    );
    const shown = await run(ben, `-p live approvals show ${request}`);
    expect(shown.stdout).toContain('WARNING: ord_twinA, same buyer and amount, 4 min earlier, was refunded');
    expect(shown.stdout).toContain('asked   by ana, ');
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `ben asked for the refund of 900 MXN on ord_twinB too: ${errorOf(other).approval} is not approved yet`,
    );
    const approved = await run(ben, `-p live approvals approve ${request} --confirm ord_twinB`);
    expect(approved.code, approved.stderr).toBe(0);
    expect(approved.stderr).toContain('WARNING: ord_twinA');
    const asJson = await run(ben, `-p live approvals show ${request} --json`);
    expect(JSON.parse(asJson.stdout).checks).toContainEqual(expect.stringContaining('ord_twinA'));
  });

  test('a plan in production is approved by its digest, any member may apply it, and then it is no longer listed', async () => {
    writeFileSync(
      join(ana.path, 'two.csv'),
      'order_id,charge_id,amount,ref\nord_live5,any,900,a\nord_live6,any,900,b\n',
    );
    const totals = '--expect-count 2 --expect-total MXN=1800';
    const planned = await run(ana, `-p live refunds plan two.csv --to two.plan ${totals}`);
    expect(planned.code, planned.stderr).toBe(0);
    copyFileSync(join(ana.path, 'two.plan'), join(ben.path, 'two.plan'));
    const { digest: whole } = lastRecord(readFileSync(join(ana.path, 'two.plan'), 'utf8'));
    const digest = String(whole).slice(0, 8);
    const asked = await run(ana, `-p live refunds apply two.plan --confirm ${digest} ${totals} --json`);
    expect(errorOf(asked).message, asked.stderr).toContain('asked for approval');
    const request = errorOf(asked).approval;
    const person = sit(['-p', 'live', 'approvals', 'approve', request], { home: ben, env }, 160);
    await person.answer('Type the digest to approve it', `${digest}\r`);
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(screen).toContain('any member can apply it now: paydesk -p live refunds apply PLAN');
    const applied = await run(ben, `-p live refunds apply two.plan --confirm ${digest} ${totals}`);
    expect(applied.code, applied.stderr).toBe(0);
    expect((await run(ben, '-p live approvals list')).stdout).not.toContain(request);
    const all = await run(ben, '-p live approvals list --all --json');
    expect(JSON.parse(all.stdout).data).toContainEqual(
      expect.objectContaining({ id: request, state: 'used' }),
    );
    proxy.refuse(true);
    proxy.cut();
    const [away, shown] = [
      await run(ben, '-p live approvals list --json'),
      await run(ben, `-p live approvals show ${request} --json`),
    ];
    proxy.refuse(false);
    expect(away.stdout).not.toContain(request);
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: 'used' });
  });

  test('a pending request shows with its order and in today, and at 80 columns nothing of the list is lost', async () => {
    const request = await ask('live', 'ord_live1');
    await run(ben, `-p live approvals approve ${request} --confirm ord_live1`);
    const shown = await run(ben, '-p live orders show ord_live1');
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `asked for approval: ${request} by ana, a refund of 900 MXN; it was approved by ben, until`,
    );
    const today = await run(ben, '-p live today');
    expect(today.stderr).toMatch(/approvals: .*\d approved and not sent: paydesk -p live approvals list/);
    const words = ['-p', 'live', 'approvals', 'list'];
    const list = await paydesk(words, { home: ben, env, columns: 80 });
    expect(list.stdout).toContain('ORDER OR PLAN');
    expect(list.stdout).toMatch(/until/i);
    expect(list.stdout).toMatch(/answered by/i);
  });

  test('while the server is away, requests and limits are those of this machine, with the time', async () => {
    const request = await ask('live', 'ord_live2');
    await run(ben, '-p live journal list');
    proxy.refuse(true);
    proxy.cut();
    const list = await run(ben, '-p live approvals list');
    const limits = await run(ben, '-p live team limits');
    proxy.refuse(false);
    expect(list.code, list.stderr).toBe(0);
    expect(list.stdout).toContain(request);
    expect(list.stderr).toContain('what is shown is as of');
    expect(limits.code, limits.stderr).toBe(0);
    expect(limits.stdout).toContain('second');
    expect(limits.stderr).toContain('what is shown is as of');
  });

  test('every change of a limit is shown, by whom and from what to what', async () => {
    await setLimits(team, { max: 50_000, note: 1 }, 'ana');
    await setLimits(team, { max: 60_000, note: null }, 'ana');
    for (const line of ['-p shop journal list --kind setting', 'journal list --kind setting']) {
      const list = await run(ben, `${line} --json`);
      expect(JSON.parse(list.stdout).data).toContainEqual(
        expect.objectContaining({
          setting: 'team limit max MXN of ana',
          from: '50000',
          to: '60000',
          operator: 'lea',
        }),
      );
      expect(list.stdout).toContain('"from":"yes"');
    }
    await setLimits(team, { max: null }, 'ana');
  });
});
