/** Checks every row of a team's server against this machine's copy, for `team verify` and `journal verify`. */

import { amountWords, plainAmounts } from '../../amounts.ts';
import { chainStart, checkChain, damageOf, type StoredRow, unlink } from '../chain.ts';
import { attemptKey, type SentRow } from '../journal-rows.ts';
import { type Finding, newestMissing, type Verification } from '../journal-store.ts';
import type { Desk, ServerRows } from './desk.ts';
import type { Mirror } from './mirror.ts';
import { formProblem } from './row-forms.ts';
import { serverDiffers } from './server-errors.ts';

/** What a check of the whole journal found, and of its server. */
export interface ServerVerification extends Verification {
  /** How the server is another one than this machine remembers, in words; undefined if it is not. */
  readonly change: string | undefined;
  readonly isAccepted: boolean;
  /** Of how many changes the bodies were erased at the server, and now here too. */
  readonly erased: number;
}

/** What is checked: a server, and the copy of its rows. */
export interface Verified {
  readonly desk: Desk;
  readonly mirror: Mirror;
  readonly place: string;
}

/** Reads every row of the server, checks the chain, and compares the rows with the copy. */
export async function verifyRows({ desk, mirror, place }: Verified, head?: string): Promise<Verification> {
  const found = await desk.allRows();
  return comparedRows(found, await mirror.rows(), { place, head });
}

/** The same, and whether the server is the one that this machine remembers: see `verifyServer` of TeamJournal. */
export async function verifyServer(
  { desk, mirror, place }: Verified,
  { head, accept }: { readonly head?: string | undefined; readonly accept: boolean },
): Promise<ServerVerification> {
  const found = await desk.allRows();
  const { problem, change, memory } = found;
  if (problem !== undefined || memory === undefined)
    throw serverDiffers(problem ?? { problem: 'is a standby', now: [] }, place);
  const mirrored = await mirror.rows();
  const verification = comparedRows(found, mirrored, { place, head });
  const isWhole = verification.findings.length === 0;
  const isAccepted = accept && change !== undefined && isWhole && verification.knowsHead !== false;
  if (isAccepted) await mirror.accept(memory);
  const erased = isWhole ? await eraseToo(mirror, mirrored, found.rows) : 0;
  return { ...verification, change: change?.problem, isAccepted, erased };
}

// What a lead has erased must not stay here. The hash of a body stays, so the chain is as provable as before.
async function eraseToo(
  mirror: Mirror,
  mirrored: readonly StoredRow[],
  rows: readonly StoredRow[],
): Promise<number> {
  const isErased = ({ body, body_hash: hash }: StoredRow) => body === null && hash !== null;
  const gone = new Set(rows.filter(isErased).map(({ seq }) => seq));
  const kept = mirrored.filter(({ seq, body }) => body !== null && gone.has(seq));
  if (kept.length > 0) await mirror.erase(kept);
  return new Set(kept.map(attemptKey)).size;
}

/** What is wrong with the server's rows. `mirrored`: the copy; `head`: a hash that the chain is asked for. */
function comparedRows(
  { rows, end }: Pick<ServerRows, 'rows' | 'end'>,
  mirrored: readonly StoredRow[],
  { place, head }: { readonly place: string; readonly head: string | undefined },
): Verification {
  const chain = checkChain(rows);
  const own = new Map(mirrored.map(({ seq, hash }) => [seq, hash]));
  const hashes = new Set([chainStart, ...rows.map(({ hash }) => hash)]);
  const differing = rows
    .filter(({ seq, hash }) => own.has(seq) && own.get(seq) !== hash)
    .map(({ seq }): Finding => ({ seq, problem: "differs from this machine's copy" }));
  const unreadable = rows.flatMap((row): Finding[] => {
    const problem = damageOf(row) === undefined ? formProblem(row) : undefined;
    return problem === undefined ? [] : [{ seq: row.seq, problem }];
  });
  const lost = mirrored
    .filter(({ seq }) => seq > chain.seq)
    .map(({ seq }): Finding => ({ seq, problem: "is missing, and this machine's copy has it" }));
  const wordsOf = rowNames(rows, mirrored);
  const findings = [
    ...chain.findings,
    ...unreadable,
    ...newestMissing(chain, end),
    ...differing,
    ...lost,
  ].map(({ seq, problem }): Finding => {
    const words = wordsOf(seq);
    return { seq, problem: words === undefined ? problem : `${problem}: ${words}` };
  });
  return {
    place,
    rows: rows.length,
    settings: rows.filter(({ type }) => type === 'setting').length,
    head: chain.head,
    findings,
    knowsHead: head === undefined ? undefined : hashes.has(head),
    witness: { file: '', lines: 0, state: 'none yet' },
  };
}

const rowKinds: Readonly<Record<string, string>> = { sent: 'the sending', verdict: 'the outcome' };

// Says what a row is about: `the sending of i_7f3k2m on ord_1, 900 MXN`. The copy of this machine is believed first. Undefined
// for a row that neither has.
function rowNames(
  rows: readonly StoredRow[],
  mirrored: readonly StoredRow[],
): (seq: number) => string | undefined {
  const known = new Map([...rows, ...mirrored].map((row) => [row.seq, row]));
  const sent = new Map<string, SentRow>();
  // Rows that are on the server only may be in any form.
  for (const row of mirrored.map(unlink)) if (row.type === 'sent') sent.set(attemptKey(row), row);
  return (seq) => {
    const row = known.get(seq);
    if (row === undefined) return undefined;
    const { type, intent } = row;
    if (intent === '') return `a row about a ${type}`;
    const { amount, currency, proof } = sent.get(attemptKey(row)) ?? {};
    const order = row.order_id ?? proof?.orderId;
    // Whoever writes past the server may write anything.
    const sum = typeof amount !== 'number' ? '' : `, ${amountWords(amount, currency, plainAmounts)}`;
    return `${rowKinds[type] ?? `the ${type} row`} of ${intent}${order === undefined ? '' : ` on ${order}`}${sum}`;
  };
}
