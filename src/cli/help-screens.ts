/** The screens of `help` and `--help`: chooses which one is meant, and puts it together. */

import type { Command } from '../commands/command.ts';
import { type CommandEntry, findCommand, groups } from '../commands/commands.ts';
import { CliError } from '../errors.ts';
import { globalFlags, usualGlobalFlags } from './global-options.ts';
import { bareText, commandNotes, groupNotes, rootNotes, topicText } from './help.ts';
import { topicNames } from './help-topics.ts';
import { buildParser, ofNoun } from './parser.ts';
import { didYouMean } from './read-command.ts';

/** The help that a line asks for with `help` or `--help`. `words` are its words without options; `all` shows every option. */
export async function helpFor(words: readonly string[], width: number, all: boolean): Promise<string> {
  const helping = words[0] === 'help';
  const asked = helping ? words.slice(1) : words;
  const [first] = asked;
  if (helping && asked.length === 1 && topicNames.includes(first ?? '')) return topicText(first ?? '', width);
  const entry = findCommand(asked);
  if (entry !== undefined && !(helping && asked.length > entry.words.length))
    return leafHelp(entry, await entry.load(), width, all);
  if (helping && first !== undefined && (!Object.hasOwn(groups, first) || asked.length > 1))
    throw await unknownWord(asked);
  if (first === undefined) return rootHelp(width);
  // `paydesk refund --help` names no command, so it also says which one may have been meant.
  const meant =
    asked.length > 1 || !Object.hasOwn(groups, first) ? await didYouMean(asked, { behind: ' --help' }) : [];
  return [groupHelp(first, width), ...meant.map((line) => `${line}\n`)].join(meant.length === 0 ? '' : '\n');
}

/** What is shown for a line without a command: the help of its noun, or, for an empty line, what people do most. */
export function helpOfGroup(noun: string | undefined, width: number): string {
  return noun === undefined ? bareText() : groupHelp(noun, width);
}

async function unknownWord(words: readonly string[]): Promise<CliError> {
  return new CliError('usage', `no help for ${words.join(' ')}`, {
    now: [
      ...(await didYouMean(words, { before: 'help ' })),
      'paydesk --help',
      `topics: ${topicNames.join(', ')}`,
    ],
  });
}

// The help of a command: its own options, and of the global ones those that people need, or with `all` every one.
function leafHelp(entry: CommandEntry, command: Command, width: number, all: boolean): string {
  const globals = all ? globalFlags : usualGlobalFlags;
  const { leaf } = buildParser({
    entries: [entry],
    command,
    width,
    forHelp: true,
    globals,
  });
  const more = all ? '' : `More options: paydesk ${entry.words.join(' ')} --help --all\n\n`;
  return `${leaf.helpInformation()}\n${more}${commandNotes(command, width)}\n`;
}

function rootHelp(width: number): string {
  const { root } = buildParser({ entries: [], width, forHelp: true });
  return `${root.helpInformation()}\n${rootNotes(width)}\n`;
}

// The help of a noun, or of the whole program if the word is not a noun.
function groupHelp(noun: string, width: number): string {
  const { root } = buildParser({ entries: ofNoun(noun), width, forHelp: true });
  const group = root.commands.find((one) => one.name() === noun);
  return group === undefined ? rootHelp(width) : `${group.helpInformation()}\n${groupNotes(noun, width)}\n`;
}
