/** A key that must be seen nowhere: made anew for each test, and looked for in every form it could leak in. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key with every kind of character that some encoding changes. */
export function newCanary(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => 'GHJKLMNPQRSTUVWXYZ'[byte % 18])
    .join('');
  return `${letters.slice(0, 8)}/+=%"${letters.slice(8, 16)}\\&<~${letters.slice(16)}`;
}

/** The forms of a key that stand in the text. */
export function leaksOf(key: string, text: string): readonly string[] {
  return formsOf(key).filter((form) => text.includes(form));
}

/** The files under a folder, at any depth, in which a key stands in any form. */
export function filesWith(key: string, folder: string): readonly string[] {
  return filesUnder(folder).filter((path) => leaksOf(key, readFileSync(path, 'latin1')).length > 0);
}

/** All files under a folder. */
export function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function formsOf(key: string): readonly string[] {
  const inJson = JSON.stringify(key).slice(1, -1);
  const bytes = [...Buffer.from(key)].map((byte) => byte.toString(16).padStart(2, '0'));
  return [
    key,
    // Its beginning and its middle alone, so that a cut or a wrapped one is found as well.
    key.slice(0, 8),
    key.slice(13, 21),
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(key),
    encodeURIComponent(encodeURIComponent(key)),
    bytes.map((byte) => `%${byte}`).join(''),
    bytes.join(''),
    // The last group of four depends on what follows the key.
    Buffer.from(key).toString('base64').slice(0, -4),
    Buffer.from(key).toString('base64url').slice(0, -4),
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ];
}
