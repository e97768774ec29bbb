/** The texts of help besides the options: examples, exit codes, lists of commands; and how help is wrapped to the terminal. */

import { resources } from '../api/resources.ts';
import type { Argument, Command, Flag } from '../commands/command.ts';
import { type CommandEntry, groups } from '../commands/commands.ts';
import { exitMeanings } from '../errors.ts';
import { topicLines, topicNames } from './help-topics.ts';

/** Says in one line what paydesk is. Help and the man page open with it. */
export const rootSummary =
  'A desk for an orders-based payments service: find, refund and capture orders, export them, keep a record';

/** What `paydesk` prints without a command. */
export const bareText = (): string => `paydesk: a desk for an orders-based payments service

The five things people do most:
  newest orders, on the simulator inside paydesk:
    paydesk -p demo orders list
  one order, its money, refunds and items:
    paydesk -p demo orders show ${resources.orders.idExample}
  a refund; it asks which order, how much, and why:
    paydesk -p demo orders refund
  a real account; it asks for address and key:
    paydesk profile add shop
  the same for scripts:
    paydesk -p shop orders list --json --no-input

All commands: paydesk --help
`;

/** The text under the list of all commands. */
export function rootNotes(width: number): string {
  const lines = [
    'paydesk -p demo orders list',
    'paydesk -p demo orders refund',
    'paydesk -p demo orders list --json --no-input',
  ];
  return `${examples(lines, width)}\n\nHelp topics:\n${topicNames.map((name) => `  paydesk help ${name}`).join('\n')}`;
}

/** The text under the commands of a noun. */
export function groupNotes(noun: string, width: number): string {
  return `${examples([groups[noun]?.example ?? `paydesk ${noun}`], width)}\n\n${wrapLine(`Options and more examples: paydesk ${noun} <command> --help`, width, 2)}`;
}

export function commandListing(entries: readonly CommandEntry[], width: number): string {
  const terms = entries.map(({ words }) => words.join(' '));
  const termWidth = Math.max(...terms.map((term) => term.length));
  return [
    'Commands:',
    ...entries.map(({ summary }, index) => item(terms[index] ?? '', termWidth, summary, width)),
  ].join('\n');
}

/** A term with its text beside it. In less than 60 columns there is no room for that, so the text goes on the next line. */
export function item(term: string, termWidth: number, text: string, width: number): string {
  if (text === '') return `  ${term}`;
  if (width < 60) return `  ${term}\n${wrapLine(`    ${text}`, width, 4)}`;
  return wrapLine(`  ${term.padEnd(termWidth)}  ${text}`, width, termWidth + 4);
}

/** The examples and exit codes of a command. */
export function commandNotes(command: Command, width: number): string {
  const codes = command.exits.map((code) =>
    wrapLine(`  ${String(code).padEnd(4)} ${exitMeanings.get(code) ?? ''}`, width, 7),
  );
  return `${examples(command.examples, width)}\n\nExit codes:\n${codes.join('\n')}`;
}

function examples(lines: readonly string[], width: number): string {
  return ['Examples:', ...lines.map((line) => continued(`  $ ${line}`, width))].join('\n');
}

// Wraps a command line with backslashes, so that it can still be copied. An option stays beside its value.
function continued(line: string, width: number): string {
  const start = /^ */.exec(line)?.[0] ?? '';
  const further = `${start}    `;
  const words = line.trimStart().match(/-\S+ [^-\s]\S*|\S+/g) ?? [];
  const fitting = words.flatMap((word) =>
    further.length + word.length > width - 2 ? word.split(' ') : [word],
  );
  const out: string[] = [];
  let current = '';
  for (const word of fitting) {
    const next = current === '' ? start + word : `${current} ${word}`;
    if (next.length > width - 2 && current !== '') {
      out.push(`${current} \\`);
      current = further + word;
    } else {
      current = next;
    }
  }
  return [...out, current].join('\n');
}

/** Wraps a whole text to the width of the terminal. A line is longer only if a single word is. */
export function wrapped(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) =>
      /^ +paydesk /.test(line) ? continued(line, width) : wrapLine(line, width, line.search(/\S|$/)),
    )
    .join('\n');
}

/** Wraps one line at spaces, and indents the lines that follow. */
export function wrapLine(line: string, width: number, indent: number): string {
  const out: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      out.push(current);
      current = ' '.repeat(indent) + word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...out, current].join('\n');
}

export function topicText(name: string, width: number): string {
  const lines = topicLines(name).map((line) => wrapLine(line, width, /^ +\S+ +/.exec(line)?.[0].length ?? 0));
  return `${lines.join('\n')}\n`;
}

/** An argument as help writes it: `<id>` if it is required, `[id]` if not. */
export function argumentTerm({ name, required, variadic }: Argument): string {
  const term = `${name}${variadic === true ? '...' : ''}`;
  return required ? `<${term}>` : `[${term}]`;
}

/** A summary with its facts in brackets: allowed values, default, environment variable. */
export function withFacts(
  summary: string,
  { choices, allowed, defaultText, env, repeatable }: Partial<Flag>,
): string {
  const facts = [
    choices === undefined ? undefined : `one of ${choices.join(', ')}`,
    allowed,
    repeatable === true ? 'may be repeated' : undefined,
    defaultText === undefined ? undefined : `default ${defaultText}`,
    env,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? summary : `${summary} (${facts.join('; ')})`;
}
