/** Words for every kind of change: its name, lines of its preview and result, and what to do while its outcome is unknown. Pure. */

import type { CliErrorParts } from '../errors.ts';
import type { AttemptRecord, ChangeKind } from '../journal/journal.ts';
import { accountSpan, type Profile, plainCommand } from '../profiles/profiles.ts';
import type { Block, Style } from '../terminal/terminal.ts';

interface KindWords {
  /** What is certain after the service refused the change. */
  readonly refused: string;
  /** What the operator must do while nobody knows whether the change was made. */
  readonly meanwhile: string;
  /** What happens if the change is made twice. */
  readonly twice: string;
  /** Says that it was made: `captured`. */
  readonly made: string;
  /** The same after `was`: `created`. */
  readonly was: string;
  /** What comes before its state, if the state alone does not say what was to be made: `link `. */
  readonly noun: string;
}

const money = (verb: 'refund' | 'capture', made: string, twice: string): KindWords => ({
  made,
  was: 'made',
  noun: '',
  twice,
  refused: `this ${verb} moved no money`,
  meanwhile: `tell the buyer "it is being checked"; do not ${verb} it anywhere else;`,
});
const creation = {
  refused: 'nothing was created',
  meanwhile: 'do not create it again until this is clear;',
  was: 'created',
};

/** What a person reads about each kind of change when it was made, refused, or is unconfirmed. */
export const kindWords: Readonly<Record<ChangeKind, KindWords>> = {
  refund: money('refund', 'made', 'the buyer is paid twice'),
  capture: money('capture', 'captured', 'the capture is sent a second time'),
  // What is to be created has no id yet that says what it is, so a noun does.
  order: { ...creation, made: 'order created', noun: 'order ', twice: 'the buyer gets two orders' },
  checkout: {
    ...creation,
    made: 'link created',
    noun: 'link ',
    twice: 'there are two links, and both can be paid',
  },
  api: {
    made: 'request made',
    was: 'carried out',
    noun: '',
    twice: 'it takes effect twice',
    refused: 'the service says that it did nothing',
    meanwhile: 'do not send it again until this is clear;',
  },
};

/** What a reply itself says: `HTTP 500, internal_error, log_id 5f2c81: the bank did not answer`. */
export function replyWords({ type, code, logId, httpStatus, details }: CliErrorParts): string {
  const facts = [
    ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
    ...[code ?? type ?? []].flat(),
    ...(logId === undefined ? [] : [`log_id ${logId}`]),
  ];
  const messages = messagesIn(details);
  return `${facts.join(', ')}${messages.length === 0 ? '' : `: ${messages.join('; ')}`}`;
}

export function messagesIn(details: CliErrorParts['details'] = []): readonly string[] {
  return details.flatMap(({ message, debugMessage }) => message ?? debugMessage ?? []);
}

/** Begins the line of a result that a read confirmed: no reply came, or one that proves nothing. */
export function unconfirmedReply({ said }: { readonly said?: CliErrorParts | undefined }): string {
  return said === undefined ? 'the reply was lost' : 'the reply did not confirm it';
}

/** Says how long an unconfirmed change blocks its order. A change without an order blocks only a repeat of itself. */
export function blockedWords(until: string | undefined): string {
  return until === undefined
    ? 'blocked until paydesk can confirm it, or until you settle it'
    : `blocked until ${until} at the latest, or until you settle it`;
}

/** A change that a person settles, and whether paydesk can ask that person (on a terminal). */
interface Settled {
  readonly change: string;
  readonly orderId?: string | undefined;
  readonly asks: boolean;
}

/** The command with which a person states whether a change was made; what to replace in it is in capitals. */
export function settleCommand({ change, orderId, asks }: Settled, ...said: readonly string[]): string {
  const confirm = asks ? [] : ['--confirm', orderId === undefined ? change : 'ORDER'];
  return plainCommand('journal', 'settle', change, ...said, '--note', 'TEXT', ...confirm);
}

export function settleCommands(settled: Settled): readonly string[] {
  return ['--applied', '--not-applied'].map((word) => settleCommand(settled, word));
}

// On a terminal of 80 columns the account's name ends in this column.
const rightEdge = 76;

/** The first line of a screen about money: `REFUND PART OF AN ORDER                         PRODUCTION shop-mx` */
export function titleLine(title: string, profile: Profile, style: Style): Block {
  const account = accountSpan(profile);
  const gap = Math.max(4, rightEdge - title.length - account.text.length);
  return { line: [{ text: title, style }, ' '.repeat(gap), account] };
}

/** The first line of any other preview: `CREATE AN ORDER    sandbox test-mx` */
export function headLine(title: string, profile: Profile): Block {
  return {
    line: [{ text: title, style: 'strong' }, '    ', accountSpan(profile)],
  };
}

/** Ends a line of the result with the journal's id: `      journal i_7f3k`. */
export function journalWords(change: string | undefined): string {
  return change === undefined ? '' : `      journal ${change}`;
}

/** The last line of a preview, with the exact body: `will send once: {"charge_id":"656f…", "amount":300}` */
export function requestLine(body: object | undefined, label = 'will send once: '): Block {
  return { line: `${label}${body === undefined ? 'no body' : bodyText(body)}`, hang: label.length + 1 };
}

// Puts a space after each comma between members, so that a narrow terminal can break the line there. The pattern matches
// whole strings too, so commas inside strings stay as they are.
function bodyText(body: object): string {
  return JSON.stringify(body).replace(/"(?:[^"\\]|\\.)*"|,/g, (part) => (part === ',' ? ', ' : part));
}

/** The row of a plan that a change was sent by: `p_7f3k2m, line 7, ref A`. Undefined of what no plan sent. */
export function planRowWords({ plan, line, ref }: AttemptRecord['sent']): string | undefined {
  if (plan === undefined) return undefined;
  return [plan, ...(line === undefined ? [] : [`line ${line}`]), ...(ref ? [`ref ${ref}`] : [])].join(', ');
}
