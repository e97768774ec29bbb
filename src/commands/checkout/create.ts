/** `checkout create`: a payment link, out of flags, a body file or questions. */

import { checkoutCreateRequest } from '../../api/spec.ts';
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
import { type LinkDraft, linkBody, linkFlags } from './link-body.ts';
import { linkPreview } from './link-preview.ts';
import { askEssentials, askMore } from './link-questions.ts';
import { checkoutColumns, linkResult } from './link-result.ts';

const example = '--name Lamp --item Lamp:30000:1 --currency MXN';

const essentialFlags = ['name', 'item', 'currency'];

export const create = defineCommand({
  description: [
    'The link sells what the items say. On a terminal what is missing is asked for.',
    'With --body the whole JSON body is read from a file; its fields are checked one by one before anything is sent.',
  ].join(' '),
  arguments: [],
  flags: { ...linkFlags, body: bodyFlag(Object.keys(linkFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo checkout create',
    `paydesk -p demo checkout create ${example} --expires 7d --method card --method cash --dry-run`,
    `paydesk -p demo checkout create ${example} --installments 3,6 --yes --json --no-input`,
  ],
  exits: [0, 2, 3, 4, 5, 6, 7, 9, 130],
  async run(ctx, { flags }) {
    ctx.out.checkColumns(checkoutColumns);
    const { confirm, intent: intentId, again = [], body: file, qr, 'no-qr': noQr, ...given } = flags;
    const service = await ctx.service({ purpose: 'change' });
    const { profile } = service;
    const missing = file === undefined ? missingFlags(given, essentialFlags) : [];
    checkNamed(ctx, { profile, confirm, body: file }, { command: 'checkout create', missing });
    const sent = await wantedBody(ctx, checkoutCreateRequest, file, {
      what: 'the payment link',
      gather: () => gather(ctx, given, confirm),
      bodyOf: (draft) => linkBody(draft, reckoningOf(ctx)),
    });
    const repeat = { kind: 'checkout' as const, intentId, asked: sent.asked, again };
    const columnsOf = () => checkoutColumns;
    const repeated = await showRecorded(ctx, service, repeat, columnsOf);
    if (repeated !== undefined) {
      await drawLink(ctx, repeated.record.value, { qr, noQr });
      return undefined;
    }
    refusePast(sent.body.expired_at, ctx.clock.now());
    const { line_items: items, currency } = sent.body.order_template;
    const intent: Intent = {
      ...repeat,
      request: { method: 'POST', path: profile.settings['checkouts.path'], body: sent.body },
      amount: sumOf(items),
      currency,
      approve: async () => undefined,
    };
    const preview = linkPreview(sent.body, profile);
    const applied = await sendNamed(ctx, service, { intent, preview, confirm, columnsOf });
    if (applied === undefined) return undefined;
    await ctx.out.record(applied.record, checkoutColumns, () => linkResult(applied, sent.body, profile));
    checkRecorded(intent, applied, changeWords(intent));
    await drawLink(ctx, applied.record.value, { qr, noQr });
    return undefined;
  },
});

async function gather(ctx: Context, given: LinkDraft, confirm: string | undefined): Promise<LinkDraft> {
  requireFlags(ctx, given, essentialFlags);
  const essentials = await askEssentials(ctx, given);
  return asksForMore(ctx, given, confirm) ? askMore(ctx, essentials) : essentials;
}
