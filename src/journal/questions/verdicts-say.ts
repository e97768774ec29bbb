/** Tells what the verdicts on an attempt say: which records it made, which of these failed, and what people recorded by hand. Pure. */

import { isFailed, isPending } from '../agreement.ts';
import type { FoundRefund } from '../change.ts';
import { isSameMoney } from '../judge-read.ts';
import type { AttemptRecord, Proof, VerdictRow } from '../rows/journal-rows.ts';

/** Whether the service has taken this refund and shows it, or a part of it, as failed, with nothing in its place. */
export function hasFailed(record: AttemptRecord): boolean {
  return failedRefunds(record).length > 0;
}

/**
 * The records of such a refund that failed: that money has not gone back. `shown`: the statuses that the order has now, by the ids of
 * its refunds; without it, those that the last read showed.
 */
export function failedRefunds(
  record: AttemptRecord,
  shown?: ReadonlyMap<string | undefined, string | undefined>,
): readonly FoundRefund[] {
  // Nearly all: the rest would take long for a whole journal.
  if (shown === undefined && !record.verdicts.some(({ refunds }) => refunds?.some(isFailed))) return [];
  const { expected } = record.sent.proof;
  const own = ownRefunds(record).map((refund) =>
    shown?.has(refund.id) ? { ...refund, status: shown.get(refund.id) } : refund,
  );
  return askedFor({ expected, tolerated: [] }, own).filter(isFailed);
}

/**
 * The records of a refund that was made, if one of them failed later: what else the order shows is somebody else's. Undefined if
 * none failed, or if the refund was there twice or had failed when it was first seen: then what shows in its place may be its
 * own.
 */
export function idsOfFailedLater(record: AttemptRecord): ReadonlySet<string | undefined> | undefined {
  const { sent, verdicts } = record;
  const [wasMade] = verdicts.flatMap(({ verdict, refunds }) =>
    refunds === undefined ? [] : [verdict === 'applied' && !askedFor(sent.proof, refunds).some(isFailed)],
  );
  if (wasMade !== true || !hasFailed(record) || verdicts.some(({ alarm }) => alarm === 'duplicate'))
    return undefined;
  return new Set(ownRefunds(record).map(({ id }) => id));
}

/** Whether the last read showed this refund as pending. */
export function isStillPending(record: AttemptRecord): boolean {
  return ownRefunds(record).some(isPending);
}

/** Ids of the refunds and orders that all these attempts except one have made. */
export function claimedBy(
  others: readonly AttemptRecord[],
  except: Pick<AttemptRecord, 'sent'>,
): ReadonlySet<string> {
  const made = others.filter((record) => !isSameAttempt(record, except));
  return new Set(
    made
      .flatMap((record) => [createdBy(record), ...ownRefunds(record).map(({ id }) => id)])
      .filter((id) => id !== undefined),
  );
}

function createdBy({ verdicts }: AttemptRecord): string | undefined {
  const last = verdicts.at(-1);
  return last?.verdict === 'applied' ? last.created : undefined;
}

/**
 * The refund records that an attempt made, failed ones too, with the status that the last read showed. If its last verdict is
 * `rejected`, these are only the failed ones; if it is neither that nor `applied`, there are none. They come from the first
 * verdict that shows them, because a later read also shows what was sent afterwards. If some failed, what a later read shows in
 * their place is this attempt's as well.
 */
export function ownRefunds({ sent, verdicts }: AttemptRecord): readonly FoundRefund[] {
  const last = verdicts.at(-1);
  const isApplied = last?.verdict === 'applied';
  if (!isApplied && last?.verdict !== 'rejected') return [];
  let own: readonly FoundRefund[] | undefined;
  for (const { verdict, refunds } of verdicts) {
    if (verdict !== last.verdict || refunds === undefined) continue;
    const shown = new Map(refunds.map((refund) => [refund.id, refund]));
    own = own?.map((refund) => shown.get(refund.id) ?? refund);
    if (own !== undefined && !own.some(isFailed)) continue;
    const known = new Set(own?.map(({ id }) => id));
    own = [...(own ?? []), ...askedFor(sent.proof, refunds).filter(({ id }) => !known.has(id))];
  }
  const found = own ?? [];
  return isApplied ? found : found.filter(isFailed);
}

/** Picks the refund records that were asked for, failed ones last; the others are other people's. */
export function askedFor(
  { expected, tolerated }: Pick<Proof, 'expected' | 'tolerated'>,
  refunds: readonly FoundRefund[],
): readonly FoundRefund[] {
  const rest = refunds.toSorted((one, other) => Number(isFailed(one)) - Number(isFailed(other)));
  const take = (isIt: (refund: FoundRefund) => boolean) => {
    const at = rest.findIndex(isIt);
    return at === -1 ? [] : rest.splice(at, 1);
  };
  return [
    ...expected.flatMap((one) => take((refund) => isSameMoney(one, refund))),
    ...tolerated.flatMap((chargeId) => take((refund) => refund.chargeId === chargeId)),
  ];
}

/** Whether both are the same attempt of one change. */
export function isSameAttempt(one: AttemptRecord, other: Pick<AttemptRecord, 'sent'>): boolean {
  return one.sent.change === other.sent.change && one.sent.attempt === other.sent.attempt;
}

// ── By hand ─────────────────────────────────────────────────────────────────────────────────────

/**
 * What a person recorded about a change, as far as it still counts; undefined if nobody did. If a refund was recorded as not
 * made, a last read that does not show it takes nothing back.
 */
export function statementOn({ verdicts }: Pick<AttemptRecord, 'verdicts'>): VerdictRow | undefined {
  const [before, last] = [verdicts.at(-2), verdicts.at(-1)];
  if (last?.by === 'person') return last;
  const isKept = last?.verdict === 'rejected' && before?.verdict === 'rejected' && before.by === 'person';
  return isKept ? before : undefined;
}

/** Who last recorded what became of a change, or dealt with it; `somebody` if no name is known. */
export function recordedBy({ verdicts }: Pick<AttemptRecord, 'verdicts'>): string {
  return verdicts.findLast(({ by }) => by === 'person')?.operator ?? 'somebody';
}

/** Who last recorded that a change was not made, even if that proved wrong; undefined if nobody did. */
export function notMadeBy({ verdicts }: Pick<AttemptRecord, 'verdicts'>): string | undefined {
  const said = verdicts.findLast(({ by, verdict }) => by === 'person' && verdict === 'rejected');
  return said && (said.operator ?? 'somebody');
}

/** The verdict on a refund that appeared although a person had recorded that it was not made; undefined once somebody acknowledged it. */
export function appearedVerdict(record: AttemptRecord): VerdictRow | undefined {
  const last = record.verdicts.at(-1);
  const isAlarmed = last?.verdict === 'applied' && last.alarm === 'applied_though_rejected';
  const isByHand = record.sent.proof.kind === 'refund' && notMadeBy(record) !== undefined;
  return isAlarmed && isByHand ? last : undefined;
}
