/** Chooses the page of help that a line asks for with `help` or `--help`. */

import { findCommand, groups } from '../commands/commands.ts';
import { CliError } from '../errors.ts';
import { commandPage, groupPage, rootPage, topicPage } from './help.ts';
import type { HelpPage } from './help-page.ts';
import { topicNames } from './help-topics.ts';
import { didYouMean } from './read-command.ts';

/** The page for these words, those of the line without its options; `all` shows every option of a command. */
export async function helpFor(words: readonly string[], all: boolean): Promise<HelpPage> {
  const helping = words[0] === 'help';
  const asked = helping ? words.slice(1) : words;
  const [first] = asked;
  if (helping && asked.length === 1 && topicNames.includes(first ?? '')) return topicPage(first ?? '');
  const entry = findCommand(asked);
  if (entry !== undefined && !(helping && asked.length > entry.words.length))
    return commandPage(entry, await entry.load(), all);
  if (helping && first !== undefined && (!Object.hasOwn(groups, first) || asked.length > 1))
    throw await unknownWord(asked);
  if (first === undefined) return rootPage();
  const isNoun = Object.hasOwn(groups, first);
  const page = isNoun ? groupPage(first) : rootPage();
  if (isNoun && asked.length === 1) return page;
  // `paydesk refund --help` names no command, so it also says which one may have been meant.
  const meant = await didYouMean(asked, { behind: ' --help' });
  return meant.length === 0 ? page : [...page, '', ...meant];
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
