/** Texts as people compare them: without case, accents and the marks of typography. Pure, linear. */

// Letters that Unicode does not take apart, by what people type for them.
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
// Putting a long run of marks into order costs its square, so that only pieces are ever normalized.
const piece = 512;

/** A text folded for comparing; folding it again changes nothing. */
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

// Never between the halves of a character.
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
