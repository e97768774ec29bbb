/** The last line of a preview: the very body that is going to be sent, once. Pure. */

import type { Block } from '../ports.ts';

const label = 'will send once: ';

/** `will send once: {"charge_id":"656f…", "amount":300}`; absent: no body. */
export function requestLine(body: object | undefined): Block {
  return { line: `${label}${body === undefined ? 'no body' : bodyText(body)}`, hang: label.length + 1 };
}

// With spaces after its commas, so that a narrow terminal can break it there.
function bodyText(body: object): string {
  const fields = Object.entries(body).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{${fields.join(', ')}}`;
}
