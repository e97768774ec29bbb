/**
 * The refunds of a period as evidence: each with its rows, as the journal stores them; and the file that holds them and their
 * signature. Pure.
 */

import { hash } from 'node:crypto';
import { type JsonObject, parsedObject } from '../../api/json-values.ts';
import { verdictsIn } from '../rows/archived-rows.ts';
import { damageOf, type StoredRow, storedRow, unlink } from '../rows/chain.ts';
import { type AttemptRecord, attemptKey, type SentRow, type VerdictRow } from '../rows/journal-rows.ts';
import type { ApprovalRow } from '../team-rules.ts';

/** A refund that was sent, what became of it, what a second person was asked and said, and all these rows as they are stored. */
export interface ProvedRefund extends AttemptRecord {
  readonly approvals: readonly ApprovalRow[];
  readonly rows: readonly StoredRow[];
}

/** These attempts with all that the rows say about them, in the order in which they were sent. */
export function provedRefunds(
  all: Iterable<StoredRow>,
  asked: readonly Pick<SentRow, 'change' | 'attempt'>[],
): readonly ProvedRefund[] {
  const keys = new Set(asked.map(attemptKey));
  const sent = new Map<string, { sent: SentRow; verdicts: VerdictRow[]; rows: StoredRow[] }>();
  const approvals = new Map<string, { readonly row: ApprovalRow; readonly stored: StoredRow }[]>();
  for (const stored of all) {
    const row = unlink(stored);
    if (row.type === 'sent' && keys.has(attemptKey(row)))
      sent.set(attemptKey(row), { sent: row, verdicts: [...verdictsIn(row)], rows: [stored] });
    if (row.type === 'approval')
      approvals.set(row.requestId, [...(approvals.get(row.requestId) ?? []), { row, stored }]);
    if (row.type !== 'verdict') continue;
    const of = sent.get(attemptKey(row));
    of?.verdicts.push(row);
    of?.rows.push(stored);
  }
  return [...sent.values()].map((refund) => {
    const own = approvals.get(refund.sent.approval ?? '') ?? [];
    return {
      ...refund,
      approvals: own.map(({ row }) => row),
      rows: [...own.map(({ stored }) => stored), ...refund.rows],
    };
  });
}

/** The rows without what `forget` would erase from them: bodies, notes, links. */
export function* withoutBodies(rows: Iterable<StoredRow>): Generator<StoredRow> {
  for (const row of rows) yield { ...row, body: null };
}

const signatureLine = (signature: string): string =>
  `${JSON.stringify({ object: 'proof_signature', signature })}\n`;

/** The file: these lines, and one more with the signature of all of them. */
export function proofText(lines: readonly string[], sign: (bytes: Uint8Array) => string): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return text + signatureLine(sign(Buffer.from(text)));
}

/** The SHA-256 of a whole file, in hex, as `sha256sum` prints it. */
export function proofDigest(text: string): string {
  return hash('sha256', text);
}

/** What a file says about itself, once its signature is known to be right. */
interface CheckedProof {
  readonly refunds: readonly JsonObject[];
  readonly about: JsonObject;
}

/** Checks such a file. Returns what is wrong with it instead, in words. */
export function checkProof(
  text: string,
  isSigned: (bytes: Uint8Array, signature: string) => boolean,
): CheckedProof | string {
  if (text.includes('\r\n'))
    return 'its lines end in CR LF: a program that it went through changed them, so no signature can fit';
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const [signed, last] = [text.slice(0, end), text.slice(end)];
  const { signature } = parsedObject(last);
  if (typeof signature !== 'string' || last !== signatureLine(signature))
    return 'its last line is no signature: it is not whole, or paydesk did not write it';
  if (!isSigned(Buffer.from(signed), signature))
    return 'its signature does not fit: it was changed, or another key signed it';
  const [about = {}, ...refunds] = signed.trimEnd().split('\n').map(parsedObject);
  if (about.object !== 'proof' || about.refunds !== refunds.length)
    return 'it does not hold as many refunds as its first line says';
  for (const { change, rows } of refunds) {
    const stored = Array.isArray(rows) ? rows.map((row) => storedRow(row)) : [];
    const damaged = stored.find((row) => damageOf(row) !== undefined);
    if (damaged !== undefined || stored.length === 0)
      return `the rows of ${String(change)} are not as the journal wrote them`;
  }
  return { refunds, about };
}
