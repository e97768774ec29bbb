/** Text from the service made safe: for a terminal, for CSV, and losslessly for JSON. */

// Line breaks, tabs, and every character that a terminal may treat as one of them.
const breaks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Marks can pile up on one letter without end, over the lines above and below. No language puts more than four marks that
// belong to no script on a letter. Marks of a script may be parts of syllables, so more of them are allowed.
const freeMark = String.raw`[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]`;
const markPile = new RegExp(`(${freeMark}{4})${freeMark}+|(\\p{M}{8})\\p{M}+`, 'gu');
// A variation selector counts only after something that varies, a joiner only inside an emoji or a joining script.
const legitimate = [
  String.raw`(?<=[\p{Emoji}\u20e3])[\ufe0e\ufe0f]`,
  String.raw`(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[${joiningScripts()}])[\u200c\u200d](?=[${joiningScripts()}])`,
].join('|');
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]`;
const unsafe = `${legitimate}|(${hidden})`;
const anyHidden = new RegExp(hidden, 'u');
// Latin letters, digits and the usual punctuation: nothing in them to look for.
const plain = /^[ -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027]*$/;

/** One line safe to print: breaks and tabs are spaces, control and invisible characters are visible stand-ins. */
export function cleanLine(text: string): string {
  if (plain.test(text)) return text;
  return standIns(text.replace(breaks, ' '));
}

/**
 * Makes a CSV cell safe for a file, as `cleanLine` does for a screen; line breaks and tabs stay, since CSV
 * can hold them.
 */
export function cleanCell(text: string): string {
  if (plain.test(text)) return text;
  return text
    .split(/([\t\n\r]+)/)
    .map((part, index) => (index % 2 === 1 ? part : standIns(part)))
    .join('');
}

function standIns(text: string): string {
  // Which of them are legitimate takes 20 ms to set up; most names, in any script, have none.
  const shown = anyHidden.test(text) ? hiddenReplaced(text) : text;
  return shown.replace(markPile, '$1$2\ufffd');
}

function hiddenReplaced(text: string): string {
  return text.replace(new RegExp(unsafe, 'gu'), (found: string, bad: string | undefined) =>
    bad === undefined ? found : standIn(bad),
  );
}

// A control character is shown as its Unicode picture, `␛` for ESC; any other invisible character becomes
// U+FFFD.
function standIn(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

function joiningScripts(): string {
  return ['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi']
    .concat(['Kannada', 'Malayalam', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Khmer'])
    .map((script) => String.raw`\p{Script=${script}}`)
    .join('');
}

// Controls, C1, invisible formats, line separators and tags, unescaped inside JSON strings. A joiner or a
// variation selector alone moves nothing on a screen and stays.
const unsafeInJson = /[\u007f-\u009f\u2028\u2029\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

// Finds everything that `unsafeInJson` finds, and a few more characters. It uses no character properties, so
// long plain text is tested quickly.
const maybeUnsafeInJson =
  /[\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/;

/** JSON text with control and bidirectional characters as \uXXXX: the same value, and the same text without any. */
export function escapeJson(json: string): string {
  if (!maybeUnsafeInJson.test(json)) return json;
  return escaped(json, unsafeInJson);
}

// A character beyond the first plane is two units, and two escapes.
function escaped(json: string, characters: RegExp): string {
  return json.replace(characters, (found) =>
    Array.from({ length: found.length }, (_, index) => escapeUnit(found.charCodeAt(index))).join(''),
  );
}

/** JSON text for a terminal: the same value, and nothing in it hides or spills over other lines. */
export function escapeJsonForScreen(json: string): string {
  // Fillers, selectors, tags: what a terminal does not show. Joiners stay, since some scripts need them. Made here, not at
  // the start of the program, since that takes a millisecond.
  const unseen = String.raw`(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}`;
  const piled = String.raw`(?<=${freeMark}{4})${freeMark}|(?<=\p{M}{8})\p{M}`;
  return escaped(escapeJson(json), new RegExp(`${unseen}|${piled}`, 'gu'));
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/**
 * JSON text on one line: a raw line break or tab can only be between tokens, and is removed with its
 * indentation.
 */
export function oneLineJson(json: string): string {
  return /[\n\r\t]/.test(json) ? json.replace(/[\n\r\t][\n\r\t ]*/g, '') : json;
}

/** A value as JSON text. An integer beyond 2^53-1 is a bigint and printed as it came. */
export function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
