/** The words of screens: states, tables, amounts and commands. A word that is not known is an error, so that no screen passes unread. */

import { readCsv } from '../harness/csv.ts';
import type { Ran } from '../harness/paydesk.ts';
import { type State, type Sums, states } from './truth.ts';

/** What one screen says; what it does not speak of is missing. */
export interface Said {
  readonly exit: number;
  /** What it puts first about the order; several, if it counts cases. */
  readonly first?: readonly string[];
  readonly sums?: Sums;
  readonly back?: number;
  readonly left?: number;
  /** It offers a refund, or would send one. */
  readonly offers?: boolean;
  /** What it says of the row of a file or plan. */
  readonly row?: string;
  /** It contradicts itself, in words. */
  readonly differs?: string;
  /** What it says of the attempt. */
  readonly attempt?: string;
  /** The commands that it offers. */
  readonly commands?: readonly string[];
  /** Words for a state that are none of the nine, and what JSON lacks. */
  readonly words?: readonly string[];
}

/** A screen said something that the parser has no word for. */
export class UnknownWords extends Error {}

export type Row = Readonly<Record<string, unknown>>;

// ── States ──────────────────────────────────────────────────────────────────────────────────────

// Words of today for a state. Each is told as a word that does not belong, and goes from here when no screen says it any more.
const otherWords: readonly (readonly [RegExp, State | 'none' | 'more' | 'doubt' | 'refused' | 'alarm'])[] = [
  [/^applied/, 'made'],
  [/^refunded/, 'made'],
  [/^recorded:? (?:as )?not made/, 'recorded not made'],
  [/^may still go through/, 'recorded not made'],
  [/^not made$/, 'recorded not made'],
  [/^recorded as made/, 'recorded made'],
  [/^by hand/, 'recorded made'],
  [/^(?:not known yet|unknown|not_seen|not seen)/, 'unconfirmed'],
  [/^ALARM/, 'alarm'],
  [
    /^(?:the figures of the order do not add up|the reply does not match the request|the order shows only a part)/,
    'doubt',
  ],
  [/^(?:not sent|would be sent|not|impossible|look|ready|done)$/, 'none'],
  [/^in part$/, 'none'],
  [/^more$/, 'more'],
  [/^not shown$/, 'doubt'],
  [/^refused/, 'refused'],
  [/^not made, as far as anyone can see/, 'none'],
];

/** Words that are no state: of a row that was never sent, or of what went back beside what the file says. */
const plainWords = new Set([
  'none',
  'refunded',
  'not',
  'more',
  'in part',
  'not sent',
  'would be sent',
  'impossible',
  'look',
  'ready',
  'refused',
]);

/** The state that a word means, and the word if it is not one of the nine. Throws UnknownWords. */
export function stateIn(from: string): { readonly state: string; readonly words: readonly string[] } {
  // An alarm stands in capitals at the head of a text.
  const text = from
    .replace(/^stop: .*?(?=APPEARED)/s, '')
    .replace(/^stop: \S+ shows the .* more than once.*/s, 'made twice')
    .replace(/^(?:MADE TWICE|APPEARED)/, (word) => word.toLowerCase());
  const known = states.findLast(
    (one) =>
      text === one ||
      (text.startsWith(one) && /^(?:[;,:(]| after it was made\b)/.test(text.slice(one.length))),
  );
  if (known !== undefined) return { state: known, words: [] };
  const [, state] = otherWords.find(([words]) => words.test(text)) ?? [];
  if (state === undefined) throw new UnknownWords(`no state that is known: ${JSON.stringify(text)}`);
  return {
    state,
    words: plainWords.has(text) || state === 'refused' ? [] : [`"${text.split(/[:;,]/)[0] ?? ''}"`],
  };
}

// ── Tables, JSON, CSV ───────────────────────────────────────────────────────────────────────────

/** The rows of a table, by their titles. The first title of the table is one of these. */
export function tableOf(text: string, first: string): readonly Readonly<Record<string, string>>[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.trimStart().startsWith(`${first} `));
  if (head < 0) return [];
  const titles = (lines[head] ?? '').trim().split(/ {2,}/);
  const end = lines.findIndex((line, index) => index > head && line.trim() === '');
  const rows = lines.slice(head + 1, end < 0 ? undefined : end);
  return rows.flatMap((line) => {
    const cells = line.trim().split(/ {2,}/);
    if (cells.length < 3) return [];
    if (cells.length !== titles.length)
      throw new UnknownWords(`a row of ${cells.length} cells under ${titles.length} titles: ${line}`);
    return [Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? '']))];
  });
}

export function dataOf({ stdout }: Ran): readonly Row[] {
  const { data } = JSON.parse(stdout) as { readonly data?: readonly Row[] };
  if (data === undefined) throw new UnknownWords(`no list: ${stdout.slice(0, 200)}`);
  return data;
}

/** The error of a run with --json: the last line of stderr. */
export function errorOf({ stderr }: Ran): Row {
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Row;
}

export function csvRows(text: string): readonly Readonly<Record<string, string>>[] {
  const [titles = [], ...rows] = readCsv(text);
  return rows.map((cells) => Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])));
}

/** `-300 MXN`, `300`, `-`: a positive whole number. Throws UnknownWords. */
export function amountIn(text: unknown): number {
  if (text === '-') return 0;
  const found = /^[-−]?(\d+)(?: [A-Z]{3})?$/.exec(String(text));
  if (found === null) throw new UnknownWords(`no amount: ${JSON.stringify(text)}`);
  return Number(found[1]);
}

export function stateOfRow(
  row: Row,
  fallback: string,
): { readonly state: string; readonly words: readonly string[] } {
  if (typeof row.state === 'string') return stateIn(row.state);
  const { state, words } = stateIn(fallback);
  // Where no refund is known there is none whose state could be told.
  return { state, words: row.state === null ? words : [...words, 'JSON has no state'] };
}

/** The commands of paydesk in a text, in one line each. */
export function commandsIn(text: string): readonly string[] {
  const found = text.matchAll(/paydesk ((?:orders|journal|refunds) [^\n]*?)(?=$|\n|;|, | and paydesk|: )/g);
  return [...new Set(Array.from(found, ([, command = '']) => command.trim()))];
}
