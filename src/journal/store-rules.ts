/** The rules that every store of the journal checks before it adds a row. Pure. */

import { CliError } from '../errors.ts';
import { AttemptIndex, type ReadRowAgain } from './attempt-index.ts';
import { chainStart, link, type StoredRow, unlink } from './chain.ts';
import {
  type AttemptRecord,
  type AttemptRow,
  attemptKey,
  type JournalRow,
  type SentRow,
  type SettingRow,
} from './journal-rows.ts';
import type { AttemptFilter, ListPage, NewestRow } from './journal-store.ts';
import {
  isMark,
  isReadableMark,
  isSameOrigin,
  MovedAccounts,
  type MovedTo,
  refuseWhileSending,
} from './moved-away.ts';
import { refusalError } from './refusal-error.ts';
import { marksOf, mayBeSameAccount } from './same-account.ts';
import { isOtherRequest } from './same-request.ts';
import type { LimitRow } from './team-rows.ts';

const certain = 'nothing was sent';

/**
 * What one run has read of the journal so far, and what it may add to that. It keeps a few words about each row and reads the
 * rows of an attempt again when somebody asks for it, so a long journal needs little memory.
 */
export class StoreRules {
  readonly #index: AttemptIndex;
  readonly #settings: StoredRow[] = [];
  readonly #moved = new MovedAccounts();
  // The number of a row that says where changes are recorded, but not in words that anybody understands.
  #strangeMark: number | undefined;
  #seq = 0;
  #head = chainStart;
  // The number of the newest row when this run asked for the attempts on an order, or under a script's id.
  readonly #askedForOrder = new Map<string, number>();
  readonly #askedForScript = new Map<string, number>();

  constructor(again: ReadRowAgain) {
    this.#index = new AttemptIndex(again);
  }

  /** Number and hash of the newest row that was read. */
  get end(): { readonly seq: number; readonly head: string } {
    return { seq: this.#seq, head: this.#head };
  }

  get newest(): NewestRow {
    return this.#index.newest;
  }

  /** Takes in the next rows. Their chain was checked before. */
  read(rows: readonly StoredRow[]): void {
    this.#index.add(rows.filter(isOfAttempt));
    const settings = rows.filter(({ type }) => type === 'setting' || type === 'limit');
    this.#settings.push(...settings);
    for (const stored of settings) this.#readSetting(stored);
    const last = rows.at(-1);
    if (last !== undefined) [this.#seq, this.#head] = [last.seq, last.hash];
  }

  #readSetting(stored: StoredRow): void {
    const row = unlink(stored);
    if (row.type !== 'setting' || !isMark(row)) return;
    if (isReadableMark(row)) this.#moved.read(row);
    else this.#strangeMark ??= stored.seq;
  }

  /** The attempts that match a query. From now on this run counts as having seen them. */
  attempts(query: AttemptFilter): readonly AttemptRecord[] {
    const { orderId, given } = query;
    if (orderId !== undefined) this.#askedForOrder.set(orderId, this.#seq);
    if (given !== undefined) this.#askedForScript.set(given, this.#seq);
    return this.#index.attempts(query);
  }

  list(filter: AttemptFilter, page: ListPage): readonly AttemptRecord[] {
    return this.#index.list(filter, page);
  }

  operators(origin: string | undefined): readonly string[] {
    return this.#index.operators(origin);
  }

  /** All attempts of an origin, however its address is spelled. */
  history(origin: string): readonly AttemptRecord[] {
    return this.#index.attempts({}).filter(({ sent }) => isSameOrigin(sent.origin, origin));
  }

  settings(): readonly (SettingRow | LimitRow)[] {
    return this.#settings.map(unlink).filter((row) => row.type === 'setting' || row.type === 'limit');
  }

  /** The numbers of the newest row when this run asked for the attempts on the order of a row, and under its script's id. */
  seenOf({ proof: { orderId = '' }, given = '' }: SentRow): {
    readonly order: number;
    readonly given: number;
  } {
    return {
      order: this.#askedForOrder.get(orderId) ?? this.#seq,
      given: this.#askedForScript.get(given) ?? this.#seq,
    };
  }

  /** How many verdicts an attempt has. */
  verdictsOn(of: Pick<SentRow, 'intent' | 'attempt'>): number {
    return this.#index.verdictsOn(of);
  }

  /** Of the rows of another journal, those that this one lacks. Verdicts on one attempt come in the same order in both. */
  lackingOf(rows: readonly AttemptRow[]): readonly AttemptRow[] {
    const verdicts = new Map<string, number>();
    return rows.filter((row) => {
      if (row.type === 'sent') return !this.#index.has(row);
      const number = (verdicts.get(attemptKey(row)) ?? 0) + 1;
      verdicts.set(attemptKey(row), number);
      return number > this.#index.verdictsOn(row);
    });
  }

  /** The attempts whose bodies and notes may be erased. */
  erasable(before: number): readonly AttemptRecord[] {
    return this.#index.settledBefore(before);
  }

  /** The stored form of a row that comes next. */
  link(row: JournalRow): StoredRow {
    return link(row, this.#seq + 1, this.#head);
  }

  /** Throws CliError 'refused' for a second SENT row of an attempt, and for a verdict without its SENT row. */
  refuseMisplaced(row: JournalRow): void {
    if (row.type === 'setting') return;
    const isOfAttempt = row.type === 'sent' || row.type === 'verdict';
    if (isOfAttempt && !isMisplaced(row, this.#index.has(row))) return;
    // Only the server of a team's journal writes the others.
    const whose = row.type === 'limit' ? row.member : row.intent;
    throw new CliError('refused', `the journal cannot hold this row of ${whose}`, { certain });
  }

  /** Where the changes of an origin are recorded; undefined: in this journal. */
  movedTo(origin: string): MovedTo | undefined {
    return this.#moved.of(origin);
  }

  /**
   * Throws CliError 'refused' for a row of an account whose changes are recorded elsewhere, and for the mark that says so while
   * a change of the account may be on its way.
   */
  refuseMoved(row: JournalRow): void {
    if (row.type === 'sent') this.#moved.refuse(row.origin);
    if (row.type === 'verdict')
      for (const { sent } of this.#index.attempts({ intent: row.intent })) this.#moved.refuse(sent.origin);
    if (row.type === 'setting' && isMark(row) && row.to !== null)
      refuseWhileSending(row.origin, this.#index.attempts({ unconfirmed: true }));
  }

  /**
   * Throws CliError 'refused' while there is an unsettled change whose row was lost and whose account is unknown, and when a row
   * about where changes are recorded cannot be understood.
   */
  refuseWhileLost(): void {
    if (this.#strangeMark !== undefined)
      throw new CliError(
        'refused',
        `nobody can read where changes are recorded: row ${this.#strangeMark} of the journal has another form`,
        { certain, now: ['find out who wrote that row: paydesk did not'] },
      );
    const [lost] = this.#index.attempts({ origin: '', unconfirmed: true });
    if (lost === undefined) return;
    const { intent } = lost.sent;
    throw new CliError('refused', `rows of the journal are lost: ${intent} may be a change that was sent`, {
      certain,
      now: [
        "look at the orders that were changed lately on the service's own screen; then record that you did:",
        `paydesk journal settle ${intent} --not-applied --note TEXT`,
      ],
    });
  }

  /**
   * Throws CliError 'refused' for a SENT row when this run has not seen what another run added after it asked. The
   * lock on the order usually prevents that, but somebody may have removed the lock. Two runs under one script's id
   * on different orders share no lock, so only this rule stops the second one.
   */
  refuseUnseen(row: JournalRow): void {
    if (row.type !== 'sent') return;
    this.#refuseUnseenOnOrder(row);
    this.#refuseUnseenUnderScript(row);
  }

  #refuseUnseenOnOrder({ proof: { orderId } }: SentRow): void {
    const seen = orderId === undefined ? undefined : this.#askedForOrder.get(orderId);
    if (orderId === undefined || seen === undefined || this.#index.newestOf(orderId) <= seen) return;
    throw new CliError('refused', `another run changed ${orderId} in the meantime`, {
      certain,
      now: [`paydesk journal list --order ${orderId}`, 'then decide again'],
    });
  }

  #refuseUnseenUnderScript(row: SentRow): void {
    const { given, proof, asked } = row;
    const seen = given === undefined ? undefined : this.#askedForScript.get(given);
    if (given === undefined || seen === undefined) return;
    const attempt = this.#index.newestUnder(given, seen);
    if (attempt === undefined || !mayBeSameAccount(marksOf(attempt.sent), marksOf(row))) return;
    const now = { kind: proof.kind, asked, livemode: proof.livemode };
    if (isOtherRequest(now, attempt)) throw refusalError({ why: 'other_parameters', attempt, now }, given);
    throw new CliError('refused', `another run under the script id ${given} (--intent) came first`, {
      certain,
      now: [`paydesk journal show ${attempt.sent.intent}`],
    });
  }
}

/** Whether a row has no place in the journal: each attempt has one SENT row, and no verdict comes without it. */
export function isMisplaced(row: AttemptRow, hasSent: boolean): boolean {
  return hasSent === (row.type === 'sent');
}

// Other rows decide nothing about attempts, not even what time it is.
function isOfAttempt({ type }: StoredRow): boolean {
  return type === 'sent' || type === 'verdict';
}
