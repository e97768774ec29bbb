/** `orders create`: an order with checkout options, out of flags, a body file or questions. */

import { hostedPayment, orderColumns, orderRequest, paths } from '../../api/spec.ts';
import type { Intent } from '../../journal/journal.ts';
import type { Context } from '../command.ts';
import { defineCommand } from '../command.ts';
import { checkNamed } from '../confirm-by-name.ts';
import { wantedBody } from '../creation/body.ts';
import { asksForMore, missingFlags, requireFlags } from '../creation/draft.ts';
import { refusePast } from '../creation/expiry.ts';
import { bodyFlag, creationFlags } from '../creation/flags.ts';
import { sumOf } from '../creation/items.ts';
import { drawLink, qrFlags } from '../creation/qr.ts';
import { changeWords } from '../kind-words.ts';
import { showRecorded } from '../repeat.ts';
import { sendNamed } from '../send-named.ts';
import { reckoningOf } from '../typed-time.ts';
import { checkRecorded } from '../unrecorded.ts';
import { orderPreview, shippingOf } from './create-preview.ts';
import { checkoutOf, createResult } from './create-result.ts';
import { orderBody } from './order-body.ts';
import { type OrderDraft, orderFlags } from './order-flags.ts';
import { askEssentials, askMore } from './order-questions.ts';

const example = '--item Lamp:30000:1 --currency MXN';

const essentialFlags = ['item', 'currency'];

export const create = defineCommand({
  description: [
    'On a terminal what is missing is asked for. --checkout and the flags after it say how the order is paid.',
    'With --body the whole JSON body is read from a file; its fields are checked one by one before anything is sent.',
  ].join(' '),
  arguments: [],
  flags: { ...orderFlags, body: bodyFlag(Object.keys(orderFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo orders create',
    `paydesk -p demo orders create ${example} --shipping 9900 --metadata shop_order=A-1 --dry-run`,
    `paydesk -p demo orders create ${example} --checkout ${hostedPayment} --method card --expires 7d --yes --json --no-input`,
  ],
  exits: [0, 2, 3, 4, 5, 6, 7, 9, 130],
  async run(ctx, { flags }) {
    ctx.out.checkColumns(orderColumns);
    const { confirm, intent: intentId, again = [], body: file, qr, 'no-qr': noQr, ...given } = flags;
    const service = await ctx.service({ purpose: 'change' });
    const { profile } = service;
    const missing = file === undefined ? missingFlags(given, essentialFlags) : [];
    checkNamed(ctx, { profile, confirm, body: file }, { command: 'orders create', missing });
    const { body, asked } = await wantedBody(ctx, orderRequest, file, {
      what: 'the order',
      gather: () => gather(ctx, given, confirm),
      bodyOf: (draft) => orderBody(draft, reckoningOf(ctx)),
    });
    const repeat = { kind: 'order' as const, intentId, asked, again };
    const columnsOf = () => orderColumns;
    const repeated = await showRecorded(ctx, service, repeat, columnsOf);
    if (repeated !== undefined) {
      await drawLink(ctx, checkoutOf(repeated.record.value), { qr, noQr });
      return undefined;
    }
    refusePast(body.checkout?.expires_at, ctx.clock.now());
    const intent: Intent = {
      ...repeat,
      request: { method: 'POST', path: paths.orders, body },
      amount: sumOf(
        body.line_items,
        shippingOf(body).reduce((sum, amount) => sum + amount, 0),
      ),
      currency: body.currency,
      approve: async () => undefined,
    };
    const preview = orderPreview(body, profile);
    const applied = await sendNamed(ctx, service, { intent, preview, confirm, columnsOf });
    if (applied === undefined) return undefined;
    await ctx.out.record(applied.record, orderColumns, () => createResult(applied, body, profile));
    checkRecorded(intent, applied, changeWords(intent));
    await drawLink(ctx, checkoutOf(applied.record.value), { qr, noQr });
    return undefined;
  },
});

async function gather(ctx: Context, given: OrderDraft, confirm: string | undefined): Promise<OrderDraft> {
  requireFlags(ctx, given, essentialFlags);
  const essentials = await askEssentials(ctx, given);
  return asksForMore(ctx, given, confirm) ? askMore(ctx, essentials) : essentials;
}
