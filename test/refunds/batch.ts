/** Bulk refunds as tests see them: rows for the orders of a service, and what its ledger and the journal hold afterwards. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import type { Order } from '../harness/desk.ts';
import type { Home } from '../harness/paydesk.ts';
import type { SeenRequest } from '../harness/server.ts';

/** A row of a file, and the refunds that it means. */
export interface Row {
  readonly orderId: string;
  readonly charge: string;
  readonly amount: number | 'full';
  readonly ref: string;
  readonly refunds: readonly { readonly chargeId: string; readonly amount: number }[];
}

/** So many rows over these orders: whole orders, parts, two parts of one charge, and each charge of a split order. */
export function rowsFor(orders: readonly Order[], count: number): readonly Row[] {
  const rows: Row[] = [];
  for (const order of orders.filter(isUntouched)) {
    if (rows.length >= count) break;
    rows.push(...rowsOfOrder(order, rows.length));
  }
  if (rows.length < count) throw new Error(`only ${rows.length} rows can be made of ${orders.length} orders`);
  return rows.slice(0, count);
}

function isUntouched({ amount_refunded, payment_status, charges, is_refundable }: Order): boolean {
  const all = charges?.data ?? [];
  return (
    payment_status === 'paid' &&
    is_refundable === true &&
    amount_refunded === 0 &&
    all.length > 0 &&
    all.every(({ status, is_refundable: can, amount }) => status === 'paid' && can === true && amount > 100)
  );
}

function rowsOfOrder({ id: orderId, charges }: Order, seen: number): readonly Row[] {
  const all = charges?.data ?? [];
  const [first] = all;
  if (first === undefined) return [];
  const { id: chargeId, amount } = first;
  const part = (charge: string, sum: number, ref: string): Row => ({
    orderId,
    charge,
    amount: sum,
    ref,
    refunds: [{ chargeId: charge === 'any' ? chargeId : charge, amount: sum }],
  });
  if (all.length > 1)
    return all.map((one, index) =>
      index === 0
        ? { ...part(one.id, one.amount, ''), amount: 'full' as const }
        : part(one.id, Math.floor(one.amount / 2), `r${index}`),
    );
  if (seen % 3 === 0)
    return [{ orderId, charge: 'full', amount: 'full', ref: '', refunds: [{ chargeId, amount }] }];
  if (seen % 3 === 1) return [part('any', 40 + (seen % 50), `r${seen}`)];
  return [part(chargeId, 30, 'first'), part(chargeId, 20, 'second'), part(chargeId, 20, 'third')];
}

/** Writes the rows as a file into the home folder, and returns its name. */
export function writeRows(home: Home, rows: readonly Row[], name = 'rows.csv'): string {
  const lines = rows.map(({ orderId, charge, amount, ref }) => [orderId, charge, amount, ref].join(','));
  writeFileSync(join(home.path, name), `order_id,charge_id,amount,ref\n${lines.join('\n')}\n`);
  return name;
}

// ── The ledger ──────────────────────────────────────────────────────────────────────────────────

/** `ORDER CHARGE AMOUNT` of every refund of the orders, sorted. */
export function refundsIn(orders: readonly Order[]): readonly string[] {
  return orders
    .flatMap(({ id, charges }) =>
      (charges?.data ?? []).flatMap((charge) =>
        (charge.refunds?.data ?? []).map(({ amount }) => `${id} ${charge.id} ${-amount}`),
      ),
    )
    .toSorted();
}

/** The same of rows, and of the orders as they were before them: what the ledger must hold in the end. */
export function refundsAfter(before: readonly Order[], rows: readonly Row[]): readonly string[] {
  const own = rows.flatMap(({ orderId, refunds }) =>
    refunds.map(({ chargeId, amount }) => `${orderId} ${chargeId} ${amount}`),
  );
  return [...refundsIn(before), ...own].toSorted();
}

// ── The journal ─────────────────────────────────────────────────────────────────────────────────

/** A row of the journal, as far as these tests look at it. */
export interface JournalLine {
  readonly type: 'sent' | 'verdict';
  readonly change: string;
  readonly attempt: number;
  readonly given?: string;
  readonly verdict?: string;
  readonly refunds?: readonly { readonly id?: string }[];
  readonly request?: { readonly path: string };
  readonly asked?: { readonly amount?: number | 'full' };
  readonly proof?: {
    readonly orderId?: string;
    readonly before: {
      readonly charges: readonly { readonly refunds: readonly { readonly id: string }[] }[];
    };
  };
}

/** The rows of the journal of a home about attempts. */
export function journalOf(home: Home): readonly JournalLine[] {
  const rows: readonly JournalLine[] = journalRows(home);
  return rows.filter(({ type }) => type === 'sent' || type === 'verdict');
}

/** The last word about each attempt, by the SENT row. */
export function attemptsIn(
  rows: readonly JournalLine[],
): readonly { readonly sent: JournalLine; readonly verdict: string | undefined }[] {
  return rows
    .filter(({ type }) => type === 'sent')
    .map((sent) => {
      const own = ({ type, change, attempt }: JournalLine) =>
        type === 'verdict' && change === sent.change && attempt === sent.attempt;
      return { sent, verdict: rows.findLast(own)?.verdict };
    });
}

/**
 * Claims of at-most-once that hold at any moment: every request has its own SENT row, and no row of a plan is sent after it
 * was applied, or while its outcome is unconfirmed.
 */
export function checkPosts(posts: readonly SeenRequest[], journal: readonly JournalLine[], words = ''): void {
  const sent = journal.filter(({ type }) => type === 'sent');
  const requested = countOf(posts.map(({ url, body }) => `${url} ${amountIn(body) ?? 'full'}`));
  const recorded = countOf(sent.map(({ request, asked }) => `/${request?.path} ${asked?.amount}`));
  for (const [request, count] of requested)
    expect(count, `${words}: POST ${request}`).toBeLessThanOrEqual(recorded.get(request) ?? 0);
  const last = new Map<string, string>();
  const givenOf = new Map<string, string>();
  for (const { type, change, attempt, given = change, verdict = 'none' } of journal) {
    const name = `${change}/${attempt}`;
    if (type === 'sent') {
      expect(['not_sent', 'rejected', undefined], `${words}: ${name} was sent after`).toContain(
        last.get(given),
      );
      givenOf.set(name, given);
    }
    last.set(givenOf.get(name) ?? given, type === 'sent' ? 'sent' : verdict);
  }
}

function amountIn(body: string): number | undefined {
  const { amount } = JSON.parse(body === '' ? '{}' : body) as { readonly amount?: number };
  return amount;
}

function countOf(words: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
}
