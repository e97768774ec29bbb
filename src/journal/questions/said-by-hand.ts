/** Tells what people recorded by hand about an attempt, and whether it proved wrong. Pure. */

import type { AttemptRecord, VerdictRow } from '../rows/journal-rows.ts';

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
