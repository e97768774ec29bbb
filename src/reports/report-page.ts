/** The HTML report: one file with its style, its charts and its figures, that loads nothing and runs nothing. Pure. */

import { createHash } from 'node:crypto';
import { htmlJson, htmlText } from './html.ts';
import { reportStyle } from './report-style.ts';
import { type Chart, svgChart } from './svg-charts.ts';

/** A table. A column of figures stands at the right. */
interface PageTable {
  /** What the table is called for somebody who does not see it. */
  readonly name: string;
  readonly columns: readonly { readonly title: string; readonly isFigure?: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

/** A table, with a chart of the same figures beside it or not. */
export interface PagePart {
  readonly heading?: string | undefined;
  readonly chart?: Chart | undefined;
  readonly table: PageTable;
}

export interface PageSection {
  readonly title: string;
  readonly note?: string | undefined;
  /** None: `empty` says so. */
  readonly parts: readonly PagePart[];
  readonly empty: string;
}

/** All that stands in a report, in words. */
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

/** Writes the report. */
export function reportPage(page: Page): string {
  const json = htmlJson(page.json);
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
    '<h2>How to read this</h2>',
    ...page.notes.map((text) => `<p class="note">${htmlText(text)}</p>`),
    ...figures(json),
    '</main>',
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

// Nothing may be loaded or run, and of all styles only this one counts.
function policy(): string {
  const hash = createHash('sha256').update(reportStyle).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

function section({ title, note, parts, empty }: PageSection, index: number): string {
  return [
    '<section>',
    `<h2>${htmlText(title)}</h2>`,
    ...(note === undefined ? [] : [`<p class="note">${htmlText(note)}</p>`]),
    ...(parts.length === 0 ? [`<p>${htmlText(empty)}</p>`] : []),
    ...parts.map((part, place) => partOf(part, `chart-${index + 1}-${place + 1}`)),
    '</section>',
  ].join('\n');
}

function partOf({ heading, chart, table }: PagePart, id: string): string {
  const drawn = chart === undefined ? '' : svgChart(chart, id);
  return [
    ...(heading === undefined ? [] : [`<h3>${htmlText(heading)}</h3>`]),
    '<div class="pair">',
    ...(drawn === '' ? [] : ['<figure>', drawn, '</figure>']),
    tableOf(table),
    '</div>',
  ].join('\n');
}

// With more columns than that, a narrow screen shows each row as a small list. With many more, a half wide screen does too.
const fewColumns = 3;
const someColumns = 5;

// A text breaks anywhere and a figure only between its two forms, so no digits are lost to the edge of a screen. Should a table be
// too wide even so, it scrolls inside its own frame, and the page does not. The roles are written out because a row that is shown
// as a list would lose them.
function tableOf({ name, columns, rows }: PageTable): string {
  const kind = (index: number): string => (columns[index]?.isFigure === true ? ' class="figure"' : '');
  const cell = (text: string, index: number): string => {
    const label = `data-label="${htmlText(columns[index]?.title ?? '')}"`;
    return index === 0
      ? `<th scope="row" role="rowheader"${kind(index)} ${label}>${htmlText(text)}</th>`
      : `<td role="cell"${kind(index)} ${label}>${htmlText(text)}</td>`;
  };
  const head = columns.map(
    ({ title }, index) => `<th scope="col" role="columnheader"${kind(index)}>${htmlText(title)}</th>`,
  );
  return [
    `<div class="wide" role="region" tabindex="0" aria-label="${htmlText(name)}">`,
    `<table role="table"${listAt(columns.length)}>`,
    `<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>`,
    '<tbody role="rowgroup">',
    ...rows.map((row) => `<tr role="row">${row.map(cell).join('')}</tr>`),
    '</tbody>',
    '</table>',
    '</div>',
  ].join('\n');
}

function listAt(columns: number): string {
  if (columns <= fewColumns) return '';
  return columns <= someColumns ? ' class="some"' : ' class="many"';
}

// A text and no <script>: mail programs remove scripts, and this page has none at all.
function figures(json: string): readonly string[] {
  const digest = createHash('sha256').update(json).digest('hex');
  return [
    '<details>',
    '<summary>The same figures for programs, as JSON</summary>',
    `<p class="note">SHA-256 of this JSON: ${digest}</p>`,
    `<pre id="figures" data-sha256="${digest}">${json}</pre>`,
    '</details>',
  ];
}
