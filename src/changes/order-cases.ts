/**
 * The open cases of an order: a change that is not confirmed, a refund that was paid back twice, and what somebody recorded by
 * hand while the order does not show it. Every screen judges the orders that it holds here, and says the same words.
 */

import type { Service } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import type {
  AppearedRefund,
  AttemptRecord,
  OpenCases,
  PaidTwice,
  UnconfirmedChange,
} from '../journal/journal.ts';

/** Asks the journal for the open cases of an account, or of one order. If the journal cannot be read, it only warns. */
export async function openCasesOf(ctx: Context, service: Service, orderId?: string): Promise<OpenCases> {
  try {
    return await ctx.journal.openCases(service, orderId);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`unconfirmed changes are not shown: ${error.message}`);
    return { unconfirmed: new Map(), paidTwice: new Map() };
  }
}

/** What this machine sent on these orders, by the id of the order. Empty if the journal cannot be read: `openCasesOf` has warned of that. */
export async function attemptsByOrder(
  ctx: Pick<Context, 'journal'>,
  service: Service,
  orders: ReadonlySet<string>,
): Promise<AttemptsByOrder> {
  try {
    return Map.groupBy(await ctx.journal.attemptsOf(service, orders), ({ sent }) => sent.proof.orderId);
  } catch (error) {
    if (error instanceof CliError) return new Map();
    throw error;
  }
}

/** What is unconfirmed of an account, and what has an alarm that nobody acknowledged. */
export async function unconfirmedOf(
  { journal }: Pick<Context, 'journal'>,
  service: Parameters<Context['journal']['mayBeOf']>[0],
): Promise<readonly AttemptRecord[]> {
  const unconfirmed = await journal.attempts({ unconfirmed: true });
  return unconfirmed.filter((record) => journal.mayBeOf(service, record));
}

export type AttemptsByOrder = ReadonlyMap<string | undefined, readonly AttemptRecord[]>;

/** One open case. `seen_twice`: the order shows a refund twice, and the journal does not know that yet. */
export type OrderCase =
  | { readonly is: 'unconfirmed'; readonly change: UnconfirmedChange }
  /** `late`: one of the refunds, if somebody recorded that it was not made and the journal does not know yet that it was. */
  | {
      readonly is: 'paid_twice' | 'seen_twice';
      readonly twice: PaidTwice;
      readonly late?: AppearedRefund | undefined;
    }
  /** Somebody recorded that a refund was not made, and the order shows it. */
  | { readonly is: 'appeared'; readonly refund: AppearedRefund }
  /** Somebody recorded that a refund was made, and the order does not show it. */
  | { readonly is: 'unshown'; readonly record: AttemptRecord }
  /** Somebody recorded that a change was not made, and it can still take effect until then (Unix milliseconds). */
  | { readonly is: 'may_appear'; readonly record: AttemptRecord; readonly until: number };

/** The open cases of an order as it was read, the most urgent first. `known`: what this machine sent on it. */
export function casesOf(
  { journal, clock }: Pick<Context, 'journal' | 'clock'>,
  open: OpenCases,
  known: readonly AttemptRecord[],
  order: JsonObject,
): readonly OrderCase[] {
  const change = open.unconfirmed.get(String(order.id));
  const paid = open.paidTwice.get(String(order.id));
  // One of the two may be the unconfirmed one: that is cleared up first.
  const seen = change === undefined ? journal.seenTwice(known, order) : undefined;
  const [unshown] = journal.unshownRefunds(known, order);
  const appeared = change === undefined ? journal.appearedRefunds(known, order) : [];
  const late = known.flatMap((record): readonly OrderCase[] => {
    const until = mayAppearUntil(journal, record, clock.now());
    const isThere = appeared.some((refund) => refund.record === record);
    return until === undefined || isThere ? [] : [{ is: 'may_appear', record, until }];
  });
  return [
    ...(change === undefined ? [] : [{ is: 'unconfirmed' as const, change }]),
    ...twiceCases(paid, seen, appeared),
    ...(unshown === undefined ? [] : [{ is: 'unshown' as const, record: unshown }]),
    ...late,
  ];
}

// A refund that was sent again and appeared late is there twice. Whichever of the two attempts shows that, it is one case.
function twiceCases(
  paid: PaidTwice | undefined,
  seen: PaidTwice | undefined,
  appeared: readonly AppearedRefund[],
): readonly OrderCase[] {
  const isTold = ({ refunds }: Pick<PaidTwice, 'refunds'>, by: PaidTwice | undefined) =>
    by !== undefined && refunds.length > 0 && refunds.every((id) => by.refunds.includes(id));
  const late = appeared.filter((refund) => !isTold(refund, paid));
  const told = appeared.find((refund) => isTold(refund, paid));
  const sent = paid && { ...paid, ...sendersIn(paid, told?.twice) };
  return [
    ...(sent === undefined ? [] : [{ is: 'paid_twice' as const, twice: sent, late: told }]),
    ...(seen === undefined || [paid, ...late.map(({ twice }) => twice)].some((by) => isTold(seen, by))
      ? []
      : [{ is: 'seen_twice' as const, twice: seen }]),
    ...late.map(
      (refund): OrderCase =>
        refund.twice === undefined
          ? { is: 'appeared', refund }
          : { is: 'seen_twice', twice: refund.twice, late: refund },
    ),
  ];
}

// Who sent them, as far as the order shows it and the journal does not know it yet.
function sendersIn(
  { refunds }: PaidTwice,
  told: PaidTwice | undefined,
): Pick<PaidTwice, 'sentAs' | 'others'> {
  if (told === undefined) return {};
  const { sentAs, others = 0 } = told;
  return { sentAs, others: refunds.length - told.refunds.length + others };
}

/**
 * Until when a change may still take effect that somebody recorded as not made, Unix milliseconds. Undefined if nobody recorded
 * that, or if the time is over.
 */
export function mayAppearUntil(
  journal: Pick<Context['journal'], 'mayAppearUntil'>,
  record: AttemptRecord,
  now: number,
): number | undefined {
  const last = record.verdicts.at(-1);
  const until = journal.mayAppearUntil(record);
  const isSaid = last?.by === 'person' && last.verdict !== 'applied';
  return isSaid && until !== undefined && until > now ? until : undefined;
}

/** The words in place of the status of an order. Where a screen has no room for them, the short ones stand there whole. */
export interface CaseWords {
  readonly full: string;
  readonly short: string;
}

export const caseWords: Readonly<Record<OrderCase['is'], CaseWords>> = {
  unconfirmed: { full: 'unconfirmed', short: 'unconfirmed' },
  paid_twice: { full: 'paid back twice', short: 'paid back 2x' },
  seen_twice: { full: 'paid back twice?', short: 'paid back 2x?' },
  appeared: { full: 'HAS appeared', short: 'HAS appeared' },
  unshown: { full: 'recorded as made', short: 'recorded made' },
  may_appear: { full: 'may still appear', short: 'may appear' },
};

/** The width of the longest of the short words. */
export const longestShortCase = Math.max(...Object.values(caseWords).map(({ short }) => short.length));

/** Whether no refund of such an order may be sent before somebody has dealt with the case. */
export function stopsRefund({ is }: OrderCase): boolean {
  return is === 'unconfirmed' || is === 'paid_twice' || is === 'seen_twice' || is === 'appeared';
}
