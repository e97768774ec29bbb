/** `orders refund`: declare, gather, plan, confirm, act, show. */

import type { WireRecord } from '../../api/api.ts';
import {
  chargeIdPattern,
  orderColumns,
  paths,
  refundReasons,
  refundReasonValues,
  resources,
} from '../../api/spec.ts';
import type { Intent } from '../../journal/journal.ts';
import type { Completer, Context } from '../command.ts';
import { defineCommand, flag, idArgument, usage } from '../command.ts';
import { type Confirmable, checkConfirmable, confirmChange } from '../confirm.ts';
import { changeWords } from '../kind-words.ts';
import { readOne } from '../one-record.ts';
import { checkNotOpen } from '../open-outcome.ts';
import { againFlag, appliedNow, askedFor, checkOrderNamed, intentFlag, showRecorded } from '../repeat.ts';
import { checkRecorded } from '../unrecorded.ts';
import { checkUnchanged } from './final-read.ts';
import { type Pickable, pickOrder } from './pick-order.ts';
import { youngWarnings } from './refund-checks.ts';
import { checkRequired, gather, missingRequired } from './refund-gather.ts';
import { originsOf } from './refund-origins.ts';
import { planRefund, type RefundAsked, type RefundPlan } from './refund-plan.ts';
import { refundPreview } from './refund-preview.ts';
import { refundResult } from './refund-result.ts';
import { canBeRefunded } from './refundable.ts';

const { idExample } = resources.orders;
const [firstReason] = refundReasonValues;
const offer: Pickable = { kind: 'refundable', accepts: canBeRefunded, listFlags: ['--refundable'] };

// The charges of the order that was typed.
const offerCharges: Completer = async ({ args: [order], flags }, known) =>
  order === undefined ? [] : known.charges(order, flags.get('profile'));

export const refund = defineCommand({
  description: [
    'ID alone refunds the whole order; --charge one charge of it; --charge with --amount part of that charge.',
    'Nothing is sent before a preview and a yes; it is sent at most once, whatever happens to the answer.',
    `Reasons: ${refundReasonValues.map((value) => `${value} (${refundReasons[value].words})`).join(', ')}.`,
  ].join(' '),
  arguments: [idArgument('orders', false)],
  flags: {
    charge: flag.of<string>({
      value: 'CH',
      summary: 'one charge: its id, its number in orders show, or *4242',
      offers: offerCharges,
      parse: chargeName,
    }),
    amount: flag.amount({ value: 'N', summary: "part of a charge: the service's own integer" }),
    reason: flag.choice(refundReasonValues, {
      value: 'R',
      summary: 'why, for the service',
      meanings: Object.fromEntries(refundReasonValues.map((value) => [value, refundReasons[value].words])),
    }),
    note: flag.text({ value: 'TEXT', summary: 'why, for this machine; is not sent' }),
    confirm: flag.id('orders', { value: 'ID', summary: 'the order id once more: says yes in production' }),
    intent: intentFlag,
    again: againFlag,
  },
  examples: [
    'paydesk -p demo orders refund',
    `paydesk -p demo orders refund ${idExample} --charge 1 --amount 300 --reason ${firstReason}`,
    `paydesk -p demo orders refund ${idExample} --charge 1 --amount 200 --yes --json --no-input`,
    `paydesk -p demo orders refund ${idExample} --charge 2 --dry-run`,
  ],
  exits: [0, 2, 3, 4, 5, 6, 7, 9, 130],
  async run(ctx, { args: [givenId], flags }) {
    ctx.out.checkColumns(orderColumns);
    const service = await ctx.service({ purpose: 'change' });
    const { profile } = service;
    const required = missingRequired(profile, flags);
    checkConfirmable(
      ctx,
      { profile, id: givenId, confirm: flags.confirm },
      {
        command: 'orders refund',
        missing: [...(givenId === undefined ? ['ID'] : []), ...required],
      },
    );
    checkRequired(ctx, profile, required);
    checkOrderNamed(givenId, flags.intent);
    const repeat = {
      kind: 'refund' as const,
      orderId: givenId,
      intentId: flags.intent,
      asked: askedFor({
        order: givenId,
        charge: flags.charge,
        amount: flags.amount,
        reason: flags.reason,
      }),
      again: flags.again ?? [],
    };
    if (await showRecorded(ctx, service, repeat, () => orderColumns)) return undefined;
    const { id, twin } =
      givenId === undefined ? await pickOrder(ctx, service, offer) : { id: givenId, twin: undefined };
    const closed = await checkNotOpen(ctx, service, id, repeat.again);
    const { record: order } = await readOne(ctx, service, 'orders', id, 'change');
    const asked = await gather(ctx, service, order, { ...flags, again: repeat.again }, givenId === undefined);
    const planned = planRefund(asked, order.value, profile);
    const origins = await originsOf(ctx, profile, order.value);
    const young = youngWarnings(planned.money, ctx.clock.now(), origins);
    const plan = { ...planned, warnings: [...planned.warnings, ...young, ...twinWords(twin)] };
    const confirmable = { profile, id, confirm: flags.confirm };
    const shown = { plan, order: order.value, profile, note: asked.note, origins };
    if (!ctx.options.dryRun) ctx.notes.show(refundPreview(shown));
    await confirmChange(ctx, confirmable, plan.amount);
    const intent = {
      ...refundIntent(ctx, { asked, plan, order, confirmable }),
      intentId: repeat.intentId,
      asked: repeat.asked,
      closed,
    };
    const outcome = await ctx.change(intent);
    const applied = await appliedNow(ctx, profile, { intent, outcome }, () => orderColumns);
    if (applied === undefined) return undefined;
    await ctx.out.record(applied.record, orderColumns, () => refundResult(plan, applied, profile));
    checkRecorded(intent, applied, changeWords(intent));
    return undefined;
  },
});

function twinWords(twin: string | undefined): readonly string[] {
  if (twin === undefined) return [];
  return [`a possible twin, the same buyer and amount within 10 minutes, may be meant: ${twin}`];
}

function chargeName(text: string, name: string): string {
  if (chargeIdPattern.test(text)) return text;
  throw usage(`${name} ${text}: not a charge: its id, its number in orders show, or *4242`);
}

interface Decided {
  readonly asked: RefundAsked;
  readonly plan: RefundPlan;
  readonly order: WireRecord;
  readonly confirmable: Confirmable;
}

function refundIntent(ctx: Context, { asked, plan, order, confirmable }: Decided): Intent {
  const { profile, id } = confirmable;
  let shown = order;
  return {
    kind: 'refund',
    orderId: id,
    request: { method: 'POST', path: paths.refunds(id), body: { ...plan.body } },
    expected: plan.expected,
    tolerated: plan.tolerated,
    amount: plan.amount,
    currency: plan.money.currency,
    reason: asked.reason,
    note: asked.note,
    again: asked.again,
    checks: plan.warnings,
    approve: async (fresh) => {
      await checkUnchanged(ctx, shown, fresh, confirmable);
      planRefund(asked, fresh.value, profile);
      shown = fresh;
    },
  };
}
