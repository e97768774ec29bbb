/** Looks up what the journal of this machine knows about an order's refunds: who sent them, why, and the note. */

import type { Service } from '../../api/api.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { shownCharges, shownRefunds } from '../../api/payment.ts';
import type { Context } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import {
  type ApprovalFields,
  type AttemptRecord,
  approvalFields,
  namedByReply,
  ownRefunds,
  probableRefunds,
} from '../../journal/journal.ts';
import { type KnownRefund, recordedRefunds } from '../../orders/orders.ts';
import { planRowWords } from '../change-words.ts';
import type { MadeWords } from './refund-checks.ts';

interface RefundOrigin {
  /** The operator and the note, `op7: ticket 8812`; or why this machine probably sent it. */
  readonly by: string;
  /** This machine probably sent it. Nothing confirms that yet. */
  readonly probable?: true;
  /** It is there beside an equal refund of this machine, so `by` is not a name. */
  readonly beside?: true;
  /** The journal of the team does not know it, as `by` says. */
  readonly unknown?: true;
  readonly reason: string | undefined;
  /** The row of the plan that it was sent by, if it was. */
  readonly row?: string | undefined;
  /** Who approved it, and its ticket; undefined unless this machine certainly sent it. */
  readonly approval?: ApprovalFields;
}

/**
 * Who sent each refund, by refund id. A refund that is missing here was not sent from this machine; in a team it is listed as
 * `unknown`. Undefined when the journal cannot be read.
 */
export type RefundOrigins = ReadonlyMap<string, RefundOrigin> | undefined;

/** Looks up in the journal who sent the refunds of an order. If the journal cannot be read, it only warns. */
export function originsOf(ctx: Context, service: Service, order: JsonObject): Promise<RefundOrigins> {
  return originsAmong(ctx, order, () => ctx.journal.attemptsOf(service, String(order.id)));
}

/** The same among the attempts on the order, which are asked for only if it has refunds. */
export async function originsAmong(
  ctx: Context,
  order: JsonObject,
  attemptsOn: () => Promise<readonly AttemptRecord[]>,
): Promise<RefundOrigins> {
  const shown = shownCharges(order).items.flatMap((charge) => shownRefunds(order, charge).items);
  const ids = shown.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  if (ids.length === 0) return new Map();
  try {
    const attempts = await attemptsOn();
    ctx.redaction.learn(attempts.map(({ sent: { note } }) => ({ note })));
    const probable = probableRefunds(attempts, order);
    const doubled = [...probable.values()].filter(
      (record) => hasOneMore(record) && namedByReply(record).length === 0,
    );
    return new Map([
      ...(await strangersOf(ctx, ids)),
      ...[...probable].map(([id, record]) => [id, probableOrigin(ctx, record)] as const),
      ...[...recordedRefunds(attempts)].map(([id, { by: sender, note, reason, sent }]) => {
        const by = note === undefined ? sender : `${sender}: ${note}`;
        return [id, { by, reason, row: planRowWords(sent), approval: approvalFields(sent) }] as const;
      }),
      ...doubled.flatMap((record) =>
        ownRefunds(record).map(({ id = '' }) => [id, besideOrigin(ctx, record)] as const),
      ),
    ]);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`who sent the refunds is not shown: ${error.message}`);
    return undefined;
  }
}

// In a team a refund may come from any desk, so it matters which journal does not know it. What the journal does know takes the
// place of this.
async function strangersOf(
  { journal }: Context,
  ids: readonly string[],
): Promise<readonly (readonly [string, RefundOrigin])[]> {
  if ((await journal.rules()) === undefined) return [];
  const by = "not in the team's journal";
  return ids.map((id) => [id, { by, unknown: true, reason: undefined }] as const);
}

/** Whether the journal knows who sent a refund, surely or probably. */
export function isKnown(origins: RefundOrigins, refundId: string): boolean {
  const origin = origins?.get(refundId);
  return origin !== undefined && origin.unknown !== true;
}

// It was made, and the order shows one more like it. Its state may still be `made`: the journal may not know of the second one yet.
function hasOneMore({ verdicts }: AttemptRecord): boolean {
  const last = verdicts.at(-1);
  return last?.verdict === 'applied' && last.by !== 'person';
}

// Who made a refund that the order shows more than once. If no reply named ours, nobody can tell them apart.
function besideOrigin(ctx: Context, record: AttemptRecord): RefundOrigin {
  const { time, operator, reason } = record.sent;
  if (namedByReply(record).length > 0)
    return { by: 'ours again, or elsewhere', beside: true, reason: undefined };
  return { by: `one of these is ours, sent at ${ctx.shortTime(time)} by ${operator}`, beside: true, reason };
}

/** Who sent a refund that `probableRefunds` found for this attempt. */
function probableOrigin(ctx: Context, record: AttemptRecord): RefundOrigin {
  if (hasOneMore(record)) return besideOrigin(ctx, record);
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const state =
    last?.by === 'person'
      ? `recorded by ${last.operator ?? 'somebody'} as ${last.verdict === 'applied' ? 'made' : 'not made'}`
      : 'not confirmed yet';
  const by = `probably ours: sent at ${ctx.shortTime(sent.time)}, ${state}`;
  return { by, probable: true, reason: sent.reason };
}

/** Who sent a refund that an order shows, in a word or two. */
export function senderOf(ctx: Context, { attempt, record }: KnownRefund): string {
  if (attempt === undefined) return 'elsewhere';
  return recordedRefunds([attempt]).get(record?.id ?? '')?.by ?? probableOrigin(ctx, attempt).by;
}

export function sentBy(origins: RefundOrigins, refundId: string): string {
  if (origins === undefined) return '-';
  return origins.get(refundId)?.by ?? 'elsewhere';
}

/** Who sent a refund, for a sentence: `by op7: ticket 8812`, `elsewhere`. Undefined when the journal cannot be read. */
export function sentByWords(origins: RefundOrigins, refundId: string): string | undefined {
  if (origins === undefined) return undefined;
  const origin = origins.get(refundId);
  const words = sentBy(origins, refundId);
  return origin === undefined || origin.probable || origin.beside || origin.unknown ? words : `by ${words}`;
}

export function madeWords(ctx: Context, origins: RefundOrigins): MadeWords {
  return ({ id, createdAt }) => {
    const when = createdAt === undefined ? '' : `, made at ${ctx.shortTime(createdAt * 1000)}`;
    const by = sentByWords(origins, id);
    return by === undefined ? when : `${when}${by.startsWith('by ') ? ' ' : ', '}${by}`;
  };
}
