/** One change that a desk hands over: what the journal knows of it already, or the sending, by the code that sends on one machine. */

import type { WireRecord } from '../api/api.ts';
import { changedFields, refuseForged } from '../changes/changes.ts';
import { CliError } from '../errors.ts';
import type { ClockWithTimers } from '../io.ts';
import { outcomeOfAttempt } from '../journal/change-outcome.ts';
import {
  type AttemptRecord,
  type Change,
  type JournalStore,
  LimitRefusal,
  momentOf,
  type Stamp,
  stampOf,
} from '../journal/journal.ts';
import { createChange } from '../journal/make-change.ts';
import { resolveOne } from '../journal/read-again.ts';
import type { Locks } from '../locks/locks.ts';
import { createTimes } from '../terminal/terminal.ts';
import type { ChangeStream } from './change-stream.ts';
import {
  type EndLine,
  type HandOver,
  outcomeToWire,
  recordFromWire,
  recordToWire,
  refusalToWire,
} from './change-wire.ts';
import { type GivenPlan, type GivenPlans, isRowOf } from './given-plans.ts';
import { closedPrefix } from './member-state.ts';
import { type Asker, isOfAccount, RefusedRequest, type SenderAccount } from './routes.ts';
import type { Rules } from './rules.ts';

/** What every change of a sender needs. */
export interface ChangesParts {
  readonly store: JournalStore;
  readonly locks: Locks;
  readonly clock: ClockWithTimers;
  readonly version: string;
  /** Check what is about to be sent, and have it recorded before anything else is checked. */
  readonly rules: Pick<Rules, 'record'>;
  readonly plans: GivenPlans;
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

/** How a change is made. */
interface HowMade {
  readonly handed: HandOver;
  readonly stream: ChangeStream;
  /** The desk has taken it back, or does not want to wait any longer. */
  readonly signal: AbortSignal;
}

/** The name of the row that closes an id for good. */
const closedName = (id: string) => `${closedPrefix}${id}`;

/** The order is not as the desk showed it, and nothing was sent. */
class OrderChanged extends CliError {
  readonly fresh: WireRecord;

  constructor(fresh: WireRecord) {
    super('refused', 'the order changed since it was shown', { certain: 'nothing was sent' });
    this.fresh = fresh;
  }
}

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

// Under an idempotency key the journal may have another id for it. Its row says which hand-over it was.
async function recordOf(
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
    new CliError('refused', 'this id belongs to a change of somebody else, or of another account', {
      certain: 'nothing was sent',
      now: ['run the same command again'],
    }),
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
export async function closeId(parts: ChangesParts, asked: AskedChange): Promise<EndLine> {
  const known = await endOfKnown(parts, asked);
  if (known !== undefined) return known;
  const { store, clock } = parts;
  const { asker, account, id } = asked;
  if (!parts.mayClose(asker.member)) throw closedTooMany();
  const { name: profile, service } = account;
  const { origin, account: line } = service.profile;
  await store.append({
    type: 'setting',
    ...stampOf(await momentOf(clock, store, service)),
    operator: asker.member,
    profile,
    origin,
    account: line,
    name: closedName(id),
    from: null,
    to: 'withdrawn',
    stamp: stampFor(asked),
  });
  return { closed: true };
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

/** Makes a change, unless the journal knows it already. Throws RefusedRequest for an id that was closed, or that is of another change. */
export async function makeHandedOver(
  parts: ChangesParts,
  asked: AskedChange,
  how: HowMade,
): Promise<EndLine> {
  const known = await endOfKnown(parts, asked);
  if (known !== undefined && !('closed' in known)) {
    refuseOther(await recordOf(parts.store, asked), how.handed);
    return known;
  }
  if (known !== undefined) throw new RefusedRequest(410, wasWithdrawn());
  const { handed, stream } = how;
  const { digest } = handed;
  const plan = digest === undefined ? undefined : parts.plans.find(asked.account.name, digest);
  stream.tell({ at: 'taken' });
  try {
    if (plan !== undefined && !isRowOf(plan, handed.what)) throw noRow();
    return { end: outcomeToWire(await send(parts, asked, how, plan)) };
  } catch (error) {
    if (digest !== undefined && plan === undefined && needsApproval(error)) return { forgotten: true };
    if (error instanceof OrderChanged) return { changed: recordToWire(error.fresh) };
    if (isOfStop(error, parts.stop.stopWaiting)) return { refused: refusalToWire(stoppingError()) };
    if (error instanceof CliError) return { refused: refusalToWire(error) };
    throw error;
  }
}

function needsApproval(error: unknown): boolean {
  return error instanceof LimitRefusal && error.finding.problem === undefined;
}

function noRow(): CliError {
  return new CliError('refused', 'this is no row of the plan that it is said to be of', {
    certain: 'nothing was sent',
  });
}

function isOfStop(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.cause === reason));
}

/** The error when a sender that is being stopped is asked to send something. */
export function stoppingError(): CliError {
  return new CliError('network', 'the sender is being stopped', {
    certain: 'nothing was sent',
    now: ['run the same command again in a moment'],
  });
}

function wasWithdrawn(): CliError {
  return new CliError('refused', 'the desk took this change back', {
    certain: 'nothing was sent',
    now: ['run the same command again'],
  });
}

function refuseOther(record: AttemptRecord | undefined, { what }: HandOver): void {
  const sent = record?.sent.request;
  const same = (body: unknown) => JSON.stringify(body ?? {});
  if (sent?.path === what.request.path && same(sent.body) === same(what.request.body)) return;
  throw new RefusedRequest(
    409,
    new CliError('refused', 'this id belongs to another change', { certain: 'nothing was sent' }),
  );
}

async function send(parts: ChangesParts, asked: AskedChange, how: HowMade, plan: GivenPlan | undefined) {
  const { handed, stream, signal } = how;
  const { locks, clock, version } = parts;
  const { account } = asked;
  const service = calledAt(account.service, handed.profile);
  const now = () => clock.now();
  // A change without an order has no final read that could be compared.
  if (handed.what.orderId === undefined) refuseForged(handed.what, undefined, service.profile, now());
  let ended: (() => void) | undefined;
  const onSent = () => {
    ended ??= parts.stop.startChange(asked.id);
    stream.tell({ at: 'sent' });
  };
  try {
    const outcome = await createChange({
      service,
      send: account.send,
      locks,
      store: storeOfChange(parts, asked, plan, onSent),
      clock,
      shortTime: shortTimeIn(clock, handed.zone),
      operator: asked.asker.member,
      version,
      options: { dryRun: false, timeoutMs: handed.timeoutMs },
      notes: stream.notes,
      ids: () => asked.id,
      signal: AbortSignal.any([signal, parts.stop.stopWaiting]),
    })(await changeOfRow(parts, handed, service.profile, now));
    if (outcome.verdict === 'dry_run') throw new Error('a change that was handed over was only tried');
    return outcome;
  } finally {
    ended?.();
  }
}

async function changeOfRow(
  { store }: ChangesParts,
  { what, shown, closed }: HandOver,
  profile: SenderAccount['service']['profile'],
  now: () => number,
): Promise<Change> {
  const before = shown === undefined ? undefined : recordFromWire(shown);
  const settled = await Promise.all(closed.map((change) => store.attempts({ change })));
  return {
    ...what,
    closed: settled.flat(),
    async checkFresh(fresh) {
      if (before === undefined || changedFields(before, fresh).length > 0) throw new OrderChanged(fresh);
      refuseForged(what, fresh.value, profile, now());
    },
  };
}

/** The service with the name that a desk gives the account: errors name commands of that desk. */
export function calledAt(service: SenderAccount['service'], name: string): SenderAccount['service'] {
  return { ...service, profile: { ...service.profile, name } };
}

/** A time for messages (Unix milliseconds), in the zone of a desk. */
export function shortTimeIn(clock: ClockWithTimers, zone?: string): (ms: number) => string {
  const times = createTimes(zone, () => clock.now());
  return (ms) => times.short(Math.floor(ms / 1000));
}

function stampFor({ asker, id }: AskedChange): Stamp {
  return { operator: asker.member, run: id, desk: asker.desk };
}

/** The store with who asks in every row. */
export function stamped(store: JournalStore, asked: AskedChange): JournalStore {
  const stamp = stampFor(asked);
  return { ...store, append: (row) => store.append({ ...row, stamp }) };
}

function storeOfChange(
  parts: ChangesParts,
  asked: AskedChange,
  plan: GivenPlan | undefined,
  onSent: () => void,
): JournalStore {
  const store = stamped(parts.store, asked);
  let isChecked = false;
  return {
    ...store,
    append: (row) =>
      row.type !== 'sent'
        ? store.append(row)
        : parts.rules.record(row, { ...asked, plan }, async (checked) => {
            isChecked = true;
            onSent();
            await store.append({ ...row, ...checked, profile: asked.account.name });
          }),
    // What a rule refused never came to the journal.
    takeBack: async (sent, verdict) => (isChecked ? await store.takeBack(sent, verdict) : undefined),
  };
}
