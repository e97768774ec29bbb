/** Lists of a team on a screen of 80 columns: a lead asks who, so the names are there. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import { type Home, newHome, onScreen, paydesk } from '../harness/paydesk.ts';
import { lastRecord } from '../harness/ran.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';
import { setLimits } from './rows.ts';

let desk: Desk;
let team: Team;
let homes: Record<'ana' | 'ben', Home>;

beforeAll(async () => {
  [desk, team] = await Promise.all([startDesk({ mode: 'production' }), newTeam()]);
  homes = { ana: newHome(), ben: newHome() };
  for (const person of ['ana', 'ben'] as const)
    await joinTeam(homes[person], desk.url, team.database, { person });
});
afterAll(async () => {
  for (const home of Object.values(homes)) home[Symbol.dispose]();
  await desk[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const env = () => ({ ...desk.env, TZ: 'UTC' });
const refund = async (who: keyof typeof homes, amount: number) => {
  const { id } = await desk.take(
    ({ payment_status: status, charges, currency, amount_refunded: refunded }) =>
      status === 'paid' &&
      currency === 'MXN' &&
      refunded === 0 &&
      charges?.data.length === 1 &&
      charges.data[0]?.is_refundable === true,
  );
  const words = ['orders', 'refund', id, '--amount', `${amount}`, '--note', 'ticket 8840', '--confirm', id];
  return { id, ran: await paydesk([...words, '--json'], { home: homes[who], env: env() }) };
};
const screen = async (...words: readonly string[]) =>
  (await onScreen(words, { home: homes.ana, env: env(), columns: 80 })).screen;

test('journal list says who sent each change, beside the order, the amount and the outcome', async () => {
  const [own, other] = [await refund('ana', 700), await refund('ben', 800)];
  expect([own.ran.code, other.ran.code]).toEqual([0, 0]);
  const shown = await screen('journal', 'list');
  expect(shown).toMatch(/^INTENT +SENT UTC +ORDER +AMOUNT +OUTCOME +BY *$/m);
  expect(shown).toMatch(new RegExp(`^i_\\w+ .* ${own.id} +700 MXN +made +ana *$`, 'm'));
  expect(shown).toMatch(new RegExp(`^i_\\w+ .* ${other.id} +800 MXN +made +ben *$`, 'm'));
  expect(await screen('journal', 'list', '--operator', 'ben')).toMatch(/^i_\w+ .* made +ben *$/m);
});

test('approvals list says who asked and who approved, also once a request is approved', async () => {
  await setLimits(team, { max: 100_000_000, second: 500 });
  const { ran, id } = await refund('ana', 900);
  const { approval } = lastRecord(ran.stderr);
  const words = ['approvals', 'approve', approval, '--confirm', id];
  expect(await paydesk(words, { home: homes.ben, env: env() })).toMatchObject({ code: 0 });
  const shown = await screen('approvals', 'list');
  expect(shown).toMatch(new RegExp(`^${approval} .* ana +${id} +900 MXN +approved +ben *$`, 'm'));
  expect(shown).toMatch(/^ +until .* {2}note ticket 8840 *$/m);
});

test('a plan that needs a second person says why, and its digest stands in the list as far as people compare it', async () => {
  await setLimits(team, { max: 100_000_000, second: null });
  const before = await refund('ana', 700);
  await setLimits(team, { second: 703 });
  const { id } = before;
  writeFileSync(join(homes.ana.path, 'rows.csv'), `order_id,charge_id,amount\n${id},any,5\n`);
  const totals = ['--expect-count', '1', '--expect-total', 'MXN=5'];
  const run = (...args: readonly string[]) =>
    paydesk(['refunds', ...args, ...totals], { home: homes.ana, env: env() });
  const made = await run('plan', 'rows.csv', '--to', 'rows.plan');
  expect(made.code, made.stderr).toBe(0);
  const file = readFileSync(join(homes.ana.path, 'rows.plan'), 'utf8');
  const { digest } = lastRecord(file);
  const asked = await run('apply', 'rows.plan', '--confirm', digest.slice(0, 8));
  expect(asked.code).toBe(3);
  expect(asked.stderr).toContain('from 703 MXN on a second person must approve (set by lea)');
  expect(asked.stderr).toContain(
    `line 2, ${id}: the plan pays back 5 MXN, and 700 went back in the last 24 hours`,
  );
  expect(await screen('approvals', 'list')).toMatch(new RegExp(`^ +digest ${digest.slice(0, 8)} *$`, 'm'));

  // Two plans may begin with the same 8 characters, so whoever asks, looks or approves can compare all of them.
  const whole = new RegExp(`^(?:digest  |whole digest )${digest} *$`, 'm');
  expect(asked.stderr).toMatch(whole);
  const { approval } = lastRecord((await run('apply', 'rows.plan', '--confirm', digest, '--json')).stderr);
  expect(await screen('refunds', 'status', 'rows.plan')).toMatch(whole);
  expect(await screen('approvals', 'show', approval)).toMatch(whole);
  const other = digest.endsWith('0') ? '1' : '0';
  for (const wrong of [
    digest.slice(0, 7),
    `${digest.slice(0, 8)}${digest[8] === '0' ? '1' : '0'}`,
    `${digest.slice(0, -1)}${other}`,
    `${digest}0`,
  ]) {
    const refused = await approve(approval, wrong);
    expect(refused, wrong).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain('does not name');
  }
  const approved = await approve(approval, digest.toUpperCase());
  expect(approved, approved.stderr).toMatchObject({ code: 0 });
  expect(approved.stderr).toMatch(whole);
  expect(approved.stdout).toContain(`digest: ${digest}\n`);
});

const approve = (approval: string, digest: string) =>
  paydesk(['approvals', 'approve', approval, '--confirm', digest], { home: homes.ben, env: env() });
