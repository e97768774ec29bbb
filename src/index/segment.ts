/**
 * A segment: up to 1,000 neighbours in the list of orders, as three texts (ids, words, facts) and the edge that describes them.
 * Pure.
 */

import { type DatedFacts, readColumns, writeColumns } from './fact-columns.ts';
import { hidesMoney } from './order-in-index.ts';

export interface Entry extends DatedFacts {
  readonly id: string;
  /** What a search looks at, in one line; empty if forgotten. */
  readonly text: string;
}

/** What is known about a segment without opening its other parts. Times are Unix seconds. */
export interface Edge {
  readonly count: number;
  readonly first: string;
  readonly last: string;
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** When the newest and the oldest order were created. */
  readonly newest: number | undefined;
  readonly oldest: number | undefined;
  readonly newestPayment: number | undefined;
  /** The time of the newest refund. */
  readonly newestRefund: number | undefined;
  /** The earliest time of an order, payment or refund. */
  readonly earliest: number | undefined;
  /** How many orders hide some of their money. */
  readonly hiding: number;
  /** How many orders are not older than the one before them, or have no time. */
  readonly rises: number;
  readonly readAt: number;
  /** Whether the next older segment follows directly. If not, unread orders may come between them. */
  readonly isJoined: boolean;
  /** How many orders were forgotten and have no text. */
  readonly forgotten: number;
  /** The kinds of fields in the texts. */
  readonly fields: readonly string[];
}

interface SegmentTexts {
  /** One id per line. */
  readonly ids: string;
  /** One order per line. */
  readonly text: string;
  readonly facts: string;
}

/** The most orders in a new segment. */
export const segmentLength = 1_000;

export function writeTexts(entries: readonly Entry[]): SegmentTexts {
  return {
    ids: entries.map(({ id }) => id).join('\n'),
    text: entries.map(({ text }) => text).join('\n'),
    facts: writeColumns(entries),
  };
}

export function readTexts({ ids, text, facts }: SegmentTexts): readonly Entry[] {
  const texts = text.split('\n');
  const dated = readColumns(facts);
  return ids.split('\n').map((id, index) => {
    const { facts: known, readAt = 0 } = dated[index] ?? {};
    return { id, text: texts[index] ?? '', facts: known, readAt };
  });
}

export function edgeOf(
  entries: readonly Entry[],
  { isJoined, fields }: Pick<Edge, 'isJoined' | 'fields'>,
): Edge {
  const times = entries.map(({ facts }) => facts?.createdAt);
  const known = times.filter((time) => time !== undefined);
  const charges = entries.flatMap(({ facts }) => facts?.charges ?? []);
  const refunds = charges.flatMap((charge) => charge.refunds.flatMap((one) => one.createdAt ?? []));
  const payments = charges.flatMap(({ paidAt }) => paidAt ?? []);
  return {
    count: entries.length,
    first: entries[0]?.id ?? '',
    last: entries.at(-1)?.id ?? '',
    firstAt: times[0],
    lastAt: times.at(-1),
    newest: extreme(known, Math.max),
    oldest: extreme(known, Math.min),
    newestPayment: extreme(payments, Math.max),
    newestRefund: extreme(refunds, Math.max),
    earliest: extreme([...known, ...payments, ...refunds], Math.min),
    hiding: entries.filter(({ facts }) => facts !== undefined && hidesMoney(facts)).length,
    rises: times.filter((time, index) => index > 0 && isRise(times[index - 1], time)).length,
    readAt:
      extreme(
        entries.map(({ readAt }) => readAt),
        Math.min,
      ) ?? 0,
    isJoined,
    forgotten: entries.filter(({ text }) => text === '').length,
    fields,
  };
}

/** Whether two neighbours are not newest first: the later one is newer, or one has no time. */
export function isRise(earlier: number | undefined, later: number | undefined): boolean {
  return earlier === undefined || later === undefined || later > earlier;
}

function extreme(
  values: readonly number[],
  choose: (one: number, other: number) => number,
): number | undefined {
  return values.length === 0 ? undefined : values.reduce((one, other) => choose(one, other));
}
