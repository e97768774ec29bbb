/**
 * What every store of the journal must do, whether it keeps the rows in files or on a server. Rules that need only
 * the rows are in store-rules.ts, and every store calls them. `test/journal/store-contract.ts` checks a store against
 * all of this.
 */

import type { ApprovalRow, LimitRow, TeamRules } from '../team-rules.ts';
import type { AttemptFilter, AttemptQuery, ListPage } from './attempt-query.ts';
import type { StoredRow } from './chain.ts';
import type { AttemptRecord, Clocks, JournalRow, SentRow, SettingRow, VerdictRow } from './journal-rows.ts';

export type { AttemptFilter, AttemptQuery, Cursor, ListPage } from './attempt-query.ts';

/**
 * Keeps the rows of the journal. A store opens nothing before it is first used, and reading creates nothing.
 *
 * Rows are only ever added. They stay in the order in which they were added, and each one holds the hash of the row
 * before it (chain.ts). A store object belongs to one run, and it sees at once what other runs have added. Its
 * methods work without `this`, so that a wrapper can copy them.
 */
export interface JournalStore {
  /** Where the rows are, for messages: a file, or the address of a server. */
  readonly place: string;
  /** Where the witness is, for messages; undefined when this store has none. */
  readonly witness: string | undefined;

  /**
   * Adds a row. When this resolves, the row is durable: it survives a kill of the process and a power loss. Rejects
   * when that is not certain; the row may be there all the same.
   *
   * Throws CliError 'refused', and adds nothing:
   * - a SENT row whose change and attempt are there already, and a verdict without its SENT row;
   * - any row while `ready` refuses. But while rows are lost or only the witness is damaged, a verdict is still
   *   taken: what became of a change must not be lost;
   * - a SENT row, when another run has added a row about the same order, or an attempt under the same idempotency key,
   *   after this run asked for the attempts there. This holds even when two runs append at the same moment, so a
   *   store cannot leave it to the locks.
   *
   * A row about no attempt changes nothing about any attempt. Whether a limit or an approval may be added is for others to decide.
   */
  append(row: JournalRow): Promise<void>;

  /**
   * Called after `append` has rejected a SENT row, which will not be sent. When this resolves, the row is not in the store and
   * cannot get there any more, or it is there with this verdict (`not_sent`). Rejects when that is not certain.
   */
  takeBack(sent: SentRow, verdict: VerdictRow): Promise<void>;

  /**
   * The attempts that match a query, in the order of their SENT rows; with `watched`, in the order in which they are due. Throws
   * CliError 'refused' when a row of theirs is missing or damaged: an incomplete answer could let the same change be sent twice.
   */
  attempts(query: AttemptQuery): Promise<readonly AttemptRecord[]>;

  /**
   * One page of the attempts that match a filter, the newest first: by the time they were sent, then by change, then by the number
   * of the attempt. A page that is shorter than its limit is the last one. Throws as `attempts` does.
   */
  list(filter: AttemptFilter, page: ListPage): Promise<readonly AttemptRecord[]>;

  /** The names of everybody who sent something; at a desk, all members of its account. `origin` undefined: to any account. */
  operators(origin: string | undefined): Promise<readonly string[]>;

  /**
   * The rows about settings, and about limits of a team, in their order; with a name, those of that setting, and with one that
   * ends in `/`, those of all settings whose names begin with it. Throws as `attempts` does.
   */
  settings(name?: string): Promise<readonly (SettingRow | LimitRow)[]>;

  /**
   * What the refunds that somebody sent at or after a time paid back, or may have paid back (`countedAmount`). The amounts are
   * those of one currency, however it is written, and of real money or not.
   */
  refunded(of: RefundedBy): Promise<number>;

  /**
   * The requests for an approval and the answers to them, in their order: all rows of one request, or of each that has a row
   * from a time on. Throws as `attempts` does.
   */
  approvals(query: ApprovalQuery): Promise<readonly ApprovalRow[]>;

  /**
   * The rows on the orders of these attempts and of the requests that approved them, as they are stored and in their order. Throws as
   * `attempts` does, and when the newest row of all is missing or changed.
   */
  storedRows(sents: readonly SentRow[]): Promise<StoredRows>;

  /** The times that the rows of attempts show. paydesk checks this machine's clock against them. */
  newest(): Promise<NewestRow>;

  /**
   * Throws CliError 'refused' when nothing may be sent: rows are missing or damaged; the locks or the disk under the
   * store cannot be trusted; or a change whose SENT row was lost is not settled, and nobody knows its account. Writes
   * nothing. While another run writes to the store, this does not refuse: `append` checks again.
   */
  ready(): Promise<void>;

  /** What stops every change, in words: rows are missing, or cannot be read. Undefined when nothing does. */
  problem(): Promise<string | undefined>;

  /**
   * Reads every row and checks the chain. Damage is a finding, not an error. `head`: a hash noted elsewhere. `now` (Unix milliseconds)
   * is noted as the time of this check if nothing is wrong.
   */
  verify(head?: string, now?: number): Promise<Verification>;

  /**
   * Checks the next rows of the chain, at most `limit`, and notes how far it got, so that each row is checked again from time to
   * time while nobody waits for it. Returns what is wrong; undefined when nothing is. `now`: Unix milliseconds.
   */
  checkSome(how: { readonly limit: number; readonly now: number }): Promise<Finding | undefined>;

  /** When a check of the whole chain last ended, Unix milliseconds; undefined if none did. */
  wholeCheckAt(): Promise<number | undefined>;

  /**
   * Allows changes again after the files of the journal were put back from a copy, and a person has looked. `row` says who did,
   * and is added. Throws CliError 'refused' when they are not a copy.
   */
  acceptCopy(row: SettingRow): Promise<void>;

  /**
   * Rebuilds a damaged journal from everything that can be read, and keeps a copy of the old one. No attempt is
   * forgotten. If its SENT row or its last verdict is lost, it is unconfirmed and blocks its order until a person
   * settles it; if nobody knows its order or account, it blocks every change. `now` in Unix milliseconds. Throws
   * CliError 'refused' when nothing is wrong, and when the new journal cannot be written: then nothing was changed.
   */
  repair(now: number): Promise<Repair>;

  /**
   * Erases request bodies, notes and links of settled attempts that were sent before a time (Unix milliseconds), and of requests for
   * an approval that were over by then. All rows, verdicts and hashes stay. Returns how many of both had something to erase.
   */
  eraseBodies(before: number): Promise<number>;

  /** Hands over all rows as they are at one moment. Throws CliError 'refused' when one is damaged, while they are read. */
  whole<T>(take: (all: AllRows) => T): Promise<T>;

  /** How many attempts `archiveOld` would move; stops at `most`. */
  countOver(before: number, most?: number): Promise<number>;

  /**
   * Writes all rows into a new file (archive-file.ts), and then leaves one short row of each attempt that was sent before a time and
   * is over (archived-rows.ts). Nothing that decides about a change is lost with its other rows. Throws CliError 'refused' when the file
   * exists, and when a row is damaged: then nothing was moved.
   */
  archiveOld(how: Archiving): Promise<Moved>;

  /**
   * Imports a file that `exportTo` wrote and returns how many rows it has. Throws CliError 'refused' when this
   * journal, or its witness, has rows already: two histories must not mix.
   */
  restore(path: string): Promise<number>;

  /**
   * Runs `act` while no other process adds rows, until `act` has added one or has ended. So what it asked still holds when its
   * row is added. Absent where only one process adds rows.
   */
  readonly alone?: <T>(act: () => Promise<T>) => Promise<T>;

  /**
   * Says that rows of a change will come, so that rows of other changes may wait a moment and share a commit with them. Call the
   * function that it returns when no more rows come. Absent where rows never share a commit.
   */
  readonly expectRows?: (() => () => void) | undefined;

  /** The limits and approvals of a team; absent or undefined if this journal belongs to one machine. */
  readonly rules?: () => Promise<TeamRules | undefined>;

  /** Closes files and connections; the next call opens them again. */
  close(): void;
}

/** The methods of a store that only ask for rows. */
export const askingMethods = [
  'attempts',
  'list',
  'operators',
  'settings',
  'refunded',
  'approvals',
  'storedRows',
  'newest',
  'ready',
  'whole',
] as const satisfies readonly (keyof JournalStore)[];

/**
 * All methods of a store that another object can offer in its place: all but `alone`, `expectRows` and `rules`, which a store may
 * lack, and `close`.
 */
export const storeMethods = [
  ...askingMethods,
  'append',
  'takeBack',
  'problem',
  'verify',
  'checkSome',
  'wholeCheckAt',
  'acceptCopy',
  'repair',
  'eraseBodies',
  'countOver',
  'archiveOld',
  'restore',
] as const satisfies readonly (keyof JournalStore)[];

/** Makes these methods: each calls the store that `open` gives at that moment. They reject with what `open` rejects with. */
export function methodsOf<Name extends (typeof storeMethods)[number]>(
  names: readonly Name[],
  open: () => Promise<Pick<JournalStore, Name>>,
): Pick<JournalStore, Name> {
  type Method = (...asked: readonly unknown[]) => Promise<unknown>;
  const methods = names.map((name) => {
    const method: Method = async (...asked) => await ((await open())[name] as Method)(...asked);
    return [name, method];
  });
  return Object.fromEntries(methods) as Pick<JournalStore, Name>;
}

/** Whose refunds are added up. */
export interface RefundedBy {
  /** The origin of the account, as its rows spell it. */
  readonly origin: string;
  readonly operator: string;
  readonly currency: string;
  readonly livemode: boolean;
  /** Unix milliseconds. */
  readonly since: number;
}

/** Which requests for an approval are wanted: one by its id, or those with a row from a time on (Unix milliseconds). */
export type ApprovalQuery = { readonly id: string } | { readonly since: number };

/** Rows as they are stored, and the hash of the newest row of the journal; undefined if that has none. */
export interface StoredRows {
  readonly rows: readonly StoredRow[];
  readonly head: string | undefined;
}

/** What is moved out of a journal, and where to. */
export interface Archiving {
  /** Unix milliseconds. */
  readonly before: number;
  readonly path: string;
  /** Who does it, and when. */
  readonly said: Pick<SettingRow, 'operator' | 'time' | 'skewed' | 'clocks'>;
}

export interface Moved {
  readonly attempts: number;
  /** How many rows the journal had, all of them in the file, and how many it has now. */
  readonly rowsBefore: number;
  readonly rows: number;
  /** The digest of the rows in the file, which the first row of the new journal has too. */
  readonly sha256: string;
}

/** All rows of a journal, oldest first, and the key of its witness, 64 hex digits. */
export interface AllRows {
  readonly count: number;
  readonly rows: Iterable<StoredRow>;
  readonly key: string;
}

/** The times that the rows of attempts show. */
export interface NewestRow {
  /** The latest time of these rows, Unix milliseconds; 0 when there is none. */
  readonly time: number;
  /** The clocks of the last row. */
  readonly clocks?: Clocks | undefined;
  /** When the store was last written to, Unix milliseconds by this machine's clock; absent when the store does not know. */
  readonly writtenAt?: number | undefined;
}

/** What a check of the whole journal found. */
export interface Verification {
  readonly rows: number;
  /** How many of the rows are about settings. */
  readonly settings: number;
  /** The hash of the newest row: note it elsewhere to find out later whether rows were taken away. */
  readonly head: string;
  readonly findings: readonly Finding[];
  /** Whether a head that was noted elsewhere is in the chain. */
  readonly knowsHead?: boolean | undefined;
  readonly witness: WitnessVerification;
}

/** Something wrong with a row. `seq` is its number, or 0 when the problem belongs to no single row. */
export interface Finding {
  readonly seq: number;
  readonly problem: string;
}

/**
 * The finding that the newest row is missing or changed. `chain`: where the rows that are there end; `noted`: the newest row as
 * the store noted it apart from the rows. None if they agree.
 */
export function newestMissing(
  chain: { readonly seq: number; readonly head: string },
  noted: { readonly seq: number; readonly hash: unknown },
): readonly Finding[] {
  if (noted.seq === chain.seq && noted.hash === chain.head) return [];
  return [{ seq: noted.seq, problem: 'was the newest one, and is missing or changed' }];
}

/** How the journal and its witness compare. */
export interface WitnessVerification {
  /** Empty when the store has no witness. */
  readonly file: string;
  /** How many lines are whole. There is one line per row. */
  readonly lines: number;
  /**
   * `agrees`; `none yet`: the next change creates the witness; `witness behind`: the next change adds the missing
   * lines; `journal behind`: rows of the journal are missing or are not the same; `damaged`: the witness is missing
   * or not whole.
   */
  readonly state: 'agrees' | 'none yet' | 'witness behind' | 'journal behind' | 'damaged';
}

/** A change, and its order as far as that is known. */
export interface NamedChange {
  readonly change: string;
  readonly orderId: string | undefined;
}

/** What a repair did. */
export interface Repair {
  /** The journal as it was; undefined when there was none. */
  readonly copy: string | undefined;
  /** The witness as it was; undefined when there was none. */
  readonly witnessCopy: string | undefined;
  /** Rows of the new journal that are just as they were written. */
  readonly kept: number;
  /** SENT rows that somebody or something had changed. What they asked for is lost. */
  readonly doubtful: number;
  /** Rows that only the copy has: unreadable ones, changed ones that are not SENT rows, and verdicts whose SENT row is gone. */
  readonly lost: readonly number[];
  /** Pages of the file that could not be read. They may have held rows. */
  readonly unreadable: number;
  /** Attempts that are unconfirmed now, because a row of theirs is lost and nothing else proves their outcome. */
  readonly blocked: readonly NamedChange[];
  /** Attempts whose SENT row is lost or was changed, and whose outcome is known: they block nothing. */
  readonly unblocked: readonly NamedChange[];
  /** The files may have been a copy: no change is made until `acceptCopy`. */
  readonly mayBeCopy: boolean;
}
