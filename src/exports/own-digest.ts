/** The SHA-256 that a workbook says of its own rows, for a file without a manifest. Pure. */

import { createHash } from 'node:crypto';

/** What a file of paydesk that has no manifest says of itself. */
export function ownDigestWords(bytes: Buffer): string {
  if (ownDigest(bytes) !== undefined)
    return 'its rows are as the SHA-256 on its second sheet, about, says; nobody signed that, and whoever changes the rows can change it too';
  if (bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004')
    return 'a workbook that paydesk wrote says a SHA-256 of its rows on its second sheet, about; a program that saves it anew keeps none that fits';
  return bytes.includes('data-sha256="')
    ? 'a report that paydesk wrote has a SHA-256 of its figures at its end, above them'
    : 'orders export --to FILE writes a file that can be verified';
}

/** Whether it is a workbook whose rows are not those of its SHA-256. */
export function hasOtherRows(bytes: Buffer): boolean {
  const own = ownDigest(bytes);
  if (own === undefined) return false;
  return createHash('sha256').update(bytes.subarray(0, own.length)).digest('hex') !== own.digest;
}

// The second sheet of a workbook is not packed.
function ownDigest(bytes: Buffer): { readonly length: number; readonly digest: string } | undefined {
  const [, length, digest] =
    /SHA-256 of the first (\d+) bytes of this file<\/t>.{1,200}?>([0-9a-f]{64})<\/t>/s.exec(
      bytes.toString('latin1'),
    ) ?? [];
  return digest === undefined ? undefined : { length: Number(length), digest };
}
