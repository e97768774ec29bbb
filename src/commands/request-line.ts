/** The last line of a preview: the very body that is going to be sent, once. Pure. */

import type { Block } from '../terminal/terminal.ts';

const label = 'will send once: ';

/** `will send once: {"charge_id":"656f…", "amount":300}`; absent: no body. */
export function requestLine(body: object | undefined): Block {
  return bodyLine(label, body);
}

/** A body after a label of its own. */
export function bodyLine(words: string, body: object | undefined): Block {
  return { line: `${words}${body === undefined ? 'no body' : bodyText(body)}`, hang: words.length + 1 };
}

// A string as a whole, so that a comma inside one stays as it is; and the commas between members, with a space after
// them, so that a narrow terminal can break the line there.
function bodyText(body: object): string {
  return JSON.stringify(body).replace(/"(?:[^"\\]|\\.)*"|,/g, (part) => (part === ',' ? ', ' : part));
}
