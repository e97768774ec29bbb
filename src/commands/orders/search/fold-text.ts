/**
 * Folds texts for comparison: removes case, accents and typographic signs. Pure; the time grows with the length of the text.
 */

// Letters that Unicode does not decompose, and what people type for them.
const plain: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '–': '-',
  '‐': '-',
};
const special = new RegExp(`[${Object.keys(plain).join('')}]`, 'gu');
const marks = /[\p{M}\p{Cf}]+/gu;
const printableAscii = /^[\x20-\x7e]*$/;
// Normalizing a long run of combining marks takes quadratic time, so a text is normalized in pieces.
const piece = 512;

/** The text in its comparable form. Folding it again changes nothing. */
export function fold(text: string): string {
  if (printableAscii.test(text)) return text.toLowerCase();
  if (text.length <= piece) return foldPiece(text);
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    pieces.push(foldPiece(text.slice(start, end)));
    start = end;
  }
  return pieces.join('');
}

// Does not cut between the two halves of a surrogate pair.
function pieceEnd(text: string, start: number): number {
  const end = start + piece;
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end + 1 : end;
}

function foldPiece(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(marks, '')
    .replace(special, (letter) => plain[letter] ?? letter);
}

const spelledOut: ReadonlyMap<string, string> = new Map([
  ...pairs('абвгдезиклмнопрстуфхыэ', 'abvgdeziklmnoprstufhye'),
  ...pairs('αβγδεζηικλμνξοπρστυφω', 'avgdeziiklmnxoprstufo'),
  ...Object.entries({ ж: 'zh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ь: '', ю: 'yu', я: 'ya' }),
  ...Object.entries({ θ: 'th', χ: 'ch', ψ: 'ps' }),
]);

function pairs(from: string, to: string): readonly (readonly [string, string])[] {
  return Array.from(from, (letter, index) => [letter, to[index] ?? '']);
}

/** A folded Cyrillic or Greek name as somebody with only Latin letters types it: `petrova`. */
export function inLatin(folded: string): string {
  return folded.replace(/[\u0370-\u04ff]/g, (letter) => spelledOut.get(letter) ?? letter);
}
