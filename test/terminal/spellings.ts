/** A key in the spellings that a service, a log or a shell may give it: 27 of them, written without the program. */

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const each = (text: string, change: (character: string, index: number) => string): string =>
  Array.from(text, change).join('');
const percent = (text: string): string => each(text, (character) => `%${hex(character)}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const bare = (text: string): string => text.replace(/=+$/, '');

/** Each spelling by its name. */
export const spellings: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  'inside a word': (key) => `x${key}y`,
  'behind Bearer': (key) => `Bearer ${key}`,
  'in lower case, as in a host name': (key) => key.toLowerCase(),
  'as \\u escapes': (key) => each(key, (character) => `\\u00${hex(character)}`),
  'as \\u escapes in upper case': (key) => each(key, (character) => `\\u00${hex(character).toUpperCase()}`),
  'with its first letter as a \\u escape': (key) => `\\u00${hex(key)}${key.slice(1)}`,
  'in JSON with \\/': (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON inside JSON': (key) => JSON.stringify(JSON.stringify(key)).slice(1, -1),
  'as \\x escapes': (key) => each(key, (character) => `\\x${hex(character)}`),
  'percent-encoded': (key) => encodeURIComponent(key),
  'percent-encoded to the last letter': percent,
  'percent-encoded in upper case': (key) => each(key, (character) => `%${hex(character).toUpperCase()}`),
  'percent-encoded every other letter': (key) =>
    each(key, (character, index) => (index % 2 === 0 ? character : `%${hex(character)}`)),
  'percent-encoded twice': (key) => encodeURIComponent(percent(key)),
  'percent-encoded three times': (key) => encodeURIComponent(encodeURIComponent(percent(key))),
  'as decimal entities': (key) => each(key, (character) => `&#${character.charCodeAt(0)};`),
  'as hexadecimal entities': (key) => each(key, (character) => `&#x${hex(character)};`),
  'as base64': base64,
  'as base64 without padding': (key) => bare(base64(key)),
  'as base64url': base64url,
  'as Basic credentials': (key) => base64(`${key}:`),
  'as the password of somebody, base64': (key) => base64(`user:${key}`),
  'as base64 of Bearer and the key': (key) => base64(`Bearer ${key}`),
  'as base64url in the middle of a text': (key) => base64url(`ab${key}, and more`),
  'as base64, percent-encoded': (key) => encodeURIComponent(base64(`${key}:`)),
  'as hex': (key) => Buffer.from(key).toString('hex'),
};
