/** Records out of a parsed page, each with its own bytes. */

import type { WireRecord } from './api.ts';
import type { JsonDocument, JsonList } from './json.ts';
import { isObject } from './spec.ts';

/** The one record that a document is; undefined when it is no object. */
export function recordOf(document: JsonDocument): WireRecord | undefined {
  return isObject(document.value) ? { value: document.value, bytes: trimmed(document.bytes) } : undefined;
}

/** One record of a list envelope's `data` (service: List envelope); undefined when it is no object. Throws NotJson. */
export function recordAt(list: JsonList, index: number): WireRecord | undefined {
  const { value, bytes, plain } = list.item(index);
  return isObject(value) ? { value, bytes, plain } : undefined;
}

// White space around the document is not the record's.
function trimmed(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.indexOf(0x7b), bytes.lastIndexOf(0x7d) + 1);
}
