/** Turns a command line into a command with its inputs, or into a text to print. */

import type { Command } from '../../commands/command.ts';
import {
  type CommandEntry,
  commands,
  commandsOf,
  findCommand,
  groups,
  type WhatChanges,
} from '../../commands/commands.ts';
import { CliError, withParts } from '../../errors.ts';
import type { Input } from '../../flags/flags.ts';
import { profileNamePattern } from '../../profiles/profiles.ts';
import { formats } from '../../terminal/terminal.ts';
import { commandPage, commandsPage, groupPage, rootPage, topicPage, wordPage } from '../help/help.ts';
import { type HelpPage, layOut } from '../help/help-page.ts';
import { proofScript, topics, topicText } from '../help/help-topics.ts';
import { type GlobalInput, globalFlags } from './global-options.ts';
import { checkLine, didYouMean, readLine } from './line-errors.ts';
import { checkSlips } from './option-slips.ts';
import { readTypedWords } from './typed-words.ts';

/** What a command line asks for. */
export type Invocation =
  /** `certain`: set if the line also has a yes to a change, because then printing the text is not a success. */
  | { readonly kind: 'text'; readonly text: string; readonly certain?: string | undefined }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly words: readonly string[];
      readonly command: Command;
      readonly input: Input;
      readonly globals: GlobalInput;
    };

/** Reads a command line. `width` is the width of help texts. Throws CliError 'usage' for anything that is not understood. */
export async function readCommandLine(typed: readonly string[], width: number): Promise<Invocation> {
  const argv = inFull(typed);
  const { words } = readTypedWords(argv, () => globalFlags);
  const entry = findCommand(words);
  const changes = entry?.changes === 'service' || entry?.changes === 'journal';
  const certain = changes && saysYes(argv) ? 'nothing was sent' : undefined;
  if (asksFor(argv, 'help') || words[0] === 'help') {
    const text = await helpText(words, { width, all: asksFor(argv, 'all'), isJson: asksForJson(argv) });
    return { kind: 'text', text, certain };
  }
  if (asksFor(argv, 'version')) {
    if (certain === undefined) return { kind: 'version' };
    throw new CliError('usage', '--version together with a yes to a change', { certain });
  }
  if (entry === undefined) {
    await checkLine(argv, words);
    return { kind: 'text', text: await helpText(words, { width, isJson: asksForJson(argv) }) };
  }
  const command = await entry.load();
  checkSlips(argv, entry.words, { ...globalFlags, ...command.flags });
  return { kind: 'run', words: entry.words, command, ...(await readLine(entry, command, argv)) };
}

// `paydesk browse` is short for `paydesk orders browse`, and `paydesk help man` for `paydesk completion man`.
function inFull(argv: readonly string[]): readonly string[] {
  const wordsBefore = (end: number) => readTypedWords(argv.slice(0, end), () => globalFlags).words;
  const firstAt = (first: string) =>
    argv.findIndex((word, index) => word === first && wordsBefore(index + 1)[0] === word);
  const [at, helpAt] = [firstAt('browse'), firstAt('help')];
  if (at !== -1) return argv.toSpliced(at, 0, 'orders');
  const isMan = helpAt !== -1 && wordsBefore(argv.length).join(' ') === 'help man';
  return isMan ? argv.with(helpAt, 'completion') : argv;
}

// What help is about: its page for people, or a text that is shown as it is, and the same for programs.
interface About {
  readonly page: (all: boolean) => HelpPage | string | Promise<HelpPage>;
  readonly json: (help: typeof import('../help/help-json.ts')) => string | Promise<string>;
}

interface HelpStyle {
  readonly width: number;
  /** Whether help shows every option of a command. */
  readonly all?: boolean;
  readonly isJson: boolean;
}

// Help for these words: the words of the line without its options.
async function helpText(
  words: readonly string[],
  { width, all = false, isJson }: HelpStyle,
): Promise<string> {
  const about = await aboutOf(words);
  if (isJson) return await about.json(await import('../help/help-json.ts'));
  const page = await about.page(all);
  return typeof page === 'string' ? page : layOut(page, width);
}

async function aboutOf(words: readonly string[]): Promise<About> {
  const helping = words[0] === 'help';
  const asked = helping ? words.slice(1) : words;
  const [first] = asked;
  if (helping && asked.length === 1 && first !== undefined) {
    if (first === 'commands') return aboutCommands(commandsPage, commands);
    if (first === proofScript || Object.hasOwn(topics, first)) return aboutTopic(first);
  }
  const entry = findCommand(asked);
  if (entry !== undefined && !(helping && asked.length > entry.words.length)) return aboutCommand(entry);
  const isNoun = first !== undefined && Object.hasOwn(groups, first);
  if (helping && first !== undefined && (!isNoun || asked.length > 1)) return await aboutWord(asked);
  if (first === undefined) return aboutCommands(rootPage, commands);
  if (isNoun && asked.length === 1) return aboutCommands(() => groupPage(first), commandsOf(first));
  // `paydesk refund --help` names no command, but maybe a noun; the words may mean one.
  const page = async (): Promise<HelpPage> => {
    const meant = await didYouMean(asked, { behind: ['--help'] });
    return [...(isNoun ? groupPage(first) : rootPage()), ...(meant.length === 0 ? [] : ['', ...meant])];
  };
  return { page, json: () => unknown(asked) };
}

function aboutCommands(page: () => HelpPage, entries: readonly CommandEntry[]): About {
  return { page, json: ({ commandsJson }) => commandsJson(entries) };
}

function aboutCommand(entry: CommandEntry): About {
  return {
    page: async (all) => commandPage(entry, await entry.load(), all),
    json: ({ commandsJson }) => commandsJson([entry]),
  };
}

function aboutTopic(name: string, asked = ''): About {
  return {
    page: () => (name === proofScript ? topicText(name) : topicPage(name, asked)),
    json: ({ topicJson }) => topicJson(name),
  };
}

// Programs get an error here: they must not take the commands of a noun for the one that they named.
async function unknown(words: readonly string[]): Promise<never> {
  throw await unknownWord(words);
}

// A word that people use for what some pages are about, or for what paydesk cannot do.
async function aboutWord(asked: readonly string[]): Promise<About> {
  const { answersOf, commandNamed, meaningOf, pagesByWord } = await import('../help/help-words.ts');
  const { whyNone } = await import('./meant-command.ts');
  const [first = '', ...more] = asked;
  // `order ls` means a command, not pages about its words.
  const isPage = pagesByWord.has(asked.join(''));
  const isCommand =
    !isPage && more.length > 0 && [first, `${first}s`].some((noun) => Object.hasOwn(groups, noun));
  const answers = isCommand ? [] : answersOf(asked);
  const [only, second] = answers;
  const why = whyNone(asked);
  const word = asked.join(' ');
  const meaning = isCommand ? undefined : meaningOf(word);
  const entry = second === undefined && only !== undefined ? commandNamed(only.name) : undefined;
  const isVerb = entry?.words.at(-1) === word;
  if (only === undefined && meaning === undefined) return await unknown(asked);
  if (second !== undefined || why !== undefined || (meaning !== undefined && !isVerb))
    return { page: () => wordPage({ word, answers, why, meaning }), json: () => unknown([word]) };
  if (only === undefined) return await unknown(asked);
  return entry === undefined ? aboutTopic(only.name, word) : aboutCommand(entry);
}

async function unknownWord(words: readonly string[]): Promise<CliError> {
  const { answersOf, topicsWith } = await import('../help/help-words.ts');
  const meant = await didYouMean(words, { before: ['help'] });
  const answers = answersOf(words);
  const pages = (answers.length > 0 ? answers : topicsWith(words)).map(({ name }) => `paydesk help ${name}`);
  const isOneWord = words.length === 1;
  const now = (isOneWord ? [pages, meant] : [meant, pages]).find((lines) => lines.length > 0) ?? [];
  return new CliError('usage', `no help for ${words.join(' ')}`, {
    now: [...now, 'paydesk help commands'],
  });
}

/** The name after -p or --profile, even in a line that is not understood; undefined for what cannot be the name of a profile. */
export function typedProfile(argv: readonly string[]): string | undefined {
  const { options } = readTypedWords(argv, () => globalFlags);
  const name = options.find((option) => option.name === 'profile')?.value;
  return name !== undefined && profileNamePattern.test(name) ? name : undefined;
}

/**
 * What the command of a line can change by itself at the service or in the journal, even when the rest of the line is not
 * understood.
 */
export function changesOf(argv: readonly string[]): WhatChanges | undefined {
  const changes = entryOf(argv)?.runs === undefined ? allChangesOf(argv) : 'nothing';
  return changes === 'service' || changes === 'journal' ? changes : undefined;
}

/** Whether the table says that a command runs that of a line. */
export function runsLine(words: readonly string[], line: readonly string[]): boolean {
  return findCommand(words)?.runs?.includes(entryOf(line)?.words.join(' ') ?? '') === true;
}

function entryOf(argv: readonly string[]): CommandEntry | undefined {
  return findCommand(readTypedWords(argv, () => globalFlags).words);
}

/** The most that the command of a line can change. */
export function allChangesOf(argv: readonly string[]): CommandEntry['changes'] {
  const { words } = readTypedWords(argv, () => globalFlags);
  const entry = findCommand(words);
  return entry === undefined || entry.isRead?.(words) === true ? 'nothing' : entry.changes;
}

// A shorter text is not a key.
const shortestSecret = 8;
const fileFlag = /^--(from|key-file|sender)$/;

/** The error without what was typed, if the command asks for a key: a typed word may be the key in the wrong place. */
export function withoutTyped(error: CliError, argv: readonly string[]): CliError {
  if (error.kind !== 'usage' || entryOf(argv)?.takesSecret !== true) return error;
  // The name of a file to read is not a key.
  const files = new Set(argv.map((word, index) => (fileFlag.test(argv[index - 1] ?? '') ? word : '')));
  const values = argv
    .filter((word) => !files.has(word))
    .map((word) => word.replace(/^(?:--[\w-]+(?:=|$)|-\w)/, ''));
  const hidden = values.filter((value) => value.length >= shortestSecret);
  const without = (text: string) => hidden.reduce((rest, value) => rest.replaceAll(value, '[typed]'), text);
  const { now = [] } = error.parts;
  return new CliError('usage', without(error.message), { ...error.parts, now: now.map(without) });
}

const asking = { help: ['--help', '-h'], version: ['--version', '-V'], all: ['--all'] };

// Each word counts by itself: whoever types `--output --help` wants to see the help.
function asksFor(argv: readonly string[], name: keyof typeof asking): boolean {
  return optionWords(argv).some((word) => asking[name].includes(word));
}

// A line that asks for two formats does not come from a script, so its help is for people.
function asksForJson(argv: readonly string[]): boolean {
  const { options } = readTypedWords(argv, () => globalFlags);
  const asked = options.flatMap(({ name, value }) =>
    formats.filter((one) => one === (name === 'output' ? value : name)),
  );
  return asked.length > 0 && asked.every((one) => one === 'json');
}

function saysYes(argv: readonly string[]): boolean {
  return optionWords(argv).some((word) => /^(-[A-Za-z]*y[A-Za-z]*|--yes|--confirm(=.*)?)$/.test(word));
}

function optionWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end);
}

// The commands that use the profile of the run. Others find the account by an id of the journal, or name a profile themselves.
const aboutAccount =
  /\bpaydesk (?=(?:orders|customers|checkout|api|approvals|report|today|index|journal list|refunds (?:list|summary|compare|plan)|sender limits)\b(?!.*(?:--(?:help|all-profiles|profile)\b| -\w*p))|profile (?:show|check)$)/g;

// At a desk the profile also says whose journal is meant.
const aboutJournal = /\bpaydesk (?=journal (?:list|show|reconcile|settle|acknowledge)\b)/g;

/** Adds `-p` to the commands that an error suggests, if a profile was typed. `isDesk`: its journal is that of a sender. */
export function withProfile(error: CliError, profile: string | undefined, isDesk: boolean): CliError {
  const { now } = error.parts;
  if (profile === undefined || now === undefined) return error;
  const named = now.map((line) => line.replace(aboutAccount, `paydesk -p ${profile} `));
  return withParts(error, { now: isDesk ? named.map((line) => inJournalOf(line, profile)) : named });
}

/** A text whose commands about the journal have `-p`. */
export function inJournalOf(text: string, profile: string): string {
  return text.replace(aboutJournal, `paydesk -p ${profile} `);
}
