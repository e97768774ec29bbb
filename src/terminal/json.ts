/** JSON: the service's own objects, byte for byte; a list is one envelope, streamed, with `has_more` last. */

import type { WireRecord } from '../ports.ts';
import type { ListFormat, Row } from './list-format.ts';
import { escapeJson, oneLineJson, toJson } from './sanitise.ts';

/** A record as the service wrote it; only characters that could move a cursor or hide text become \uXXXX. */
export function wireJson(record: WireRecord, hidesKey: (text: string) => boolean): string {
  const text = new TextDecoder().decode(record.bytes);
  // A key spelled in escapes would pass the filter of the stream.
  if (text.includes('\\u') && hidesKey(toJson(record.value))) return escapeJson(toJson(record.value));
  // Between tokens a carriage return could overwrite a line of the screen.
  return escapeJson(/[\r\t]/.test(text) ? oneLineJson(text) : text);
}

/** A record of our own. */
export function ownJson(value: unknown): string {
  return escapeJson(toJson(value));
}

/** The envelope (service: List envelope), a record a line. */
export function jsonList(): ListFormat {
  let records = 0;
  const open = (): string => (records === 0 ? '{"object":"list","data":[' : '');
  return {
    page(rows) {
      const text =
        open() + rows.map((row, index) => (records + index === 0 ? '\n' : ',\n') + row.json()).join('');
      records += rows.length;
      return rows.length === 0 ? '' : text;
    },
    end: (hasMore) => `${open()}${records === 0 ? '' : '\n'}],"has_more":${hasMore}}\n`,
  };
}

/** One record a line. */
export function ndjsonList(): ListFormat {
  return {
    page: (rows) => rows.map((row) => ndjsonLine(row)).join(''),
    end: () => '',
  };
}

function ndjsonLine(row: Row): string {
  return `${oneLineJson(row.json())}\n`;
}
