/** Whether a text gives a key away to somebody who decodes what looks encoded. Written without the program's own filter. */

import { readFileSync } from 'node:fs';

const hexByte = '[0-9a-fA-F]{2}';

const decoders: readonly ((text: string) => string)[] = [
  (text) => text.replace(new RegExp(`\\\\u00(${hexByte})`, 'g'), (_, code: string) => character(code, 16)),
  (text) => text.replace(new RegExp(`\\\\x(${hexByte})`, 'g'), (_, code: string) => character(code, 16)),
  (text) => text.replace(/\\(["\\/])/g, '$1'),
  (text) => text.replace(new RegExp(`%(${hexByte})`, 'g'), (_, code: string) => character(code, 16)),
  (text) => text.replace(/&#(\d{2,3});?/g, (_, code: string) => character(code, 10)),
  (text) => text.replace(new RegExp(`&#[xX](${hexByte});?`, 'g'), (_, code: string) => character(code, 16)),
  (text) =>
    text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) =>
      name === 'amp' ? '&' : name === 'lt' ? '<' : name === 'gt' ? '>' : name === 'quot' ? '"' : "'",
    ),
];

/** True where the key can be read out of the text, in whatever layers of encodings, or seven eighths of it. */
export function reveals(key: string, text: string): boolean {
  const seen = new Set<string>();
  const waiting = [text];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    if (seen.has(current)) continue;
    seen.add(current);
    if ([current, hexWords(current), base32Words(current)].some((one) => shows(key, one))) return true;
    // Whatever stands between the letters.
    if (shows(bare(key), bare(current))) return true;
    for (const decode of [...decoders, base64Words, fromBytes]) {
      const next = decode(current);
      if (next !== current) waiting.push(next);
    }
  }
  return false;
}

/** Those of the files that give the key away. */
export function revealing(key: string, files: readonly string[]): readonly string[] {
  return files.filter((path) => reveals(key, textOf(path)));
}

/** The bytes of a file as text, each a character. */
export function textOf(path: string): string {
  return readFileSync(path, 'latin1');
}

function bare(text: string): string {
  return text.replace(/\\u(?:0000|00ad|200[bcd]|2060|feff)|[\s\p{C}._:,/|+*=-]/giu, '');
}

// A file is read as bytes, each a character.
function fromBytes(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

// A part is enough to guess the rest from.
function shows(key: string, text: string): boolean {
  const most = Math.ceil((key.length * 7) / 8);
  const lower = text.toLowerCase();
  for (let at = 0; at + most <= key.length; at += 1) {
    if (lower.includes(key.slice(at, at + most).toLowerCase())) return true;
  }
  return false;
}

// Every run of base64 letters, read from each of its first four.
function base64Words(text: string): string {
  return (text.match(/[\w+/-]{8,}/g) ?? [])
    .flatMap((word) => [0, 1, 2, 3].map((skip) => Buffer.from(word.slice(skip), 'base64').toString('latin1')))
    .join('\n');
}

function hexWords(text: string): string {
  const joined = text.replace(/(?<=[0-9a-f]{2})(?:[ :=_.,/|-]|, ?0x| 0x|, )(?=[0-9a-f]{2})/gi, '');
  return (joined.match(/[0-9a-fA-F]{16,}/g) ?? [])
    .flatMap((word) => [0, 1].map((skip) => Buffer.from(word.slice(skip), 'hex').toString('latin1')))
    .join('\n');
}

function base32Words(text: string): string {
  return (text.match(/[a-z2-7]{16,}/gi) ?? [])
    .flatMap((word) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((skip) => {
        const letters = Array.from(word.slice(skip).toUpperCase());
        const bits = letters
          .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
          .join('');
        return (bits.match(/.{8}/g) ?? []).map((byte) => character(byte, 2)).join('');
      }),
    )
    .join('\n');
}

function character(code: string, radix: number): string {
  return String.fromCharCode(Number.parseInt(code, radix));
}
