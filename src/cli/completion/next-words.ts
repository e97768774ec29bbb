/** Which word may come next, by the words before it: nouns, verbs, help topics. */

import type { Candidate } from '../../commands/command.ts';
import { type CommandEntry, commands, groups } from '../../commands/commands.ts';
import { topicLines, topicNames } from '../help-topics.ts';

/** Words typed so far, joined by spaces → the words that may follow. A finished command is not in it. */
export function nextWords(): ReadonlyMap<string, readonly Candidate[]> {
  const nouns = firstWords(commands);
  const verbs = Object.keys(groups).map((noun) => [noun, verbsOf(noun)] as const);
  const help = { value: 'help', text: 'Help of a command or a topic' };
  const topics = topicNames.map((value) => ({ value, text: topicSummary(value) }));
  return new Map<string, readonly Candidate[]>([
    ['', [...nouns, help]],
    ...verbs,
    ['help', [...nouns, ...topics]],
    ...verbs.map(([noun, words]) => [`help ${noun}`, words] as const),
  ]);
}

function firstWords(entries: readonly CommandEntry[]): readonly Candidate[] {
  const words = new Map(
    entries.map(({ words: [first], summary }) => [first, groups[first]?.summary ?? summary]),
  );
  return [...words].map(([value, text]) => ({ value, text }));
}

function verbsOf(noun: string): readonly Candidate[] {
  return commands.flatMap(({ words: [first, verb], summary }) =>
    first === noun && verb !== undefined ? [{ value: verb, text: summary }] : [],
  );
}

// `Environment: what stands for an option.` → `what stands for an option`
function topicSummary(name: string): string {
  const [first = ''] = topicLines(name);
  return first.replace(/^[^:]*: /, '').replace(/[.;:].*$/, '');
}
