/** Writes the HTML report: one file with its style, its charts and its figures, which loads nothing and runs nothing. Pure. */

import { hash } from 'node:crypto';
import { type Figure, largestOf } from './exact-sum.ts';
import { type Chart, htmlJson, htmlText, svgBar, svgColumns, tellsApart } from './html-parts.ts';

/** A table. Columns of figures are aligned to the right. */
interface PageTable {
  /** What the table is called for somebody who does not see it. */
  readonly name: string;
  readonly columns: readonly { readonly title: string; readonly isFigure?: boolean }[];
  readonly rows: readonly (readonly string[])[];
  /** A figure for each row: its bar is in the last cell. */
  readonly bars?: readonly Figure[] | undefined;
}

/** A table, with a chart of the same figures above it or not. */
export interface PagePart {
  readonly heading?: string | undefined;
  readonly chart?: Chart | undefined;
  /** Its first column has sentences, so nothing is put beside it on a screen. */
  readonly isWide?: boolean;
  readonly table: PageTable;
}

export interface PageSection {
  readonly title: string;
  readonly notes?: readonly string[];
  /** None: `empty` says so. */
  readonly parts: readonly PagePart[];
  readonly empty: string;
}

/** Everything in a report, in words. */
export interface Page {
  readonly title: string;
  /** What everybody must know first, such as that something is missing. */
  readonly alarms: readonly string[];
  readonly facts: readonly (readonly [label: string, text: string])[];
  readonly sections: readonly PageSection[];
  readonly notes: readonly string[];
  /** The same figures for programs. */
  readonly json: string;
}

/** Writes the report. `masked`: masks the text of the report, before its digest is made. */
export function reportPage(page: Page, masked: (html: string) => string): string {
  const html = masked(pageAbove(page));
  const digest = hash('sha256', html);
  // As with the second sheet of a workbook, `orders export --verify FILE` checks the file against this digest.
  return `${html}<p class="note">SHA-256 of the first ${Buffer.byteLength(html)} bytes of this file: ${digest}</p>
</details>
</main>
</body>
</html>
`;
}

// The part of the page that its digest covers.
function pageAbove(page: Page): string {
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy()}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${htmlText(page.title)}</title>`,
    `<style>${reportStyle}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${htmlText(page.title)}</h1>`,
    ...page.alarms.map((text) => `<p class="alarm">${htmlText(text)}</p>`),
    '<dl>',
    ...page.facts.map(([label, text]) => `<dt>${htmlText(label)}</dt><dd>${htmlText(text)}</dd>`),
    '</dl>',
    ...page.sections.map(section),
    '<section class="how">',
    '<h2>How to read this</h2>',
    ...page.notes.map((text) => `<p class="note">${htmlText(text)}</p>`),
    '</section>',
    // A text and no <script>: mail programs remove scripts, and this page has none at all.
    '<details>',
    '<summary>The same figures for programs, as JSON</summary>',
    `<pre id="figures">${htmlJson(page.json)}</pre>`,
  ].join('\n')}\n`;
}

// Nothing may be loaded or run, and no style but this one is accepted.
function policy(): string {
  const digest = hash('sha256', reportStyle, 'base64');
  return `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

function section({ title, notes = [], parts, empty }: PageSection, index: number): string {
  return [
    '<section>',
    `<h2>${htmlText(title)}</h2>`,
    ...notes.map((text) => `<p class="note">${htmlText(text)}</p>`),
    ...(parts.length === 0
      ? [`<p>${htmlText(empty)}</p>`]
      : [
          '<div class="parts">',
          ...parts.map((part, place) => partOf(part, `chart-${index + 1}-${place + 1}`)),
          '</div>',
        ]),
    '</section>',
  ].join('\n');
}

// A table with more rows may continue on the next page of paper, with its headings repeated. A shorter one is never divided.
const longTable = 16;

function partOf({ heading, chart, isWide = false, table }: PagePart, id: string): string {
  const drawn = chart === undefined ? '' : svgColumns(chart, id);
  const kinds = [
    'part',
    ...(table.columns.length > someColumns ? ['whole'] : isWide ? ['words'] : []),
    ...(table.rows.length > longTable ? ['long'] : []),
  ];
  return [
    `<div class="${kinds.join(' ')}">`,
    ...(heading === undefined ? [] : [`<h3>${htmlText(heading)}</h3>`]),
    ...(drawn === '' ? [] : ['<figure>', drawn, '</figure>']),
    tableOf(table),
    '</div>',
  ].join('\n');
}

// With more than `fewColumns`, a narrow screen shows each row as a small list. With more than `someColumns`, a screen of medium
// width does too, and nothing is put beside the table.
const fewColumns = 3;
const someColumns = 4;

// A text may break anywhere and a figure only between its two forms, so the edge of a screen hides no digits. A table that is
// still too wide scrolls inside its own frame, and the page does not. The roles are written out because a row that is shown as a
// list would lose them.
function tableOf({ name, columns, rows, bars = [] }: PageTable): string {
  const kind = (index: number): string => (columns[index]?.isFigure === true ? ' class="figure"' : '');
  const cell = (text: string, index: number, bar: string): string => {
    const label = `data-label="${htmlText(columns[index]?.title ?? '')}"`;
    return index === 0
      ? `<th scope="row" role="rowheader"${kind(index)} ${label}>${htmlText(text)}</th>`
      : `<td role="cell"${kind(index)} ${label}>${htmlText(text)}${index === columns.length - 1 ? bar : ''}</td>`;
  };
  const largest = largestOf(bars);
  const barOf = (place: number): string => (tellsApart(bars) ? svgBar(bars[place] ?? 0, largest) : '');
  const head = columns.map(
    ({ title }, index) => `<th scope="col" role="columnheader"${kind(index)}>${htmlText(title)}</th>`,
  );
  return [
    `<div class="wide" role="region" tabindex="0" aria-label="${htmlText(name)}">`,
    `<table role="table"${listAt(columns.length)}>`,
    `<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>`,
    '<tbody role="rowgroup">',
    ...rows.map((row, place) => {
      const cells = row.map((text, index) => cell(text, index, barOf(place)));
      return `<tr role="row">${cells.join('')}</tr>`;
    }),
    '</tbody>',
    '</table>',
    '</div>',
  ].join('\n');
}

function listAt(columns: number): string {
  if (columns <= fewColumns) return '';
  return columns <= someColumns ? ' class="some"' : ' class="many"';
}

// A table as a list: a line for each cell, with its heading before it.
const asList = (table: string) => `\
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  ${table}, ${table} tbody, ${table} tr { display: block; }
  ${table} tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  ${table} tbody th, ${table} td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .5rem; padding: .1rem 0; border: 0; text-align: left; overflow-wrap: anywhere; }
  ${table} tbody th::before, ${table} td::before { content: attr(data-label); color: var(--faint); }
  ${table} .row-bar { grid-column: 2; width: 100%; max-width: 16rem; margin: 0; }
`;

/**
 * The style sheet. It names no other file and no font that would have to be loaded. Only a screen shows tables as lists: on paper
 * they stay tables, with their headings on every page.
 */
const reportStyle = `
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #555d66; --paper: #ffffff; --line: #c9ced4; --bar: #1f5fa8; --track: #e8ebee; --alarm: #a11212; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --faint: #a9b1ba; --paper: #14171a; --line: #3c434b; --bar: #7ab3ef; --track: #262b31; --alarm: #ff9a8f; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 68rem; color: var(--ink); background: var(--paper); font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; line-height: 1.2; }
h2 { font-size: 1.15rem; margin: 2rem 0 .25rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .5rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
.note, .most, .ends { color: var(--faint); font-size: .9rem; }
.alarm { color: var(--alarm); font-weight: 700; border: 2px solid var(--alarm); padding: .5rem .75rem; }
.parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 29rem), 1fr)); gap: 0 2.5rem; align-items: start; }
.part { min-width: 0; }
.whole, .words { grid-column: 1 / -1; }
figure { margin: .5rem 0 0; }
svg { display: block; width: 100%; height: auto; }
svg.columns { height: 7rem; border-bottom: 1px solid var(--faint); }
.figure:has(.row-bar) { white-space: nowrap; }
svg.row-bar { display: inline-block; width: 4.5rem; height: .6em; margin-left: .6rem; }
.bar { fill: var(--bar); }
.track { fill: var(--track); }
.ends { display: flex; justify-content: space-between; gap: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--faint); font-weight: 600; }
thead th, .figure { overflow-wrap: break-word; }
tbody th { font-weight: 400; }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; font-size: .8rem; }
@media screen and (max-width: 46rem) {
  body { padding: .75rem; }
  table { font-size: .85rem; }
  th, td { padding-right: .5rem; }
${asList('.some')}}
@media screen and (max-width: 62rem) {
${asList('.many')}}
@media screen and (min-width: 62.01rem) {
  thead th { white-space: nowrap; }
}
@media (forced-colors: active) {
  .bar { fill: CanvasText; }
  .track { fill: Canvas; stroke: GrayText; }
}
@page { margin: 9mm 11mm 11mm; @bottom-right { content: 'Page ' counter(page) ' of ' counter(pages); font: 8pt system-ui, sans-serif; } }
@media print {
  :root { color-scheme: light; --ink: #000000; --faint: #333333; --paper: #ffffff; --line: #999999; --bar: #333333; --track: #eeeeee; --alarm: #000000; }
  html { font-size: 8pt; }
  body { max-width: none; padding: 0; line-height: 1.15; }
  dl { margin: 0; }
  h2 { margin: .4rem 0 .1rem; padding-top: .2rem; }
  h3 { margin: .2rem 0 0; }
  p { margin: .1rem 0; }
  .how p { display: inline; }
  .words { grid-column: auto; }
  h2, h3, figure, thead, .long tr:nth-child(-n + 3) { break-after: avoid; }
  .part, figure, tr, .alarm, .note { break-inside: avoid; }
  .long { break-inside: auto; }
  .parts { grid-template-columns: repeat(auto-fit, minmax(80mm, 1fr)); gap: 0 8mm; }
  figure { margin: 0; }
  svg.columns { height: 12mm; }
  svg.row-bar { width: 12mm; }
  thead { display: table-header-group; }
  th, td { padding-top: .02rem; padding-bottom: 0; }
  .wide { overflow: visible; }
  .bar, .track { print-color-adjust: exact; }
  details { display: none; }
}
`;
