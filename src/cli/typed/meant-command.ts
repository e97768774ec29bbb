/** Guesses which command was meant by words that are not a command, such as `order ls`. Pure. A guess is shown, never run. */

import { commands, commandsOf, groups } from '../../commands/commands.ts';
import { periodWords } from '../../flags/typed-time.ts';
import { closestNames } from '../../terminal/terminal.ts';
import { impossible, nouns, phrases, verbs } from '../help/help-words.ts';

// An id says whose record it is.
const nounOfId: readonly (readonly [RegExp, string])[] = [
  [/^ord_[A-Za-z0-9]+$/, 'orders'],
  [/^cus_[A-Za-z0-9]+$/, 'customers'],
  [/^i_[0-9a-f]+$/, 'journal'],
];
const mostMeant = 4;

/** A word of a line, or a part of one, as a command would spell it. */
interface SpelledWord {
  readonly text: string;
  /** The same as it was typed. */
  readonly typed: string;
  /** The number of the word in the line. */
  readonly from: number;
}

/**
 * The words in the order and the spelling of a command: without the prompt and the program in front, with words that were pasted
 * or joined together taken apart (`orders-refund`), in small letters, the noun first, and with ids after the other words.
 */
export function inOrder(typed: readonly string[]): readonly SpelledWord[] {
  const apart = typed.flatMap((word, from) =>
    (from < 2 ? takenApart(word) : [word]).map((part) => ({ text: part, typed: part, from })),
  );
  const start = apart.findIndex(({ text }) => !/^(?:[$%#>]|npx|node|paydesk(?:@\S+)?)$/i.test(text));
  const words = start === -1 ? [] : apart.slice(start);
  const isId = ({ text }: SpelledWord) => nounOfId.some(([pattern]) => pattern.test(text));
  const others = words.filter((word) => !isId(word));
  if (others.length === 0) return words;
  const [first, second, ...more] = others.map((word, index) =>
    index < 2 && /^[A-Z]+$/i.test(word.text) ? { ...word, text: word.text.toLowerCase() } : word,
  );
  const ids = words.filter(isId);
  if (first === undefined || second === undefined) return [...(first === undefined ? [] : [first]), ...ids];
  // `refund orders`, `find customer torres`.
  const isTurned = isNoun(second.text) && !isNoun(first.text) && !phrases.has(first.text);
  return [...(isTurned ? [second, first] : [first, second]), ...more, ...ids];
}

function isNoun(word: string): boolean {
  return Object.hasOwn(groups, word) || nouns.has(word);
}

function takenApart(word: string): readonly string[] {
  const parts = word.split(/[\s./:-]+/);
  const [first = '', ...rest] = parts;
  const noun = first.toLowerCase();
  return rest.length > 0 && isNoun(noun) ? parts : [word];
}

// The service has no list of payment links (service: Endpoints 5), so whoever looks for one finds it in the journal.
const linksHere = 'journal list --kind checkout';

/** A sentence that says why there is no such command, if that helps. The commands that were meant follow it. */
export function whyNone(words: readonly string[]): string | undefined {
  const cannot = whyImpossible(words);
  if (cannot !== undefined) return cannot;
  return lookingForLinks(words) === undefined
    ? undefined
    : 'the service has no list of payment links; the journal has those that were made here';
}

// The word is alone, or comes after a noun such as that of orders or profiles.
function whyImpossible([first = '', verb]: readonly string[]): string | undefined {
  const noun = nouns.get(first) ?? (first === 'refund' ? 'refunds' : first);
  const word = ['orders', 'profile', 'refunds', 'checkout', 'journal'].includes(noun) ? (verb ?? '') : first;
  return impossible.get(word);
}

// Undefined if the words are not about payment links that exist.
function lookingForLinks([first = '', verb]: readonly string[]): readonly string[] | undefined {
  const noun = nouns.get(first) ?? first;
  if (noun !== 'checkout') return undefined;
  if (verb === undefined) return first.endsWith('s') ? [linksHere, 'checkout create'] : undefined;
  const wanted = verbsLike(verb);
  if (wanted.includes('show')) return ['journal show', linksHere];
  return wanted.includes('list') || wanted.includes('find') ? [linksHere, 'journal show'] : undefined;
}

/** A command that may have been meant. */
interface Guess {
  /** Its words: `orders refund`. A noun alone stands for its help. */
  readonly command: string;
  /** How many of the words, from the first, were typed for it. The others are its arguments. */
  readonly used: number;
}

/** The commands that these words may have meant, the likeliest first. */
export function guessesOf(words: readonly string[]): readonly Guess[] {
  return whyImpossible(words) === undefined ? likeliest(words) : [];
}

// The names that begin with a word, or are spelled like it: the verbs of a noun, or without one the first words of all commands.
function similar(word: string, noun?: string): readonly string[] {
  const names =
    noun === undefined
      ? commands.map(({ words }) => words[0])
      : commandsOf(noun).map(({ words }) => words[1] ?? '');
  const known = [...new Set(names)];
  const begun = word.length < 2 ? [] : known.filter((name) => name.startsWith(word));
  return begun.length > 0 ? begun : closestNames(word.slice(0, 20), known);
}

function likeliest(words: readonly string[]): readonly Guess[] {
  const [first, ...rest] = words;
  const [second] = rest;
  if (first === undefined) return [];
  const owner = ownerOf([first]);
  if (owner !== undefined) return guesses([`${owner} show`], 0);
  const links = lookingForLinks(words);
  if (links !== undefined) return guesses(links, second === undefined ? 1 : 2);
  // The help of this noun is named under every such error anyway.
  if (Object.hasOwn(groups, first)) return ofNoun(first, rest).filter(({ command }) => command !== first);
  const phrase = phrases.get(first);
  if (phrase !== undefined) return guesses(phrase, 1);
  const noun = nouns.get(first);
  if (noun !== undefined) return ofNoun(noun, rest);
  // `refund list`: the verb is one of refunds.
  const plural = `${first}s`;
  if (second !== undefined && existing(plural, verbsLike(second)).length > 0) return ofNoun(plural, rest);
  const asVerb = withVerb(verbsLike(first), rest);
  if (asVerb.length > 0) return guesses(asVerb, 1);
  const near = similar(first).flatMap((name) =>
    Object.hasOwn(groups, name) ? ofNoun(name, rest) : guesses([name], 1),
  );
  const nearVerbs = guesses(
    withVerb(
      Object.keys(groups).flatMap((one) => similar(first, one)),
      rest,
    ),
    1,
  );
  // `jornal list` fits as a whole.
  const isWhole = commands.some(
    ({ words: [name, verb] }) => verb === second && near.some(({ command }) => command === `${name} ${verb}`),
  );
  if (near.length > 0)
    return (isWhole ? [...near, ...nearVerbs] : [...nearVerbs, ...near]).slice(0, mostMeant);
  const synonyms = guesses(withVerb(synonymsLike(first), rest), 1);
  return synonyms.length > 0 ? synonyms : nearVerbs;
}

function guesses(meant: readonly string[], used: number): readonly Guess[] {
  return meant.map((command) => ({ command, used }));
}

// A noun with a verb that it does not have gets the noun's help, which lists the verbs.
function ofNoun(noun: string, [verb, ...rest]: readonly string[]): readonly Guess[] {
  const owner = ownerOf(rest);
  if (verb === undefined) return guesses([noun], 1);
  // `refunds today` is a question about a period.
  if ((noun === 'orders' || noun === 'refunds') && periodWords.some((word) => word === verb)) {
    const asked = noun === 'orders' ? ['orders summary'] : ['refunds summary', 'refunds list'];
    return guesses(
      asked.map((command) => `${command} --period ${verb}`),
      2,
    );
  }
  if (noun === 'refunds' && verbsLike(verb).includes('export'))
    return guesses(['orders export --rows refunds', 'refunds list'], 2);
  if (noun === 'refunds' && verbsLike(verb).includes('show'))
    return guesses(['journal show', 'orders find'], 2);
  if (noun === 'refunds' && /\.(csv|tsv|xlsx)$/i.test(verb))
    return guesses(['refunds plan', 'refunds compare'], 1);
  const own = ownerOf([verb]);
  if (own !== undefined) return guesses([`${own} show`], 1);
  const known = existing(noun, verbsLike(verb));
  // `customers refund ord_1`: the id says whose record it is, and so which command.
  const owned = owner === undefined || known.length > 0 ? [] : existing(owner, verbsLike(verb));
  if (owned.length > 0)
    return guesses(
      owned.map((one) => `${owner} ${one}`),
      2,
    );
  const spelled = known.length > 0 ? known : similar(verb, noun);
  const found = spelled.length > 0 ? spelled : existing(noun, synonymsLike(verb));
  // The shop's own number, or an e-mail.
  if (found.length === 0 && /[\d@]/.test(verb))
    return guesses(
      existing(noun, ['find']).map((one) => `${noun} ${one}`),
      1,
    );
  return guesses(found.length === 0 ? [noun] : found.map((one) => `${noun} ${one}`), 2);
}

// The noun of the first id among the words.
function ownerOf(words: readonly string[]): string | undefined {
  return nounOfId.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
}

function verbsLike(word: string): readonly string[] {
  return verbs.get(word) ?? [word];
}

// The verbs meant by a synonym that is spelled like this word: `serach` is `search`, which is `find`.
function synonymsLike(word: string): readonly string[] {
  return closestNames(word.slice(0, 20), [...verbs.keys()].sort()).flatMap(verbsLike);
}

// The commands with one of these verbs. Most of the day's work is about orders, so these come first unless an id says otherwise.
function withVerb(wanted: readonly string[], rest: readonly string[]): readonly string[] {
  const owner = ownerOf(rest);
  const found = commands
    .filter(({ words: [, verb] }) => verb !== undefined && wanted.includes(verb))
    .map(({ words }) => words.join(' '));
  const owned = found.filter((words) => words.startsWith(`${owner} `));
  return (owned.length > 0 ? owned : found).slice(0, mostMeant);
}

// The wanted verbs that the noun has. A noun without `find` is searched in its list.
function existing(noun: string, wanted: readonly string[]): readonly string[] {
  const has = (verb: string) => commands.some(({ words }) => words[0] === noun && words[1] === verb);
  const found = wanted.filter(has);
  return found.length === 0 && wanted.includes('find') && has('list') ? ['list'] : found;
}
