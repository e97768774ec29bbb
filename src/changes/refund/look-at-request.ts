/** What somebody reads of a request before they approve it: the preview of the refund from a read of their own, or that of a plan. */

import { type OpenService, readOne } from '../../api/api.ts';
import type { Context } from '../../context/context.ts';
import { usage } from '../../flags/flags.ts';
import type { ApprovalRequest, AskedPlanRow, PlanTold } from '../../journal/journal.ts';
import { type KnownTwin, twinLine, twinWords } from '../../orders/orders.ts';
import { digestShown, namesDigest } from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { rowsAndSumsOf } from '../bulk/batch-words.ts';
import { byHandLines } from '../by-hand-words.ts';
import { titleLine } from '../change-words.ts';
import type { ConfirmedOrder } from '../confirm-change.ts';
import { type ApprovedRefund, refuseChanged } from './approved-refund.ts';
import { madeWords, originsOf } from './known-refunds.ts';
import { lookForTwins } from './look-for-twins.ts';
import { checkTwins } from './refund-checks.ts';
import { refundForTeam, refundWarnings, splitAgain } from './refund-order.ts';
import { planRefund, type RefundAsked } from './refund-plan.ts';
import { refundPreview } from './refund-screens.ts';
import { otherRequests } from './second-person.ts';
import { askedBy } from './send-approved.ts';

/** What somebody reads before they approve a request. */
export interface Seen {
  readonly profile: Profile;
  /** What a person types in production: the amount or the id of the order, or the digest of the plan. */
  readonly order: ConfirmedOrder;
  readonly preview: readonly Block[];
  /** What is said right above the question. */
  readonly urgent: readonly string[];
  /** All notes and warnings, for scripts. */
  readonly checks: readonly string[];
}

/** Reads the order again, and plans the refund anew. Throws CliError 'refused' when the order would get another refund now, or none. */
export async function lookAtRefund(ctx: Context, request: ApprovedRefund): Promise<Seen> {
  const { asked } = request;
  const { orderId } = asked.proof;
  if (orderId === undefined) throw usage(`${request.id} is about no order`);
  const service: OpenService = await ctx.service({ shown: orderId });
  const { profile } = service;
  const given: RefundAsked = { ...askedBy(asked), again: asked.again ?? [] };
  await ctx.journal.refuseOpen({ service, kind: 'refund', orderId, again: given.again });
  const { value: order } = await readOne(ctx, service, 'orders', orderId, 'change');
  await ctx.journal.refuseDuplicate({ service, orderId, order });
  const [origins, twins] = [await originsOf(ctx, service, order), await lookForTwins(ctx, service, order)];
  const what = { ...given, ...(await splitAgain(ctx, { service, id: orderId, order }, given, twins)) };
  const made = madeWords(ctx, origins);
  const plan = planRefund(what, order, profile, { nowMs: ctx.clock.now(), madeWords: made });
  const line = (one: KnownTwin) => twinLine(one, twinWords(ctx, profile, order, twins.own));
  checkTwins(plan, what, { found: twins.twins, line }, profile);
  refuseChanged(request, refundForTeam(profile, orderId, plan, what), `${asked.operator} asked`);
  const told = refundWarnings(ctx, { profile, order, origins }, plan, twins);
  const warnings = [...told.warnings, ...(await otherRequests(ctx, asked, request.id))];
  const urgent = [...(await byHandLines(ctx, service, { ...order, id: orderId }, plan)), ...told.urgent];
  const shownPlan = { ...plan, warnings };
  return {
    profile,
    order: { id: orderId, amount: asked.amount, currency: asked.currency },
    preview: [
      ...refundPreview({
        plan: shownPlan,
        order,
        profile,
        note: asked.note,
        isOfTeam: true,
        origins,
        asides: told.asides,
      }),
      { line: `asked   by ${asked.operator}, ${ctx.fullTime(asked.time)} (${request.id})`, hang: 8 },
    ],
    urgent,
    checks: [...warnings, ...urgent],
  };
}

/** What the request says of the plan. No order is read: each row is read again when it is sent. */
export async function lookAtPlan(ctx: Context, request: ApprovalRequest): Promise<Seen> {
  const { profile } = await ctx.service();
  const { planned, digest, told } = planIn(request);
  const line = (name: string, text: string): Block => ({ line: `${name.padEnd(8)}${text}`, hang: 8 });
  const notes = told === undefined ? [] : noteLines(told);
  const asShown = `the notes as ${request.asked.operator}'s desk showed them`;
  return {
    profile,
    order: {
      id: digest.slice(0, digestShown),
      amount: undefined,
      currency: undefined,
      idIs: 'the digest',
      isId: (text) => namesDigest(text, digest),
    },
    preview: [
      titleLine('APPROVE A PLAN OF REFUNDS', profile, 'strong'),
      line('plan', `${planned.id} of ${planned.file}, made ${ctx.fullTime(planned.madeAt)}`),
      line('asked', `by ${request.asked.operator}, ${ctx.fullTime(request.asked.time)}`),
      line('sends', rowsAndSumsOf(planned, profile.settings)),
      ...(told === undefined ? [] : [line('reasons', `${reasonWords(told)}; this and ${asShown}`)]),
      ...notes.map((text) => line('note', text)),
      line('digest', digest),
      line('rows', 'to see them, with the file of the plan: paydesk refunds status PLAN'),
    ],
    urgent: [],
    checks: notes,
  };
}

// What whoever asked has read, from the first row to the last that the request has room for.
function noteLines({ notes, noted }: PlanTold): readonly string[] {
  const more = noted - notes.length;
  return [
    ...notes,
    ...(more > 0 ? [`${more === 1 ? '1 more row has' : `${more} more rows have`} notes`] : []),
  ];
}

// `20 fraudulent, 4 without a reason`
function reasonWords({ reasons }: PlanTold): string {
  return reasons
    .map(({ reason, rows }) => `${rows} ${reason === '' ? 'without a reason' : reason}`)
    .join(', ');
}

// What was asked for, where `isOfRefund` has said that it is a plan.
function planIn({ asked }: ApprovalRequest): AskedPlanRow {
  if ('planned' in asked) return asked;
  throw new Error('this request is about no plan');
}
