/** Refunds as they are recorded in a team's journal, for tests of its rules. */

import type { SentRow } from '../../src/journal/journal-rows.ts';
import type { JournalStore } from '../../src/journal/journal-store.ts';
import type { AskedRefund, LimitChanges, TeamRules } from '../../src/journal/team-rules.ts';
import type { Person } from '../harness/team-database.ts';
import type { DeskOptions, Team } from '../journal/postgres/desks.ts';
import { sent } from '../journal/rows.ts';

/** A refund of so much, in a form that its body, its row and its proof agree on. */
export function refundOf(amount: number, orderId: string, more: Partial<SentRow> = {}): SentRow {
  const row = sent(`i_${crypto.randomUUID().slice(0, 8)}`, 5, { amount, currency: 'MXN', note: undefined });
  const body = { charge_id: 'ch_1', amount };
  return {
    ...row,
    request: { method: 'POST', path: `orders/${orderId}/refunds`, body },
    proof: { ...row.proof, orderId, body, expected: [{ chargeId: 'ch_1', amount: -amount }] },
    ...more,
  };
}

/** The same refund, as somebody asks another person to approve it. */
export function askedOf({
  origin,
  account,
  profile,
  request,
  proof,
  amount,
  currency,
  note,
}: SentRow): AskedRefund {
  const { before: _, ...needed } = proof;
  return { origin, account, profile, request, proof: needed, amount, currency, note };
}

/** Looks at the order and records the row, as a change does. */
export async function record(store: JournalStore, row: SentRow): Promise<void> {
  await store.attempts({ orderId: row.proof.orderId ?? '' });
  await store.append(row);
}

/** The rules of the team at a new desk. */
export async function rulesOf(team: Team, person: Person, options: DeskOptions = {}): Promise<TeamRules> {
  return await rulesAt(team.desk({ person, ...options }));
}

export async function rulesAt(store: JournalStore): Promise<TeamRules> {
  const rules = await store.rules?.();
  if (rules === undefined) throw new Error('this store has no rules of a team');
  return rules;
}

/** Lets a lead set limits in MXN, for everybody if nobody is named. */
export async function setLimits(team: Team, values: LimitChanges['values'], member = '*'): Promise<void> {
  await (await rulesOf(team, 'lea')).setLimits({ member, currency: 'MXN', values });
}
