/** What an output format is: records in, text out; output.ts alone writes. */

import type { JsonObject } from '../api/spec.ts';

/** A record to be printed. */
export interface Row {
  readonly value: JsonObject;
  /** Its JSON text: the service's own, or ours. */
  readonly json: () => string;
  /** The bytes of that text, where they are at hand and need no change. */
  readonly bytes?: Uint8Array | undefined;
}

/** A piece of output: text, or bytes that are on one line each and end in a line's end. */
export type Piece = string | Uint8Array;

/** A list in some format. Its pieces, one after the other, are the whole output. */
export interface ListFormat {
  page(rows: readonly Row[]): Piece;
  end(hasMore: boolean): string;
}
