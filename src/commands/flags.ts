/** Ready-made kinds of flags and arguments. Each one checks the typed text and refuses a wrong one. Pure. */

import {
  decimalsOrThousands,
  declaresPlaces,
  examplesOf,
  fullDecimals,
  placesWords,
  readAmount,
  type TypedAmount,
} from '../amounts.ts';
import { type ResourceName, resources } from '../api/resources.ts';
import { CliError } from '../errors.ts';
import type { Profile } from '../profiles/profiles.ts';
import { closestNames } from '../terminal/terminal.ts';
import type { Completer, Flag } from './command.ts';

/** The error for a mistake in the command line. Nothing was sent. */
export function usage(message: string, now: readonly string[] = []): CliError {
  return new CliError('usage', withoutPages(message), { certain: 'nothing was sent', now });
}

// Somebody may paste a whole page. The message keeps its beginning, and its end because that says what is wrong.
function withoutPages(message: string): string {
  if (message.length <= 600) return message;
  return `${message.slice(0, 200)}… (${message.length} characters) …${message.slice(-200)}`;
}

/** Shortens a typed text for a message. */
export function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}

export const flag = {
  switch: (parts: Omit<Flag<boolean>, 'parse' | 'value'>) => ({ ...parts, parse: () => true }),
  text: (parts: Omit<Flag<string>, 'parse'> & { value: string }) => ({ ...parts, parse: nonEmpty }),
  choice: <const T extends string>(
    choices: readonly [T, ...T[]],
    {
      otherWords = {},
      ...parts
    }: Omit<Flag<T>, 'parse' | 'choices'> & {
      value: string;
      /** What people may type instead, and which choice they mean. An error names the choice. */
      otherWords?: Readonly<Record<string, T>>;
    },
  ) => ({
    ...parts,
    choices,
    parse: (text: string, name: string): T => oneOf(choices, text, name, otherWords),
  }),
  integer: (min: number, max: number, parts: Omit<Flag<number>, 'parse'> & { value: string }) => ({
    ...parts,
    allowed: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
    parse: (text: string, name: string): number => integerWithin(min, max, text, name),
  }),
  /** An amount in any spelling that people use: `23000`, `23 000 MXN`, `230.00`. */
  typedAmount: (parts: Omit<Flag<TypedAmount>, 'parse'> & { value: string }) => ({
    ...parts,
    parse: typedAmount,
  }),
  /** The id of an order or a customer. */
  id: (resource: ResourceName, parts: Omit<Flag<string>, 'parse'> & { value: string }) => ({
    ...parts,
    parse: (text: string, name: string): string => recordId(resource, text, name),
  }),
  /** A flag with a `parse` of its own. */
  of: <T>(parts: Flag<T>): Flag<T> => parts,
};

/** The id of an order or customer, as an argument. */
export function idArgument<const R extends boolean>(resource: ResourceName, required: R) {
  return {
    name: 'id',
    summary: `id of the ${resources[resource].one}`,
    required,
    offers: resource === 'orders' ? offerOrders : undefined,
    parse: (text: string): string => recordId(resource, text, 'ID'),
  } as const;
}

const offerOrders: Completer = ({ flags, current }, known) => known.orders(flags.get('profile'), current);

/** Returns the text unchanged. Throws CliError 'usage' when it is empty. */
export function nonEmpty(text: string, name: string): string {
  if (text === '') throw usage(`${name} is empty`);
  return text;
}

/** Returns the choice that was typed. Throws CliError 'usage' that lists the choices when there is no such choice. */
export function oneOf<const T extends string>(
  choices: readonly T[],
  text: string,
  name: string,
  otherWords: Readonly<Record<string, T>> = {},
): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const meant = Object.hasOwn(otherWords, text) ? otherWords[text] : undefined;
  throw usage(
    `${name} ${short(text)}: not one of ${choices.join(', ')}`,
    (meant === undefined ? closestNames(text.slice(0, 40), choices) : [meant]).map(
      (close) => `did you mean ${name} ${close}?`,
    ),
  );
}

function integerWithin(min: number, max: number, text: string, name: string): number {
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw usage(
      `${name} ${short(text)}: not a whole number from ${min} to ${max}`,
      text === '0' ? [`leave ${name} out, or type ${name} ${min} or more`] : [],
    );
  return value;
}

function typedAmount(text: string, name: string): TypedAmount {
  const typed = text === text.trim() ? readAmount(text) : undefined;
  if (typed !== undefined) return typed;
  if (/^[\d ]{16,}(\.\d+)?( [A-Za-z]{3})?$/.test(text))
    throw usage(`${name} ${short(text)}: not an amount, the largest is ${Number.MAX_SAFE_INTEGER}`);
  // The profile is not known yet, so nobody knows here whether whole numbers are hundredths: no example fits both.
  if (/^\d{1,3}(,\d{3})+$/.test(text))
    throw usage(`${name} ${text}: not an amount; with its comma it can be read in two ways`, [
      `without decimals, in the service's units: type ${text.replaceAll(',', '')}`,
      'where the profile declares decimals, type them behind a point',
    ]);
  throw usage(
    `${name} ${short(text)}: not an amount, which is a number above 0, without commas`,
    withoutCommas(text).flatMap((one) =>
      one.includes('.')
        ? [
            `where the profile declares decimals: type ${one}`,
            "without decimals: type a whole number, in the service's units",
          ]
        : [`type ${one}`],
    ),
  );
}

/** Refuses an amount with decimals that the profile declares for no currency. Throws CliError 'usage'. */
export function checkDecimals(
  name: string,
  typed: TypedAmount,
  profile: Pick<Profile, 'kind' | 'name' | 'settings'>,
): void {
  const { text, places } = typed;
  if (places === undefined || declaresPlaces(places, profile.settings)) return;
  const ways = decimalsOrThousands(typed, profile.settings);
  if (ways.length > 0) throw usage(`${name} ${text} can be read in two ways`, [`type ${ways.join(' or ')}`]);
  const full = fullDecimals(typed, profile.settings);
  const declared = placesWords(profile.settings);
  // No number is suggested that the decimals were simply taken from: where the unit is a hundredth, it is another amount.
  throw usage(
    `${name} ${text}: ${declared ?? `profile ${profile.name} declares no decimals`}`,
    full.length > 0
      ? [`type ${full.join(' or ')}`]
      : declared === undefined
        ? [
            "ask your lead what one unit of an amount is, or look at an order's amount",
            // The built-in profiles have no settings that can be changed.
            ...(profile.kind === 'stored'
              ? [`a lead can declare decimals: paydesk profile set ${profile.name} amounts.decimals.CUR N`]
              : []),
          ]
        : [`type an amount such as ${examplesOf(profile.settings).join(' or ')}`],
  );
}

// A comma is left out between thousands, and a point stands where somebody wrote `1,50`. The second may also be meant as
// thousands that are typed wrongly, so nothing is taken from it: it is only suggested.
function withoutCommas(text: string): readonly string[] {
  const tidy = text.trim();
  const one = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(tidy)
    ? tidy.replaceAll(',', '')
    : /^\d+,\d{1,2}$/.test(tidy)
      ? tidy.replace(',', '.')
      : tidy;
  return one !== text && readAmount(one) !== undefined ? [one] : [];
}

/** Returns the id of an order or customer. Throws CliError 'usage' for any other text. */
export function recordId(resource: ResourceName, text: string, name: string): string {
  const { idPattern, idExample, one } = resources[resource];
  if (idPattern.test(text)) return text;
  throw usage(
    `${name} ${short(text)}: not the id of ${one === 'order' ? 'an' : 'a'} ${one}, which looks like ${idExample}`,
    [resource === 'orders' ? `paydesk orders find ${searchable(text)}` : `paydesk ${resource} list`],
  );
}

// The text may be a name or a part of an id, so the hint searches for it. A text that a shell could misread becomes TEXT.
function searchable(text: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}@._+-]{0,63}$/u.test(text) ? text : 'TEXT';
}

/** The first name that occurs twice; undefined when each occurs once. */
export function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
