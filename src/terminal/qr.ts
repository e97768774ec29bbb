/** A link as a QR code in half blocks: a terminal's cell is twice as high as it is wide, so a line holds two rows. */

import type { OutputOptions } from './output.ts';

/** A drawn code, or why there is none. */
export type QrCode = { readonly lines: readonly string[] } | { readonly missing: string };

// Only what a person sees whole may stand in a code that a phone opens.
const linkPattern = /^https?:\/\/[\x21-\x7e]+$/;
// What the largest code holds, in bytes.
const longest = 2953;
// Modules of light around it; cameras find a code by them.
const border = 2;

/**
 * Draws a link. `always` (`--qr`) draws it wherever people read, too high a code included; otherwise it is drawn in a
 * table on a terminal that shows all of it at once.
 */
export async function drawQr(
  link: string,
  always: boolean,
  options: Pick<OutputOptions, 'stdout' | 'format' | 'accessible' | 'secrets'>,
): Promise<QrCode> {
  const { isTTY, columns = 0, rows = 0 } = options.stdout;
  if (options.format !== 'table' && !(options.format === 'list' && always))
    return { missing: `${options.format} holds no QR code` };
  if (!always && (!isTTY || options.accessible)) return { missing: 'stdout is no terminal' };
  // A key has no place in a picture either, where no filter would find it.
  if (!linkPattern.test(link) || options.secrets.clean(link) !== link || link.length > longest)
    return { missing: 'the link is none that a QR code is drawn of' };
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(link, { border, boostEcc: true }).split('\n');
  const width = lines[0]?.length ?? 0;
  const known = isTTY && columns > 0;
  if (known && width > columns)
    return { missing: `the QR code is ${width} columns wide, the terminal ${columns}` };
  // The line below it is the shell's.
  if (!always && !(known && lines.length < rows))
    return { missing: `the QR code is ${lines.length} lines high, the terminal ${rows}` };
  return { lines };
}
