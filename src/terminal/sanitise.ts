/** Makes text from the service safe to show on a terminal, in CSV and in JSON. JSON keeps its value. */

// Line breaks, tabs, and every character that a terminal may treat as one of them.
const breaks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Marks can pile up on one letter and cover the lines above and below. No language puts more than four general marks on a
// letter. Marks of one script may be parts of syllables, so up to eight of them are allowed.
const freeMark = String.raw`[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]`;
const markPile = new RegExp(`(${freeMark}{4})${freeMark}+|(\\p{M}{8})\\p{M}+`, 'gu');
// Invisible characters that belong to the text: a variation selector after a character that varies, and a joiner inside an emoji
// or a script that joins its letters.
const legitimate = [
  String.raw`(?<=[\p{Emoji}\u20e3])[\ufe0e\ufe0f]`,
  String.raw`(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[${joiningScripts()}])[\u200c\u200d](?=[${joiningScripts()}])`,
].join('|');
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]`;
const unsafe = `${legitimate}|(${hidden})`;
const anyHidden = new RegExp(hidden, 'u');
// Latin letters, digits and the usual punctuation are safe, so such a text is not searched.
const plain = /^[ -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027]*$/;

/** Makes a text one line that is safe to print. Breaks and tabs become spaces, and hidden characters become visible. */
export function cleanLine(text: string): string {
  if (plain.test(text)) return text;
  return standIns(text.replace(breaks, ' '));
}

/** Makes a CSV cell safe for a file. Line breaks and tabs stay, because CSV can hold them. */
export function cleanCell(text: string): string {
  if (plain.test(text)) return text;
  return text
    .split(/([\t\n\r]+)/)
    .map((part, index) => (index % 2 === 1 ? part : standIns(part)))
    .join('');
}

function standIns(text: string): string {
  // The pattern that knows which hidden characters belong to the text takes 20 ms to set up. Most texts have no hidden characters.
  const shown = anyHidden.test(text) ? hiddenReplaced(text) : text;
  return shown.replace(markPile, '$1$2\ufffd');
}

function hiddenReplaced(text: string): string {
  return text.replace(new RegExp(unsafe, 'gu'), (found: string, bad: string | undefined) =>
    bad === undefined ? found : standIn(bad),
  );
}

// Shows a control character as its Unicode picture, `␛` for ESC, and any other hidden character as U+FFFD.
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

// Control characters, invisible formats, line separators and tags. Joiners and selectors alone move nothing, so they stay.
const unsafeInJson = /[\u007f-\u009f\u2028\u2029\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

// Finds everything that `unsafeInJson` finds, and a little more: without character properties it is quick on long plain text.
const maybeUnsafeInJson =
  /[\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/;

/** Writes control and bidirectional characters in JSON text as \uXXXX. The value stays the same. */
export function escapeJson(json: string): string {
  if (!maybeUnsafeInJson.test(json)) return json;
  return escaped(json, unsafeInJson);
}

// A character above U+FFFF is two units, so it becomes two escapes.
function escaped(json: string, characters: RegExp): string {
  return json.replace(characters, (found) =>
    Array.from({ length: found.length }, (_, index) => escapeUnit(found.charCodeAt(index))).join(''),
  );
}

/** Makes JSON text safe for a terminal: nothing in it is hidden or covers other lines. The value stays the same. */
export function escapeJsonForScreen(json: string): string {
  // Fillers, selectors and tags, which a terminal does not show. Joiners stay, because some scripts need them. The pattern takes
  // a millisecond to make, so it is not made at the start of the program.
  const unseen = String.raw`(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}`;
  const piled = String.raw`(?<=${freeMark}{4})${freeMark}|(?<=\p{M}{8})\p{M}`;
  return escaped(escapeJson(json), new RegExp(`${unseen}|${piled}`, 'gu'));
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** JSON text on one line. Line breaks and tabs can only be between tokens there, so they are removed with the indentation. */
export function oneLineJson(json: string): string {
  return /[\n\r\t]/.test(json) ? json.replace(/[\n\r\t][\n\r\t ]*/g, '') : json;
}

/** A value as JSON text. An integer above 2^53-1 is a bigint, and is printed as it came. */
export function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
