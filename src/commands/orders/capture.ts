/** `orders capture`: capture an order that was authorized earlier. */

import type { WireRecord } from '../../api/api.ts';
import { type JsonObject, orderColumns, paths, readOrder, resources, statuses } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { Intent } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { commandLine } from '../account.ts';
import type { Context } from '../command.ts';
import { defineCommand, flag, idArgument } from '../command.ts';
import { type Confirmable, checkConfirmable, confirmChange } from '../confirm.ts';
import { changeWords } from '../kind-words.ts';
import { checkMode } from '../mode.ts';
import { readOne } from '../one-record.ts';
import { checkNotOpen } from '../open-outcome.ts';
import { againFlag, appliedNow, askedFor, checkOrderNamed, intentFlag, showRecorded } from '../repeat.ts';
import { checkRecorded } from '../unrecorded.ts';
import { capturePreview, captureResult } from './capture-view.ts';
import { checkUnchanged } from './final-read.ts';
import { type Pickable, pickOrder } from './pick-order.ts';

const { captureExample } = resources.orders;
const offer: Pickable = {
  kind: statuses.preAuthorized,
  accepts: (order) => order.payment_status === statuses.preAuthorized,
  listFlags: ['--status', statuses.preAuthorized],
};

export const capture = defineCommand({
  description:
    'The whole authorized amount is captured; the service documents no part. It is confirmed like a refund.',
  arguments: [idArgument('orders', false)],
  flags: {
    confirm: flag.id('orders', { value: 'ID', summary: 'the order id once more: says yes in production' }),
    intent: intentFlag,
    again: againFlag,
  },
  examples: [
    'paydesk -p demo orders capture',
    `paydesk -p demo orders list --status ${statuses.preAuthorized}`,
    `paydesk -p demo orders capture ${captureExample} --dry-run`,
    `paydesk -p demo orders capture ${captureExample} --yes --json --no-input`,
  ],
  exits: [0, 2, 3, 4, 5, 6, 7, 9, 130],
  async run(ctx, { args: [givenId], flags: { confirm, intent: intentId, again = [] } }) {
    ctx.out.checkColumns(orderColumns);
    const service = await ctx.service({ purpose: 'change' });
    const { profile } = service;
    checkConfirmable(
      ctx,
      { profile, id: givenId, confirm },
      { command: 'orders capture', missing: givenId === undefined ? ['ID'] : [] },
    );
    checkOrderNamed(givenId, intentId);
    const repeat = {
      kind: 'capture' as const,
      orderId: givenId,
      intentId,
      asked: askedFor({ order: givenId }),
      again,
    };
    if (await showRecorded(ctx, service, repeat, () => orderColumns)) return undefined;
    const id = givenId ?? (await pickOrder(ctx, service, offer)).id;
    await checkNotOpen(ctx, service, id, again);
    const { record: order } = await readOne(ctx, service, 'orders', id, 'change');
    checkCapturable(order.value, profile);
    const confirmable = { profile, id, confirm };
    if (!ctx.options.dryRun) ctx.notes.show(capturePreview(order.value, profile));
    await confirmChange(ctx, confirmable, readOrder(order.value)?.amount);
    const intent = { ...captureIntent(ctx, order, confirmable), again, intentId, asked: repeat.asked };
    const outcome = await ctx.change(intent);
    const applied = await appliedNow(ctx, profile, { intent, outcome }, () => orderColumns);
    if (applied === undefined) return undefined;
    await ctx.out.record(applied.record, orderColumns, () => captureResult(applied, profile));
    checkRecorded(intent, applied, changeWords(intent));
    return undefined;
  },
});

/** Refuses what cannot be captured, as far as the order shows it (service: Endpoints 3). */
function checkCapturable(order: JsonObject, profile: Profile): void {
  checkMode(order, profile);
  const status = order.payment_status;
  if (status === undefined || status === null || status === statuses.preAuthorized) return;
  throw new CliError(
    'refused',
    `${String(order.id)} is ${readOrder(order)?.payment_status ?? 'in another state'}, not ${statuses.preAuthorized}: there is nothing to capture`,
    {
      certain: 'nothing was sent',
      now: [commandLine(profile, 'orders', 'show', String(order.id))],
    },
  );
}

function captureIntent(ctx: Context, order: WireRecord, confirmable: Confirmable): Intent {
  const { amount, currency } = readOrder(order.value) ?? {};
  let shown = order;
  return {
    kind: 'capture',
    orderId: confirmable.id,
    request: { method: 'POST', path: paths.capture(confirmable.id) },
    amount,
    currency,
    again: [],
    approve: async (fresh) => {
      await checkUnchanged(ctx, shown, fresh, confirmable);
      checkCapturable(fresh.value, confirmable.profile);
      shown = fresh;
    },
  };
}
