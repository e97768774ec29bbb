/** The last stage before a stream: every known key is replaced, in all the forms a service may echo it. */

import { Buffer } from 'node:buffer';
import type { Piece } from './list-format.ts';

const replacement = '[key]';
// Two less than a key has: what PAYDESK_API_KEY holds is refused then, but was meant as one. Shorter ones would be found
// inside ordinary words.
const shortestHidden = 6;

/** Keys that must never be printed. */
export interface Secrets {
  /** From now on this key is stopped. */
  add(key: string): void;
  /** A whole text without keys. */
  clean(text: string): string;
  /** A filter for text that comes in pieces: it holds back an end that may begin a key. */
  filter(): SecretFilter;
}

/** A filter for one stream. */
export interface SecretFilter {
  push(piece: Piece): Piece;
  /** What was held back. */
  end(): string;
}

/** An empty set of keys. */
export function createSecrets(): Secrets {
  const forms = new Set<string>();
  let pattern: RegExp | undefined;
  // The same as bytes, which are found faster in bytes than text is.
  let formBytes: readonly Buffer[] = [];
  const holds = (text: string): boolean => {
    for (const form of forms) if (text.includes(form)) return true;
    return false;
  };
  const holdsBytes = ({ buffer, byteOffset, length }: Uint8Array): boolean => {
    const bytes = Buffer.from(buffer, byteOffset, length);
    return formBytes.some((form) => bytes.includes(form));
  };
  const clean = (text: string): string => {
    // Looking for plain texts is many times faster than a pattern, and almost no text holds one.
    return pattern === undefined || !holds(text) ? text : text.replace(pattern, replacement);
  };
  return {
    add(key) {
      if (key.length < shortestHidden) return;
      for (const form of formsOf(key)) forms.add(form);
      formBytes = [...forms].map((form) => Buffer.from(form));
      // The longest first, so that no form leaves the rest of a longer one.
      const byLength = [...forms].sort((a, b) => b.length - a.length);
      pattern = new RegExp(byLength.map((form) => form.replace(/[^\w]/g, '\\$&')).join('|'), 'g');
    },
    clean,
    filter: () => {
      let held = '';
      return {
        push(piece) {
          // Whole lines end in what no key holds, so nothing of them has to be held back.
          if (typeof piece !== 'string' && held === '' && !holdsBytes(piece)) return piece;
          const text = typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
          const all = clean(held + text);
          const keep = openEnd(all, forms);
          held = keep === 0 ? '' : all.slice(-keep);
          return keep === 0 ? all : all.slice(0, -keep);
        },
        end() {
          const rest = held;
          held = '';
          return rest;
        },
      };
    },
  };
}

// Plain, as Basic credentials (service: Authentication 4), percent-encoded, and inside JSON strings.
function formsOf(key: string): readonly string[] {
  const encoded = encodeURIComponent(key);
  const inJson = JSON.stringify(key).slice(1, -1);
  const basics = [key, `${key}:`].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
  });
  const percent = [encoded, encoded.replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase()), everyByte(key)];
  return [key, inJson, inJson.replaceAll('/', '\\/'), ...percent, ...basics];
}

function everyByte(key: string): string {
  return [...Buffer.from(key)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

// The length of the longest end of the text that begins a form without being all of it.
function openEnd(text: string, forms: ReadonlySet<string>): number {
  let longest = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length -= 1) {
      if (form.startsWith(text.slice(-length))) longest = length;
    }
  }
  return longest;
}
