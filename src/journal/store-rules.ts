/** The rules that every store of the journal keeps, whatever it keeps its rows in. A store calls them before it adds a row. Pure. */

import { CliError } from '../errors.ts';
import { AttemptIndex } from './attempt-index.ts';
import { chainStart, link, type StoredRow } from './chain.ts';
import type { AttemptRecord, JournalRow, SentRow } from './journal-rows.ts';
import type { AttemptQuery, NewestRow } from './journal-store.ts';
import { refusalError } from './refusal-error.ts';
import { marksOf, mayBeSameAccount } from './same-account.ts';
import { isOtherRequest } from './same-request.ts';

const certain = 'nothing was sent';

/** What one run has read of the journal so far, and what it may add to that. */
export class StoreRules {
  readonly #index = new AttemptIndex();
  #seq = 0;
  #head = chainStart;
  // The number of the newest row at the time this run asked for the attempts on an order, or under a script's id.
  readonly #askedForOrder = new Map<string, number>();
  readonly #askedForScript = new Map<string, number>();

  /** The end of the chain so far: number and hash of the newest row. */
  get end(): { readonly seq: number; readonly head: string } {
    return { seq: this.#seq, head: this.#head };
  }

  get newest(): NewestRow {
    return this.#index.newest;
  }

  /** Adds rows that follow those so far and whose chain was checked. */
  read(rows: readonly StoredRow[]): void {
    this.#index.add(rows);
    const last = rows.at(-1);
    if (last !== undefined) [this.#seq, this.#head] = [last.seq, last.hash];
  }

  /** The attempts that a query means. From now on this run counts as having seen them. */
  attempts(query: AttemptQuery): readonly AttemptRecord[] {
    const { orderId, given } = query;
    if (orderId !== undefined) this.#askedForOrder.set(orderId, this.#seq);
    if (given !== undefined) this.#askedForScript.set(given, this.#seq);
    return this.#index.attempts(query);
  }

  /** The attempts whose bodies and notes may be erased. */
  erasable(before: number): readonly AttemptRecord[] {
    return this.#index.settledBefore(before);
  }

  /** The row as it is stored after those so far. */
  link(row: JournalRow): StoredRow {
    return link(row, this.#seq + 1, this.#head);
  }

  /** Throws CliError 'refused' for a second SENT row of an attempt, and for a verdict without one. */
  refuseMisplaced(row: JournalRow): void {
    if (!isMisplaced(row, this.#index.has(row))) return;
    throw new CliError('refused', `the journal cannot hold this row of ${row.intent}`, { certain });
  }

  /** Throws CliError 'refused' while a change that a repair could not read, of an account that nobody knows, is not settled. */
  refuseWhileLost(): void {
    const [lost] = this.#index.attempts({ origin: '', unsettled: true });
    if (lost === undefined) return;
    const { intent } = lost.sent;
    throw new CliError(
      'refused',
      `the journal lost rows that nobody can read: ${intent} may be a change that was sent`,
      {
        certain,
        now: [
          'look in the service at the orders that were changed lately; then say that you have:',
          `paydesk journal settle ${intent} --not-applied --note TEXT`,
        ],
      },
    );
  }

  /**
   * Throws CliError 'refused' for a SENT row of a run that has not seen what another run has added since it asked. The lock
   * on the order prevents that as long as nobody removes it; this rule does not rest on the lock. Two runs under one
   * script's id on different orders share no lock, so only this rule stops the second one.
   */
  refuseUnseen(row: JournalRow): void {
    if (row.type !== 'sent') return;
    this.#refuseUnseenOnOrder(row);
    this.#refuseUnseenUnderScript(row);
  }

  #refuseUnseenOnOrder({ proof: { orderId } }: SentRow): void {
    const seen = orderId === undefined ? undefined : this.#askedForOrder.get(orderId);
    if (orderId === undefined || seen === undefined || this.#index.newestOf(orderId) <= seen) return;
    throw new CliError('refused', `another run changed ${orderId} meanwhile, past the lock on it`, {
      certain,
      now: [`paydesk journal list --order ${orderId}`, 'then decide anew'],
    });
  }

  #refuseUnseenUnderScript(row: SentRow): void {
    const { given, proof, asked } = row;
    const seen = given === undefined ? undefined : this.#askedForScript.get(given);
    if (given === undefined || seen === undefined) return;
    const attempt = this.#index.newestUnder({ given }, seen);
    if (attempt === undefined || !mayBeSameAccount(marksOf(attempt.sent), marksOf(row))) return;
    const now = { kind: proof.kind, asked };
    if (isOtherRequest(now, attempt)) throw refusalError({ why: 'other_parameters', attempt, now }, given);
    throw new CliError('refused', `another run under the intent ${given} came first`, {
      certain,
      now: [`paydesk journal show ${attempt.sent.intent}`],
    });
  }
}

/** Whether the journal cannot hold a row: each attempt has one SENT row, and no verdict comes without it. */
export function isMisplaced(row: JournalRow, hasSent: boolean): boolean {
  return hasSent === (row.type === 'sent');
}
