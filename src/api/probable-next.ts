/** Guesses from the two ends of a page with which id the next page will be asked for, before the whole page is read. */

import { idOf, isObject, valueAt } from './spec.ts';

const opening = Buffer.from('"data":[');
// The envelope is short. Further inside, these bytes are part of a record.
const longestEnvelope = 4_096;
// Objects at the end of the last record are taken for a record first. No record has more of them side by side.
const mostTries = 16;

/**
 * The id of the last record of a page, if the page says that more follow. Undefined if that cannot be seen at once. The walk
 * compares it with what the whole page says, so a wrong guess costs one request.
 */
export function probableNext(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const key = bytes.subarray(0, longestEnvelope).indexOf(opening);
  const start = key + opening.length;
  const end = bytes.lastIndexOf(']');
  if (key === -1 || end < start || bytes.length - end > longestEnvelope) return undefined;
  const envelope = parsed(`${bytes.toString('utf8', 0, start)}${bytes.toString('utf8', end)}`);
  if (valueAt(envelope, ['has_more']) !== true) return undefined;
  let border = end;
  for (let tries = 0; tries < mostTries && border > start; tries += 1) {
    border = bytes.lastIndexOf('},{', border - 1);
    const value = parsed(bytes.toString('utf8', border < start ? start : border + 2, end));
    if (isObject(value)) return idOf({ value });
    if (border < start) return undefined;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
