/** Charts as inline SVG, each with a title and a description, and text for HTML: escaped, one line, and without characters that hide something. */

import { counted } from '../counted.ts';
import { type Figure, largestOf } from './exact-sum.ts';

/** One figure of a chart. */
export interface Point {
  readonly label: string;
  readonly figure: Figure;
  /** The figure as people read it, with its unit. */
  readonly words: string;
}

/** What a chart shows. `columns` stand side by side, for time; `bars` lie one below the other. */
export interface Chart {
  readonly kind: 'bars' | 'columns';
  readonly title: string;
  readonly points: readonly Point[];
}

/** Draws a chart; '' if it would have nothing to show. `id` names its title and description in the page. */
export function svgChart(chart: Chart, id: string): string {
  if (largestOf(chart.points.map(({ figure }) => figure)) <= 0) return '';
  return chart.kind === 'bars' ? bars(chart, id) : columns(chart, id);
}

/**
 * The length for a figure, where `room` stands for the largest one. The division is one of whole numbers, so no size is too
 * large. A figure above 0 always shows.
 */
function lengthOf(figure: Figure, largest: Figure, room: number): number {
  if (figure <= 0 || largest <= 0) return 0;
  const hundredths = (BigInt(figure) * BigInt(room) * 100n) / BigInt(largest);
  return Math.max(1, Number(hundredths) / 100);
}

const width = 320;
// How many letters there is room for in a line.
const longestLine = 42;
const longestLabel = 24;

// The label and the figure stand above each bar, so both can be read without colour and on a narrow screen. A long figure has a
// line of its own.
function bars({ title, points }: Chart, id: string): string {
  const largest = largestOf(points.map(({ figure }) => figure));
  const isLong = points.some(({ words }) => words.length > longestLine - longestLabel);
  const rowHeight = isLong ? 49 : 34;
  const rows = points.map(({ label, figure, words }, index) => {
    const top = index * rowHeight;
    const end = top + rowHeight;
    return [
      `<text x="0" y="${top + 12}">${htmlText(shortened(label, isLong ? longestLine : longestLabel))}</text>`,
      `<text x="${width}" y="${end - 22}" text-anchor="end">${htmlText(words)}</text>`,
      `<rect class="track" x="0" y="${end - 17}" width="${width}" height="9"/>`,
      `<rect class="bar" x="0" y="${end - 17}" width="${lengthOf(figure, largest, width)}" height="9"/>`,
    ].join('');
  });
  return svg(id, title, longestOf(points), {
    attributes: `class="bars" viewBox="0 0 ${width} ${points.length * rowHeight}"`,
    content: rows.join('\n'),
  });
}

const height = 120;

// Nothing is written inside: a chart of many days is as wide as the page, and its letters would be stretched.
function columns({ title, points }: Chart, id: string): string {
  const largest = largestOf(points.map(({ figure }) => figure));
  const drawn = points.map(({ label, figure, words }, index) => {
    const length = lengthOf(figure, largest, height);
    return `<rect class="bar" x="${index * 10 + 1}" y="${height - length}" width="8" height="${length}"><title>${htmlText(`${label}: ${words}`)}</title></rect>`;
  });
  const [first, last] = [points[0]?.label ?? '', points.at(-1)?.label ?? ''];
  const most = points.find(({ figure }) => figure === largest)?.words ?? '';
  return [
    `<p class="most">largest: ${htmlText(most)}</p>`,
    svg(id, title, longestOf(points), {
      attributes: `class="columns" viewBox="0 0 ${points.length * 10} ${height}" preserveAspectRatio="none"`,
      content: drawn.join('\n'),
    }),
    `<p class="ends"><span>${htmlText(first)}</span><span>${htmlText(last)}</span></p>`,
  ].join('\n');
}

function longestOf(points: readonly Point[]): string {
  const largest = largestOf(points.map(({ figure }) => figure));
  const most = points.find(({ figure }) => figure === largest);
  const count = counted(points.length, 'figure');
  return `${count}. The largest is ${most?.label}: ${most?.words}. The table beside it has those that are not 0.`;
}

function svg(
  id: string,
  title: string,
  description: string,
  { attributes, content }: { readonly attributes: string; readonly content: string },
): string {
  return [
    `<svg role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc" ${attributes}>`,
    `<title id="${id}-title">${htmlText(title)}</title>`,
    `<desc id="${id}-desc">${htmlText(description)}</desc>`,
    content,
    '</svg>',
  ].join('\n');
}

// Two people may differ in the end of their names alone, so a label is cut in its middle.
function shortened(label: string, longest: number): string {
  const letters = Array.from(new Intl.Segmenter().segment(label), ({ segment }) => segment);
  if (letters.length <= longest) return label;
  const half = Math.floor((longest - 1) / 2);
  return `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`;
}

// Control characters, and every invisible one, such as those that write from right to left.
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, for an element or for an attribute in quotes. It can neither open nor close anything. */
export function htmlText(text: string): string {
  return text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(hidden, '\ufffd')
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

/**
 * The same JSON with every sign escaped that HTML would read as its own. So the bytes between two tags are the JSON itself, and a
 * digest of them can be checked without reading HTML.
 */
export function htmlJson(json: string): string {
  return json.replace(/[&<>]/g, unicodeEscape).replace(hidden, unicodeEscape);
}

// A character outside of the first plane has two escapes.
function unicodeEscape(sign: string): string {
  return Array.from({ length: sign.length }, (_, index) => sign.charCodeAt(index))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');
}
