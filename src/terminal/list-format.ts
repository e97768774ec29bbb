/** What an output format is: records in, text out; output.ts alone writes. */

import type { JsonObject } from '../api/spec.ts';

/** A record to be printed. */
export interface Row {
  readonly value: JsonObject;
  /** Its JSON text: the service's own, or ours. */
  readonly json: () => string;
}

/** A list in some format. Its texts, one after the other, are the whole output. */
export interface ListFormat {
  page(rows: readonly Row[]): string;
  end(hasMore: boolean): string;
}
