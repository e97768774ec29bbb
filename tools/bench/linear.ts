/** Rows of hostile input: a text of 1 MB takes ten times as long as one of 100 kB, in every parser. */

import { readJson, readList } from '../../src/api/reply-json.ts';
import { headOf } from '../../src/api/service-reply.ts';
import { parseAmount } from '../../src/api/spec.ts';
import { parseItem, parseMonths, parsePair } from '../../src/changes/create/sale-flags.ts';
import { readTypedLine } from '../../src/cli/completion/callback.ts';
import { wrapLine } from '../../src/cli/help/help-page.ts';
import { globalFlags } from '../../src/cli/typed/global-options.ts';
import { readTypedWords } from '../../src/cli/typed/typed-words.ts';
import { filterFlags } from '../../src/commands/orders/order-filters.ts';
import { fold } from '../../src/commands/orders/search/fold-text.ts';
import { createMatcher } from '../../src/commands/orders/search/order-matching.ts';
import { readManifest } from '../../src/exports/manifest.ts';
import { oneOf, recordId } from '../../src/flags/flags.ts';
import { parseWhen, spanFlag } from '../../src/flags/typed-time.ts';
import { readBaseUrl } from '../../src/profiles/base-url.ts';
import { nameProblem } from '../../src/profiles/profiles.ts';
import { cleanCell, cleanLine, escapeJson, oneLineJson } from '../../src/terminal/sanitise.ts';
import { cut } from '../../src/terminal/text-lines.ts';
import { widthOf } from '../../src/terminal/width.ts';
import type { Desk } from './desk.ts';
import type { Place } from './measure.ts';
import { median, type Row } from './row.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const base = new URL('http://localhost');

/** Everything that reads what others write, as a function of one text. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => readJson(bytes(text)),
  'json of a list': (text) => readList(bytes(`{"object":"list","data":[${text}]}`)),
  'Retry-After': (text) => headOf(new Response('', { headers: { 'retry-after': text } }), base, 0),
  time: (text) => parseWhen(text, '--since'),
  span: (text) => spanFlag('').parse(text, '--max-age'),
  amount: parseAmount,
  id: (text) => recordId('orders', text, 'ID'),
  choice: (text) => oneOf(['a', 'b'], text, '--reason'),
  customer: (text) => filterFlags.customer.parse(text, '--customer'),
  'words to find': (text) => createMatcher([text]),
  folding: fold,
  item: (text) => parseItem(text, '--item'),
  months: (text) => parseMonths(text, '--months'),
  pair: (text) => parsePair(text, '--metadata'),
  'base URL': readBaseUrl,
  'profile name': nameProblem,
  manifest: readManifest,
  'command line': (text) => readTypedWords(text.split(' '), () => globalFlags),
  'line at a TAB': (text) => readTypedLine('bash', 1, text.split(' ')),
  'clean line': cleanLine,
  'clean cell': cleanCell,
  'escaped JSON': escapeJson,
  'JSON on one line': oneLineJson,
  width: widthOf,
  cut: (text) => cut(text, 40),
  wrapping: (text) => wrapLine(text, 80, 2),
};

/** Pieces that make a long text hard: almost right, to the end. */
const pieces: readonly string[] = [
  '1',
  ' ',
  'a@',
  '2026-11-20T00:00:00 ',
  '[',
  '{"a":',
  '"\\u0000',
  '\\',
  '1,',
  '-a=',
  'ord_',
  '\u0301',
  '\u202e',
  '\ud83d\ude00\u200d',
  '\n\t ',
  '=,;:',
];

/** How much longer than ten times ten times as much takes: of all together, and of the worst. */
export async function linearRows(_desk: Desk, { rounds }: Place): Promise<Row[]> {
  const names = Object.keys(parsers);
  const [long, short] = [textsOf(1_000_000), textsOf(100_000)];
  const samples = names.map((name) => ({ name, large: [] as number[], small: [] as number[] }));
  for (let round = -1; round < rounds; round += 1) {
    for (const { name, large, small } of samples) {
      const parse = parsers[name];
      if (parse === undefined) continue;
      const whole = timeOf(parse, long, 1);
      const parts = timeOf(parse, short, 10);
      if (round < 0) continue;
      large.push(whole);
      small.push(parts);
    }
  }
  const sum = (of: 'large' | 'small') =>
    Array.from({ length: rounds }, (_, round) =>
      samples.reduce((all, one) => all + (one[of][round] ?? 0), 0),
    );
  // What looks at the first characters only is over before a clock can tell.
  const timed = samples.filter(({ large }) => median(large) > 2);
  const ratio = ({ large, small }: (typeof samples)[number]) => median(large) / median(small);
  const worst = timed.toSorted((a, b) => ratio(b) - ratio(a))[0];
  const name = `1 MB of hostile text ÷ ten times 100 kB, ${names.length} parsers`;
  const rows: Row[] = [{ name, goal: 1.5, samplesA: sum('large'), samplesB: sum('small') }];
  if (worst !== undefined)
    rows.push({
      name: `the same, the worst of them (${worst.name})`,
      // Ten times the memory costs more than ten times; what is quadratic would show 10.
      goal: 3,
      samplesA: worst.large,
      samplesB: worst.small,
    });
  return rows;
}

// Out of a buffer, so that they are whole: V8 puts pieces together when a text is first read.
function textsOf(length: number): readonly string[] {
  return pieces.map((piece) => Buffer.from(piece.repeat(length / piece.length)).toString());
}

// Milliseconds for every kind of hostile text, so many times.
function timeOf(parse: (text: string) => unknown, texts: readonly string[], times: number): number {
  const started = performance.now();
  for (let time = 0; time < times; time += 1) for (const text of texts) tried(parse, text);
  return performance.now() - started;
}

function tried(parse: (text: string) => unknown, text: string): void {
  try {
    parse(text);
  } catch {
    // Refused, which is an answer.
    return;
  }
}
