/** The pages of help: of the program, of a noun, of a command, of a topic, and of an empty line. */

import { resources } from '../api/resources.ts';
import type { Argument, Command, Flag } from '../commands/command.ts';
import { type CommandEntry, commands, commandsOf, groups } from '../commands/commands.ts';
import { exitMeanings } from '../errors.ts';
import { globalFlags, usualGlobalFlags } from './global-options.ts';
import type { HelpLine, HelpPage } from './help-page.ts';
import { topicLines, topicNames } from './help-topics.ts';

/** Says in one line what paydesk is. Help and the man page open with it. */
export const rootSummary =
  'A desk for an orders-based payments service: find, refund and capture orders, export them, keep a record';

/** What `paydesk` prints without a command. */
export const barePage = (): HelpPage => [
  'paydesk: a desk for an orders-based payments service',
  '',
  'The five things people do most:',
  '  newest orders, on the simulator inside paydesk:',
  '    paydesk -p demo orders list',
  '  one order, its money, refunds and items:',
  `    paydesk -p demo orders show ${resources.orders.idExample}`,
  '  a refund; it asks which order, how much, and why:',
  '    paydesk -p demo orders refund',
  '  a real account; it asks for address and key:',
  '    paydesk profile add shop',
  '  the same for scripts:',
  '    paydesk -p shop orders list --json --no-input',
  '',
  'All commands: paydesk --help',
];

/** The help of the whole program. */
export function rootPage(): HelpPage {
  const examples = [
    'paydesk -p demo orders list',
    'paydesk -p demo orders refund',
    'paydesk -p demo orders list --json --no-input',
  ];
  return [
    'Usage: paydesk [options] <command>',
    '',
    rootSummary,
    '',
    ...listing(commands),
    '',
    ...items('Global options:', globalFlags, widestOf(globalFlags)),
    '',
    ...examplesOf(examples),
    '',
    'Help topics:',
    ...topicNames.map((name) => `  paydesk help ${name}`),
  ];
}

/** The help of a noun, such as `orders`. */
export function groupPage(noun: string): HelpPage {
  const { summary = noun, example = `paydesk ${noun}` } = groups[noun] ?? {};
  return [
    `Usage: paydesk ${noun} [options] <command>`,
    '',
    summary,
    '',
    ...listing(commandsOf(noun)),
    '',
    ...examplesOf([example]),
    '',
    { text: `Options and more examples: paydesk ${noun} <command> --help`, hang: 2 },
    ...(topicNames.includes(`${noun}s`) ? [`What it guarantees, and what not: paydesk help ${noun}s`] : []),
  ];
}

/** The help of a command: its own options, and of the global ones those that people need, or with `all` every one. */
export function commandPage({ words, summary }: CommandEntry, command: Command, all: boolean): HelpPage {
  const name = ['paydesk', ...words].join(' ');
  const globals = all ? globalFlags : usualGlobalFlags;
  const args = command.arguments.map((one) => [one.name, withFacts(one.summary, one)] as const);
  const termWidth = Math.max(
    ...args.map(([term]) => term.length),
    widestOf(command.flags),
    widestOf(globals),
  );
  return [
    [`Usage: ${name}`, '[options]', ...command.arguments.map(argumentTerm)].join(' '),
    '',
    summary,
    '',
    ...(command.description === undefined ? [] : [...command.description.split('\n').map(describedLine), '']),
    ...(args.length === 0
      ? []
      : ['Arguments:', ...args.map(([term, text]) => ({ term, termWidth, text })), '']),
    ...(Object.keys(command.flags).length === 0 ? [] : [...items('Options:', command.flags, termWidth), '']),
    ...items('Global options:', globals, termWidth),
    '',
    ...(all ? [] : [`More options: ${name} --help --all`, '']),
    ...examplesOf(command.examples),
    '',
    'Exit codes:',
    ...command.exits.map((code) => ({
      text: `  ${String(code).padEnd(4)} ${exitMeanings.get(code) ?? ''}`,
      hang: 7,
    })),
  ];
}

/** The page of a topic. */
export function topicPage(name: string): HelpPage {
  return topicLines(name).map((text) => ({ text, hang: /^ +\S+ +/.exec(text)?.[0].length ?? 0 }));
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

// In a description, `  term   text` is a term with its text.
function describedLine(line: string): HelpLine {
  const [, term, gap = '', text] = /^ {2}(\S+(?: \S+)*)( {2,})(\S.*)$/.exec(line) ?? [];
  if (term === undefined || text === undefined) return line;
  return { term, termWidth: term.length + gap.length - 2, text };
}

type Flags = Readonly<Record<string, Flag>>;

function widestOf(flags: Flags): number {
  return Math.max(...Object.entries(flags).map(([name, one]) => flagTerm(name, one).length));
}

function items(heading: string, flags: Flags, termWidth: number): readonly HelpLine[] {
  const entries = Object.entries(flags);
  return [
    heading,
    ...entries.map(([name, one]) => ({
      term: flagTerm(name, one),
      termWidth,
      text: withFacts(one.summary, one),
    })),
  ];
}

function listing(entries: readonly CommandEntry[]): readonly HelpLine[] {
  const terms = entries.map(({ words }) => words.join(' '));
  const termWidth = Math.max(...terms.map((term) => term.length));
  return [
    'Commands:',
    ...entries.map(({ summary: text }, index) => ({ term: terms[index] ?? '', termWidth, text })),
  ];
}

function examplesOf(lines: readonly string[]): readonly HelpLine[] {
  return ['Examples:', ...lines.map((line) => `  $ ${line}`)];
}
