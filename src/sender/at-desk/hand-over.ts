/** Hands a change to the sender and reports how it ended, even if the connection breaks. */

import { CliError, refused } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import type { Change, ChangeRun, Outcome } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Notes } from '../../terminal/terminal.ts';
import {
  type EndLine,
  type HandOver,
  type Line,
  outcomeFromWire,
  recordFromWire,
  recordToWire,
} from '../change-wire.ts';
import { errorFromWire, hopPaths } from '../wire.ts';
import { type HandedOver, noteOf } from './handed-over.ts';
import type { Heard, Hop } from './hop.ts';

export interface DeskParts {
  readonly hop: Hop;
  /** The account's name at the sender, and the sender's address. */
  readonly account: string;
  readonly sender: string;
  readonly handedOver: HandedOver;
  readonly notes: Pick<Notes, 'note' | 'warn' | 'waiting'>;
  readonly clock: ClockWithTimers;
  readonly profile: Profile;
  readonly zone: () => string | undefined;
  readonly timeoutMs: number;
  /** Formats a time (Unix milliseconds) for messages. */
  readonly shortTime: (ms: number) => string;
  /** A person wants to stop: takes back what was not sent, and waits only for how the rest ended. */
  readonly stopWaiting: AbortSignal;
  /** A person insists: stops all waiting. */
  readonly leave: AbortSignal;
  /** The sender is about to send. Returns a function to call at the end. */
  readonly startChange: (change?: string) => () => void;
  /** What is known about the journal may now be out of date. */
  readonly changed: () => void;
}

interface Handed {
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /** Unix milliseconds. */
  readonly at: number;
  readonly orderId: string | undefined;
}

const tries = 4;
const pauseMs = 300;
// An order that changes with every read is finally refused.
const mostShown = 5;

/**
 * Makes a change through the sender. Throws CliError 'unconfirmed' if the connection broke and the outcome is unknown, and
 * 'network' if certainly nothing was handed over.
 */
export async function changeThrough(
  parts: DeskParts,
  id: string,
  change: Change,
  run: ChangeRun,
): Promise<Outcome> {
  const { handedOver, clock, account, sender } = parts;
  const at = clock.now();
  const handed: Handed = { id, idempotencyKey: change.idempotencyKey, at, orderId: change.orderId };
  handedOver.write(noteOf(change, { change: id, at, sender, account }));
  const way = new Way(parts, handed);
  try {
    let { shown } = run;
    for (let times = 0; times < mostShown; times += 1) {
      const end = await way.deliver(bodyOf(parts, id, change, { ...run, shown }));
      if (!('changed' in end)) return outcomeIn(parts, end, way);
      const fresh = recordFromWire(end.changed);
      // Asks the person, or throws.
      await way.unlessClosed(() => run.checkFresh(fresh));
      shown = fresh;
    }
    throw refused(`${change.orderId ?? 'the order'} changes all the time`, [
      'run the same command again later',
    ]);
  } finally {
    way.end();
    parts.changed();
  }
}

function outcomeIn({ hop, stopWaiting }: DeskParts, end: EndLine, { why }: Way): Outcome {
  if ('end' in end) return outcomeFromWire(end.end);
  // The person stopped it: that is the reason.
  if ('closed' in end || ('refused' in end && end.refused.kind === 'interrupted'))
    stopWaiting.throwIfAborted();
  if ('refused' in end) throw errorFromWire(end.refused);
  throw new CliError('network', `the sender ${hop.name} did not answer in time: ${why}`, {
    certain: 'it was taken back before anything was sent',
    now: ['run the same command again'],
  });
}

function bodyOf(
  { profile, zone, timeoutMs }: DeskParts,
  id: string,
  what: Change,
  { closed = [], shown }: Pick<ChangeRun, 'closed' | 'shown'>,
): HandOver {
  return JSON.parse(
    JSON.stringify({
      change: id,
      profile: profile.name,
      zone: zone(),
      timeoutMs,
      what,
      closed: closed.map(({ sent }) => sent.change),
      shown: shown && recordToWire(shown),
    }),
  );
}

/** What is known here about an id that may have been handed over. */
type Known = EndLine | 'not known here';

/** One change on its way to the sender and back. */
export class Way {
  readonly #parts: DeskParts;
  readonly #handed: Handed;
  /** How often it may have left this machine. */
  #sent = 0;
  why = '';
  /** The sender's answer to the last request, if it refused it. */
  #refused: CliError | undefined;
  #stopWaitingLine: (() => void) | undefined;
  #changeEnded: (() => void) | undefined;
  #waiting = '';

  constructor(parts: DeskParts, handed: Handed, { isNew = true }: { readonly isNew?: boolean } = {}) {
    this.#parts = parts;
    this.#handed = handed;
    if (!isNew) this.#sent = 1;
  }

  end(): void {
    this.#stopWaitingLine?.();
    this.#stopWaitingLine = undefined;
    this.#changeEnded?.();
    this.#changeEnded = undefined;
  }

  /**
   * Hands it over, repeats that if the connection breaks, and takes it back if that does not help. Throws the refusal, or
   * CliError 'unconfirmed' or 'network'.
   */
  async deliver(body: HandOver): Promise<EndLine> {
    const { hop, account, stopWaiting, leave } = this.#parts;
    const path = hopPaths.changes(account);
    const takeBack = () => void this.withdraw();
    stopWaiting.addEventListener('abort', takeBack);
    try {
      for (let round = 1; round <= tries && !stopWaiting.aborted; round += 1) {
        if (round > 1) await this.#pause(round);
        const heard = await hop.listen({ method: 'POST', path, body }, this.#hear, leave);
        if (heard.how === 'end' || (heard.how === 'broke' && heard.sent)) this.#sent += 1;
        const end = this.#endIn(heard);
        if (end !== undefined && !('refused' in end && this.#sent > 1)) return end;
        // After two hand-overs one may still be on its way: only a closed id is certainly refused.
        if (end === undefined) continue;
        const known = await this.#takenBack();
        return 'closed' in known ? end : known;
      }
    } finally {
      stopWaiting.removeEventListener('abort', takeBack);
    }
    if (this.#sent === 0) {
      stopWaiting.throwIfAborted();
      throw this.#refused ?? notHandedOver(hop.name, this.why);
    }
    return await this.#takenBack();
  }

  // Undefined: not known yet, so ask again. Throws the sender's answer to a request that it did not take.
  #endIn(heard: Heard): EndLine | undefined {
    if (heard.how === 'end') return heard.line;
    this.why = heard.how === 'broke' ? heard.why : heard.error.message;
    this.#refused = heard.how === 'broke' ? undefined : heard.error;
    if (this.#refused === undefined || this.#refused.kind === 'network' || this.#sent > 0) return undefined;
    throw this.#refused;
  }

  async #takenBack(): Promise<EndLine> {
    const known = await this.withdraw();
    if (known === 'not known here') throw unknownHere(this.#parts, this.#handed);
    return known;
  }

  /** Runs `act`. If it throws, nothing may be sent any more, and the id is closed if it may still be on its way. */
  async unlessClosed(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (this.#sent > 1) await this.#takenBack();
      throw error;
    }
  }

  /** How it ended, without handing it over: follows it if it is under way. Closes an id that the sender does not know. */
  async ask(): Promise<Known> {
    const { hop, account, leave } = this.#parts;
    const { id, idempotencyKey } = this.#handed;
    const query = idempotencyKey === undefined ? '' : `?idempotencyKey=${encodeURIComponent(idempotencyKey)}`;
    const path = `${hopPaths.change(account, id)}${query}`;
    const heard = await hop.listen({ method: 'GET', path }, this.#hear, leave);
    if (heard.how === 'end' && !('unknown' in heard.line)) return heard.line;
    return await this.withdraw();
  }

  /** Closes the id for good, unless something was sent under it. */
  async withdraw(): Promise<Known> {
    const { hop, account, leave, clock } = this.#parts;
    const { id, idempotencyKey } = this.#handed;
    const request = {
      method: 'POST',
      path: hopPaths.withdraw(account, id),
      body: { idempotencyKey },
    } as const;
    for (let round = 1; round <= tries && !leave.aborted; round += 1) {
      if (round > 1) await clock.sleep(pauseMs * 2 ** round, leave).catch(() => undefined);
      const heard = await hop.listen(request, () => undefined, leave);
      if (heard.how === 'end' && !('unknown' in heard.line)) return heard.line;
    }
    return 'not known here';
  }

  async #pause(round: number): Promise<void> {
    const { clock, hop, stopWaiting } = this.#parts;
    this.#say(
      `the connection to the sender ${hop.name} broke (${this.why}); asking again (${round} of ${tries})`,
      true,
    );
    await clock.sleep(pauseMs * 2 ** round, stopWaiting).catch(() => undefined);
  }

  readonly #hear = (line: Line): void => {
    const { notes, startChange } = this.#parts;
    if ('note' in line) notes.note(line.note);
    else if ('warn' in line) notes.warn(line.warn);
    else if ('waiting' in line) this.#say(line.waiting, line.atOnce === true);
    else if ('at' in line && line.at === 'sent') this.#changeEnded ??= startChange(this.#handed.id);
  };

  #say(line: string | null, atOnce: boolean): void {
    this.#waiting = line ?? '';
    if (line !== null && this.#stopWaitingLine !== undefined) return;
    this.#stopWaitingLine?.();
    this.#stopWaitingLine =
      line === null ? undefined : this.#parts.notes.waiting(() => this.#waiting, atOnce);
  }
}

/** The error when certainly nothing was handed over. */
export function notHandedOver(name: string, why: string): CliError {
  return new CliError('network', `the sender ${name} does not answer: ${why}`, {
    certain: 'not handed over; nothing was sent',
    now: ['run the same command again when it answers'],
  });
}

/** The error when it was handed over and the outcome is unknown here. */
export function unknownHere({ hop, shortTime }: DeskParts, { id, at, orderId }: Handed): CliError {
  return new CliError(
    'unconfirmed',
    `handed over to the sender ${hop.name} at ${shortTime(at)}; what became of it is not known here`,
    {
      change: id,
      orderId,
      certain: 'the sender sends it once at most',
      now: ['the same command asks again', `paydesk journal show ${id}`],
    },
  );
}
