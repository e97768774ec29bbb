/** A key in the spellings that a service, a log or a shell may give it: 45 of them, written without the program. */

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const each = (text: string, change: (character: string, index: number) => string): string =>
  Array.from(text, change).join('');
const percent = (text: string): string => each(text, (character) => `%${hex(character)}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const pairs = (text: string): readonly string[] => Array.from(text, hex);
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
  'letter by letter': (key) => Array.from(key).join(' '),
  'letter by letter with dashes, in upper case': (key) => Array.from(key.toUpperCase()).join('-'),
  'letter by letter with dots, in lower case': (key) => Array.from(key.toLowerCase()).join('.'),
  'with zero-width spaces': (key) => Array.from(key).join('\u200b'),
  'with word joiners as \\u escapes': (key) => Array.from(key).join('\\u2060'),
  'with soft hyphens': (key) => Array.from(key).join('\u00ad'),
  'with byte order marks as \\u escapes in upper case': (key) => Array.from(key).join('\\uFEFF'),
  'as UTF-16': (key) => utf16(key).toString('latin1').slice(0, -1),
  'as UTF-16, its NULs as \\u escapes': (key) => Array.from(key).join('\\u0000'),
  'as UTF-16 in base64': (key) => utf16(key).toString('base64'),
  'as base64 of base64': (key) => base64(base64(key)),
  'as base64url of Basic credentials in base64': (key) => base64url(`Basic ${base64(`user:${key}`)}`),
  'as base32': (key) => base32(`${key}:`),
  'as base32 in the middle of a text': (key) => base32(`abc${key} and more`).toLowerCase(),
  'as hex with colons': (key) => pairs(key).join(':').toUpperCase(),
  'as hex with spaces': (key) => pairs(key).join(' '),
  'as hex of a program': (key) => pairs(key).join(', 0x'),
  'as quoted-printable': (key) => `=${pairs(key).join('=')}`.toUpperCase(),
};

function base32(text: string): string {
  const bits = Array.from(Buffer.from(text), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('');
}
