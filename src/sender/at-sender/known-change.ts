/** Tells what a sender's journal knows about a change from a desk, and closes its id for good. */

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
import { closedPrefix } from '../sender.ts';
import { type Asker, canBeOf, RefusedRequest, type SenderAccount } from './routes.ts';
import type { Rules } from './rules/rules.ts';

export interface ChangesParts {
  readonly store: JournalStore;
  readonly locks: Locks;
  readonly clock: ClockWithTimers;
  readonly version: string;
  /** Checks a change before sending, and records it before checking another. */
  readonly rules: Pick<Rules, 'record'>;
  /** Counts what a member closes or stops; false if there was too much within an hour. */
  readonly mayClose: (member: string) => boolean;
  readonly report: (error: unknown) => void;
  /** A stopping sender ends waits and rereads, but finishes what it is sending. */
  readonly stop: {
    readonly stopWaiting: AbortSignal;
    readonly startChange: (change: string) => () => void;
  };
}

export interface AskedChange {
  readonly asker: Asker;
  readonly account: SenderAccount;
  readonly id: string;
  readonly idempotencyKey: string | undefined;
}

const closedName = (id: string) => `${closedPrefix}${id}`;

/** How a change ended, by the journal; undefined if unknown. Throws RefusedRequest for somebody else's change. */
export async function endOfKnown(parts: ChangesParts, asked: AskedChange): Promise<EndLine | undefined> {
  const { store } = parts;
  const { asker, account, id } = asked;
  const record = await recordOf(store, asked);
  if (record !== undefined) {
    const member = record.sent.stamp?.operator ?? record.sent.operator;
    if (member !== asker.member || !canBeOf(record, account)) throw otherChange();
    const outcome = await outcomeOfAttempt(outcomeParts(parts, asked), record);
    return { end: outcomeToWire(outcome) };
  }
  const [closed] = await store.settings(closedName(id));
  const isOwn = closed?.operator === asker.member && closed.account === account.service.profile.account;
  return isOwn ? { closed: true } : undefined;
}

/** The attempt of a change. Under an idempotency key the journal may have another change id; its row names the hand-over. */
export async function recordOf(
  store: JournalStore,
  { id, idempotencyKey }: AskedChange,
): Promise<AttemptRecord | undefined> {
  const own = await store.attempts({ change: id });
  const under = idempotencyKey === undefined ? [] : await store.attempts({ idempotencyKey });
  return own.at(-1) ?? under.findLast(({ sent }) => sent.stamp?.run === id);
}

/** The error for an id that belongs to another change, perhaps of somebody else or of another account. */
export function otherChange(): RefusedRequest {
  return new RefusedRequest(
    409,
    refused('this id belongs to another change', ['run the same command again']),
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

/** Closes an id for good. If something was sent under it, returns how that ended. */
export function closeId(parts: ChangesParts, asked: AskedChange): Promise<EndLine> {
  const { alone } = parts.store;
  const close = async (): Promise<EndLine> => {
    const known = await endOfKnown(parts, asked);
    if (known !== undefined) return known;
    await recordSetting(parts, asked, closedName(asked.id), 'withdrawn');
    return { closed: true };
  };
  return alone === undefined ? close() : alone(close);
}

export async function isClosed({ store }: ChangesParts, { id }: AskedChange): Promise<boolean> {
  return (await store.settings(closedName(id))).length > 0;
}

/** Records that an id is closed or a plan stopped, and who asked for it. Throws RefusedRequest (429) if that was too often. */
export async function recordSetting(
  { store, clock, mayClose }: Pick<ChangesParts, 'store' | 'clock' | 'mayClose'>,
  asked: Omit<AskedChange, 'idempotencyKey'>,
  name: string,
  to: string,
): Promise<void> {
  const { asker, account } = asked;
  if (!mayClose(asker.member))
    throw new RefusedRequest(
      429,
      new CliError('network', 'you have taken back or stopped too much within the last hour', {
        certain: 'nothing was recorded',
        now: ['run the same command again later'],
      }),
    );
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

export const planCommand = 'refunds apply';

/** The service under the desk's name for the account, for commands in errors. */
export function calledAt(service: SenderAccount['service'], name: string): SenderAccount['service'] {
  return { ...service, profile: { ...service.profile, name } };
}

/**
 * Throws CliError 'refused' unless the change matches its body and its order (`fresh`; undefined: no order), and the account's
 * limits allow it now. `profile`: the desk's name for it. `policy`: that of the desk's machine.
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

/** Formats a time (Unix milliseconds) for messages, in the desk's zone. */
export function shortTimeIn(clock: ClockWithTimers, zone?: string): (ms: number) => string {
  const times = createTimes(zone, () => clock.now());
  return (ms) => times.short(Math.floor(ms / 1000));
}

function stampFor({ asker, id }: Pick<AskedChange, 'asker' | 'id'>): Stamp {
  return { operator: asker.member, run: id, desk: asker.desk };
}

/** The store, with the asker in every row. */
export function stamped(store: JournalStore, asked: AskedChange): JournalStore {
  const stamp = stampFor(asked);
  return { ...store, append: (row) => store.append({ ...row, stamp }) };
}
