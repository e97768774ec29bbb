/** A corpus of strings made to harm a terminal, a table row or a reader: more than 2,000 of them, always the same. */

const escapes = [
  '\x1b[2J',
  '\x1b[31m',
  '\x1b[1A\x1b[2K',
  '\x1b]0;title\x07',
  '\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\',
  '\x1b]52;c;ZXZpbA==\x07',
  '\x1bP$q"p\x1b\\',
  '\x1b_Ga=T\x1b\\',
  '\x1bc',
  '\x1b[?1049h',
  '\x1b[6n',
  '\x9b2J',
  '\u009d0;title\u009c',
  '\u0090q\u009c',
  '\x07',
  '\b\b\b\b',
  '\r',
  '\r\n',
  '\n',
  '\t',
  '\x00',
  '\x7f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u202a\u202b\u202c\u202d',
  '\u2066\u2067\u2068\u2069',
  '\u200e\u200f\u061c',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u180e',
  '\u3164',
  '\u115f',
  '\u{e0041}\u{e0042}\u{e007f}',
  '\u{e0101}',
  '\ufe0f',
  '\u200d',
  '\ud800',
  '\udfff',
  '\ufff9a\ufffab\ufffb',
  `e${'\u0301'.repeat(200)}`,
  '\u0f74'.repeat(60),
];
const carriers: readonly ((attack: string) => string)[] = [
  (attack) => attack,
  (attack) => `${attack}Ana`,
  (attack) => `Ana${attack}`,
  (attack) => `An${attack}a Núñez`,
  (attack) => `日本${attack}語`,
  (attack) => `👩‍👩‍👧${attack}🇲🇽`,
  (attack) => `ไทย${attack}ภาษา`,
  (attack) => attack.repeat(40),
];
const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !/[ -~]/.test(character),
);

/** More than 2,000 hostile strings, and one of a megabyte. */
export const attacks: readonly string[] = [
  ...[...escapes, ...controls].flatMap((attack) => carriers.map((carry) => carry(attack))),
  ...escapes.flatMap((first) => escapes.slice(0, 26).map((second) => `a${first}${second}b`)),
  `long${'x\u202e'.repeat(500_000)}`,
];

/** What must never reach a terminal raw: controls but the line's own end, C1, bidi, invisible formats, tags. */
export const rawAttack =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/u;
