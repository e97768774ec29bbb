/** Ready-made kinds of flags and arguments: how their texts are read, and the errors of those that are wrong. Pure. */

import { type ResourceName, resources } from '../api/resources.ts';
import { parseAmount } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { Completer, Flag } from './command.ts';

/** The error of a mistake in what was typed, found before anything was sent. */
export function usage(message: string, now: readonly string[] = []): CliError {
  return new CliError('usage', withoutPages(message), { certain: 'nothing was sent', now });
}

// Somebody pasted a page of text: its beginning, and the end of the message, which says what is wrong.
function withoutPages(message: string): string {
  if (message.length <= 600) return message;
  return `${message.slice(0, 200)}… (${message.length} characters) …${message.slice(-200)}`;
}

/** What was typed, shortened for a message. */
export function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}

/** Ready-made kinds of flag. Each checks the text and names it in its error. */
export const flag = {
  switch: (parts: Omit<Flag<boolean>, 'parse' | 'value'>) => ({ ...parts, parse: () => true }),
  text: (parts: Omit<Flag<string>, 'parse'> & { value: string }) => ({ ...parts, parse: nonEmpty }),
  choice: <const T extends string>(
    choices: readonly [T, ...T[]],
    parts: Omit<Flag<T>, 'parse' | 'choices'> & { value: string },
  ) => ({
    ...parts,
    choices,
    parse: (text: string, name: string): T => oneOf(choices, text, name),
  }),
  /** A whole number within bounds. */
  integer: (min: number, max: number, parts: Omit<Flag<number>, 'parse'> & { value: string }) => ({
    ...parts,
    allowed: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
    parse: (text: string, name: string): number => integerWithin(min, max, text, name),
  }),
  /** An amount: the service's integer, as typed. */
  amount: (parts: Omit<Flag<number>, 'parse'> & { value: string }) => ({ ...parts, parse: amount }),
  /** The id of a listed record. */
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

const offerOrders: Completer = ({ flags }, known) => known.orders(flags.get('profile'));

/** The text as it is. Throws CliError 'usage' for an empty one. */
export function nonEmpty(text: string, name: string): string {
  if (text === '') throw usage(`${name} is empty`);
  return text;
}

/** One of a closed set. Throws CliError 'usage' that names the set. */
export function oneOf<const T extends string>(choices: readonly T[], text: string, name: string): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw usage(`${name} ${short(text)}: not one of ${choices.join(', ')}`);
  return found;
}

function integerWithin(min: number, max: number, text: string, name: string): number {
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw usage(`${name} ${short(text)}: not a whole number from ${min} to ${max}`);
  return value;
}

function amount(text: string, name: string): number {
  const value = parseAmount(text);
  if (value === undefined) {
    throw usage(
      `${name} ${short(text)}: not an amount; it is the service's own integer, digits only, 1 to 9007199254740991`,
    );
  }
  return value;
}

/** Checks the id of an order or customer. Throws CliError 'usage'. */
export function recordId(resource: ResourceName, text: string, name: string): string {
  const { idPattern, idExample, one } = resources[resource];
  if (idPattern.test(text)) return text;
  throw usage(
    `${name} ${short(text)}: not the id of ${one === 'order' ? 'an' : 'a'} ${one}, which looks like ${idExample}`,
    [resource === 'orders' ? `paydesk orders find ${searchable(text)}` : `paydesk ${resource} list`],
  );
}

// What was typed may be a name or a part of an id; what a shell would read in another way is not repeated.
function searchable(text: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}@._+]{0,63}$/u.test(text) ? text : 'TEXT';
}

/** The first name that occurs twice; undefined when each occurs once. */
export function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
