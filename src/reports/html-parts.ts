/** Makes the parts of the HTML report: texts and JSON as HTML, and bars and columns as inline SVG. Pure. */

import { counted } from '../counted.ts';
import { type Figure, largestOf } from './exact-sum.ts';

interface Point {
  readonly label: string;
  readonly figure: Figure;
  /** The figure as people read it, with its unit. */
  readonly words: string;
}

/** Columns that stand side by side, one for each unit of time. */
export interface Chart {
  readonly title: string;
  readonly points: readonly Point[];
}

/** Whether the lengths of these bars tell something: one bar alone, or several that are all full, do not. */
export function tellsApart(figures: readonly Figure[]): boolean {
  const largest = largestOf(figures);
  return largest > 0 && figures.some((figure) => figure !== largest);
}

/** `room` stands for the largest figure. A figure above 0 always shows. */
function lengthOf(figure: Figure, largest: Figure, room: number): number {
  if (figure <= 0 || largest <= 0) return 0;
  const hundredths = (BigInt(figure) * BigInt(room) * 100n) / BigInt(largest);
  return Math.max(1, Number(hundredths) / 100);
}

/** A bar beside its figure in a row. A screen reader reads the figure out, so it skips the bar. */
export function svgBar(figure: Figure, largest: Figure): string {
  const length = lengthOf(figure, largest, 100);
  return `<svg class="row-bar" aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="track" width="100" height="10"/><rect class="bar" width="${length}" height="10"/></svg>`;
}

const height = 120;

/** A chart of columns; '' if they would tell nothing. It has no letters inside, since they would be stretched. */
export function svgColumns({ title, points }: Chart, id: string): string {
  const figures = points.map(({ figure }) => figure);
  if (!tellsApart(figures)) return '';
  const largest = largestOf(figures);
  const most = points.find(({ figure }) => figure === largest);
  const drawn = points.map(({ label, figure, words }, index) => {
    const length = lengthOf(figure, largest, height);
    return `<rect class="bar" x="${index * 10 + 1}" y="${height - length}" width="8" height="${length}"><title>${htmlText(`${label}: ${words}`)}</title></rect>`;
  });
  const described = `${counted(points.length, 'figure')}. The largest is ${most?.label}: ${most?.words}. The table below has those that are not 0.`;
  return [
    `<p class="most">largest: ${htmlText(most?.words ?? '')}</p>`,
    `<svg role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc" class="columns" viewBox="0 0 ${points.length * 10} ${height}" preserveAspectRatio="none">`,
    `<title id="${id}-title">${htmlText(title)}</title>`,
    `<desc id="${id}-desc">${htmlText(described)}</desc>`,
    ...drawn,
    '</svg>',
    `<p class="ends"><span>${htmlText(points[0]?.label ?? '')}</span><span>${htmlText(points.at(-1)?.label ?? '')}</span></p>`,
  ].join('\n');
}

// Control characters and invisible ones, such as those that make a text run from right to left.
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, for an element or for an attribute in quotes. The text can neither open nor close an element or an attribute. */
export function htmlText(text: string): string {
  return text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(hidden, '\ufffd')
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

/**
 * JSON that can be put into HTML: every sign that means something in HTML is escaped in the way of JSON, so the text between the
 * tags is still JSON.
 */
export function htmlJson(json: string): string {
  return json.replace(/[&<>]/g, unicodeEscape).replace(hidden, unicodeEscape);
}

// A character beyond U+FFFF becomes two escapes.
function unicodeEscape(sign: string): string {
  return Array.from({ length: sign.length }, (_, index) => sign.charCodeAt(index))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');
}
