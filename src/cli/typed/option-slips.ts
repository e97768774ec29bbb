/** Slips at the options of a line: one dash or a long one, a value that is an option, two options in one word. Pure. */

import { CliError } from '../../errors.ts';
import type { Flag } from '../../flags/flags.ts';
import { plainCommand } from '../../profiles/profiles.ts';
import { closestNames, isTypedLike } from '../../terminal/closest-names.ts';
import { readTypedWords } from './typed-words.ts';

/**
 * Refuses a long option with one dash, or with the dash of a word processor. Letter by letter it could be read as other options:
 * as `-h`, or as `-p` with the rest as the name of a profile. Throws CliError 'usage', which names the option that is meant.
 */
export function checkSlips(
  argv: readonly string[],
  command: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): void {
  const { words, oneDash, options } = readTypedWords(argv, () => flags);
  const isCapital = (word: string) => /^--\w*[A-Z]/.test(word) && Object.hasOwn(flags, nameIn(word));
  const dashed = argv.filter((word) => (words.includes(word) && longDashes.test(word)) || isCapital(word));
  // `--note --yes`: somebody forgot the note.
  for (const { name, value = '' } of options) {
    if (
      flags[name]?.value === undefined &&
      argv.some((word) => word.startsWith(`--${name}=`)) &&
      Object.hasOwn(flags, name)
    )
      throw new CliError('usage', `--${name} takes no value: add it as it is, or leave it out`);
    if (!/^--[a-z]/.test(value) || !Object.hasOwn(flags, value.slice(2))) continue;
    const whole = `--${name}=${value}`;
    if (argv.includes(whole)) continue;
    const { choices } = flags[name] ?? {};
    throw new CliError('usage', `--${name} has no value: ${value} is an option`, {
      now: [choices === undefined ? `if that is the value: ${whole}` : `its values: ${choices.join(', ')}`],
    });
  }
  checkJoined(argv, flags);
  const isLetters = (word: string) =>
    oneDash.includes(word) &&
    !Object.hasOwn(flags, nameIn(word)) &&
    !/^-\w*[hV]/.test(lettersOf(word, flags));
  const slips = [...oneDash, ...dashed].filter((word) => !isLetters(word));
  const guesses = slips.map((word) => closestNames(nameIn(word), Object.keys(flags)));
  const [slip] = slips;
  if (slip === undefined) return;
  // The value of an unknown option may be a key, so such a line is not printed.
  const isWhole =
    options.every(({ name }) => Object.hasOwn(flags, name.toLowerCase())) &&
    guesses.every((names, at) => names.length === 1 && isTypedLike(nameIn(slips[at] ?? ''), names[0] ?? ''));
  const line = argv.map((word) =>
    slips.includes(word)
      ? `--${guesses[slips.indexOf(word)]?.[0]}${word.replace(/^[^=:]*:?/, (start) => (start.endsWith(':') ? '=' : ''))}`
      : word,
  );
  const meant = isWhole ? asQuestion([line]) : (guesses[0] ?? []).map((one) => `did you mean: --${one}`);
  throw new CliError('usage', `unknown option '${slip.replace(/[=:].*$/, '')}'`, {
    now: [...meant, `${plainCommand(...command)} --help`],
  });
}

// `--charge=1,--amount 100`: two options that were pasted as one word.
function checkJoined(argv: readonly string[], flags: Readonly<Record<string, Flag>>): void {
  const { words, options } = readTypedWords(argv, () => flags);
  const isJoined = (text: string) => partsOf(text).length > 1 && partsOf(text).slice(1).every(isOption);
  const isOption = (part: string) => Object.hasOwn(flags, nameIn(part));
  const joined = [...words, ...options.map(({ value = '' }) => value)].find(isJoined);
  if (joined === undefined) return;
  const [, second = ''] = partsOf(joined);
  const line = argv.flatMap((word) => (word.endsWith(joined) ? partsOf(word) : [word]));
  const isKnown = readTypedWords(line, () => flags).options.every(({ name }) => Object.hasOwn(flags, name));
  throw new CliError('usage', `${joined}: a blank is missing before ${second.replace(/=.*$/, '')}`, {
    now: isKnown ? asQuestion([line]) : [],
  });
}

function partsOf(word: string): readonly string[] {
  return /\s/.test(word) ? [word] : word.split(/(?<=[^,;-])[,;]*(?=--[a-z])/);
}

function nameIn(word: string): string {
  return word
    .replace(/^[^a-z]+/i, '')
    .replace(/[=:].*$/, '')
    .toLowerCase();
}

// `–-amount`: a word processor made one of the two dashes longer.
const longDashes = /^[\u2010-\u2015\u2212]+-?[A-Za-z]/;

// The letters of a cluster, without the value of the last one.
function lettersOf(word: string, flags: Readonly<Record<string, Flag>>): string {
  const takesValue = Object.values(flags).flatMap(({ short, value }) =>
    value === undefined ? [] : (short ?? []),
  );
  const at = word.split('').findIndex((letter) => takesValue.includes(letter));
  return at === -1 ? word : word.slice(0, at);
}

/** Lines that may have been meant, as a question. `why` says before them why there is none. */
export function asQuestion(lines: readonly (readonly string[])[], why?: string): readonly string[] {
  return [
    ...(why === undefined ? [] : [why]),
    ...lines.map((line, index) => `${index === 0 ? 'did you mean' : 'or'}: ${plainCommand(...line)}`),
  ];
}
