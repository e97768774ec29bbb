// Makes the man page, paydesk(1), from the table of commands and the help topics. `npm run drift` calls it.

import { globalFlags } from '../src/cli/global-options.ts';
import { argumentTerm, flagTerm, rootSummary, withFacts } from '../src/cli/help.ts';
import { topicLines } from '../src/cli/help-topics.ts';
import type { Command, Flag } from '../src/commands/command.ts';
import { type CommandEntry, commands, groups } from '../src/commands/commands.ts';

/** The file of the page in the repository. */
export const manFile = 'man/paydesk.1';

/** The whole page in roff. Loads every command. */
export async function manPage(): Promise<string> {
  const leaves = await Promise.all(
    commands.map(async (entry) => ({ entry, command: await entry.load(), noun: entry.words[0] })),
  );
  const nouns = [...new Set(leaves.map(({ noun }) => noun))];
  return [
    '.\\" Made from the table of commands: npm run drift -- --write',
    '.TH PAYDESK 1 "" "paydesk" "User Commands"',
    '.SH NAME',
    'paydesk \\- a desk for an orders-based payments service',
    '.SH SYNOPSIS',
    '.B paydesk',
    text('[options] <command> [arguments]'),
    '.SH DESCRIPTION',
    text(`${rootSummary}.`),
    '.PP',
    text('Try it without an account: paydesk -p demo orders list'),
    ...nouns.flatMap((noun) => [
      `.SH ${text(noun.toUpperCase())}`,
      ...(groups[noun] === undefined ? [] : [text(`${groups[noun].summary}.`)]),
      ...leaves.flatMap((leaf) => (leaf.noun === noun ? commandPart(leaf.entry, leaf.command) : [])),
    ]),
    '.SH GLOBAL OPTIONS',
    'Before or after the command.',
    ...flagItems(globalFlags),
    ...topic('ENVIRONMENT', 'environment'),
    ...topic('EXIT STATUS', 'exit-codes'),
    ...topic('OUTPUT', 'output'),
    ...topic('SAFETY', 'safety'),
    '',
  ].join('\n');
}

function commandPart({ words, summary }: CommandEntry, command: Command): readonly string[] {
  const usage = ['paydesk', ...words, '[options]', ...command.arguments.map(argumentTerm)].join(' ');
  const paragraphs = (command.description ?? '').split('\n').filter((line) => line !== '');
  return [
    `.SS ${text(usage)}`,
    text(`${summary}.`),
    ...paragraphs.flatMap((line) => (line.startsWith('  ') ? example(line.trim()) : ['.PP', text(line)])),
    ...command.arguments.flatMap((one) => entry(argumentTerm(one), withFacts(one.summary, one))),
    ...flagItems(command.flags),
    '.PP',
    'Examples:',
    ...command.examples.flatMap(example),
    '.PP',
    `Exit status: ${command.exits.join(', ')}.`,
  ];
}

function flagItems(flags: Readonly<Record<string, Flag>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    return entry(flagTerm(name, flag), withFacts(flag.summary, flag));
  });
}

function entry(term: string, about: string): readonly string[] {
  return ['.TP', `.B ${text(term)}`, text(about)];
}

function example(line: string): readonly string[] {
  return ['.PP', '.nf', `.RS 4`, text(line), '.RE', '.fi'];
}

// In a help topic `  TERM  text` is an entry, `  - text` an item, `  $ line` an example. Every other line is a sentence.
function topic(heading: string, name: string): readonly string[] {
  const [first = '', ...lines] = topicLines(name);
  const body = lines.flatMap((line) => {
    const [, item] = /^ {2}- (.*)$/.exec(line) ?? [];
    const [, command] = /^ {2}\$ (.*)$/.exec(line) ?? [];
    const [, term, about] = /^ {2}(\S+(?: \S+)?) {2,}(.*)$/.exec(line) ?? /^ {2}(\S+) (.*)$/.exec(line) ?? [];
    if (item !== undefined) return ['.IP \\(bu 2', text(item)];
    if (command !== undefined) return example(command);
    if (term !== undefined) return entry(term, about ?? '');
    return line === '' ? [] : ['.PP', text(line)];
  });
  return [`.SH ${heading}`, text(sentence(first.replace(/^[^:]*: /, ''))), ...body];
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Escapes what roff would read in its own way: a backslash, a dash (it would become a hyphen), and a dot or quote at the start.
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(
      /[^\0-\x7f]/gu,
      (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^(?=[.'])/, '\\&');
}
