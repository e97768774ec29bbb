/** Which pages answer `paydesk help WORD` if no page has that name. Loaded only then. */

import { commands } from '../../commands/commands.ts';
import { pagesByWord } from '../other-words.ts';
import { topics, topicText } from './help-topics.ts';

/** A page of help by its name, `exports` or `orders export`, and what it is about. */
export interface Answer {
  readonly name: string;
  readonly summary: string;
}

const mostAnswers = 4;

/**
 * At most four pages that answer these words, the likeliest first: a topic of that name, the table above, or else pages that have the
 * word in their name, a heading or their summary. If the words mean nothing together, each is looked up. Empty if one of them finds
 * nothing.
 */
export function answersOf(asked: readonly string[]): readonly Answer[] {
  const words = asked.flatMap((text) => text.split(/\s+/)).filter((word) => word !== '');
  const whole = namesOf(words.join(''), words.length === 1);
  if (whole.length > 0) return withSummary(whole);
  const each = words.filter((word) => !fillerWords.test(word)).map((word) => namesOf(word, true));
  return each.some((names) => names.length === 0) ? [] : withSummary(mostNamed(each));
}

// Words that are in every question.
const fillerWords = /^(?:..?|the|how|and|for|can|did|does|was|what|which|are|were|with|from)$/i;

/** The three topics that are nearest to words that no page answers: their texts have them most often. */
export function topicsWith(asked: readonly string[]): readonly Answer[] {
  const words = asked.flatMap((text) => text.toLowerCase().split(/\s+/));
  const mentions = Object.keys(topics)
    .map((name) => {
      const found = topicText(name)
        .toLowerCase()
        .split(/[^a-z]+/)
        .filter((word) => words.includes(word));
      return { name, count: found.length };
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ name }) => name);
  return withSummary(mentions).slice(0, 3);
}

function withSummary(names: readonly string[]): readonly Answer[] {
  return [...new Set(names)].slice(0, mostAnswers).flatMap((name) => {
    const summary = topics[name]?.summary ?? commandNamed(name)?.summary;
    return summary === undefined ? [] : [{ name, summary }];
  });
}

function namesOf(word: string, isSearched: boolean): readonly string[] {
  const forms = formsOf(word.replaceAll('-', ''));
  const known = forms.find((form) => pagesByWord.has(form)) ?? '';
  const page = forms.find((form) => Object.hasOwn(topics, form));
  if (page !== undefined) return [page];
  return pagesByWord.get(known) ?? (isSearched ? namesWith(forms) : []);
}

// Pages that most words name come first; among equals, the one that stands earlier in a list.
function mostNamed(lists: readonly (readonly string[])[]): readonly string[] {
  const all = lists.flatMap((names) => [...new Set(names)].map((name, at) => ({ name, at })));
  return [...Map.groupBy(all, ({ name }) => name)]
    .map(([name, found]) => ({ name, count: found.length, at: Math.min(...found.map(({ at }) => at)) }))
    .toSorted((one, other) => other.count - one.count || one.at - other.at)
    .map(({ name }) => name);
}

/** The command of this name, `orders export`. */
export function commandNamed(name: string): (typeof commands)[number] | undefined {
  return commands.find(({ words }) => words.join(' ') === name);
}

// `Invoices` is also `invoice`.
function formsOf(word: string): readonly string[] {
  const plain = word.toLowerCase();
  const shorter = ['s', 'es', 'd', 'ing', 'ed']
    .filter((end) => plain.endsWith(end))
    .map((end) => plain.slice(0, -end.length));
  return [plain, ...shorter].filter((form) => form.length > 1);
}

function namesWith(forms: readonly string[]): readonly string[] {
  const has = (text: string): boolean =>
    text
      .split(/[^A-Za-z]+/)
      .flatMap(formsOf)
      .some((form) => forms.includes(form));
  const headings = (name: string) =>
    topicText(name)
      .match(/^#+ .*$/gm)
      ?.join(' ') ?? '';
  const ways: readonly ((one: Answer) => boolean)[] = [
    ({ name }) => has(name),
    ({ name }) => Object.hasOwn(topics, name) && has(headings(name)),
    ({ summary }) => has(summary),
  ];
  const pages: readonly Answer[] = [
    ...Object.entries(topics).map(([name, { summary }]) => ({ name, summary })),
    ...commands.map(({ words, summary }) => ({ name: words.join(' '), summary })),
  ];
  return ways.flatMap((isFound) => pages.filter(isFound).map(({ name }) => name));
}
