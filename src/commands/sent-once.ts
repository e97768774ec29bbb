/** The line of a preview that shows the body which will be sent, with room to break it between its members. Pure. */

import type { JsonObject } from '../api/spec.ts';
import type { Block } from '../ports.ts';

// A string as a whole, so that a comma inside one stays as it is; and the commas between members.
const parts = /"(?:[^"\\]|\\.)*"|,/g;

/** `sent once: {"charge_id":"656f…", "amount":23000}`; its continuations stand under its first member. */
export function sentOnce(body: JsonObject | undefined): Block {
  return bodyLine('sent once', body);
}

/** The same under another heading. */
export function bodyLine(heading: string, body: JsonObject | undefined): Block {
  const text = body === undefined ? 'no body' : JSON.stringify(body);
  return {
    line: `${heading}: ${text.replace(parts, (part) => (part === ',' ? ', ' : part))}`,
    hang: `${heading}: {`.length,
  };
}
