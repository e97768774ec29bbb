/** A change that a desk hands over: sent once by the code that sends on one machine, unless the journal knows it already. */

import type { WireRecord } from '../../api/api.ts';
import { changedFields, refuseForged } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import { type AttemptRecord, type Change, type JournalStore, LimitRefusal } from '../../journal/journal.ts';
import { createChange } from '../../journal/make-change.ts';
import {
  type EndLine,
  type HandOver,
  outcomeToWire,
  recordFromWire,
  recordToWire,
  refusalToWire,
} from '../change-wire.ts';
import type { ChangeStream } from './change-stream.ts';
import { type GivenPlan, isRowOf } from './given-plans.ts';
import {
  type AskedChange,
  type ChangesParts,
  calledAt,
  endOfKnown,
  isClosed,
  recordOf,
  shortTimeIn,
  stamped,
} from './known-change.ts';
import { RefusedRequest, type SenderAccount } from './routes.ts';

/** How a change is made. */
interface HowMade {
  readonly handed: HandOver;
  readonly stream: ChangeStream;
  /** The desk has taken it back, or does not want to wait any longer. */
  readonly signal: AbortSignal;
}

/** The order is not as the desk showed it, and nothing was sent. */
class OrderChanged extends CliError {
  readonly fresh: WireRecord;

  constructor(fresh: WireRecord) {
    super('refused', 'the order changed since it was shown', { certain: 'nothing was sent' });
    this.fresh = fresh;
  }
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
            if (await isClosed(parts, asked)) throw wasWithdrawn();
            isChecked = true;
            onSent();
            await store.append({ ...row, ...checked, profile: asked.account.name });
          }),
    // What a rule refused never came to the journal.
    takeBack: async (sent, verdict) => (isChecked ? await store.takeBack(sent, verdict) : undefined),
  };
}
