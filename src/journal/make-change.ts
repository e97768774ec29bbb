/** Makes a change at most once: carries out the effects of the protocol. Nothing else calls the function that sends. */

import type { ReplyHead, SendOnce, SendReport, WireRecord } from '../api/api.ts';
import { isObject } from '../api/json-values.ts';
import { livemodeOf } from '../api/spec.ts';
import type { Notes } from '../terminal/terminal.ts';
import { begin, step } from './at-most-once.ts';
import { blockedUntil, verdictOf } from './attempt-state.ts';
import type { Change, ChangeRun, MakeChange, Outcome } from './change.ts';
import { outcomeOf, toldAgain } from './change-outcome.ts';
import { type EffectParts, Effects, recordIn } from './effects.ts';
import { appeared } from './guards.ts';
import { parseReply } from './judge-reply.ts';
import type { Effect, End, Event, Wanted } from './protocol-types.ts';
import { reconcileDue } from './read-again.ts';
import type { AttemptRecord, VerdictRow } from './rows/journal-rows.ts';
import { marksOfService } from './same-account.ts';
import { alarmText } from './words/alarm-words.ts';
import { refusalError } from './words/refusal-error.ts';
import { changeOf, type HowShown, named } from './words/refusal-words.ts';
import { startWaitingLine } from './words/waiting-line.ts';

/** Where a change prints what it finds out, line by line, and what it waits for. */
export interface ChangeNotes extends Pick<Notes, 'waiting'> {
  note(line: string): void;
  warn(line: string): void;
}

/**
 * `signal`: Ctrl-C and the like. It stops a change before the sending, ends the waiting after it, and never stops the sending
 * itself.
 */
export interface ChangeParts extends Omit<EffectParts, 'timeoutMs'> {
  readonly send: SendOnce;
  /** Who runs paydesk: the system user, or the value of PAYDESK_OPERATOR. */
  readonly operator: string;
  readonly version?: string | undefined;
  readonly options: { readonly dryRun: boolean; readonly timeoutMs: number };
  readonly notes: ChangeNotes;
  /** A new id for the journal, such as `i_7f3k2m`. */
  readonly ids: () => string;
}

/** The change is sent at most once, and its outcome is written down before it is returned. */
export function createChange(parts: ChangeParts): MakeChange {
  return async (change, how) => {
    const noMoreRows = parts.store.expectRows?.();
    try {
      await parts.store.ready();
      const found = await reconcileFirst(parts, change);
      const run = new Run(parts, change, how);
      run.refuseAppeared([...(how.closed ?? []), ...found]);
      try {
        return await run.outcome();
      } finally {
        await run.effects.release();
      }
    } finally {
      noMoreRows?.();
    }
  };
}

// Every change first reads due attempts again. The guards refuse the change when one is still open.
async function reconcileFirst(
  parts: ChangeParts,
  { orderId, idempotencyKey, plan }: Change,
): Promise<readonly AttemptRecord[]> {
  const { options } = parts;
  if (options.dryRun) return [];
  const looked = await reconcileDue(
    { ...parts, timeoutMs: options.timeoutMs },
    {
      orderId,
      idempotencyKey,
      // A batch has read its unconfirmed rows before. Reading other orders here would cost one more request for every row.
      only: plan !== undefined,
    },
  );
  for (const { record, added } of looked) tellNews(parts, orderId, record, added);
  return looked.filter(({ added }) => added !== undefined).map(({ record }) => record);
}

// A watched refund that is as it should be gets no line. The order is named: an alarm in the middle of a refund must not look as if
// it were about that refund.
function tellNews(
  { notes, service }: ChangeParts,
  own: string | undefined,
  record: AttemptRecord,
  added: VerdictRow | undefined,
): void {
  if (added === undefined || (added.alarm === undefined && record.verdicts.at(-2)?.verdict === 'applied'))
    return;
  const { alarm } = added;
  const { settings } = service.profile;
  const { change } = record.sent;
  const show = `paydesk journal show ${change}`;
  const { orderId } = record.sent.proof;
  const where =
    orderId === undefined
      ? 'an earlier change'
      : orderId === own
        ? 'this order, an earlier change'
        : `another order, ${orderId}`;
  if (alarm === undefined) notes.note(`${where}: looked up again: ${named(record, settings)}: ${show}`);
  // `named` would call this change made, and that is not what the alarm says.
  else
    notes.warn(`${where}: ${alarmText(record) ?? alarm}: ${change}, ${changeOf(record, settings)}: ${show}`);
}

const silent: Pick<Notes, 'waiting'> = { waiting: () => () => undefined };

class Run {
  readonly effects: Effects;
  readonly #parts: ChangeParts;
  readonly #change: Change;
  readonly #how: ChangeRun;
  readonly #wanted: Wanted;
  #reply: WireRecord | undefined;
  #head: ReplyHead | undefined;
  readonly #verdicts: VerdictRow[] = [];

  constructor(parts: ChangeParts, change: Change, how: ChangeRun) {
    this.#parts = parts;
    this.#change = change;
    this.#how = how;
    this.#wanted = wantedOf(parts, change);
    // In a batch another row may hold the same lock while it waits for its reply, and then for the reads after it.
    const timeoutMs = parts.options.timeoutMs * (change.plan === undefined ? 1 : 5);
    this.effects = new Effects(
      { ...parts, timeoutMs },
      {
        ...this.#wanted,
        account: marksOfService(parts.service),
        // A script that gives its own idempotency key wants another order, even if that one is equal.
        equal: change.idempotencyKey === undefined ? 'of a day' : undefined,
      },
      change.neighbour,
    );
  }

  /** Throws CliError 'refused' when one of these attempts has made the wanted change after all. */
  refuseAppeared(closed: readonly AttemptRecord[]): void {
    const refusal = appeared(this.#wanted, closed);
    if (refusal !== undefined) throw refusalError(refusal, this.#subject(), this.#howShown());
  }

  #howShown(): HowShown {
    const { shortTime, service } = this.#parts;
    const { settings: amounts, name: profile } = service.profile;
    const { currency, request, note } = this.#change;
    return { shortTime, amounts, currency, profile, asked: { body: request.body, note } };
  }

  #subject(): string {
    const { orderId, kind } = this.#change;
    return orderId ?? `this ${kind === 'order' ? 'order creation' : kind}`;
  }

  async outcome(): Promise<Outcome> {
    const { notes, options } = this.#parts;
    // The rows of a plan are sent at the same time, and their batch shows its own progress.
    const { plan } = this.#change;
    const { waiting } = this.#how;
    const own = waiting === undefined ? silent : { waiting };
    const line = startWaitingLine(plan === undefined ? notes : own, options.timeoutMs);
    let { state, effect } = begin(this.#wanted);
    try {
      while (state.at !== 'done') {
        line.follow(state);
        ({ state, effect } = step(state, await this.#carryOut(effect)));
      }
    } finally {
      line.end();
    }
    return this.#outcomeOf(state.end);
  }

  async #outcomeOf(end: End): Promise<Outcome> {
    const { request } = this.#change;
    switch (end.how) {
      case 'refused':
        throw refusalError(end.refusal, this.#subject(), this.#howShown());
      case 'dry_run':
        return { verdict: 'dry_run', request, checks: this.#how.checks ?? [] };
      case 'verdict': {
        const record = { sent: end.sent, verdicts: this.#verdicts };
        return outcomeOf(record, {
          ...end,
          reply: this.#reply,
          head: this.#head,
          blockedUntil: blockedUntil(record),
          read: recordIn(this.effects.last, end.verdict.created),
        });
      }
      case 'recorded': {
        // Shows the order as it is now. If it cannot be read, the outcome is the same.
        await this.effects.reread();
        return outcomeOf(end.attempt, {
          read: recordIn(this.effects.last, verdictOf(end.attempt)?.created),
          reads: 0,
          ...toldAgain(end.attempt),
        });
      }
    }
  }

  #carryOut(effect: Effect): Promise<Event> {
    const { effects } = this;
    switch (effect.do) {
      case 'lock':
        return effects.orStopped(() => effects.lock());
      case 'look':
        return effects.orStopped(() => effects.look());
      case 'read':
        return effects.orStopped(() => effects.read());
      case 'check':
        return effects.orStopped(() => this.#check());
      case 'record':
        if (effect.row.type === 'verdict') this.#verdicts.push(effect.row);
        return effects.record(effect.row);
      case 'take_back':
        return effects.takeBack(effect.sent, effect.row);
      case 'send':
        return this.#send(effect.until);
      case 'wait':
        return this.#wait(effect.ms);
      case 'reread':
        return effects.reread();
      case 'release':
        return effects.release();
      case 'finish':
        throw new Error('the journal met an effect after the end');
    }
  }

  async #check(): Promise<Event> {
    const record = this.effects.last?.record;
    if (record !== undefined) await this.#how.checkFresh(record);
    return { is: 'checked', moment: await this.effects.moment() };
  }

  async #send(until: Extract<Effect, { do: 'send' }>['until']): Promise<Event> {
    const { send, clock, options } = this.#parts;
    this.effects.forget();
    const isTooLate = () => clock.now() > until.wall || clock.monotonic() > until.mono;
    const { timeoutMs } = options;
    const report = await send(this.#wanted.request, { timeoutMs, isTooLate }).catch(asNoReply);
    const moment = await this.effects.moment();
    if (report.kind !== 'reply') return { is: report.kind, why: report.reason, moment };
    const parsed = parseReply(report.reply);
    const { status, headers = [], retryAfterMs } = report.reply;
    this.#head = { status, headers, retryAfterMs };
    const value = 'problem' in parsed.body ? undefined : parsed.body.value;
    if (isObject(value)) this.#reply = { value, bytes: report.reply.body };
    return { is: 'replied', parsed, moment };
  }

  async #wait(ms: number): Promise<Event> {
    const { clock, signal } = this.#parts;
    try {
      await clock.sleep(ms, signal);
      return { is: 'waited', hurried: false };
    } catch {
      return { is: 'waited', hurried: true };
    }
  }
}

// Whatever goes wrong during the sending, the request may have left.
function asNoReply(cause: unknown): SendReport {
  return { kind: 'no_reply', reason: `the sending broke off: ${String(cause)}`, cause };
}

function wantedOf({ service, operator, version, options, ids }: ChangeParts, change: Change): Wanted {
  const { profile, keyFingerprint } = service;
  const { settings, origin, account, name } = profile;
  const whole = change.request.body?.charge_id === undefined;
  return {
    ...change,
    change: ids(),
    livemode: livemodeOf[profile.mode],
    account: marksOfService(service),
    dryRun: options.dryRun,
    sendWithinMs: settings['refund.send_within'],
    horizonMs: whole ? settings['refund.horizon_whole'] : settings['refund.horizon_part'],
    readAfterMs: settings['reconcile.after'],
    about: { origin, account, profile: name, keyFingerprint, operator, version },
  };
}
