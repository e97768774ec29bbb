/** Finds rows about the same money of one order without a `ref` to tell them apart. Pure. */

import { linesWords } from '../counted.ts';
import { anyWord, fullWord, type InputProblem, type InputRow } from './plan-types.ts';

/** `charge` is as typed or, once the orders were read, the charge's id. */
export type RowMoney = Pick<InputRow, 'line' | 'orderId' | 'reference' | 'charge' | 'ref'>;

/**
 * A problem for each row about the same money as an earlier one: the same charge, or the whole order beside another row. Rows with
 * their own `ref` are deliberate.
 */
export function duplicateProblems(rows: readonly RowMoney[]): readonly InputProblem[] {
  // Order by order, so that a long file needs no memory beyond its rows.
  const byOrder = Map.groupBy(rows, orderKey);
  return [...byOrder.values()]
    .flatMap((some) => (some.length === 1 ? [] : duplicatesOfOrder(some)))
    .toSorted((a, b) => a.line - b.line);
}

function duplicatesOfOrder(rows: readonly RowMoney[]): readonly InputProblem[] {
  const order: OrderRows = { all: newRows(), whole: newRows(), charges: new Map() };
  const pairs = rows.flatMap((row) => {
    const charge = order.charges.get(row.charge) ?? newRows();
    order.charges.set(row.charge, charge);
    const before = isOfWholeOrder(row) ? [order.all] : [order.whole, charge];
    const twin = before
      .flatMap((others) => twinsOf(row, others))
      .filter((other) => other !== undefined)
      // Parts of one row share its line.
      .filter((other) => other.line !== row.line)
      .toSorted((a, b) => a.line - b.line)
      .at(0);
    for (const others of [order.all, charge, ...(isOfWholeOrder(row) ? [order.whole] : [])]) add(row, others);
    return twin === undefined ? [] : [{ row, twin }];
  });
  const equal = Map.groupBy(
    pairs.filter(({ row, twin }) => isEqual(row, twin)),
    ({ twin }) => twin,
  );
  const told = new Map([...equal].map(([twin, some]) => [twin, equalWords(twin, some)]));
  return pairs.map(({ row, twin }) => {
    const words = isEqual(row, twin) ? told.get(twin) : undefined;
    return { line: row.line, column: undefined, words: words ?? twinWords(row, twin) };
  });
}

// Neither row has a ref, and both name the charge in the same way.
function isEqual(row: RowMoney, twin: RowMoney): boolean {
  return row.charge === twin.charge && row.ref === '' && twin.ref === '';
}

// An order's rows so far: all, those about the whole order, and those of each charge.
interface OrderRows {
  readonly all: Rows;
  readonly whole: Rows;
  readonly charges: Map<string, Rows>;
}

// Rows about the same money: the first, and the first with each `ref`.
interface Rows {
  first: RowMoney | undefined;
  readonly byRef: Map<string, RowMoney>;
}

function newRows(): Rows {
  return { first: undefined, byRef: new Map() };
}

function add(row: RowMoney, rows: Rows): void {
  rows.first ??= row;
  if (!rows.byRef.has(row.ref)) rows.byRef.set(row.ref, row);
}

// Without a `ref`, a row is a twin of every other; with one, only of rows without, or with the same.
function twinsOf({ ref }: RowMoney, { first, byRef }: Rows): readonly (RowMoney | undefined)[] {
  return ref === '' ? [first] : [byRef.get(''), byRef.get(ref)];
}

// paydesk may choose any charge for `any`, so it is about the same money as every row of the order.
function isOfWholeOrder({ charge }: RowMoney): boolean {
  return charge === fullWord || charge === anyWord;
}

// Keeps order ids and shop numbers apart.
function orderKey({ orderId, reference }: RowMoney): string {
  return orderId === undefined ? `reference ${reference}` : `order ${orderId}`;
}

function twinWords(row: RowMoney, twin: RowMoney): string {
  return `line ${twin.line} may refund the same money (${twin.orderId ?? twin.reference}, ${chargeWords(twin)}): ${refWords(row, twin)}`;
}

// One round is enough for three equal rows or more: each names all their lines. Undefined for two.
function equalWords(first: RowMoney, pairs: readonly { readonly row: RowMoney }[]): string | undefined {
  if (pairs.length < 2) return undefined;
  const lines = pairs.map(({ row }) => row.line);
  return `${linesWords([first.line, ...lines])} may refund the same money (${first.orderId ?? first.reference}, ${chargeWords(first)}): give each of them its own ref, also line ${first.line}, to keep them, or delete ${linesWords(lines)}`;
}

function refWords(row: RowMoney, twin: RowMoney): string {
  if (row.ref === twin.ref && row.ref !== '')
    return 'it has the same ref too: give each row its own, or delete one';
  if (row.ref === twin.ref) return 'give each row its own ref if both are meant, or delete one';
  const [lacking, other] = row.ref === '' ? [row, twin] : [twin, row];
  return `line ${lacking.line} has no ref, line ${other.line} has ${other.ref}: give line ${lacking.line} one of its own if both are meant, or delete one`;
}

function chargeWords({ charge }: RowMoney): string {
  if (charge === fullWord) return 'the whole order';
  return charge === anyWord ? 'any charge' : `charge ${charge}`;
}
