/** Reads the bytes of a reply strictly: JSON in UTF-8 with every key once, or the problem in words. */

import type { RawReply } from '../api/api.ts';

/** A reply as it was heard: its status and the value of its body, or why there is none. */
export interface Heard {
  readonly status: number;
  readonly body: { readonly value: unknown } | { readonly problem: string };
  /** The host that a redirect names; the request never goes there. */
  readonly redirectTo?: string | undefined;
}

const strings = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(\s*:)?)|[{}]/gs;

/** Whether some object of a JSON text has a key twice: JSON.parse keeps the last, another reader the first, so it proves nothing. */
export function repeatsKey(text: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(strings)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const keys = open.at(-1);
      const key = String(JSON.parse(token));
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
  }
  return false;
}

/** What a reply says, read to its last byte. */
export function hear(reply: RawReply): Heard {
  const { status, redirectTo } = reply;
  return { status, body: bodyOf(reply), redirectTo };
}

function bodyOf({ body, contentType }: RawReply): Heard['body'] {
  if (body.length === 0) return { problem: 'an empty body' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    return repeatsKey(text) ? { problem: 'a body that says something twice' } : { value };
  } catch {
    const html = contentType === 'text/html' || body[0] === 0x3c;
    return { problem: html ? 'an HTML page' : 'a body that is no JSON' };
  }
}
