/** What a witness knows about the rows of a journal: one line per row, with a seal that shows whether the line was changed. Pure. */

import { hash, randomBytes } from 'node:crypto';
import type { Change } from '../change.ts';
import type { Verdict, VerdictRow } from './journal-rows.ts';

interface LineOfRow {
  readonly seq: number;
  /** The hash of the row. */
  readonly head: string;
  readonly time: number;
}

interface LineOfAttempt extends LineOfRow {
  readonly change: string;
  readonly attempt: number;
  readonly order: string | null;
}

/** What the witness knows about a SENT row: enough to block its order if the journal loses the row. */
export interface WitnessSent extends LineOfAttempt {
  readonly type: 'sent';
  /** `unknown`: a repair could not tell the kind. */
  readonly kind: Change['kind'] | 'unknown';
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly livemode: boolean;
  /** Fingerprint of the key with which it was sent. */
  readonly key: string | null;
  /** Hash of the request body, made with the key of the witness; null when the row has no body. */
  readonly body: string | null;
}

/** What the witness knows about a verdict. */
export interface WitnessVerdict extends LineOfAttempt {
  readonly type: 'verdict';
  readonly verdict: Verdict;
  readonly by: VerdictRow['by'];
  /** Nothing changes it any more: not sent, refused and confirmed by a read, or made without an alarm. */
  readonly final: boolean;
}

/** What the witness knows about the row of a setting: enough to say that no attempt is lost with the row. */
interface WitnessSetting extends LineOfRow {
  readonly type: 'setting';
  readonly profile: string;
  readonly name: string;
}

export type WitnessLine = WitnessSent | WitnessVerdict | WitnessSetting;

/** The whole witness, for a comparison row by row. */
export interface WitnessText {
  /** Undefined when the first line is damaged. Then no line can be checked, and all of them count as broken. */
  readonly key: string | undefined;
  readonly lines: readonly WitnessLine[];
  /** Numbers, from 1, of lines that are not whole. */
  readonly broken: readonly number[];
  /** Parts of its store, such as pages of a file, that could not be read. They may have held lines. */
  readonly unreadable: number;
}

// ── Seals ───────────────────────────────────────────────────────────────────────────────────────

/** Which row a line is about. */
export interface LineAt {
  readonly seq: number;
  readonly head: string;
}

/** The line in a record of the table; undefined when it is not whole. */
export function lineIn(record: Readonly<Record<string, unknown>>, key: string): WitnessLine | undefined {
  if (!hasItsSeal(record, key)) return undefined;
  const read: WitnessLine = JSON.parse(String(record.line));
  return read;
}

/** Whether a record of the table has the seal that its line should have. */
export function hasItsSeal(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return typeof record.line === 'string' && sealOf(key, sealed(record)) === record.seal;
}

/** The text that a line's seal covers. */
export function sealed({ seq, about, idempotency_key, line }: Readonly<Record<string, unknown>>): string {
  return `${String(seq)}\n${String(idempotency_key)}\n${String(about)}\n${String(line)}`;
}

/** Which row a record is about. This is compared with the journal, so a damaged line shows. */
export function lineAt({ seq, line }: Readonly<Record<string, unknown>>): LineAt {
  return { seq: Number(seq), head: headIn(String(line)) ?? '' };
}

/** Reads only the head of a line: `verify` reads every line, and parsing them whole would be slow. */
export function headIn(line: string): string | undefined {
  return /"head":"([0-9a-f]{64})"/.exec(line)?.[1];
}

/** The text that the head's seal covers. */
export const opening = 'paydesk-witness';

/** Whether this is the key of a witness, with its seal. */
export function isKey(key: unknown, seal: unknown): key is string {
  return typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && seal === sealOf(key, opening);
}

/** A new random key for a witness, 64 hex digits. */
export function newWitnessKey(): string {
  return randomBytes(32).toString('hex');
}

/** The journal's name for its witness: made from the key, but does not reveal it. */
export function nameOf(key: string): string {
  return hashUnder(key, 'name').slice(0, 16);
}

/** The seal of a text, 16 hex digits. */
export function sealOf(key: string, text: string): string {
  return hashUnder(key, text).slice(0, 16);
}

/** A keyed hash, 64 hex digits. The key goes first, and only part of the hash is used as a seal. */
export function hashUnder(key: string, text: string): string {
  return hash('sha256', `${key}\n${text}`);
}
