/** The rules of a team, as the server of its journal keeps them: limits, approvals, and the rows of plans. */

import { type StoredRow, unlink, unstamped } from '../chain.ts';
import type { ApprovalRow, AskedRow, DecidedRow, LimitRow } from '../team-rows.ts';
import type {
  ApprovalRequest,
  AskedPlan,
  AskedRefund,
  ClaimedOrder,
  SharedPlan,
  TeamRules,
} from '../team-rules.ts';
import type { Value } from './connection.ts';
import type { Desk } from './desk.ts';
import { keptLimits, keptProgress, keptRequests } from './kept-rules.ts';
import {
  findingIn,
  limitsIn,
  planFindingIn,
  readClaims,
  readProgress,
  readRequests,
  readRows,
} from './rule-answers.ts';
import { writerVersion } from './schema.ts';
import { readRow } from './server-check.ts';

interface RuleParts {
  readonly desk: Pick<Desk, 'connect' | 'identity'>;
  /** Asks once. Throws CliError 'refused' when the server refuses or is away. */
  readonly ask: (name: string, ...values: readonly Value[]) => Promise<unknown>;
  /** Asks until the answer is known. Only for what may be done twice without harm. */
  readonly insist: (what: string, name: string, ...values: readonly Value[]) => Promise<unknown>;
  /** Takes in a row that the server has added. */
  readonly add: (row: StoredRow) => Promise<void>;
  /** What this machine has, if the error says that the server is away; undefined if it says something else. */
  readonly kept: (
    error: unknown,
  ) => Promise<{ readonly rows: readonly StoredRow[]; readonly now: number } | undefined>;
}

/** The rules, and what the store needs of them. */
export interface PostgresRules extends TeamRules {
  /** The requests for an approval that were asked before a time (Unix milliseconds) and are over. */
  over(before: number): Promise<readonly string[]>;
}

// How long a run that works on an order of a plan may be silent. Every SENT row counts as a word.
const leaseMs = 120_000;
const shownDays = 30;
const allDays = 100_000;

export function createPostgresRules({ desk, ask, insist, add, kept }: RuleParts): PostgresRules {
  const added = async (answer: unknown): Promise<ApprovalRow> => {
    const row = readRow(answer);
    await add(row);
    return approvalIn(row);
  };
  // What the server answers; while it is away, what the rows of this machine say.
  const shown = async <T>(
    asked: Promise<unknown>,
    read: (answer: unknown) => T,
    ofRows: (rows: readonly StoredRow[], now: number) => T,
  ): Promise<T> => {
    let answer: unknown;
    try {
      answer = await asked;
    } catch (error) {
      const here = await kept(error);
      if (here === undefined) throw error;
      return ofRows(here.rows, here.now);
    }
    return read(answer);
  };
  return {
    async member() {
      await desk.connect();
      return desk.identity?.operator ?? '';
    },
    limits: () => shown(ask('list_limits'), limitsIn, keptLimits),
    async setLimits({ member, currency, values }) {
      const texts = Object.entries(values).map(([name, value]) => [
        name,
        value === null ? null : String(value),
      ]);
      const changes = JSON.stringify(Object.fromEntries(texts));
      const answer = await insist('limits', 'set_limits', writerVersion, member, currency, changes);
      const rows = readRows(answer);
      for (const row of rows) await add(row);
      return rows.map(unlink).filter((row): row is LimitRow => row.type === 'limit');
    },
    async checkRefund(refund) {
      const { rest, body } = restOf(refund);
      return findingIn(await ask('check_limits', rest, body));
    },
    approvals: () => shown(ask('list_approvals', shownDays), requestsIn, keptRequests),
    async over(before) {
      const all = readRequests(await ask('list_approvals', allDays));
      const isOver = (state: string) => state !== 'asked' && state !== 'approved';
      return all
        .filter(({ state, asked }) => isOver(state) && readRow(asked).time < before)
        .map(({ id }) => id);
    },
    async ask(id, what) {
      const { rest, body } = restOf(what);
      return await added(await insist(`the request ${id}`, 'ask_approval', writerVersion, id, rest, body));
    },
    async decide(id, step, { validMs, note }) {
      const body = note === undefined ? null : JSON.stringify({ note });
      return await added(
        await insist(`the answer to ${id}`, 'decide_approval', writerVersion, id, step, validMs, body),
      );
    },
    async plan(digest, text) {
      const known = await ask('check_plan', digest);
      const added =
        known === null ? await insist('the plan', 'add_plan', writerVersion, await text()) : digest;
      if (added !== digest) throw new Error('the text of the plan is not what its digest says');
      return sharedPlan(digest, { ask, insist });
    },
    planProgress: (digest) =>
      shown(ask('plan_progress', digest), readProgress, (rows) => keptProgress(rows, digest)),
  };
}

function sharedPlan(digest: string, { ask, insist }: Pick<RuleParts, 'ask' | 'insist'>): SharedPlan {
  return {
    async check() {
      return planFindingIn(await ask('check_plan', digest));
    },
    async start() {
      await insist('the run of the plan', 'start_plan', writerVersion, digest);
    },
    async claim() {
      const { claimed, others } = readClaims(await ask('claim_orders', writerVersion, digest, 1, leaseMs));
      const [order] = claimed;
      return { claimed: order && { ...order, plan: digest }, others };
    },
    async ended({ order, token }: ClaimedOrder, ends) {
      const told = JSON.stringify(Object.fromEntries(ends));
      await insist('the end of a row', 'end_order', writerVersion, digest, order, token, told);
    },
    async progress() {
      return readProgress(await ask('plan_progress', digest));
    },
    async leave() {
      await ask('leave_plan', writerVersion, digest);
    },
  };
}

// ── Rows ────────────────────────────────────────────────────────────────────────────────────────

// In the form of the row that would be written, so that the server compares like with like.
function restOf(what: AskedRefund | AskedPlan): ReturnType<typeof unstamped> {
  const of = { type: 'approval', step: 'asked', intent: '', attempt: 0, time: 0, operator: '' } as const;
  return unstamped({ ...of, ...what });
}

function requestsIn(answer: unknown): readonly ApprovalRequest[] {
  return readRequests(answer).map(({ id, state, asked, decided, usedBy }) => ({
    id,
    state,
    asked: askedIn(readRow(asked)),
    decided: decided === null ? undefined : decidedIn(readRow(decided)),
    usedBy: usedBy ?? undefined,
  }));
}

function approvalIn(stored: StoredRow): ApprovalRow {
  const row = unlink(stored);
  if (row.type !== 'approval') throw new Error(`row ${stored.seq} is not about an approval`);
  return row;
}

function askedIn(stored: StoredRow): AskedRow {
  const row = approvalIn(stored);
  if (row.step !== 'asked') throw new Error(`row ${stored.seq} asks for nothing`);
  return row;
}

function decidedIn(stored: StoredRow): DecidedRow {
  const row = approvalIn(stored);
  if (row.step === 'asked') throw new Error(`row ${stored.seq} decides nothing`);
  return row;
}
