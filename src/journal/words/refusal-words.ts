/**
 * Words for an attempt and a change in the errors of a refusal, what is different between two changes, and what to say when a row
 * could not be written.
 */

import { type AmountStyle, amountWords, typedForm } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { CliError } from '../../errors.ts';
import { commandLine, flagWords, profileNamed } from '../../profiles/profiles.ts';
import { type ChangeSubject, changeKinds } from '../change.ts';
import { stateWords } from '../questions/recorded-state.ts';
import type { AttemptRecord, SentRow } from '../rows/journal-rows.ts';
import { sameJson, type Typed } from '../same-request.ts';

/** How an error shows times and amounts. */
export interface HowShown {
  /** Unix milliseconds in, `05:05:12` out. */
  readonly shortTime: (ms: number) => string;
  readonly amounts: AmountStyle;
  /** The currency of the change that was refused, and the profile that it would be sent with. */
  readonly currency?: string | undefined;
  readonly profile?: string | undefined;
  /** The body and the note of that change. A printed command repeats them. */
  readonly asked?: Pick<SentRow['proof'], 'body'> & { readonly note?: string | undefined };
}

/** The command that shows all of an attempt. */
export function showCommand({ sent }: AttemptRecord): string {
  return `paydesk journal show ${sent.change}`;
}

/** A whole command to copy, if the body of the request holds all its options. */
export function repeatCommand(
  { kind, orderId, body }: Pick<SentRow['proof'], 'kind' | 'orderId' | 'body'>,
  { amounts, currency, profile, asked }: HowShown & { readonly profile: string },
  name: string,
): string {
  if (kind !== 'refund' || orderId === undefined) return `the same command with --again ${name}`;
  const { charge_id: charge, amount, reason } = body ?? {};
  const typed = typeof amount === 'number' ? typedForm(amount, currency, amounts) : undefined;
  const word = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const note = asked?.note;
  const parts = flagWords({ charge: word(charge), amount: typed, reason: word(reason), note, again: name });
  return commandLine(profileNamed(profile), 'orders', 'refund', orderId, ...parts);
}

/**
 * That a charge has an equal refund already, as every check says it. `figure`: its amount; `made`: when it was made and by whom,
 * `, made at 05:05:12 by op7: ticket 8812`.
 */
export function hasEqualWords(
  charge: { readonly number: number | string; readonly orderId: string },
  refund: { readonly id: string; readonly figure: string; readonly made: string },
): string {
  return `charge ${charge.number} of ${charge.orderId} has a refund of ${refund.figure} already, ${refund.id}${refund.made}`;
}

/** Said before the command that sends an equal refund. */
export const onceMoreWords = 'if the buyer should get the same amount once more:';

/** An attempt in a few words: its journal id, the change with its amount, what became of it. */
export function named(attempt: AttemptRecord, amounts: AmountStyle): string {
  const { change } = attempt.sent;
  return `${change}, ${changeOf(attempt, amounts)}, ${stateWords(attempt)}`;
}

/** Names a change: `refund of 23000 MXN on ord_…`, `order creation of 300 MXN`, `POST /charges`. */
export function changeWords(
  { kind, amount, currency, orderId, request }: ChangeSubject,
  style: AmountStyle,
): string {
  if (kind === 'api') return `${request.method} /${request.path}`;
  const sum = amount === undefined ? '' : ` of ${amountWords(amount, currency, style)}`;
  return `${changeKinds[kind].noun}${sum}${orderId === undefined ? '' : ` on ${orderId}`}`;
}

/** Names the change of an attempt in the journal, without its order. */
export function changeOf({ sent }: Pick<AttemptRecord, 'sent'>, style: AmountStyle): string {
  const { proof, amount, currency, request, lost } = sent;
  // Only the witness knows about it: `journal verify --repair` could not read its row.
  if (lost !== undefined) return `${lost === 'unknown' ? 'change' : lost} whose record is lost`;
  return changeWords({ kind: proof.kind, orderId: undefined, amount, currency, request }, style);
}

/** `the idempotency key ticket-8840 (--idempotency-key) was used for another change: recorded with amount 300; asked for now with amount 500` */
export function differenceWords({ idempotencyKey, proof, asked }: SentRow, now: Typed): string {
  const was = `the idempotency key ${idempotencyKey ?? ''} (--idempotency-key) was used for another change`;
  if (now.kind !== undefined && now.kind !== proof.kind)
    return `${was}: recorded as ${proof.kind}, asked for now as ${now.kind}`;
  if (now.livemode !== undefined && now.livemode !== proof.livemode)
    return `${was}: recorded in ${modeOf(proof.livemode)}, asked for now in ${modeOf(now.livemode)}`;
  if (asked === undefined || now.asked === undefined) return was;
  const [before, after] = [fieldsOf(asked), fieldsOf(now.asked)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.has(name) !== after.has(name) || !sameJson(before.get(name), after.get(name)),
  );
  const said = (fields: ReadonlyMap<string, unknown>) =>
    names.map((name) => (fields.has(name) ? `${name} ${short(fields.get(name))}` : `no ${name}`)).join(', ');
  return `${was}: recorded with ${said(before)}; asked for now with ${said(after)}`;
}

function modeOf(livemode: boolean): string {
  return livemode ? 'production' : 'sandbox';
}

// The fields of what was asked, by name. A field of the request body is called `body.NAME`.
function fieldsOf({ body, ...asked }: JsonObject): ReadonlyMap<string, unknown> {
  const ofBody = Object.entries(body ?? {}).map(([name, value]) => [`body.${name}`, value] as const);
  return new Map<string, unknown>([...Object.entries(asked), ...ofBody]);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}

/**
 * The refusal of a verdict because another desk recorded one first. So it is certain that the refused verdict is not in the
 * journal.
 */
export class RecordedFirst extends CliError {}

/** What to do, in one line: `first`, what helps, and `then` before the command that is printed next. */
export function mendLine(first: string, then = 'then:'): string {
  return `${first}; free some space, ${then}`;
}
