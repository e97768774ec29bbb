/** The limits and the requests of a team as the rows of a mirror show them, for screens while the server is away. Pure. */

import { type StoredRow, unlink } from '../chain.ts';
import { attemptKey, type SentRow, type VerdictRow } from '../journal-rows.ts';
import {
  type ApprovalRequest,
  type OthersProgress,
  type RowEnded,
  type TeamLimit,
  teamLimitNames,
} from '../team-rules.ts';

/** The limits that are set after these rows. */
export function keptLimits(rows: readonly StoredRow[]): readonly TeamLimit[] {
  const limits = new Map<string, TeamLimit>();
  for (const row of rows.filter(({ type }) => type === 'limit').map(unlink)) {
    if (row.type !== 'limit') continue;
    const { member, currency, to, operator: setBy, time: setAt } = row;
    const name = teamLimitNames.find((one) => one === row.name);
    const key = `${member} ${currency} ${row.name}`;
    limits.delete(key);
    if (name === undefined || to === null) continue;
    limits.set(key, { member, currency, name, value: to === 'none' ? to : Number(to), setBy, setAt });
  }
  return [...limits.values()];
}

const dayMs = 24 * 60 * 60_000;
const shownMs = 30 * dayMs;
const waitsMs = 7 * dayMs;

/** The requests of the last 30 days, oldest first, as the server would show them at a time (Unix milliseconds). */
export function keptRequests(rows: readonly StoredRow[], now: number): readonly ApprovalRequest[] {
  const requests = new Map<string, ApprovalRequest>();
  // The attempts that used an approval, with its request.
  const users = new Map<string, string>();
  for (const row of rows.map(unlink)) {
    if (row.type === 'approval' && row.step === 'asked')
      requests.set(row.intent, {
        id: row.intent,
        state: 'asked',
        asked: row,
        decided: undefined,
        usedBy: undefined,
      });
    else if (row.type === 'approval') change(requests, row.intent, { state: row.step, decided: row });
    else if (row.type === 'sent' && row.approval !== undefined) {
      users.set(attemptKey(row), row.approval);
      change(requests, row.approval, { state: 'used', usedBy: row.intent });
    } else if (row.type === 'verdict' && row.verdict === 'not_sent')
      change(requests, users.get(attemptKey(row)) ?? '', { state: 'approved', usedBy: undefined });
  }
  return [...requests.values()].filter(({ asked }) => asked.time >= now - shownMs).map((one) => at(one, now));
}

/** How far a plan is, by the rows of it that were sent. Nobody knows who works on it. */
export function keptProgress(rows: readonly StoredRow[], digest: string): OthersProgress {
  const sent = new Map<string, SentRow>();
  // The last attempt at each row of the plan, and how that ended.
  const ends = new Map<number, { readonly of: SentRow; readonly how: RowEnded }>();
  for (const row of rows.map(unlink)) {
    if (row.type === 'sent' && row.claim?.plan === digest) {
      sent.set(attemptKey(row), row);
      ends.set(row.claim.row, { of: row, how: 'unconfirmed' });
    } else if (row.type === 'verdict') {
      const of = sent.get(attemptKey(row));
      if (of?.claim !== undefined) ends.set(of.claim.row, { of, how: howItEnded(row) });
    }
  }
  const told = [...ends.values()].map(({ of: { operator: member, currency = '?', amount = 0 }, how }) => {
    return { member, how, currency, rows: 1, amount };
  });
  return { ended: told, working: [] };
}

function howItEnded({ verdict, confirmed }: VerdictRow): RowEnded {
  if (verdict === 'rejected') return confirmed === false ? 'unconfirmed' : 'refused';
  return verdict === 'applied' || verdict === 'not_sent' ? verdict : 'unconfirmed';
}

function change(
  requests: Map<string, ApprovalRequest>,
  id: string,
  more: Partial<Pick<ApprovalRequest, 'state' | 'decided' | 'usedBy'>>,
): void {
  const known = requests.get(id);
  if (known !== undefined) requests.set(id, { ...known, ...more });
}

function at(request: ApprovalRequest, now: number): ApprovalRequest {
  const { state, asked, decided } = request;
  const isOver =
    (state === 'asked' && asked.time + waitsMs <= now) ||
    (state === 'approved' && (decided?.until ?? now) <= now);
  return isOver ? { ...request, state: 'expired' } : request;
}
