/** What each kind of change is called, and what is said when it did not end well. Pure. */

import type { ChangeSubject, Intent } from '../journal/journal.ts';

interface KindWords {
  readonly noun: string;
  /** What a refusal by the service leaves certain. */
  readonly refused: string;
  /** What to do while nobody knows. */
  readonly meanwhile: string;
  /** Whether reading can tell what became of it; otherwise a person settles it. */
  readonly readable: boolean;
}

const money = (verb: 'refund' | 'capture') => ({
  noun: verb,
  refused: 'this attempt moved no money',
  meanwhile: `tell the buyer "it is being checked"; do not ${verb} it anywhere else;`,
  readable: true,
});
const creation = {
  refused: 'this attempt created nothing',
  meanwhile: 'do not create it again before this is clear;',
} as const;

/** Words of a kind. */
export const kindWords: Readonly<Record<Intent['kind'], KindWords>> = {
  refund: money('refund'),
  capture: money('capture'),
  order: { ...creation, noun: 'order creation', readable: true },
  checkout: { ...creation, noun: 'checkout creation', readable: false },
  api: {
    noun: 'request',
    refused: 'the service says that it did nothing',
    meanwhile: 'do not send it again before this is clear;',
    readable: false,
  },
};

/** `refund of 23000 MXN on ord_…`, `order creation of 300 MXN`, `POST /charges`. */
export function changeWords({ kind, amount, currency, orderId, request }: ChangeSubject): string {
  const money = amount === undefined ? '' : ` of ${amount} ${currency ?? ''}`.trimEnd();
  // A repair could not read it any more (journal verify).
  if (request.path === '') return 'a change whose record is lost';
  if (kind === 'api') return `${request.method} /${request.path}`;
  return `${kindWords[kind].noun}${money}${orderId === undefined ? '' : ` on ${orderId}`}`;
}

/** Until when an open outcome blocks the same change, or any of its order. */
export function blockedWords(until: string | undefined): string {
  return until === undefined
    ? 'blocked until a read tells, or until you settle it'
    : `blocked until ${until} at the latest, or until you settle it`;
}

/** The two commands by which a person states what became of it. */
export function settleCommands(intent: string): readonly string[] {
  return ['--applied', '--not-applied'].map((word) => `paydesk journal settle ${intent} ${word} --note TEXT`);
}
