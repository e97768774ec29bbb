/** `--qr` and `--no-qr`: the link of a checkout as a code that the buyer's phone reads off the screen. */

import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../command.ts';
import { flag } from '../command.ts';

/** The flags of every creation that may come with a link. */
export const qrFlags = {
  qr: flag.switch({
    summary: 'draw the link as a QR code, also where stdout is no terminal',
    defaultText: 'in a table on a terminal with room for it',
    conflicts: ['no-qr'],
  }),
  'no-qr': flag.switch({ summary: 'draw no QR code', conflicts: ['qr'] }),
} as const;

/** Draws the link of a checkout under the result. Who asked for it is told why there is none. */
export async function drawLink(
  ctx: Context,
  { url }: JsonObject,
  {
    qr: asked = false,
    noQr = false,
  }: { readonly qr: boolean | undefined; readonly noQr: boolean | undefined },
): Promise<void> {
  if (noQr || ctx.options.dryRun) return;
  const missing =
    typeof url === 'string' && url !== '' ? await ctx.out.qr(url, asked) : 'the answer shows no link';
  if (asked && missing !== undefined) ctx.notes.note(`no QR code: ${missing}`);
}
