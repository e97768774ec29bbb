/** Captures an authorized order, always the whole amount: the service documents no partial capture. */

import { amountWords } from '../amounts.ts';
import { brandAndCard } from '../api/charges.ts';
import { itemsOf, type JsonObject } from '../api/json-values.ts';
import { type Order, readOrder } from '../api/records.ts';
import { orderColumns } from '../api/resources.ts';
import { paths, statuses } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { checkMode, commandLine, type Profile } from '../profiles/profiles.ts';
import { type Block, GoBack } from '../terminal/terminal.ts';
import { journalWords, titleLine, unconfirmedReply } from './change-words.ts';
import { changeOrder, type OrderAsked, orderConfirmation } from './order-change.ts';
import type { Applied } from './outcome.ts';
import { buyerWords } from './refund/refund-screens.ts';

export function captureOrder(ctx: Context, asked: OrderAsked): Promise<void> {
  return changeOrder(ctx, asked, {
    kind: 'capture',
    asked: {},
    async plan(read) {
      const { service, id, order } = read;
      const { profile } = service;
      checkCapturable(order, profile);
      const { amount, currency } = readOrder(order) ?? {};
      const request = { method: 'POST', path: paths.capture(id) } as const;
      const change = { request, amount, currency };
      return {
        change,
        checkFresh: async ({ value }) => checkCapturable(value, profile),
        preview: capturePreview(order, profile),
        confirmation: orderConfirmation(read, { change, words: [] }),
        // The only question before this one is which order.
        replan: read.isPicked ? () => Promise.reject(new GoBack()) : undefined,
        show: (applied) =>
          ctx.out.record(applied.record, orderColumns, () => captureResult(applied, profile)),
      };
    },
  });
}

/** Throws CliError 'refused' when the status of the order says that it cannot be captured (service: Endpoints 3). */
export function checkCapturable(order: JsonObject, profile: Profile): void {
  checkMode(order, profile);
  const status = order.payment_status;
  if (status === undefined || status === null || status === statuses.preAuthorized) return;
  throw new CliError(
    'refused',
    `${String(order.id)} is ${readOrder(order)?.payment_status ?? 'in another state'}, not ${statuses.preAuthorized}: there is nothing to capture`,
    { ownCode: 'nothing_to_capture', now: [commandLine(profile, 'orders', 'show', String(order.id))] },
  );
}

function capturePreview(value: JsonObject, profile: Profile): readonly Block[] {
  const order = readOrder(value);
  const status = order?.payment_status ?? 'status not shown';
  return [
    titleLine('CAPTURE AN ORDER', profile, 'strong'),
    {
      line: [`order   ${order?.id ?? ''}  ${status}  `, { time: order?.created_at, precision: 'day' }],
      hang: 8,
    },
    { line: `buyer   ${buyerWords(value, profile)}`, hang: 8 },
    ...itemsOf(order?.charges).map(
      (charge, index): Block => ({
        line: `from    charge ${index + 1}, ${brandAndCard(charge)}, ${typeof charge.id === 'string' ? charge.id : 'no id shown'}`,
        hang: 8,
      }),
    ),
    {
      line: { text: `  THIS CAPTURE  ${moneyOf(order, profile)}   all that was authorized`, style: 'strong' },
    },
  ];
}

function moneyOf(order: Order | undefined, { settings }: Profile): string {
  return order?.amount === undefined
    ? 'amount not shown'
    : amountWords(order.amount, order.currency, settings);
}

function captureResult({ record, by, change, said }: Applied, profile: Profile): readonly Block[] {
  const order = readOrder(record.value);
  return [
    titleLine(`captured ${moneyOf(order, profile)}`, profile, 'good'),
    {
      line: `order    ${order?.id ?? ''}   ${order?.payment_status ?? 'status not shown'}${journalWords(change)}`,
    },
    ...(by === 'read' ? [{ line: `${unconfirmedReply({ said })}; the order now shows the capture` }] : []),
  ];
}
