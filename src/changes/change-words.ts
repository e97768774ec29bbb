/** The words that all changes share: what a change is called, the lines of its preview and result, what to do about it. Pure. */

import type { AttemptRecord, ChangeSubject } from '../journal/journal.ts';
import { type ChangeKind, changeKinds } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import { accountLabel } from '../profiles/profiles.ts';
import type { Block, Style } from '../terminal/terminal.ts';

interface KindWords {
  /** What is certain after the service refused it. */
  readonly refused: string;
  /** What to do while nobody knows whether it was made. */
  readonly meanwhile: string;
}

const money = (verb: 'refund' | 'capture'): KindWords => ({
  refused: 'this attempt moved no money',
  meanwhile: `tell the buyer "it is being checked"; do not ${verb} it anywhere else;`,
});
const creation: KindWords = {
  refused: 'this attempt created nothing',
  meanwhile: 'do not create it again before this is clear;',
};

/** The words for each kind of change that did not end well. */
export const kindWords: Readonly<Record<ChangeKind, KindWords>> = {
  refund: money('refund'),
  capture: money('capture'),
  order: creation,
  checkout: creation,
  api: {
    refused: 'the service says that it did nothing',
    meanwhile: 'do not send it again before this is clear;',
  },
};

/** `refund of 23000 MXN on ord_…`, `order creation of 300 MXN`, `POST /charges`. */
export function changeWords({ kind, amount, currency, orderId, request }: ChangeSubject): string {
  const sum = amount === undefined ? '' : ` of ${amount} ${currency ?? ''}`.trimEnd();
  // A repair could not read it any more (journal verify).
  if (request.path === '') return 'a change whose record is lost';
  if (kind === 'api') return `${request.method} /${request.path}`;
  return `${changeKinds[kind].noun}${sum}${orderId === undefined ? '' : ` on ${orderId}`}`;
}

/** As `changeWords`, for an attempt in the journal: the text does not name the order. */
export function changeOf({ sent: { proof, amount, currency, request } }: AttemptRecord): string {
  return changeWords({ kind: proof.kind, orderId: undefined, amount, currency, request });
}

/** Until when an unconfirmed change blocks the same change, or any of its order. */
export function blockedWords(until: string | undefined): string {
  return until === undefined
    ? 'blocked until a read tells, or until you settle it'
    : `blocked until ${until} at the latest, or until you settle it`;
}

/** The two commands by which a person states what became of it. */
export function settleCommands(intent: string): readonly string[] {
  return ['--applied', '--not-applied'].map((word) => `paydesk journal settle ${intent} ${word} --note TEXT`);
}

// Where the account ends on a terminal of 80 columns.
const rightEdge = 76;

/** The first line of a screen about money: `REFUND PART OF AN ORDER                         PRODUCTION shop-mx` */
export function titleLine(title: string, profile: Profile, style: Style): Block {
  const label = accountLabel(profile);
  const gap = Math.max(4, rightEdge - title.length - label.length);
  return { line: [{ text: title, style }, ' '.repeat(gap), { text: label, style: 'strong' }] };
}

/** The first line of any other preview: `CREATE AN ORDER    sandbox test-mx` */
export function headLine(title: string, profile: Profile): Block {
  return {
    line: [{ text: title, style: 'strong' }, '    ', { text: accountLabel(profile), style: 'strong' }],
  };
}

/** `      journal i_7f3k` for the end of a result's line. */
export function journalWords(intent: string | undefined): string {
  return intent === undefined ? '' : `      journal ${intent}`;
}

/** The last line of a preview, the very body that is sent: `will send once: {"charge_id":"656f…", "amount":300}` */
export function requestLine(body: object | undefined): Block {
  return bodyLine('will send once: ', body);
}

/** A body after a label of its own. */
export function bodyLine(label: string, body: object | undefined): Block {
  return { line: `${label}${body === undefined ? 'no body' : bodyText(body)}`, hang: label.length + 1 };
}

// A string as a whole, so that a comma inside one stays as it is; and the commas between members, with a space after
// them, so that a narrow terminal can break the line there.
function bodyText(body: object): string {
  return JSON.stringify(body).replace(/"(?:[^"\\]|\\.)*"|,/g, (part) => (part === ',' ? ', ' : part));
}
