// Makes the man page, paydesk(1), from the table of commands and the help topics. `npm run drift` calls it.

import { argumentTerm, flagTerm, rootSummary, withFacts } from '../src/cli/help/help.ts';
import { type Block, topicBlocks, topics } from '../src/cli/help/help-topics.ts';
import { globalFlags } from '../src/cli/typed/global-options.ts';
import type { Command } from '../src/commands/command.ts';
import { type CommandEntry, commands, groups } from '../src/commands/commands.ts';
import type { Flag } from '../src/flags/flags.ts';

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
    ...Object.keys(topics).flatMap((name) => topicBlocks(name).flatMap(drawn)),
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
    ...Object.entries(command.exits ?? {}).flatMap(([code, meaning]) => entry(`Exit ${code}`, meaning)),
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

function drawn(block: Block): readonly string[] {
  switch (block.kind) {
    case 'title':
      return [`.SH ${text(block.text.toUpperCase())}`];
    case 'heading':
      return [`.SS ${text(block.text)}`];
    case 'item':
      return [`.IP ${block.mark === '-' ? '\\(bu' : block.mark} 4`, text(block.text)];
    case 'code':
      return ['.PP', '.nf', '.RS 4', ...block.lines.map((line) => text(line)), '.RE', '.fi'];
    case 'row':
      return entry(block.term, block.text);
    default:
      return ['.PP', text(block.text)];
  }
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
