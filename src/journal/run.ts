/** The one door for changes: carries out the effects of attempt.ts. The only caller of the sending function. */

import { livemodeOf } from '../api/spec.ts';
import type {
  Change,
  Clock,
  Held,
  Intent,
  JournalStore,
  Locks,
  Notes,
  Outcome,
  SendOnce,
  SendReport,
  Service,
  WireRecord,
} from '../ports.ts';
import { begin, step } from './attempt.ts';
import { verdictOf } from './guards.ts';
import { type LastRead, lookAt } from './look.ts';
import { outcomeOf } from './outcome.ts';
import type { Effect, Event, Wanted } from './protocol.ts';
import { hear } from './reply.ts';
import { momentOf } from './time.ts';
import { refusalError } from './words.ts';

export interface ChangeParts {
  readonly service: Service;
  readonly send: SendOnce;
  readonly locks: Locks;
  readonly store: JournalStore;
  readonly clock: Clock;
  /** As stated by this machine: the system user, or PAYDESK_OPERATOR. */
  readonly operator: string;
  readonly version?: string | undefined;
  readonly options: { readonly dryRun: boolean; readonly timeoutMs: number };
  readonly notes: Pick<Notes, 'progress'>;
  /** A new id for the journal, such as `i_7f3k2m`. */
  readonly ids: () => string;
  /** Ctrl-C and its like: stops what was not sent; ends the waiting, never the sending. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the door: what goes through it is sent at most once, and its outcome is written down before it is returned. */
export function createChange(parts: ChangeParts): Change {
  return async (intent) => {
    const run = new Run(parts, intent);
    try {
      return await run.outcome();
    } finally {
      await run.letGo();
    }
  };
}

class Run {
  readonly #parts: ChangeParts;
  readonly #intent: Intent;
  readonly #wanted: Wanted;
  #held: Held | undefined;
  #last: LastRead | undefined;
  #reply: WireRecord | undefined;

  constructor(parts: ChangeParts, intent: Intent) {
    this.#parts = parts;
    this.#intent = intent;
    this.#wanted = wantedOf(parts, intent);
  }

  async outcome(): Promise<Outcome> {
    let { state, effect } = begin(this.#wanted);
    while (state.at !== 'done') ({ state, effect } = step(state, await this.#carryOut(effect)));
    const { end } = state;
    const intent = this.#intent;
    if (end.how === 'refused') {
      const subject = intent.orderId ?? `this ${intent.kind}`;
      throw refusalError(end.refusal, subject, this.#parts.service.profile.name);
    }
    if (end.how === 'dry_run')
      return { verdict: 'dry_run', request: intent.request, checks: intent.checks ?? [] };
    const reply = this.#reply;
    if (end.how === 'verdict')
      return outcomeOf(end.sent, end.verdict, { ...end, reply, read: this.#last?.record });
    const { sent } = end.attempt;
    const read = await this.#lookNow();
    return outcomeOf(sent, verdictOf(end.attempt), { read, reads: 0, recorded: true });
  }

  async letGo(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.release();
  }

  #carryOut(effect: Effect): Promise<Event> {
    switch (effect.do) {
      case 'lock':
        return this.#orStopped(() => this.#lock());
      case 'look':
        return this.#orStopped(() => this.#look());
      case 'read':
        return this.#orStopped(() => this.#read());
      case 'approve':
        return this.#orStopped(() => this.#approve());
      case 'record':
        return this.#record(effect);
      case 'send':
        return this.#send();
      case 'wait':
        return this.#wait(effect.ms);
      case 'reread':
        return this.#reread();
      case 'release':
        return this.letGo().then(() => ({ is: 'released' }));
      case 'finish':
        throw new Error('the journal met an effect after the end');
    }
  }

  #moment() {
    return momentOf(this.#parts.clock, this.#parts.store, this.#parts.service);
  }

  // The order as it is now, for a recorded outcome; not being able to read it changes nothing.
  async #lookNow(): Promise<WireRecord | undefined> {
    const { kind, orderId } = this.#wanted;
    return (await lookAt(this.#parts.service, { kind, orderId }).catch(() => undefined))?.record;
  }

  // Before the sending whatever goes wrong stops the run, and so does a signal.
  async #orStopped(act: () => Promise<Event>): Promise<Event> {
    try {
      const event = await act();
      this.#parts.signal?.throwIfAborted();
      return event;
    } catch (cause) {
      return { is: 'stopped', cause };
    }
  }

  async #lock(): Promise<Event> {
    const { locks, options, signal } = this.#parts;
    const { about, orderId, given, intent } = this.#wanted;
    const name = `${about.origin} ${orderId ?? given ?? intent}`;
    const taken = await locks.take(name, { waitMs: options.timeoutMs, ...(signal && { signal }) });
    if (!taken.held) return { is: 'busy', owner: taken.owner };
    this.#held = taken;
    return { is: 'locked' };
  }

  async #look(): Promise<Event> {
    const { store } = this.#parts;
    const { about, orderId, given } = this.#wanted;
    const { origin } = about;
    const ofOrder = orderId === undefined ? [] : await store.attempts({ origin, orderId });
    const ofGiven = given === undefined ? [] : await store.attempts({ origin, given });
    const strangers = ofGiven.filter(({ sent }) => sent.proof.orderId !== orderId || orderId === undefined);
    return { is: 'known', attempts: [...ofOrder, ...strangers], moment: await this.#moment() };
  }

  async #read(): Promise<Event> {
    const { service } = this.#parts;
    const { kind, orderId } = this.#wanted;
    this.#last = await lookAt(service, { kind, orderId });
    const { value, neighbour } = this.#last;
    return { is: 'fresh', value, neighbour, moment: await this.#moment() };
  }

  async #approve(): Promise<Event> {
    if (this.#last?.record !== undefined) await this.#intent.approve(this.#last.record);
    return { is: 'approved', moment: await this.#moment() };
  }

  async #record({ row }: Extract<Effect, { do: 'record' }>): Promise<Event> {
    try {
      await this.#parts.store.append(row);
    } catch (cause) {
      return { is: 'unrecorded', cause, moment: await this.#moment() };
    }
    return { is: 'recorded', moment: await this.#moment() };
  }

  async #send(): Promise<Event> {
    const { send, options } = this.#parts;
    // What was read before is not what became of it.
    this.#last = { value: undefined, neighbour: this.#last?.neighbour };
    const report = await send(this.#wanted.request, { timeoutMs: options.timeoutMs }).catch(asNoReply);
    const moment = await this.#moment();
    if (report.kind !== 'reply') return { is: report.kind, why: report.reason, moment };
    const heard = hear(report.reply);
    if ('value' in heard.body) this.#reply = { value: Object(heard.body.value), bytes: report.reply.body };
    return { is: 'replied', heard, moment };
  }

  async #wait(ms: number): Promise<Event> {
    const { clock, signal } = this.#parts;
    const stop = this.#parts.notes.progress(
      () => 'no usable answer: reading the order to see what became of it',
    );
    try {
      await clock.sleep(ms, signal);
      return { is: 'waited', hurried: false };
    } catch {
      return { is: 'waited', hurried: true };
    } finally {
      stop();
    }
  }

  async #reread(): Promise<Event> {
    const { kind, orderId } = this.#wanted;
    const neighbour = this.#last?.neighbour;
    try {
      const read = await lookAt(this.#parts.service, { kind, orderId, neighbour });
      this.#last = { ...read, neighbour: read.neighbour ?? neighbour };
      return { is: 'seen', value: read.value, moment: await this.#moment() };
    } catch (error) {
      return { is: 'unseen', why: String(error), moment: await this.#moment() };
    }
  }
}

// Whatever goes wrong in the sending, the request may have left.
function asNoReply(cause: unknown): SendReport {
  return { kind: 'no_reply', reason: `the sending broke off: ${String(cause)}`, cause };
}

function wantedOf({ service, operator, version, options, ids }: ChangeParts, intent: Intent): Wanted {
  const { profile, keyFingerprint } = service;
  const { settings, origin, account, name } = profile;
  const { kind, orderId, request, expected, tolerated, again, plan, ref, amount, currency, reason, note } =
    intent;
  const whole = request.body?.charge_id === undefined;
  return {
    kind,
    orderId,
    request,
    expected,
    tolerated,
    again,
    plan,
    ref,
    intent: ids(),
    given: intent.intentId,
    livemode: livemodeOf[profile.mode],
    dryRun: options.dryRun,
    sendWithinMs: settings['refund.send_within'],
    horizonMs: whole ? settings['refund.horizon_whole'] : settings['refund.horizon_part'],
    readAfterMs: settings['reconcile.after'],
    about: {
      origin,
      account,
      profile: name,
      keyFingerprint,
      operator,
      version,
      amount,
      currency,
      reason,
      note,
    },
  };
}
