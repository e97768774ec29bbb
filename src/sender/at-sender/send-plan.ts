/**
 * Applies a plan from a desk, and keeps it in a file until done. Rows go through the same sending code as on one machine, each
 * with its own id.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { createPace } from '../../api/api.ts';
import { readOrdersAgain, rowsToSend, type SendingContext, workOff } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import { attemptsOf, momentOf, newChangeId } from '../../journal/journal.ts';
import { resolveOne } from '../../journal/read-again.ts';
import { newBatchRun, type Plan, type RowTold, sumsOf, type Worked } from '../../plans/plans.ts';
import {
  checkOwnFolder,
  type FileRules,
  readOwnFile,
  removeOwnFile,
  writeOwnFile,
} from '../../profiles/profiles.ts';
import { planRunForm } from '../change-wire.ts';
import { stoppedPrefix } from '../sender.ts';
import { accountNameForm, nameForm, roles, timeForm } from '../wire.ts';
import { sendChange } from './handed-change.ts';
import {
  type ChangesParts,
  calledAt,
  recordSetting,
  refuseNow,
  shortTimeIn,
  stamped,
} from './known-change.ts';
import type { SenderAccount } from './routes.ts';

interface HowApplied {
  readonly handed: TakenPlan;
  readonly plan: Plan;
  readonly account: SenderAccount;
  readonly tell: (row: RowTold) => void;
  readonly wait: (words: string | null) => void;
  /** Somebody stopped it, or the sender is stopping. */
  readonly stop: AbortController;
}

// For each row: the change, its final read, and the read of its outcome.
const requestsOfRow = 5;
const againMs = 2_000;

/** Applies the plan while no other sender does. */
export async function sendPlan(parts: ChangesParts, how: HowApplied): Promise<Worked> {
  const { plan, wait, stop } = how;
  const stopAsked = AbortSignal.any([stop.signal, parts.stop.stopWaiting]);
  for (;;) {
    const taken = await parts.locks.take(`plan ${plan.id}`, { waitMs: 0, signal: stopAsked, alone: true });
    if (!taken.held) {
      wait(`another sender has this plan${taken.owner === undefined ? '' : `: ${taken.owner.operator}`}`);
      await parts.clock.sleep(againMs, stopAsked);
      continue;
    }
    try {
      wait(null);
      return await workThrough(parts, how, stopAsked);
    } finally {
      await taken.release();
    }
  }
}

async function workThrough(parts: ChangesParts, how: HowApplied, stopAsked: AbortSignal): Promise<Worked> {
  const { plan, account, handed, tell } = how;
  const { head } = handed;
  const ctx = await contextOf(parts, how, stopAsked);
  const service = calledAt(account.service, head.profile);
  // Refunds that an earlier run left unconfirmed hold back later rows.
  await readOrdersAgain(ctx, plan);
  const run = newBatchRun();
  const stop = await workOff({
    ctx,
    service,
    plan,
    run,
    rows: rowsToSend(plan.rows),
    how: head,
    tell,
    waiting: () => () => undefined,
  });
  return { stop, run };
}

async function contextOf(
  parts: ChangesParts,
  { handed, plan, account, stop }: HowApplied,
  stopAsked: AbortSignal,
): Promise<SendingContext> {
  const { clock, store } = parts;
  const { asker, head } = handed;
  const service = calledAt(account.service, head.profile);
  const shortTime = shortTimeIn(clock, head.zone);
  const pace = createPace(clock);
  if (head.maxPerSecond !== undefined) pace.limit(head.maxPerSecond / requestsOfRow);
  const stopsBefore = (await store.settings(stoppedName(head.digest))).length;
  const ofPlan = { digest: plan.digest, sums: sumsOf(rowsToSend(plan.rows)) };
  return {
    clock,
    stopAsked,
    signal: stopAsked,
    notes: { warn: () => undefined, progress: () => () => undefined },
    journal: {
      attempts: (query) => store.attempts(query),
      attemptsOf: (of, orders) => attemptsOf(store, of, orders),
      problem: () => store.problem(),
      now: (of) => momentOf(clock, store, of ?? {}),
      reconcile: (record) =>
        resolveOne(
          {
            ...parts,
            service,
            store: stamped(store, { asker, account, id: head.run, idempotencyKey: undefined }),
            timeoutMs: head.timeoutMs,
            shortTime,
          },
          record,
        ),
    },
    async change(change, run) {
      await pace.next(stopAsked);
      const id = newChangeId(change);
      return await sendChange(
        parts,
        { asker, account, id, idempotencyKey: change.idempotencyKey },
        {
          change,
          run: {
            ...run,
            async checkFresh(fresh) {
              await run.checkFresh(fresh);
              await refuseNow(parts, { ...head, account }, change, fresh.value);
            },
          },
          service,
          shortTime,
          timeoutMs: head.timeoutMs,
          notes: { note: () => undefined, warn: () => undefined, waiting: () => () => undefined },
          signal: stopAsked,
          plan: ofPlan,
          onSent: () => undefined,
          async refuse() {
            const stops = await store.settings(stoppedName(head.digest));
            const last = stops.at(-1);
            if (stops.length === stopsBefore || last === undefined) return;
            const stopped = stoppedBy(last.operator);
            stop.abort(stopped);
            throw stopped;
          },
        },
      );
    },
  };
}

const stoppedName = (digest: string) => `${stoppedPrefix}${digest}`;

export function stoppedBy(member: string): CliError {
  return new CliError('interrupted', `stopped by ${member}`, { certain: 'no other row was sent' });
}

/** Records that a plan is stopped, for every sender that has it. */
export function recordStop(
  parts: ChangesParts,
  account: SenderAccount,
  digest: string,
  asker: TakenPlan['asker'],
): Promise<void> {
  return recordSetting(parts, { asker, account, id: digest }, stoppedName(digest), 'stopped');
}

// ── The files of plans ─────────────────────────────────────────────────────────────────────────────

const planForm = v.strictObject({
  account: accountNameForm,
  /** When it was handed over, Unix milliseconds. */
  since: timeForm,
  asker: v.strictObject({
    member: nameForm,
    role: v.picklist(roles),
    desk: nameForm,
    token: v.string(),
    until: timeForm,
  }),
  head: planRunForm,
  text: v.string(),
});
export type TakenPlan = v.InferOutput<typeof planForm>;

export interface TakenPlans {
  /** The plan is on the disk when this returns. */
  write(plan: TakenPlan): void;
  remove(plan: TakenPlan): void;
  /** Throws CliError 'refused' for an unreadable file: nobody knows which plan it was. */
  list(): readonly TakenPlan[];
}

/** The files in a folder, created with the first one. */
export function createTakenPlans(folder: string, rules: FileRules): TakenPlans {
  const fileOf = ({ account, head }: TakenPlan) => join(folder, `${account}-${head.digest}.json`);
  return {
    write: (plan) => writeOwnFile(fileOf(plan), JSON.stringify(plan), rules),
    remove: (plan) => removeOwnFile(fileOf(plan)),
    list() {
      if (!checkOwnFolder(folder, rules)) return [];
      const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
      return names.flatMap((name) => readPlanFile(join(folder, name), rules) ?? []);
    },
  };
}

function readPlanFile(path: string, rules: FileRules): TakenPlan | undefined {
  const text = readOwnFile(path, rules);
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), planForm), text);
  if (read.success) return read.output;
  throw new CliError('refused', `${path} cannot be read, and says which plan was handed over`, {
    certain: 'nothing was started',
    now: ['move it away; whoever applied that plan applies it again'],
  });
}
