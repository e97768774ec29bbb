/** The lines of the witness: what each says about a row of the journal, and the seal that shows it is whole. Pure. */

import { createHmac } from 'node:crypto';
import type { StoredRow } from '../chain.ts';
import { unlink } from '../chain.ts';
import type { Intent } from '../journal.ts';
import type { Verdict, VerdictRow } from '../journal-rows.ts';

interface LineOfRow {
  /** Number of the row in the journal. */
  readonly seq: number;
  /** Head of the chain after that row. */
  readonly head: string;
  readonly intent: string;
  readonly attempt: number;
  readonly time: number;
  readonly order: string | null;
}

/** What the witness knows of a SENT row: enough to block its order if the journal loses the row. */
export interface WitnessSent extends LineOfRow {
  readonly type: 'sent';
  /** `unknown`: a repair could not tell the kind. */
  readonly kind: Intent['kind'] | 'unknown';
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly livemode: boolean;
  /** Fingerprint of the key it was sent with. */
  readonly key: string | null;
  /** Hash of the request body under the key of the witness; null where the row has no body. */
  readonly body: string | null;
}

/** What the witness knows of a verdict. */
export interface WitnessVerdict extends LineOfRow {
  readonly type: 'verdict';
  readonly verdict: Verdict;
  readonly by: VerdictRow['by'];
  /** Nothing can change it any more: not sent, refused and confirmed by a read, or applied without an alarm. */
  readonly final: boolean;
}

/** One line of the witness. */
export type WitnessLine = WitnessSent | WitnessVerdict;

const opening = 'paydesk-witness 1';

/** Characters of the first line, its line break included. */
export const headerLength = opening.length + 1 + 64 + 1 + 16 + 1;

/** The first line: the version and the key (64 hex digits) under which bodies and lines are hashed. */
export function headerText(key: string): string {
  return `${opening} ${key} ${sealOf(key, opening)}\n`;
}

/** The key out of the first line; undefined when the line is not whole. */
export function keyIn(header: string): string | undefined {
  const key = header.slice(opening.length + 1, opening.length + 65);
  return /^[0-9a-f]{64}$/.test(key) && header === headerText(key) ? key : undefined;
}

/** The name by which the journal knows its witness. It is made from the key and does not reveal it. */
export function nameOf(key: string): string {
  return hashUnder(key, 'name').slice(0, 16);
}

/** A line as text of ASCII characters, with its seal and a line break. */
export function lineText(line: WitnessLine, key: string): string {
  const text = JSON.stringify(line).replaceAll(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text} ${sealOf(key, text)}\n`;
}

/** The line out of its text (without the line break); undefined when it is not whole. */
export function lineIn(text: string, key: string): WitnessLine | undefined {
  const json = text.slice(0, -17);
  if (text.length < 18 || text !== `${json} ${sealOf(key, json)}`) return undefined;
  const line: WitnessLine = JSON.parse(json);
  return line;
}

/** What the witness keeps of a row; `order` is the order of its SENT row. */
export function lineOf(stored: StoredRow, order: string | null, key: string): WitnessLine {
  const row = unlink({ ...stored, body: null });
  const { intent, attempt, time } = row;
  const of = { seq: stored.seq, head: stored.hash, intent, attempt, time, order };
  if (row.type === 'verdict') {
    const { verdict, by } = row;
    return { type: 'verdict', ...of, verdict, by, final: isFinal(row) };
  }
  const { origin, account, profile, proof, keyFingerprint = null } = row;
  return {
    type: 'sent',
    ...of,
    kind: row.lost ?? proof.kind,
    origin,
    account,
    profile,
    livemode: proof.livemode,
    key: keyFingerprint,
    // The journal keeps this hash when it erases a body, so the two can always be compared.
    body: stored.body_hash === null ? null : hashUnder(key, stored.body_hash),
  };
}

function isFinal({ verdict, confirmed, alarm }: VerdictRow): boolean {
  if (alarm !== undefined) return false;
  return verdict === 'not_sent' || verdict === 'applied' || (verdict === 'rejected' && confirmed !== false);
}

function sealOf(key: string, text: string): string {
  return hashUnder(key, text).slice(0, 16);
}

function hashUnder(key: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
}
