/** What the journal and the commands both call an attempt and its alarms: a refusal must name what a command accepts. */

import type { AttemptRecord, VerdictRow } from './rows.ts';

type Alarm = NonNullable<VerdictRow['alarm']>;

/** The name of an attempt for `--again`: its intent, and from the second attempt on its number too, `i_7f3k.2`. */
export function attemptName({ sent: { intent, attempt } }: Pick<AttemptRecord, 'sent'>): string {
  return attempt === 1 ? intent : `${intent}.${attempt}`;
}

/** An alarm in a few words, to stand before a colon. */
export const alarmWords: Readonly<Record<Alarm, string>> = {
  duplicate: 'DUPLICATE?',
  contradiction: 'the answer contradicted the request',
  partial: 'only a part shows',
  applied_though_rejected: 'refused, and yet made',
  disagreement: 'its figures do not agree',
};
