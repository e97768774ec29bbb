/** When a date ends a walk through orders: only where the profile promises newest first, and only while pages keep to it. */

import type { WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/spec.ts';

/** Two orders that stand the wrong way round: the later one is the newer one. */
interface Contradiction {
  readonly earlier: string;
  readonly later: string;
}

/** What a walk that goes on has to know of the pages before: the last order, and whether they kept the promise. */
export interface DateState {
  readonly before: { readonly id: string; readonly createdAt: number } | undefined;
  readonly contradicted: boolean;
}

/** What is known of the end of a walk, page by page. */
export interface DateStop {
  /** Looks at a page as it was read. */
  see(records: readonly WireRecord[]): void;
  /** Whether no order that is new enough can follow. */
  readonly reached: boolean;
  /** What there is to say of a page that contradicts the promise, once; nothing where no date would have ended the walk. */
  surprise(): string | undefined;
  /** The last order before the first one that is too old. */
  readonly last: string | undefined;
  readonly state: DateState;
}

/** `promised`: the profile says `newest-first`; `since`: Unix milliseconds, undefined where no date ends the walk. */
export function stopAtDate(promised: boolean, since: number | undefined, from?: DateState): DateStop {
  let before = from?.before;
  const contradicted = from?.contradicted === true;
  let contradiction: Contradiction | undefined;
  let said = false;
  let tooOld = false;
  let last: string | undefined;
  const look = (record: WireRecord): void => {
    const { created_at: createdAt } = record.value;
    const id = idOf(record);
    if (typeof createdAt !== 'number' || id === undefined) return;
    if (before !== undefined && createdAt > before.createdAt)
      contradiction ??= { earlier: before.id, later: id };
    before = { id, createdAt };
    tooOld ||= since !== undefined && createdAt * 1000 < since;
    if (!tooOld) last = id;
  };
  return {
    see(records) {
      // Pages after the contradiction cannot add to it.
      if (promised && contradiction === undefined && !contradicted)
        for (const record of records) look(record);
    },
    get reached() {
      return promised && tooOld && contradiction === undefined && !contradicted;
    },
    surprise() {
      if (contradiction === undefined || since === undefined || said) return undefined;
      said = true;
      const { earlier, later } = contradiction;
      return `the list is not newest first, although orders.order says so: ${later} is newer than ${earlier} before it; walking on`;
    },
    get last() {
      return last;
    },
    get state() {
      return { before, contradicted: contradicted || contradiction !== undefined };
    },
  };
}
