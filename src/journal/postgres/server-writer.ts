/**
 * Adds rows at the server of a team: a SENT row, which is there or nothing is sent, and verdicts, which are sent again until it is
 * known that they are there.
 */

import { CliError } from '../../errors.ts';
import type { Clock } from '../../io.ts';
import { type StoredRow, unstamped } from '../chain.ts';
import {
  type AttemptRow,
  attemptKey,
  type JournalRow,
  type SentRow,
  type VerdictRow,
} from '../journal-rows.ts';
import { codeOf, isCertain } from './connection.ts';
import type { Desk } from './desk.ts';
import type { Mirror } from './mirror.ts';
import { writerVersion } from './schema.ts';
import { readRow } from './server-check.ts';
import { isInTheWay, outcomeUnknown, refusedByServer } from './server-errors.ts';

interface WriterParts {
  readonly desk: Desk;
  readonly mirror: Mirror;
  /** Where the journal is, for messages. */
  readonly place: string;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** How long a row whose outcome is unknown is asked about, in milliseconds. */
  readonly insistMs: number;
}

/** Writes for one run. */
export class ServerWriter {
  readonly #parts: WriterParts;
  // SENT rows of which it is not known whether the server has them.
  readonly #unknown = new Set<string>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Adds a row, as `append` of the store. */
  async append(row: JournalRow): Promise<void> {
    await this.#parts.desk.connect();
    const { mirror } = this.#parts;
    if (row.type !== 'verdict') await mirror.ask((known) => known.refuseWhileLost());
    switch (row.type) {
      case 'sent':
        return await this.#appendSent(row);
      case 'verdict':
        return await this.#appendVerdict(row);
      case 'setting': {
        const { rest } = unstamped(row);
        return await this.add(await this.#ask('record_setting', writerVersion, rest));
      }
      default:
        return await mirror.ask((known) => known.refuseMisplaced(row));
    }
  }

  async #appendSent(row: SentRow): Promise<void> {
    const { rest, body } = unstamped(row);
    const seen = await this.#parts.mirror.ask((known) => known.seenOf(row));
    const within = Math.max(0, Math.ceil(row.sendBy - row.time));
    const { intent, attempt } = row;
    const values = [writerVersion, intent, attempt, seen.order, seen.given, within, rest, body];
    this.#unknown.add(attemptKey(row));
    try {
      await this.add(await this.#ask('record_sent', ...values));
    } catch (error) {
      if (!isCertain(error)) throw outcomeUnknown(error, this.#parts.place, intent);
      this.#unknown.delete(attemptKey(row));
      throw await this.#refusalOf(error, row);
    }
    this.#unknown.delete(attemptKey(row));
  }

  async #appendVerdict(row: VerdictRow): Promise<void> {
    const { rest, body } = unstamped(row);
    const { intent, attempt } = row;
    // The same number every time: a verdict whose outcome was unknown must not be there twice.
    const number = (await this.#parts.mirror.ask((known) => known.verdictsOn(row))) + 1;
    const values = [writerVersion, intent, attempt, number, rest, body];
    try {
      await this.add(await this.insist(rowWords(row), () => this.#ask('record_verdict', ...values)));
    } catch (error) {
      throw isCertain(error) ? await this.#refusalOf(error, row) : error;
    }
  }

  // What the rules say of the rows that have come since tells more than the server's code.
  async #refusalOf(error: unknown, row: AttemptRow): Promise<CliError> {
    if (['PD010', 'PD012', 'PD013'].includes(codeOf(error) ?? '')) {
      await this.#parts.desk.refresh();
      try {
        await this.#parts.mirror.ask((known) => {
          known.refuseMisplaced(row);
          known.refuseUnseen(row);
        });
      } catch (refusal) {
        if (refusal instanceof CliError) return refusal;
      }
    }
    return refusedByServer(error, this.#parts.place);
  }

  /** Records that nothing was sent, if it is not known whether the server has that SENT row. */
  async takeBack(sent: SentRow, verdict: VerdictRow): Promise<void> {
    if (!this.#unknown.has(attemptKey(sent))) return;
    const { intent, attempt } = sent;
    const { rest } = unstamped(verdict);
    try {
      await this.insist(rowWords(sent), () => this.#ask('take_back', writerVersion, intent, attempt, rest));
    } catch (error) {
      throw isCertain(error) ? refusedByServer(error, this.#parts.place) : error;
    }
    // The mirror fetches the row when it can be written again.
    this.#unknown.delete(attemptKey(sent));
  }

  /** The same statement again, on a new connection, until its outcome is known: the server does it once. Gives up after a time. */
  async insist<T>(what: string, act: () => Promise<T>): Promise<T> {
    const { clock, insistMs } = this.#parts;
    const until = clock.monotonic() + insistMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 1000)) {
      try {
        return await act();
      } catch (error) {
        if (isCertain(error) && !isInTheWay(error)) throw error;
        // That the server is another one does not change. That nobody answers may.
        if (error instanceof CliError && !this.#parts.desk.isAway(error)) throw error;
        if (clock.monotonic() + pauseMs > until) throw outcomeUnknown(error, this.#parts.place, what);
        await clock.sleep(pauseMs);
      }
    }
  }

  // Asks once more if others were in the way: then the server did nothing. Only for what comes before a sending.
  async #ask(name: string, ...values: Parameters<Desk['call']>[1]): Promise<StoredRow> {
    try {
      return readRow(await this.#parts.desk.call(name, values));
    } catch (error) {
      if (!isInTheWay(error) || name !== 'record_sent') throw error;
      return readRow(await this.#parts.desk.call(name, values));
    }
  }

  /** Takes the row as the server has it. Rows of others may have come before it. */
  async add(row: StoredRow): Promise<void> {
    if (row.seq === this.#parts.mirror.end.seq + 1) return await this.#parts.desk.take([row]);
    if (row.seq > this.#parts.mirror.end.seq) await this.#parts.desk.refresh();
  }
}

function rowWords({ type, intent }: AttemptRow): string {
  return `a ${type} row of ${intent}`;
}
