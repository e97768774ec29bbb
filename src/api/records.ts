/** Records out of a parsed page, each with its own bytes. */

import type { WireRecord } from '../ports.ts';
import type { JsonDocument } from './json.ts';
import { isObject, valueAt } from './spec.ts';

/** The one record that a document is; undefined when it is no object. */
export function recordOf(document: JsonDocument): WireRecord | undefined {
  return isObject(document.value) ? { value: document.value, bytes: trimmed(document.bytes) } : undefined;
}

/** The records of a list envelope's `data`, in its order; undefined when it is no array of objects (service: List envelope). */
export function recordsOf(document: JsonDocument): readonly WireRecord[] | undefined {
  const data = valueAt(document.value, ['data']);
  const cuts = document.scan.items;
  if (!Array.isArray(data) || cuts?.length !== data.length * 2) return undefined;
  const records: WireRecord[] = [];
  for (const [index, value] of data.entries()) {
    if (!isObject(value)) return undefined;
    records.push({ value, bytes: document.bytes.subarray(cuts[index * 2], cuts[index * 2 + 1]) });
  }
  return records;
}

/** The id of a record; undefined when it has none. */
export function idOf(record: WireRecord | undefined): string | undefined {
  const id = valueAt(record?.value, ['id']);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

// White space around the document is not the record's.
function trimmed(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.indexOf(0x7b), bytes.lastIndexOf(0x7d) + 1);
}
