/** What the journal of a sender knows of a change that was handed over, and how its id is closed for good. */

import type { JsonObject } from '../../api/json-values.ts';
import { countingAt, refuseForged } from '../../changes/changes.ts';
import { CliError, refused } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import { outcomeOfAttempt } from '../../journal/change-outcome.ts';
import {
  type AttemptRecord,
  attemptsOf,
  type Change,
  changeKinds,
  type JournalStore,
  momentOf,
  type Stamp,
  stampOf,
  unshownRefunds,
} from '../../journal/journal.ts';
import { resolveOne } from '../../journal/read-again.ts';
import type { Locks } from '../../locks/locks.ts';
import type { HowWorked } from '../../plans/plans.ts';
import { createTimes } from '../../terminal/terminal.ts';
import { type EndLine, outcomeToWire } from '../change-wire.ts';
import { closedPrefix } from '../member-state.ts';
import { type Asker, isOfAccount, RefusedRequest, type SenderAccount } from './routes.ts';
import type { Rules } from './rules/rules.ts';

/** What every change of a sender needs. */
export interface ChangesParts {
  readonly store: JournalStore;
  readonly locks: Locks;
  readonly clock: ClockWithTimers;
  readonly version: string;
  /** Check what is about to be sent, and have it recorded before anything else is checked. */
  readonly rules: Pick<Rules, 'record'>;
  /** Counts an id that a member closes; false if those of the last hour are too many. */
  readonly mayClose: (member: string) => boolean;
  /** Gets errors that nobody foresaw. */
  readonly report: (error: unknown) => void;
  /** Waiting and rereads end when the sender stops. What is being sent is not stopped. */
  readonly stop: {
    readonly stopWaiting: AbortSignal;
    readonly startChange: (change: string) => () => void;
  };
}

/** Who wants to know about which change. */
export interface AskedChange {
  readonly asker: Asker;
  readonly account: SenderAccount;
  readonly id: string;
  /** The idempotency key of the change, if it has one. */
  readonly idempotencyKey: string | undefined;
}

/** The name of the row that closes an id for good. */
const closedName = (id: string) => `${closedPrefix}${id}`;

/** What became of a change, by the journal; undefined if it never heard of it. Throws RefusedRequest for a change of somebody else. */
export async function endOfKnown(parts: ChangesParts, asked: AskedChange): Promise<EndLine | undefined> {
  const { store } = parts;
  const { asker, account, id } = asked;
  const record = await recordOf(store, asked);
  if (record !== undefined) {
    const member = record.sent.stamp?.operator ?? record.sent.operator;
    if (member !== asker.member || !isOfAccount(record, account)) throw ofSomebodyElse();
    const outcome = await outcomeOfAttempt(outcomeParts(parts, asked), record);
    return { end: outcomeToWire(outcome) };
  }
  const [closed] = await store.settings(closedName(id));
  const isOwn = closed?.operator === asker.member && closed.account === account.service.profile.account;
  return isOwn ? { closed: true } : undefined;
}

/** The attempt of a change. Under an idempotency key the journal may have another id for it; its row says which hand-over it was. */
export async function recordOf(
  store: JournalStore,
  { id, idempotencyKey }: AskedChange,
): Promise<AttemptRecord | undefined> {
  const own = await store.attempts({ change: id });
  const under = idempotencyKey === undefined ? [] : await store.attempts({ idempotencyKey });
  return own.at(-1) ?? under.findLast(({ sent }) => sent.stamp?.run === id);
}

function ofSomebodyElse(): RefusedRequest {
  return new RefusedRequest(
    409,
    refused('this id belongs to a change of somebody else, or of another account', [
      'run the same command again',
    ]),
  );
}

function outcomeParts(parts: ChangesParts, asked: AskedChange) {
  const { store, clock } = parts;
  const { service } = asked.account;
  return {
    store,
    clock,
    serviceOf: () => Promise.resolve(service),
    resolve: (record: AttemptRecord) =>
      resolveOne(
        { ...parts, store: stamped(store, asked), service, timeoutMs: 10_000, shortTime: shortTimeIn(clock) },
        record,
      ),
  };
}

/** Closes an id for good, unless something was sent under it: then what became of that. */
export function closeId(parts: ChangesParts, asked: AskedChange): Promise<EndLine> {
  const { alone } = parts.store;
  const close = () => closeUnlessKnown(parts, asked);
  return alone === undefined ? close() : alone(close);
}

/** Whether an id was closed, by this sender or by another one. */
export async function isClosed({ store }: ChangesParts, { id }: AskedChange): Promise<boolean> {
  return (await store.settings(closedName(id))).length > 0;
}

async function closeUnlessKnown(parts: ChangesParts, asked: AskedChange): Promise<EndLine> {
  const known = await endOfKnown(parts, asked);
  if (known !== undefined) return known;
  if (!parts.mayClose(asked.asker.member)) throw closedTooMany();
  await recordSetting(parts, asked, closedName(asked.id), 'withdrawn');
  return { closed: true };
}

/** Records a setting of the sender itself, such as an id that is closed, with who asked for it. */
export async function recordSetting(
  { store, clock }: Pick<ChangesParts, 'store' | 'clock'>,
  asked: Omit<AskedChange, 'idempotencyKey'>,
  name: string,
  to: string,
): Promise<void> {
  const { asker, account } = asked;
  const { origin, account: line } = account.service.profile;
  await store.append({
    type: 'setting',
    ...stampOf(await momentOf(clock, store, account.service)),
    operator: asker.member,
    profile: account.name,
    origin,
    account: line,
    name,
    from: null,
    to,
    stamp: stampFor(asked),
  });
}

function closedTooMany(): RefusedRequest {
  return new RefusedRequest(
    429,
    new CliError('network', 'you have taken back too many changes within the last hour', {
      certain: 'nothing was recorded',
      now: ['run the same command again later'],
    }),
  );
}

/** The command that has a plan worked off. */
export const planCommand = 'refunds apply';

/** The service with the name that a desk gives the account: errors name commands of that desk. */
export function calledAt(service: SenderAccount['service'], name: string): SenderAccount['service'] {
  return { ...service, profile: { ...service.profile, name } };
}

/**
 * Throws CliError 'refused' unless a change is what follows from its body and from its order (`fresh`; undefined: it has none), and the
 * limits of the account allow it now. `profile`: what the desk calls it. `policy`: that of the machine of the desk.
 */
export async function refuseNow(
  { store }: Pick<ChangesParts, 'store'>,
  {
    account,
    profile,
    policy,
  }: { readonly account: SenderAccount; readonly profile: string; readonly policy?: HowWorked['policy'] },
  change: Parameters<typeof refuseForged>[0] & Pick<Change, 'plan'>,
  fresh: JsonObject | undefined,
): Promise<void> {
  const { service } = account;
  const { orderId } = change;
  const known = orderId === undefined ? [] : await attemptsOf(store, service, orderId);
  const counting = countingAt(service, fresh === undefined ? [] : unshownRefunds(known, fresh));
  const command = change.plan === undefined ? changeKinds[change.kind].command : planCommand;
  refuseForged(change, fresh, { ...(await account.profileNow(command, policy)), name: profile }, counting);
}

/** A time for messages (Unix milliseconds), in the zone of a desk. */
export function shortTimeIn(clock: ClockWithTimers, zone?: string): (ms: number) => string {
  const times = createTimes(zone, () => clock.now());
  return (ms) => times.short(Math.floor(ms / 1000));
}

function stampFor({ asker, id }: Pick<AskedChange, 'asker' | 'id'>): Stamp {
  return { operator: asker.member, run: id, desk: asker.desk };
}

/** The store with who asks in every row. */
export function stamped(store: JournalStore, asked: AskedChange): JournalStore {
  const stamp = stampFor(asked);
  return { ...store, append: (row) => store.append({ ...row, stamp }) };
}
