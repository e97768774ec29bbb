/** Random schedules of the built program against a hostile service: runs overlap, are killed and lied to. The ledger knows. */

import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { isLong } from '../harness/long.ts';
import { newRefundOf, withRefund } from '../harness/orders.ts';
import type { Home } from '../harness/paydesk.ts';
import { seed } from '../harness/seed.ts';
import { type Handler, json, reply, reset } from '../harness/server.ts';
import { changeArgs, journalRows, ledgerAndDesk, refundAmount } from './desk.ts';
import type { LedgerOrder } from './ledger.ts';
import { start } from './running.ts';

const count = isLong ? 300 : 6;

const { ledger, desk } = await ledgerAndDesk();

/**
 * What becomes of a request: `apply-…` is done, `…-late` after the run that sent it has ended, `twice` once more after it.
 * `unsure` is a refusal that does not say what became of the money.
 */
const fates = [
  'ok',
  'apply-drop',
  'drop',
  'apply-502',
  '502',
  'reject',
  'apply-contradict',
  'drop-late',
  'unsure',
  'apply-unsure',
  'unsure-late',
  'twice',
] as const;

interface Run {
  readonly does: 'refund' | 'reconcile';
  readonly fate: (typeof fates)[number];
  readonly overlaps: boolean;
  /** Reads that fail from now on, and reads that show the order as it was at first. */
  readonly failing: number;
  readonly stale: number;
  readonly killAfterMs: number | undefined;
  /** Somebody else refunds the same before it starts. */
  readonly foreign: boolean;
}

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const runs = fc.array(
  fc.record<Run>({
    does: fc.constantFrom('refund', 'refund', 'reconcile'),
    fate: fc.constantFrom(...fates),
    overlaps: fc.boolean(),
    failing: fc.constantFrom(0, 0, 0, 2),
    stale: fc.constantFrom(0, 0, 0, 3),
    killAfterMs: rarely(fc.integer({ min: 100, max: 600 })),
    foreign: rarely(fc.constant(true)).map((yes) => yes === true),
  }),
  { minLength: 1, maxLength: 3 },
);

interface Told {
  readonly requests: number;
  readonly done: number;
  readonly foreign: number;
  readonly applied: number;
  /** Refunds that the service made a second time. */
  readonly twice: number;
}

const unsure = {
  object: 'error',
  type: 'processing_error',
  details: [{ message: 'no', code: 'service.errors.processing.bank.timeout' }],
};

/** Lives a schedule on an order of its own, and compares journal and ledger at its end. */
async function live(schedule: readonly Run[]): Promise<Told> {
  using home = desk.newHome();
  const order = ledger.add('refund');
  const old = order.value;
  const late: (() => void)[] = [];
  let [left, foreign, twice] = [{ failing: 0, stale: 0 }, 0, 0];
  order.onRead = () => {
    if (left.failing > 0) {
      left = { ...left, failing: left.failing - 1 };
      return reset;
    }
    if (left.stale === 0) return undefined;
    left = { ...left, stale: left.stale - 1 };
    return json(old);
  };
  let running: Promise<unknown>[] = [];
  for (const run of schedule) {
    if (!run.overlaps) await Promise.all(running);
    for (const effect of late.splice(0)) effect();
    // A service that shows an order as it was before somebody's refund cannot be seen through by anybody.
    if (run.foreign && run.stale === 0) {
      foreign += 1;
      order.value = withRefund(order.value, newRefundOf(`rf_foreign_${foreign}`, refundAmount), refundAmount);
    }
    left = { failing: run.failing, stale: foreign === 0 && order.done() === 0 ? run.stale : 0 };
    order.onPost = (_, apply) => {
      if (run.fate === 'twice') twice += 1;
      return answer(run.fate, apply, order, late);
    };
    running.push(carryOut(home, order, run));
  }
  await Promise.all(running);
  running = [];
  for (const effect of late.splice(0)) effect();
  order.onRead = undefined;
  await desk.run(home, ['journal', 'reconcile', '--all']);
  // Whoever looks at what the service made twice is told.
  const { change = '' } = twice === 0 ? {} : (journalRows(home).at(-1) ?? {});
  if (twice > 0) expect((await desk.run(home, ['journal', 'reconcile', change])).code).toBe(7);
  return check(home, order, { foreign, twice }, `seed ${seed}: ${JSON.stringify(schedule)}`);
}

function answer(fate: Run['fate'], apply: () => unknown, order: LedgerOrder, late: (() => void)[]): Handler {
  if (fate.endsWith('-late') || fate === 'twice') late.push(() => void apply());
  if (fate === 'ok' || fate === 'twice') return json(apply());
  if (fate.startsWith('apply')) apply();
  if (fate === 'reject') {
    return json({ object: 'error', type: 'parameter_validation_error', details: [{ message: 'no' }] }, 422);
  }
  if (fate.includes('unsure')) return json(unsure, 402);
  if (fate === 'apply-contradict') return json({ ...order.value, id: 'ord_other' });
  return fate.endsWith('502') ? reply('<p>', 502, { 'content-type': 'text/html' }) : reset;
}

async function carryOut(home: Home, order: LedgerOrder, { does, killAfterMs }: Run): Promise<void> {
  const args = does === 'refund' ? changeArgs(order) : ['journal', 'reconcile', '--all'];
  const run = start(desk, home, args);
  if (killAfterMs !== undefined) {
    await Promise.race([wait(killAfterMs), run.end]);
    run.kill('SIGKILL');
  }
  const { code, stdout } = await run.end;
  // Whoever is told that it was refunded is told the truth.
  if (code === 0 && does === 'refund') expect(stdout).toContain('refunded 5000 MXN');
  expect([null, 0, 3, 5, 6, 7]).toContain(code);
}

function check(
  home: Home,
  order: LedgerOrder,
  { foreign, twice }: Pick<Told, 'foreign' | 'twice'>,
  words: string,
): Told {
  const rows = journalRows(home);
  const sent = rows.filter(({ type }) => type === 'sent');
  const lastOf = (change: string) => rows.findLast((row) => row.type === 'verdict' && row.change === change);
  const applied = sent.filter(({ change }) => lastOf(change)?.verdict === 'applied').length;
  const told = { requests: order.posts.length, done: order.done() - twice, foreign, applied, twice };
  const all = `${words}: ${JSON.stringify(told)}, ${rows.map(({ type, verdict }) => verdict ?? type).join(' ')}`;
  // Never twice: one request an attempt at most, and one effect in all, since nobody said --again.
  expect(told.requests, all).toBeLessThanOrEqual(sent.length);
  expect(told.done, all).toBeLessThanOrEqual(1);
  // Never lost, and never falsely applied.
  if (told.done === 1) expect(applied, all).toBeGreaterThanOrEqual(1);
  if (told.done + foreign === 0) expect(applied, all).toBe(0);
  return told;
}

test(`in ${count} schedules of the built program: never twice, never lost, never falsely applied`, async () => {
  const schedules = fc.sample(runs, { numRuns: count, seed });
  const all = await each(schedules, live);
  const sum = (of: keyof Told) => all.reduce((total, told) => total + told[of], 0);
  console.log(
    `schedules of the built program: ${all.length} from seed ${seed}, ${sum('requests')} requests, ${sum('done')} effects, ${sum('twice')} made twice by the service, ${sum('foreign')} by others, ${sum('applied')} seen as applied; 0 doubles, 0 lost outcomes, 0 false applied`,
  );
  expect(sum('done')).toBeGreaterThan(count / 10);
}, 3_600_000);
