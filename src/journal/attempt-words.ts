/** What the journal and the commands both say of changes: the kinds of them, the names of attempts and alarms. */

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

/** Every kind of change: what it is called, and whether reading the order proves what became of it; if not, a person says it. */
export const changeKinds = {
  refund: { noun: 'refund', provable: true },
  capture: { noun: 'capture', provable: true },
  order: { noun: 'order creation', provable: true },
  checkout: { noun: 'checkout creation', provable: false },
  api: { noun: 'request', provable: false },
} as const;

/** A kind of change: whatever differs between kinds is a `Record` over it, so that a new one is missed nowhere. */
export type ChangeKind = keyof typeof changeKinds;
