/**
 * Makes a change that a desk handed over: sends it once, by the same code as on one machine, unless the journal knows it already.
 */

import type { WireRecord } from '../../api/api.ts';
import { changedFields } from '../../changes/changes.ts';
import { CliError, refused } from '../../errors.ts';
import type { AttemptRecord, Change, ChangeRun, JournalStore, Outcome } from '../../journal/journal.ts';
import { type ChangeNotes, createChange } from '../../journal/make-change.ts';
import { type EndLine, type HandOver, outcomeToWire, recordFromWire, recordToWire } from '../change-wire.ts';
import { errorToWire } from '../wire.ts';
import type { ChangeStream } from './change-stream.ts';
import {
  type AskedChange,
  type ChangesParts,
  calledAt,
  endOfKnown,
  isClosed,
  otherChange,
  recordOf,
  refuseNow,
  shortTimeIn,
  stamped,
} from './known-change.ts';
import { RefusedRequest, type SenderAccount, stopping } from './routes.ts';
import type { ApprovablePlan } from './rules/team-limits.ts';

interface HowMade {
  readonly handed: HandOver;
  readonly stream: ChangeStream;
  /** The desk withdrew it, or stopped waiting. */
  readonly signal: AbortSignal;
}

/** The order differs from what the desk showed, and nothing was sent. */
class OrderChanged extends CliError {
  readonly fresh: WireRecord;

  constructor(fresh: WireRecord) {
    super('refused', 'the order has changed since it was shown', { certain: 'nothing was sent' });
    this.fresh = fresh;
  }
}

/** Makes a change, unless the journal knows it already. Throws RefusedRequest for a closed id, or one of another change. */
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
  how.stream.tell({ at: 'taken' });
  try {
    return { end: outcomeToWire(await send(parts, asked, how)) };
  } catch (error) {
    if (error instanceof OrderChanged) return { changed: recordToWire(error.fresh) };
    if (isOfStop(error, parts.stop.stopWaiting)) return { refused: errorToWire(stopping().error) };
    if (error instanceof CliError) return { refused: errorToWire(error) };
    throw error;
  }
}

function isOfStop(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.cause === reason));
}

function wasWithdrawn(): CliError {
  return refused('the desk took this change back', ['run the same command again']);
}

function refuseOther(record: AttemptRecord | undefined, { what }: HandOver): void {
  const sent = record?.sent.request;
  const same = (body: unknown) => JSON.stringify(body ?? {});
  if (sent?.path === what.request.path && same(sent.body) === same(what.request.body)) return;
  throw otherChange();
}

async function send(parts: ChangesParts, asked: AskedChange, { handed, stream, signal }: HowMade) {
  const { clock } = parts;
  const { account } = asked;
  const service = calledAt(account.service, handed.profile);
  const called = { account, profile: handed.profile };
  // Without an order there is no final read to compare.
  if (handed.what.orderId === undefined) await refuseNow(parts, called, handed.what, undefined);
  return await sendChange(parts, asked, {
    change: handed.what,
    run: await runOf(parts, handed, (fresh) => refuseNow(parts, called, handed.what, fresh)),
    service,
    shortTime: shortTimeIn(clock, handed.zone),
    timeoutMs: handed.timeoutMs,
    notes: stream.notes,
    signal: AbortSignal.any([signal, parts.stop.stopWaiting]),
    onSent: () => stream.tell({ at: 'sent' }),
    async refuse() {
      if (await isClosed(parts, asked)) throw wasWithdrawn();
    },
  });
}

interface HowSent {
  readonly change: Change;
  readonly run: ChangeRun;
  readonly service: SenderAccount['service'];
  readonly shortTime: (ms: number) => string;
  readonly timeoutMs: number;
  readonly notes: ChangeNotes;
  readonly signal: AbortSignal;
  /** The plan that this row belongs to. */
  readonly plan?: ApprovablePlan | undefined;
  /** Called right before recording, while no other sender records. Throws if it was withdrawn or stopped. */
  readonly refuse: () => Promise<void>;
  readonly onSent: () => void;
}

/** Sends a change once, by the same code as on one machine. Throws CliError if nothing was sent. */
export async function sendChange(
  parts: ChangesParts,
  asked: AskedChange,
  how: HowSent,
): Promise<Exclude<Outcome, { readonly verdict: 'dry_run' }>> {
  const { locks, clock, version } = parts;
  let ended: (() => void) | undefined;
  const onSent = () => {
    ended ??= parts.stop.startChange(asked.id);
    how.onSent();
  };
  try {
    const outcome = await createChange({
      ...how,
      send: asked.account.send,
      locks,
      store: storeOfChange(parts, asked, { ...how, onSent }),
      clock,
      operator: asked.asker.member,
      version,
      options: { dryRun: false, timeoutMs: how.timeoutMs },
      ids: () => asked.id,
    })(how.change, how.run);
    if (outcome.verdict === 'dry_run') throw new Error('a change at a sender was only tried');
    return outcome;
  } finally {
    ended?.();
  }
}

async function runOf(
  { store }: ChangesParts,
  { shown, closed }: HandOver,
  check: (order: WireRecord['value']) => Promise<void>,
): Promise<ChangeRun> {
  const before = shown === undefined ? undefined : recordFromWire(shown);
  const settled = await Promise.all(closed.map((change) => store.attempts({ change })));
  return {
    closed: settled.flat(),
    async checkFresh(fresh) {
      if (before === undefined || changedFields(before, fresh).length > 0) throw new OrderChanged(fresh);
      await check(fresh.value);
    },
  };
}

function storeOfChange(
  parts: ChangesParts,
  asked: AskedChange,
  { plan, refuse, onSent }: Pick<HowSent, 'plan' | 'refuse' | 'onSent'>,
): JournalStore {
  const store = stamped(parts.store, asked);
  let isChecked = false;
  return {
    ...store,
    // The rules let the SENT rows of one member pass only one after the other, so those of a plan cannot wait for each other.
    expectRows: plan === undefined ? store.expectRows : undefined,
    append: (row) =>
      row.type !== 'sent'
        ? store.append(row)
        : parts.rules.record(row, { ...asked, plan }, async (checked) => {
            await refuse();
            isChecked = true;
            onSent();
            await store.append({ ...row, ...checked, profile: asked.account.name });
          }),
    // A change that a rule refused never reached the journal.
    takeBack: async (sent, verdict) => (isChecked ? await store.takeBack(sent, verdict) : undefined),
  };
}
