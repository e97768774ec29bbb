/**
 * What a report needs to know, and the source of facts that it gets: which period, whose numbers, as of when, and who made each
 * refund and why.
 */

import type { JsonObject } from '../../api/json-values.ts';
import { livemodeOf, secondsOf, type TimeRange } from '../../api/spec.ts';
import type { Context, Days } from '../../context/context.ts';
import { CliError, orElse } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import type { Period } from '../../flags/typed-period.ts';
import { anyTime, clockIn } from '../../flags/typed-time.ts';
import {
  type AttemptRecord,
  approvalFields,
  isSameOrigin,
  type Journal,
  type Moment,
  namedByReply,
  needsPerson,
  pagesOf,
  recordedState,
} from '../../journal/journal.ts';
import {
  appearsUntil,
  type KnownOrder,
  knownOrder,
  leftOf,
  ordersWithRefunds,
  toldRefunds,
  withChargeIds,
} from '../../orders/orders.ts';
import type { Profile } from '../../profiles/profiles.ts';
import {
  elsewhere,
  type Facts,
  type Figure,
  type Known,
  type Maker,
  noReason,
  notShown,
  type RefundFact,
  sumOf,
} from '../../reports/reports.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { daysOfFlag } from '../export/export-flags.ts';
import type { SourceInput } from './report-flags.ts';

export interface Needs {
  /**
   * What must be in the period: the orders by their creation, or refunds and payments by their own date. `everything`: all orders
   * with everything that they hold.
   */
  readonly kind: 'orders' | 'refunds' | 'everything';
  /** Whether it matters who made a refund. */
  readonly makers: boolean;
  /** For twins: orders made up to this many seconds outside the period are needed too. */
  readonly marginSeconds?: number;
  /** What the report splits its sums by. An export of refunds does not know everything. */
  readonly by?: readonly string[] | undefined;
  /** Whether orders that wait for their capture matter, whatever the period is; `only`: no others do. */
  readonly waiting?: 'too' | 'only';
  /** Whether the time before the period matters too, as far as it was read. */
  readonly before?: boolean;
  /** Whether refunds that no order shows count too, as the journal knows them. */
  readonly unshown?: boolean;
  readonly names?: boolean;
}

/** A line that says when the facts were true, or what else must be known to read the sums. */
export type AsOfLine = readonly [label: string, text: string];

/** A source before it is known which currency was asked for. */
export type OpenedSource = Omit<Source, 'currency'>;

/** The facts of a report, and what it says about where they come from. */
export interface Source {
  readonly kind: 'live' | 'file' | 'index';
  /** The account, or the file. */
  readonly label: Cell;
  /** Its settings say how amounts are shown; undefined if this machine does not know it. */
  readonly profile: Profile | undefined;
  readonly days: Days;
  readonly zone: string;
  /** Whether somebody named the zone: then CSV has local times in addition to those in UTC. */
  readonly localTimes: boolean;
  readonly range: TimeRange;
  /** The only currency that was asked for, in capitals; undefined: all. */
  readonly currency: string | undefined;
  /**
   * What was made or changed after this time may be missing: when the walk began, or when the oldest fact was read. Unix
   * milliseconds.
   */
  readonly asOf: number;
  /** The facts cannot be about a later time than this: when the newest fact was read. Unix milliseconds. */
  readonly reachesTo: number;
  /** Orders that were made before this were not read, Unix milliseconds; undefined: all were. */
  readonly reachesBackTo?: number | undefined;
  /** Whether nothing of the period can be missing, once the facts were read. */
  readonly isWhole: () => boolean;
  /** Whether payments are known in addition to the refunds. */
  readonly knowsPayments: boolean;
  readonly facts: AsyncIterable<Facts>;
  /** The address of the account, by which the journal knows its changes. */
  readonly origin: string;
  /** What the journal knows about these orders. */
  readonly attemptsOf: (orderIds: ReadonlySet<string>) => Promise<readonly AttemptRecord[]>;
  /** What was read, once all of it was: `5012 orders read from the service`. */
  readonly readWords: () => string;
  /** The same as lines, with the time: `as of`, and what makes it exact. */
  readonly asOfLines: () => readonly AsOfLine[];
  /** The same for a file that somebody reads elsewhere and on another day. */
  readonly asOfLinesOfFile: () => readonly AsOfLine[];
}

/** What is known before the source is opened. */
export interface Asked {
  readonly flags: SourceInput;
  /** Undefined: all orders, whenever they were made. */
  readonly period: Period | undefined;
  readonly needs: Needs;
  /** Called with what is known about the orders, page by page; not for a file, whose orders are too old for that. */
  readonly see?: (orders: readonly KnownOrder[]) => void;
}

/** What a source that was read as a whole says about itself, on a screen and in a file. */
export function asOfReading({
  days,
  asOf,
  readWords,
}: Pick<Source, 'days' | 'asOf' | 'readWords'>): Pick<Source, 'asOfLines' | 'asOfLinesOfFile'> {
  const lines = (): readonly AsOfLine[] => [['as of', `${days.full(asOf)}: ${readWords()}`]];
  return { asOfLines: lines, asOfLinesOfFile: lines };
}

/**
 * The time of a report: its days, and the range of its period. `usual` is the zone without `--tz`. Throws CliError 'usage' for a
 * period that has not begun.
 */
export function timeOf(ctx: Context, { flags, period }: Asked, usual?: string) {
  const time = zonedTimeOf(ctx, { flags, period }, usual);
  const { since } = time.range;
  // Refused, because zeros would look as if something had been counted.
  if (since !== undefined && since > ctx.clock.now())
    throw usage(`${period?.text ?? ''}: this begins on ${time.days.full(since)}, which is still to come`);
  return time;
}

function zonedTimeOf(ctx: Context, { flags, period }: Omit<Asked, 'needs'>, usual: string | undefined) {
  const days = daysOfFlag(ctx, flags.tz ?? usual);
  const clockAndZone = clockIn(days, ctx.clock.now());
  const range: TimeRange = period?.range(clockAndZone) ?? anyTime;
  return { days, range, zone: flags.tz ?? usual ?? ctx.zone(), localTimes: flags.tz !== undefined };
}

/** Says who made a refund. */
type MakerOf = Known['makerOf'];

/** Looks up who made the refunds of some orders. */
export type Makers = (orders: readonly JsonObject[]) => Promise<MakerOf>;

/** Asks the journal for the attempts on orders. */
type AskJournal = (orderIds: ReadonlySet<string>) => Promise<readonly AttemptRecord[]>;

const notFromHere: Maker = { origin: elsewhere, reason: elsewhere, operator: elsewhere };

/** What orders show about the refunds that this desk sent, by the id of each. */
export type ShownRefunds = Map<string, { readonly change: string; readonly amount: Figure }>;

/**
 * The refunds of a period that no order shows: unconfirmed and still awaited, recorded as made by a person, or recorded as not
 * made while they may still go through. For a refund that an order shows in part, the rest.
 */
export async function unshownFacts(
  { journal }: Pick<Context, 'journal'>,
  profile: Profile,
  range: TimeRange,
  shown: ShownRefunds,
): Promise<readonly RefundFact[]> {
  const found: RefundFact[] = [];
  const shownOf = Map.groupBy(shown.values(), ({ change }) => change);
  const now = await journal.now();
  for await (const page of pagesOf(journal, { kind: 'refund', ...range }))
    for (const record of page.filter((one) => isOfAccount(profile, one))) {
      const { amount: asked, change } = record.sent;
      const own = shownOf.get(change) ?? [];
      const amount = asked === undefined ? undefined : asked - Number(sumOf(own, (one) => one.amount));
      if (own.length > 0 && (amount === undefined || amount <= 0)) continue;
      const state = recordedState(record);
      // What never arrived in its time was not made.
      if (state === 'unconfirmed' && needsPerson(record, now))
        found.push(unshownFact(record, amount, state, state));
      if (state === 'recorded made') found.push(unshownFact(record, amount, state, 'recorded_made'));
      if (state === 'recorded not made' && (await appearsUntil(journal, record, now.wall)) !== undefined)
        found.push(unshownFact(record, amount, state, 'recorded_not_made'));
    }
  return found;
}

/** `mayBeOf` of the journal is for refusals: it treats all accounts with real money as one. */
export function isOfAccount({ origin, mode }: Profile, { sent }: AttemptRecord): boolean {
  return isSameOrigin(sent.origin, origin) && sent.proof.livemode === livemodeOf[mode];
}

function unshownFact(
  { sent }: AttemptRecord,
  amount: number | undefined,
  state: 'unconfirmed' | 'recorded made' | 'recorded not made',
  meaning: RefundFact['meaning'],
): RefundFact {
  const { reason = noReason, operator, note, currency, proof, time } = sent;
  const unknown = {
    id: undefined,
    chargeId: undefined,
    last4: undefined,
    status: undefined,
    paidAt: undefined,
    buyer: undefined,
    email: undefined,
    reference: undefined,
    brand: notShown,
    method: notShown,
  };
  const known = { orderId: proof.orderId, amount, currency, madeAt: secondsOf(time) };
  const maker = { origin: 'this machine', reason, operator, note, approval: approvalFields(sent) } as const;
  return { ...unknown, ...known, ...maker, state, meaning, isUnshown: true };
}

/** For a report without refunds, or without a journal. */
export const nobodyAsked: Makers = () => Promise.resolve(() => ({ ...notFromHere, state: undefined }));

/**
 * Who made the refunds of orders, and what is known about each. Throws CliError 'refused' if the journal cannot be read and the
 * report says who: all refunds would then look as if somebody else had made them. That is tried at once, before anything else is
 * read.
 */
export async function makersOf(
  { kind, makers }: Pick<Needs, 'kind' | 'makers'>,
  ask: AskJournal,
  journal: Pick<Journal, 'now'>,
): Promise<Makers> {
  if (kind === 'orders') return nobodyAsked;
  const asked = attemptsOn(ask, []);
  const first = await (makers ? asked : asked.catch(orElse(() => undefined)));
  if (first === undefined) return nobodyAsked;
  return async (orders) => makerAmong(await attemptsOn(ask, orders), await journal.now());
}

function makerAmong(attempts: readonly AttemptRecord[], now: Moment): MakerOf {
  const byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId);
  // The refunds of an order are asked for one after the other.
  let last:
    | { readonly order: JsonObject; readonly told: ReturnType<typeof toldRefunds>; left: number | undefined }
    | undefined;
  return (refund, order) => {
    if (last?.order !== order) {
      const own = byOrder.get(String(order.id)) ?? [];
      // An index does not keep the whole order.
      const known = knownOrder(withChargeIds(order, own), own, now, undefined);
      last = { order, told: toldRefunds(known), left: leftOf(known) };
    }
    const { left } = last;
    const { state, facts, attempt } = last.told(refund);
    // If the order shows two, the one that was sent from here is the one that the reply named.
    const isSecond = facts === undefined && attempt !== undefined && namedByReply(attempt).length > 0;
    if (attempt === undefined || isSecond) return { ...notFromHere, state, left };
    // If only a read has shown a refund, nobody knows for certain who made it.
    const origin = facts?.isSure === true ? 'this machine' : 'probably this machine';
    const { reason = noReason, note } = attempt.sent;
    const approval = approvalFields(attempt.sent);
    const { change, operator } = attempt.sent;
    return { origin, reason, operator, note, state, left, approval, change };
  };
}

async function attemptsOn(ask: AskJournal, orders: readonly JsonObject[]) {
  try {
    return await ask(ordersWithRefunds(orders));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // If the sender of a team cannot be reached, that is not a refusal.
    const kind = error.kind === 'network' ? error.kind : 'refused';
    throw new CliError(kind, `the report cannot say who made the refunds: ${error.message}`, {
      ...error.parts,
      cause: error,
    });
  }
}
