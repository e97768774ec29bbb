/** Compares the rows of the server with this machine's copy of them, for `team verify` and `journal verify`. Pure. */

import { amountWords, plainAmounts } from '../../amounts.ts';
import { chainStart, checkChain, damageOf, type StoredRow, unlink } from '../chain.ts';
import { attemptKey, type SentRow } from '../journal-rows.ts';
import { type Finding, newestMissing, type Verification } from '../journal-store.ts';
import type { ServerRows } from './desk.ts';
import { formProblem } from './row-forms.ts';

/** What is wrong with the server's rows. `mirrored`: the copy; `head`: a hash that the chain is asked for. */
export function comparedRows(
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
