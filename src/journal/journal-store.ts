/**
 * The interface that every store of journal rows implements, in files or elsewhere. Rules that need only the
 * rows are in store-rules.ts, and every store calls them. `test/journal/store-contract.ts` checks a store
 * against all of this.
 */

import { orderIdPattern } from '../api/spec.ts';
import type { AttemptRecord, Clocks, JournalRow } from './journal-rows.ts';

/**
 * Where the rows of the journal are kept. Opens nothing before it is asked for something; reading creates nothing.
 *
 * Rows are only ever added. They keep the order in which they were added, and each one covers the one before by its hash
 * (chain.ts). A store object belongs to one run; it sees at once what other runs have added. Its methods work without
 * `this`, so that a wrapper can copy them.
 */
export interface JournalStore {
  /** Where the rows are, for messages: a file, or the address of a server. */
  readonly place: string;
  /** Where the witness is, for messages; undefined when this store has none. */
  readonly witness: string | undefined;

  /**
   * Adds a row. The row is durable when this resolves: it outlives the process, and the machine losing power. Rejects when
   * that is not certain; the row may be there all the same.
   *
   * Throws CliError 'refused', and adds nothing:
   * - a SENT row whose intent and attempt are there already, and a verdict without its SENT row;
   * - any row while `ready` refuses; but a verdict is taken while rows are lost or only the witness is damaged, since what
   *   became of a change must not be lost;
   * - a SENT row, when another run added a row about the same order, or an attempt under the same script's id, after this
   *   run asked for the attempts on it. This holds even when two runs append at the same moment, so it cannot rest on locks.
   */
  append(row: JournalRow): Promise<void>;

  /**
   * The attempts that a query means, in the order of their SENT rows. Throws CliError 'refused' when a row is missing or
   * damaged: an incomplete answer could let the same change be sent twice.
   */
  attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]>;

  /** The times that the rows show. This machine's clock is checked against them. */
  newest(): Promise<NewestRow>;

  /**
   * Throws CliError 'refused' when nothing may be sent: rows are missing or damaged, the store cannot be trusted with
   * locks or with durable rows, or an attempt whose SENT row was lost is not settled and nobody knows its account. Writes
   * nothing. A store that another run is writing to is ready: `append` checks again.
   */
  ready(): Promise<void>;

  /** What stops every change, in words: rows are missing, or cannot be read. Undefined when nothing does. */
  problem(): Promise<string | undefined>;

  /** Reads every row and checks the chain; damage is a finding and not an error. `head`: a hash that was noted elsewhere. */
  verify(head?: string): Promise<Verification>;

  /**
   * Rebuilds a damaged journal from all that can be read, after keeping a copy of it. No attempt is forgotten: when its
   * SENT row or its last verdict is lost, it is unconfirmed and blocks its order; when nobody knows its order or account,
   * it blocks every change, until a person settles it. `now` in Unix milliseconds. Throws CliError 'refused' when nothing
   * is wrong, and when the new journal cannot be written: nothing was changed then.
   */
  repair(now: number): Promise<Repair>;

  /**
   * Erases request bodies and notes of settled attempts that were sent before a time (Unix milliseconds). No verdict, hash
   * or row goes away. Returns how many attempts had something to erase.
   */
  eraseBodies(before: number): Promise<number>;

  /** Writes all rows into a new file (archive-file.ts); returns how many. Throws CliError 'refused' when the file exists, or a row is damaged. */
  archive(path: string): Promise<number>;

  /** Imports such a file; returns how many rows. Throws CliError 'refused' when this journal, or its witness, has rows: two histories must not mix. */
  restore(path: string): Promise<number>;

  /**
   * Orders, or intents, of what was sent last, newest first, at most 50; or the charges of an order, in its order, as they
   * were before the newest refund of it. For completions; `profile` narrows them to one profile. Waits for nobody. Checks no chain, so nothing else may rest on it. Rejects when the rows cannot be read at once.
   */
  recent(of: RecentOf, profile: string | undefined): Promise<readonly Recent[]>;

  /** Lets go of files and connections; the next call opens them again. */
  close(): void;
}

/** Which attempts; all parts must hold. */
export interface AttemptQuery {
  readonly origin?: string | undefined;
  readonly orderId?: string | undefined;
  /** On any of these orders. */
  readonly orderIds?: ReadonlySet<string> | undefined;
  readonly intent?: string | undefined;
  /** A script's own id (`--intent`). */
  readonly given?: string | undefined;
  readonly plan?: string | undefined;
  readonly operator?: string | undefined;
  /** Sent at or after this time, Unix milliseconds. */
  readonly since?: number | undefined;
  /** Only those whose last verdict may still change: open ones, and those watched until their horizon. */
  readonly unsettled?: true | undefined;
}

/** The times that the rows show. */
export interface NewestRow {
  /** The latest time of any row, Unix milliseconds; 0 when there is none. */
  readonly time: number;
  /** The clocks of the last row. */
  readonly clocks?: Clocks | undefined;
  /** When the store was last written to, Unix milliseconds by this machine's clock; absent when the store does not know. */
  readonly writtenAt?: number | undefined;
}

/** What a check of the whole journal found. */
export interface Verification {
  readonly rows: number;
  /** The hash of the newest row: note it elsewhere to find out later whether rows were taken away. */
  readonly head: string;
  readonly findings: readonly Finding[];
  /** Whether a head that was noted elsewhere is in the chain. */
  readonly knowsHead?: boolean | undefined;
  readonly witness: WitnessVerification;
}

/** Something wrong with a row; `seq` is 0 for what belongs to no single row. */
export interface Finding {
  readonly seq: number;
  readonly problem: string;
}

/** How the journal and its witness compare. */
export interface WitnessVerification {
  /** Empty when the store has no witness. */
  readonly file: string;
  /** Lines that are whole: one per row. */
  readonly lines: number;
  /**
   * `agrees`; `none yet`: the next change begins it; `witness behind`: the next change adds what is missing there;
   * `journal behind`: rows are missing in the journal, or are others; `damaged`: the witness is missing or not whole.
   */
  readonly state: 'agrees' | 'none yet' | 'witness behind' | 'journal behind' | 'damaged';
}

/** What a repair did. */
export interface Repair {
  /** The journal as it was; undefined when there was none. */
  readonly copy: string | undefined;
  /** The witness as it was; undefined when there was none. */
  readonly witnessCopy: string | undefined;
  /** Rows that say what was written. */
  readonly kept: number;
  /** SENT rows that were changed: their attempts are unconfirmed now. */
  readonly doubtful: number;
  /** Rows that are in the copy alone: not readable, a verdict that was changed, or one whose SENT is gone. */
  readonly lost: readonly number[];
  /** Pages of the file that could not be read: rows may have been there. */
  readonly unreadable: number;
  /** Attempts whose SENT row is lost and whose outcome the witness does not prove: unconfirmed now. */
  readonly blocked: readonly { readonly intent: string; readonly orderId: string | undefined }[];
}

/** What completions ask for. */
export type RecentOf = 'orders' | 'intents' | { readonly chargesOf: string };

/** What was sent lately, by the id that the reader asked for. */
export interface Recent {
  readonly id: string;
  /** `refund of 300 MXN, 2026-11-20`, of a charge `charge 1: 300 MXN` */
  readonly text: string;
}

/** How many ids `recent` gives at most. */
export const recentMax = 50;

/** Rows as a store found them → ids and words that are safe on a terminal; ids of another form are left out. */
export function recentIn(
  of: 'orders' | 'intents',
  rows: readonly Readonly<Record<'id' | 'kind' | 'amount' | 'currency' | 'time', unknown>>[],
): readonly Recent[] {
  const pattern = of === 'orders' ? orderIdPattern : /^i_[A-Za-z0-9]{1,64}$/;
  return rows.map((row) => ({ id: only(pattern, row.id), text: words(row) })).filter(({ id }) => id !== '');
}

/**
 * The charges of an order for completion, in the order in which it lists them; ids that would need quotes in
 * a shell are left out.
 */
export function chargesIn(
  charges: readonly Readonly<Record<'id' | 'amount' | 'currency', unknown>>[],
): readonly Recent[] {
  return charges
    .map(({ id, amount, currency }, index) => {
      const sum = sumOf(amount, currency);
      return {
        id: only(/^[A-Za-z0-9_-]{1,64}$/, id),
        text: `charge ${index + 1}${sum === '' ? '' : `: ${sum}`}`,
      };
    })
    .filter(({ id }) => id !== '');
}

function words({ kind, amount, currency, time }: Readonly<Record<string, unknown>>): string {
  const sum = sumOf(amount, currency);
  const what = only(/^[a-z_]+$/, kind);
  const day = new Date(Number(time)).toISOString().slice(0, 10);
  return `${what}${sum === '' ? '' : ` of ${sum}`}, ${day}`;
}

// A currency is the service's text: only a code reaches the terminal.
function sumOf(amount: unknown, currency: unknown): string {
  const parts = [only(/^[0-9]+$/, amount), only(/^[A-Za-z]{1,8}$/, currency)];
  return parts.filter((part) => part !== '').join(' ');
}

function only(pattern: RegExp, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return pattern.test(text) ? text : '';
}
