/** Plans that several desks of a team apply at the same time, as processes; one of them dies, and one stands still. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { bin, cleanEnv, type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { storeProfile } from '../harness/profile.ts';
import { lastRecord } from '../harness/ran.ts';
import type { Person } from '../harness/team-database.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { orders, type RefundService, startRefunds } from '../refunds/refund-service.ts';
import { joinTeam } from './joined.ts';
import { rulesOf, setLimits } from './rows.ts';

let team: Team;
let homes: Record<'ana' | 'ben' | 'op7', Home>;
let service: RefundService;
let onRefund: (who: string, order: string) => void = () => undefined;

const count = isLong ? 5000 : 200;
const keyStart = 'key_CANARYxyz';
const keyOf = (person: string) => `${keyStart}${person}`;

beforeAll(async () => {
  team = await newTeam();
  service = await startRefunds(orders(count + 19), {
    mode: 'sandbox',
    instead: (id, apply) => (request, response) => {
      const who = String(request.headers.authorization).split(keyStart)[1];
      const order = apply();
      onRefund(who ?? '', id);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(order));
    },
  });
  homes = { ana: newHome(), ben: newHome(), op7: newHome() };
  for (const [person, home] of Object.entries(homes)) {
    const account = { baseUrl: service.url, mode: 'sandbox' } as const;
    const settings = { 'refund.send_within': '1s' };
    await storeProfile(home, { name: 'shop', ...account }, keyOf(person));
    // For those who are killed or stand still: what they sent may be looked up after a second.
    await storeProfile(home, { name: 'hasty', ...account, settings }, keyOf(person));
    await joinTeam(home, service.url, team.database, { person: person as Person });
  }
});
afterAll(async () => {
  for (const home of Object.values(homes)) home[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const run = (person: keyof typeof homes, args: readonly string[]): Promise<Ran> =>
  paydesk(['-p', 'shop', ...args], { home: homes[person], env: { TZ: 'UTC' } });

/** A plan of a refund on each of these orders, in the folders of all desks. */
async function planOf(name: string, ids: readonly string[]): Promise<void> {
  service.write(
    `${name}.csv`,
    `order_id,charge_id,amount,ref\n${ids.map((id) => `${id},any,5,${name}\n`).join('')}`,
  );
  copyFileSync(join(service.home.path, `${name}.csv`), join(homes.ana.path, `${name}.csv`));
  const planned = await run('ana', ['refunds', 'plan', `${name}.csv`, '--to', `${name}.plan`]);
  expect(planned.code, planned.stderr).toBe(0);
  for (const home of [homes.ben, homes.op7])
    copyFileSync(join(homes.ana.path, `${name}.plan`), join(home.path, `${name}.plan`));
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `ord_${from + index + 1}`);
const madeOn = (wanted: readonly string[]) =>
  service.made
    .filter(({ order, amount }) => wanted.includes(order) && amount === 5)
    .map(({ order }) => order)
    .toSorted();

/** Starts `refunds apply` as a process of a desk. */
function start(
  person: keyof typeof homes,
  name: string,
  concurrency: number,
  profile: 'shop' | 'hasty' = 'shop',
) {
  const home = homes[person];
  const words = [
    '-p',
    profile,
    'refunds',
    'apply',
    `${name}.plan`,
    '--yes',
    '--concurrency',
    `${concurrency}`,
  ];
  const child = spawn(process.execPath, [bin, ...words], {
    cwd: home.path,
    env: cleanEnv({ home, env: { TZ: 'UTC' } }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.resume();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const end = once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal, stderr }));
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), end };
}

describe('a plan that several desks apply', () => {
  test('two desks work off the same plan, and every row is sent once', async () => {
    const wanted = ids(0, 40);
    await planOf('two', wanted);
    const seen: string[] = [];
    onRefund = (who) => seen.push(who);
    const ends = await Promise.all((['ana', 'ben'] as const).map((who) => start(who, 'two', 4).end));
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    expect(madeOn(wanted)).toEqual(wanted.toSorted());
    expect(new Set(seen)).toEqual(new Set(['ana', 'ben']));
    const status = await run('ben', ['refunds', 'status', 'two.plan']);
    expect(status).toMatchObject({ code: 0 });
    const again = await run('ana', ['refunds', 'apply', 'two.plan', '--yes']);
    expect(again).toMatchObject({ code: 0 });
    expect(madeOn(wanted)).toEqual(wanted.toSorted());
  });

  test(`33 of three desks with ${count - 60} rows one is killed and one stands still: the ledger equals the plan`, async () => {
    const wanted = ids(60, count);
    await planOf('three', wanted);
    const runs = {
      ana: start('ana', 'three', 2),
      ben: start('ben', 'three', 1, 'hasty'),
      op7: start('op7', 'three', 4, 'hasty'),
    };
    const sent = { ana: 0, ben: 0, op7: 0 };
    onRefund = (who) => {
      if (who !== 'ana' && who !== 'ben' && who !== 'op7') throw new Error(`who is ${who}?`);
      sent[who] += 1;
      // Its refund is made, and it never hears so.
      if (who === 'ben' && sent.ben === 5) runs.ben.kill('SIGKILL');
      if (who === 'op7' && sent.op7 === 7) runs.op7.kill('SIGSTOP');
    };
    expect(await runs.ben.end).toMatchObject({ signal: 'SIGKILL' });
    let isOver = false;
    const end = runs.ana.end.finally(() => {
      isOver = true;
    });
    // Their time runs out, as it would after two minutes.
    while (!isOver) {
      if (sent.op7 >= 7 && sent.ben >= 5)
        await team.database.query(
          `update paydesk.plan_orders set until = 0 where state = 'claimed' and operator in ('ben', 'op7')`,
        );
      await wait(200);
    }
    const { code, stderr } = await end;
    expect([0, 7, 8], stderr).toContain(code);
    runs.op7.kill('SIGCONT');
    expect([0, 7, 8]).toContain((await runs.op7.end).code);
    const last = await run('ana', ['refunds', 'apply', 'three.plan', '--yes']);
    expect(last.code, last.stderr).toBe(0);
    expect(madeOn(wanted)).toEqual(wanted.toSorted());
    expect(sent.ana).toBeGreaterThan(wanted.length / 2);
    const [open] = await team.database.query('select count(*)::int as open from paydesk.attempts where open');
    expect(open).toEqual({ open: 0 });
    const verified = await run('ben', ['journal', 'verify']);
    expect(verified).toMatchObject({ code: 0 });
  });

  test('a run that follows a killed run of the same person does not call that a colleague', async () => {
    const wanted = ids(count + 5, count + 11);
    await planOf('own', wanted);
    let sent = 0;
    const first = start('ana', 'own', 1, 'hasty');
    onRefund = () => {
      sent += 1;
      if (sent === 3) first.kill('SIGKILL');
    };
    await first.end;
    const words = ['-p', 'shop', 'refunds', 'apply', 'own.plan', '--yes'];
    const person = sit(words, { home: homes.ana, env: { TZ: 'UTC' } }, 160);
    await person.waitFor('with another run of yours');
    // As if nothing had been heard of it for a while.
    await team.database.query(`update paydesk.plan_orders set until = until - 60000 where state = 'claimed'`);
    await person.waitFor(/\(another run of yours silent \d\d s, taken over in \d\d s\)/);
    const status = async () => (await run('ben', ['refunds', 'status', 'own.plan'])).stderr;
    // On a slow machine the second run may still send rows of its own, and then ana is not silent.
    await expect.poll(status, { timeout: 60_000 }).toMatch(/ana at \d orders?, silent \d\d s/);
    await team.database.query(`update paydesk.plan_orders set until = 0 where state = 'claimed'`);
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(screen).not.toContain('with ana');
  });

  test('a plan over the limit is asked for, approved by somebody else, and then applied', async () => {
    await setLimits(team, { second: 90 });
    onRefund = () => undefined;
    const wanted = ids(40, 60);
    await planOf('big', wanted);
    const before = service.made.length;
    const asked = await run('ana', ['refunds', 'apply', 'big.plan', '--yes', '--json']);
    expect(asked).toMatchObject({ code: 3 });
    const error = lastRecord(asked.stderr);
    expect(error).toMatchObject({
      message: `asked for approval: ${error.approval}`,
      now: expect.arrayContaining(['paydesk -p shop refunds apply big.plan']),
    });
    const list = await run('ben', ['approvals', 'list', '--json']);
    expect(JSON.parse(list.stdout).data).toMatchObject([
      { id: error.approval, kind: 'plan', rows: 20, amount: 100, currency: 'MXN' },
    ]);
    const own = await run('ana', ['approvals', 'approve', error.approval, '--yes']);
    expect(own).toMatchObject({ code: 3 });
    expect(service.made.length).toBe(before);
    const approved = await run('ben', ['approvals', 'approve', error.approval, '--yes']);
    expect(approved, approved.stderr).toMatchObject({ code: 0 });
    expect(approved.stderr).toContain('APPROVE A PLAN OF REFUNDS');
    expect(approved.stderr).toContain('20 refunds, 100 MXN');
    const applied = await run('ana', ['refunds', 'apply', 'big.plan', '--yes']);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(applied.stderr).toContain('approved by ben');
    expect(madeOn(wanted)).toEqual(wanted.toSorted());
    const [row] = await team.database.query(
      `select row::jsonb ->> 'approvedBy' as by from paydesk.rows where type = 'sent' and order_id = 'ord_41' and ref = 'big'`,
    );
    expect(row).toEqual({ by: 'ben' });
    await setLimits(team, { second: null });
    // The approval of a plan that was applied waits for nothing, whichever screen says it.
    expect((await run('ben', ['today'])).stderr).not.toContain('approvals:');
    expect((await run('ben', ['approvals', 'list', '--json'])).stdout).not.toContain(error.approval);
  });

  test('a second person who would ask for the same plan is sent to the request that is there, and reads its notes', async () => {
    const wanted = ids(count + 11, count + 15);
    const [first = ''] = wanted;
    const one = await run('ben', ['orders', 'refund', first, '--charge', '1', '--amount', '7', '--yes']);
    expect(one, one.stderr).toMatchObject({ code: 0 });
    await setLimits(team, { second: 10 });
    await planOf('more', wanted);
    const asked = await run('ana', ['refunds', 'apply', 'more.plan', '--yes', '--json']);
    const { approval } = lastRecord(asked.stderr);
    const before = service.made.length;
    const second = await run('op7', ['refunds', 'apply', 'more.plan', '--yes', '--json']);
    expect(second.code).toBe(3);
    expect(lastRecord(second.stderr)).toMatchObject({
      message: `asked for approval already by ana: ${approval}`,
      approval,
      commands: expect.arrayContaining([['paydesk', '-p', 'shop', 'approvals', 'approve', approval]]),
    });
    expect(service.made.length).toBe(before);
    const list = await run('ben', ['approvals', 'list', '--json']);
    expect(JSON.parse(list.stdout).data).toHaveLength(1);
    const shown = await run('op7', ['approvals', 'show', approval]);
    expect(shown.stdout).toContain('reasons 4 without a reason');
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain('line 2: this charge was refunded before: 7 MXN');
    // Notes may name people, so they are in the part that a lead can erase.
    const [kept] = await team.database.query('select row, body from paydesk.rows where intent = $1', [
      approval,
    ]);
    expect(kept?.row).not.toContain('refunded before');
    expect(kept?.body).toContain('refunded before');
    const approved = await run('op7', ['approvals', 'approve', approval, '--yes', '--json']);
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stderr.replaceAll(/\s+/g, ' ')).toContain('line 2: this charge was refunded before');
    const applied = await run('op7', ['refunds', 'apply', 'more.plan', '--yes']);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    await setLimits(team, { second: null });
  });

  test('what was asked at the same moment needs no answer once the plan was applied', async () => {
    await setLimits(team, { second: 10 });
    await planOf('both', ids(count + 15, count + 19));
    const asked = await run('ana', ['refunds', 'apply', 'both.plan', '--yes', '--json']);
    const { approval } = lastRecord(asked.stderr);
    const rules = await rulesOf(team, 'op7');
    const first = (await rules.approvals()).find(({ id }) => id === approval)?.asked;
    if (first === undefined || !('planned' in first)) throw new Error('ana asked for no plan');
    const { origin, account, profile, claim, planned } = first;
    await rules.ask('r_same', { origin, account, profile, claim, planned });
    await team.database.query(
      `update paydesk.plan_rows set ended = 'applied', operator = 'ana', run = 'another run'
        where plan = $1 and number = (select min(number) from paydesk.plan_rows where plan = $1)`,
      [claim.plan],
    );
    expect((await run('ben', ['approvals', 'show', 'r_same'])).stdout).toContain(
      'so far  1 of these was sent already',
    );
    expect(await run('ben', ['approvals', 'approve', approval, '--yes'])).toMatchObject({ code: 0 });
    expect(await run('ana', ['refunds', 'apply', 'both.plan', '--yes'])).toMatchObject({ code: 0 });
    expect((await run('ben', ['approvals', 'list', '--json'])).stdout).not.toContain('r_same');
    const late = await run('ben', ['approvals', 'approve', 'r_same', '--yes']);
    expect(late.code).toBe(3);
    expect(late.stderr).toContain('r_same needs no answer any more: its plan was applied');
    await setLimits(team, { second: null });
  });

  test('a limit of a day stops the plan, and the report says which rows were not sent', async () => {
    await setLimits(team, { day: 12 }, 'op7');
    const wanted = ids(count, count + 5);
    await planOf('day', wanted);
    await team.database.query('update paydesk.attempts set sent_at = sent_at - 24 * 60 * 60 * 1000');
    const ran = await run('op7', ['refunds', 'apply', 'day.plan', '--yes', '--concurrency', '1']);
    expect(ran).toMatchObject({ code: 8 });
    expect(ran.stderr).toContain(
      "5 MXN is over the team's limit for one person within 24 hours: 12 MXN for op7, set by lea",
    );
    expect(ran.stderr).toContain('of 5 rows 2 made');
    const others = await run('ana', ['refunds', 'apply', 'day.plan', '--yes']);
    expect(others, others.stderr).toMatchObject({ code: 0 });
    expect(others.stderr).toContain('of 5 rows 5 made');
  });
});
