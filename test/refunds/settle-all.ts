/** Somebody who looks into the service's own ledger, and records in the journal what paydesk could not find out. */

import { expect } from 'vitest';
import { later } from '../harness/clock.ts';
import type { Order } from '../harness/desk.ts';
import type { Home, Ran } from '../harness/paydesk.ts';
import type { SeenRequest } from '../harness/server.ts';
import { attemptsIn, type JournalLine, journalOf } from './batch.ts';

/** A service, its ledger, and a home with a profile for it. */
export interface Side {
  readonly home: Home;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  orders(): Promise<readonly Order[]>;
  posts(): readonly SeenRequest[];
}

// Before that nobody can know that a request was not made.
const minutesLater = later(200_000);

/** Reads all unconfirmed refunds again, then settles those that no read shows. Returns how many those were. */
export async function settleAll(side: Side, words: string): Promise<number> {
  await side.run(['journal', 'reconcile', '--all']);
  const open = openIn(journalOf(side.home));
  for (const { sent } of open) {
    const known = journalOf(side.home).flatMap(({ refunds }) => (refunds ?? []).map(({ id }) => id));
    const order = (await side.orders()).find(({ id }) => id === sent.proof?.orderId);
    const found = order?.charges?.data
      .flatMap(({ id, refunds }) => (refunds?.data ?? []).map((refund) => ({ ...refund, chargeId: id })))
      .filter(({ id }) => !known.includes(id) && !beforeOf(sent).includes(id));
    const says = found?.length === 0 ? '--not-applied' : '--applied';
    const settle = ['journal', 'settle', sent.change, says, '--note', 'looked into the ledger', '--yes'];
    const { code, stderr } = await side.run(
      [...settle, '--confirm', sent.proof?.orderId ?? ''],
      minutesLater,
    );
    expect(code, `${words}: ${stderr}`).toBe(0);
  }
  expect(openIn(journalOf(side.home)), words).toEqual([]);
  return open.length;
}

/** The attempts that nobody knows the outcome of. */
export function openIn(journal: readonly JournalLine[]) {
  return attemptsIn(journal).filter(
    ({ verdict }) => verdict === undefined || verdict === 'unknown' || verdict === 'not_seen',
  );
}

function beforeOf({ proof }: JournalLine): readonly string[] {
  return proof?.before?.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)) ?? [];
}
