/** What help says besides options: examples, exit codes, topics, and the bare `paydesk`. */

import type { Command } from './command.ts';
import { exitMeanings } from './errors.ts';

/** Text around the list of all commands. */
export const rootNotes = {
  summary:
    'A desk for an orders-based payments service: find, refund and capture orders, export them, keep a record',
  bare: `paydesk: a desk for an orders-based payments service

The five things people do most:
  paydesk -p demo orders list                 the newest orders, on the simulator inside paydesk
  paydesk -p demo orders show ORDER           one order: its money, refunds and items
  paydesk -p demo orders refund               refund: asks which order, what of it, and why
  paydesk profile add shop                    a real account: asks for address and key
  paydesk -p shop orders list --json          the same for scripts

All commands: paydesk --help
`,
  after: (width: number) => `
${examples(['paydesk -p demo orders list', 'paydesk -p demo orders refund', 'paydesk -p shop orders list --json --no-input'], width)}

Topics: paydesk help ${topicNames.join(', paydesk help ')}`,
};

/** Examples and exit codes of one command. */
export function commandNotes(command: Command, width: number): string {
  const codes = command.exits.map((code) =>
    wrapLine(`  ${String(code).padEnd(4)} ${exitMeanings.get(code) ?? ''}`, width, 7),
  );
  return `\n${examples(command.examples, width)}\n\nExit codes:\n${codes.join('\n')}`;
}

function examples(lines: readonly string[], width: number): string {
  return ['Examples:', ...lines.map((line) => continued(`  $ ${line}`, width))].join('\n');
}

/** Wraps a command line with backslashes, so that it can still be copied. */
function continued(line: string, width: number): string {
  const out: string[] = [];
  let current = '';
  for (const word of line.trimStart().split(' ')) {
    const next = current === '' ? `${out.length === 0 ? '  ' : '      '}${word}` : `${current} ${word}`;
    if (next.length > width - 2 && current !== '') {
      out.push(`${current} \\`);
      current = `      ${word}`;
    } else {
      current = next;
    }
  }
  return [...out, current].join('\n');
}

function wrapLine(line: string, width: number, indent: number): string {
  const out: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S) /)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      out.push(current);
      current = ' '.repeat(indent) + word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...out, current].join('\n');
}

const exitCodesTopic = () => [
  'Exit codes: what a script can rely on.',
  '',
  ...[...exitMeanings].map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`),
  '',
  'Code 7 outranks every other. After 2, 3, 4, 5 and 6 nothing was changed by this command.',
];

const outputTopic = () => [
  'Output: stdout is the result and nothing else; notes, questions, progress and errors go to stderr.',
  '',
  '  -o table   for people: columns, never cutting an id or an amount',
  '  -o list    Field: value lines, every field; reads well aloud',
  '  -o json    the service’s own objects, keys as they came; a list is one envelope with has_more last',
  '  -o ndjson  one record a line',
  '  -o csv     a heading line, then a row a record: times ISO 8601 in UTC, amounts integers, cells that a spreadsheet would run get a leading quote',
  '',
  'Amounts are the service’s integers, as it states them; nothing is converted. A refund’s amount is negative.',
  'Not a terminal: no colour and nothing cut. With json and ndjson a failing run writes one JSON object to stderr: object error, kind, exit_code, message, certain, now, code, log_id, http_status, details, notes.',
  'Columns of table, list and csv: --columns id,amount,customer_info.email',
  '',
  '  $ paydesk -p demo orders list --all --ndjson',
  '  $ paydesk -p demo orders list --csv --columns id,amount,currency',
];

const topics: Readonly<Record<string, () => readonly string[]>> = {
  'exit-codes': exitCodesTopic,
  output: outputTopic,
};

export const topicNames: readonly string[] = Object.keys(topics);

/** A help topic, wrapped; undefined topics do not get here. */
export function topicText(name: string, width: number): string {
  const lines = topics[name]?.() ?? [];
  return `${lines.map((line) => wrapLine(line, width, /^ +\S+ +/.exec(line)?.[0].length ?? 0)).join('\n')}\n`;
}
