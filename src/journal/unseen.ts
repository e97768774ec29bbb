/** Refuses a SENT row when another run wrote about the same order or script's id after this run had looked. */

import { CliError } from '../errors.ts';
import type { AttemptQuery } from './journal.ts';
import type { JournalRow, SentRow } from './rows.ts';
import { marksOf, mayBeSameAccount } from './same-account.ts';
import { isOtherWish } from './same-wish.ts';
import type { Shelf } from './shelf.ts';
import { refusalError } from './words.ts';

const certain = 'nothing was sent';

/** What one run has looked at. */
export class Looks {
  readonly #orders = new Map<string, number>();
  readonly #scripts = new Map<string, number>();

  /** Every row up to this number has been seen by whoever asked. */
  note({ orderId, given }: AttemptQuery, seq: number): void {
    if (orderId !== undefined) this.#orders.set(orderId, seq);
    if (given !== undefined) this.#scripts.set(given, seq);
  }

  /**
   * Refuses a SENT row of a run that did not see what another one wrote since it looked. The lock on the order keeps
   * that from happening, as long as nobody removes it; this does not rest on it. Runs of one script's id on two orders
   * share no lock: of them only this keeps the second from being sent.
   */
  refuseUnseen(row: JournalRow, shelf: Shelf): void {
    if (row.type !== 'sent') return;
    this.#refuseOnOrder(row, shelf);
    this.#refuseUnderScript(row, shelf);
  }

  #refuseOnOrder({ proof: { orderId } }: SentRow, shelf: Shelf): void {
    const looked = orderId === undefined ? undefined : this.#orders.get(orderId);
    if (orderId === undefined || looked === undefined || shelf.newestOf(orderId) <= looked) return;
    throw new CliError('refused', `another run changed ${orderId} meanwhile, past the lock on it`, {
      certain,
      now: [`paydesk journal list --order ${orderId}`, 'then decide anew'],
    });
  }

  #refuseUnderScript(row: SentRow, shelf: Shelf): void {
    const { given, proof, asked } = row;
    const looked = given === undefined ? undefined : this.#scripts.get(given);
    if (given === undefined || looked === undefined) return;
    const attempt = shelf.newestUnder({ given }, looked);
    if (attempt === undefined || !mayBeSameAccount(marksOf(attempt.sent), marksOf(row))) return;
    const now = { kind: proof.kind, asked };
    if (isOtherWish(now, attempt)) throw refusalError({ why: 'other_parameters', attempt, now }, given);
    throw new CliError('refused', `another run under the intent ${given} came first`, {
      certain,
      now: [`paydesk journal show ${attempt.sent.intent}`],
    });
  }
}
