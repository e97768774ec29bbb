/** The pages of help: of the program, of all commands, of a noun, of a command, and of a topic. */

import type { Command } from '../../commands/command.ts';
import { type CommandEntry, commands, commandsOf, groups, nounSummaries } from '../../commands/commands.ts';
import type { Argument, Flag } from '../../flags/flags.ts';
import { globalFlags, usualGlobalFlags } from '../typed/global-options.ts';
import type { HelpLine, HelpPage } from './help-page.ts';
import { type Block, topicBlocks, topics } from './help-topics.ts';
import type { Answer, Meaning } from './help-words.ts';

/** Says in one line what paydesk is. Help and the man page open with it. */
export const rootSummary =
  'A desk for an orders-based payments service: find, refund and capture orders, export them, keep a record';

/** What `paydesk` and `paydesk --help` print: the nouns on one screen, and how to go on. */
export function rootPage(): HelpPage {
  return [
    'Usage: paydesk [options] <command>',
    '',
    ...terms([...nounSummaries()]),
    '',
    '  $ paydesk -p demo orders refund   tries it without an account, on a simulator',
    'The verbs of a noun:                paydesk orders --help',
    'All commands, options and guides:   paydesk help commands',
  ];
}

export function commandsPage(): HelpPage {
  return [
    'Usage: paydesk [options] <command>',
    '',
    rootSummary,
    '',
    'Commands:',
    ...terms(commands.map(({ words, summary }) => [words.join(' '), summary])),
    '',
    ...items('Global options:', globalFlags, widestOf(globalFlags)),
    '',
    'Guides, as paydesk help NAME:',
    ...terms(Object.entries(topics).map(([name, { summary }]) => [name, summary])),
  ];
}

/** The help of a noun, such as `orders`. */
export function groupPage(noun: string): HelpPage {
  const { summary = noun, example = `paydesk ${noun}`, guide } = groups[noun] ?? {};
  return [
    `Usage: paydesk ${noun} [options] <command>`,
    '',
    summary,
    '',
    'Commands:',
    ...terms(commandsOf(noun).map(({ words, summary }) => [words.join(' '), summary])),
    '',
    'Example:',
    `  $ ${example}`,
    '',
    { text: `Options and examples: paydesk ${noun} <command> --help`, hang: 2 },
    ...(guide === undefined ? [] : [`Guide: paydesk help ${guide}`]),
  ];
}

/**
 * The help of a command: two examples, what it does, its own options, and those global options that people need, or with `all`
 * every one.
 */
export function commandPage(entry: CommandEntry, command: Command, all: boolean): HelpPage {
  const { words, summary, guide = groups[words[0]]?.guide } = entry;
  const name = ['paydesk', ...words].join(' ');
  const globals = all ? globalFlags : usualGlobalFlags;
  const args = command.arguments.map((one) => [one.name, withFacts(one.summary, one)] as const);
  const termWidth = Math.max(
    ...args.map(([term]) => term.length),
    widestOf(command.flags),
    widestOf(globals),
  );
  return [
    summary,
    '',
    ...command.examples.map((line) => `  $ ${line}`),
    '',
    [`Usage: ${name}`, '[options]', ...command.arguments.map(argumentTerm)].join(' '),
    '',
    ...(command.description === undefined ? [] : [...command.description.split('\n'), '']),
    ...(args.length === 0 ? [] : ['Arguments:', ...terms(args, termWidth), '']),
    ...(Object.keys(command.flags).length === 0 ? [] : [...items('Options:', command.flags, termWidth), '']),
    ...items('Global options:', globals, termWidth),
    '',
    ...(command.exits === undefined
      ? []
      : ['Exit codes here:', ...terms(Object.entries(command.exits), 3), '']),
    ...(all ? [] : [`More options: ${name} --help --all`]),
    ...(entry.changes === 'service' ? ['Roles that may do it: paydesk help settings'] : []),
    ...(guide === undefined ? [] : [`Guide: paydesk help ${guide}`]),
    'Exit codes: paydesk help exit-codes',
  ];
}

/** The page of a topic, or the section under the heading that was asked for. */
export function topicPage(name: string, asked = ''): HelpPage {
  const all = topicBlocks(name);
  const isHeading = (one: Block) => one.kind === 'heading';
  const plain = asked.toLowerCase();
  const headings = [plain, `${plain}s`, plain.replace(/e?s$/, '')];
  const from = all.findIndex(
    (one) => one.kind === 'heading' && namesIn(one.text).some((name) => headings.includes(name)),
  );
  const next = all.findIndex((one, at) => at > from && isHeading(one));
  if (from !== -1)
    return [
      ...pageOf(all.slice(from, next === -1 ? undefined : next)),
      '',
      `The whole page: paydesk help ${name}`,
    ];
  return pageOf(all);
}

// `Tax and VAT` is a section about both.
function namesIn(heading: string): readonly string[] {
  const plain = heading.toLowerCase();
  return [plain, ...plain.split(' and ')];
}

function pageOf(blocks: readonly Block[]): HelpPage {
  const widest = Math.max(...blocks.map((block) => (block.kind === 'row' ? block.term.length : 0)));
  const termWidth = Math.min(widest, 28);
  return blocks.flatMap((block, at) => {
    const before = blocks[at - 1]?.kind;
    const joined = before === block.kind && (before === 'item' || before === 'row');
    return [...(at === 0 || joined ? [] : ['']), ...drawn(block, termWidth)];
  });
}

// With the page that says what the word means they are four.
const mostBesideMeaning = 3;

interface AboutWord {
  readonly word: string;
  readonly answers: readonly Answer[];
  readonly why: string | undefined;
  readonly meaning: Meaning | undefined;
}

/** Which pages are about a word, and what it means here if a page says that. */
export function wordPage({ word, answers, why, meaning }: AboutWord): HelpPage {
  const pages =
    meaning === undefined
      ? answers
      : [
          ...answers.filter(({ name }) => name !== meaning.page).slice(0, mostBesideMeaning),
          { name: meaning.page, summary: topics[meaning.page]?.summary ?? '' },
        ];
  return [
    ...(why === undefined ? [] : [why, '']),
    ...(meaning === undefined ? [] : [...terms([[meaning.term, meaning.text]]), '']),
    `About ${word}:`,
    ...terms(pages.map(({ name, summary }) => [`paydesk help ${name}`, summary])),
  ];
}

function drawn(block: Block, termWidth: number): readonly HelpLine[] {
  switch (block.kind) {
    case 'heading':
      return [block.text.toUpperCase()];
    case 'item':
      return [{ text: `  ${block.mark} ${block.text}`, hang: block.mark.length + 3 }];
    case 'code':
      return block.lines.map((line) => ({ code: line === '' ? '' : `  ${line}` }));
    case 'row':
      return [{ term: block.term, termWidth, text: block.text }];
    default:
      return [block.text];
  }
}

/** An argument as help writes it: `<id>` if it is required, `[id]` if not. */
export function argumentTerm({ name, required, variadic }: Argument): string {
  const term = `${name}${variadic === true ? '...' : ''}`;
  return required ? `<${term}>` : `[${term}]`;
}

/** An option as help writes it: `-p, --profile <NAME>`. */
export function flagTerm(name: string, { short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
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

type Flags = Readonly<Record<string, Flag>>;

function widestOf(flags: Flags): number {
  return Math.max(...Object.entries(flags).map(([name, one]) => flagTerm(name, one).length));
}

function items(heading: string, flags: Flags, termWidth: number): readonly HelpLine[] {
  const pairs = Object.entries(flags).map(
    ([name, one]) => [flagTerm(name, one), withFacts(one.summary, one)] as const,
  );
  return [heading, ...terms(pairs, termWidth)];
}

function terms(
  pairs: readonly (readonly [term: string, text: string])[],
  termWidth = Math.max(...pairs.map(([term]) => term.length)),
): readonly HelpLine[] {
  return pairs.map(([term, text]) => ({ term, termWidth, text }));
}
