/** What says that an exported file is as it was written: the signature of its manifest, and the SHA-256 that a workbook or a report says of itself. Pure. */

import { createHash } from 'node:crypto';
import type { DeskKey } from '../profiles/profiles.ts';

/** Whose signature counts: that of this desk, or of another one by the public key that somebody typed. */
export interface Trust {
  readonly deskKey: DeskKey;
  readonly signedBy: string | undefined;
}

/** Signs the text of a manifest. It names the key, so that a reader knows which one is meant. */
export function signManifest(text: string, key: DeskKey): string {
  const named = withLast(text, 'signed_by', key.made());
  return withLast(named, 'signature', key.sign(Buffer.from(named)));
}

/** What is wrong with the signature of a manifest; `unknown key` if nobody said whose it must be. Undefined if it is right. */
export function signatureProblem(text: string, { deskKey, signedBy }: Trust): string | undefined {
  const expected = signedBy ?? deskKey.publicKey();
  const [, signature] = lastField('signature').exec(text) ?? [];
  if (signature === undefined) return 'its manifest is not signed: it was rewritten';
  if (expected === undefined) return 'unknown key';
  const signed = text.replace(lastField('signature'), '\n}\n');
  if (deskKey.isSigned(expected, Buffer.from(signed), signature)) return undefined;
  const [, by] = lastField('signed_by').exec(signed) ?? [];
  return by === expected
    ? 'its manifest was rewritten: the signature does not fit'
    : `its manifest is signed by another key than ${signedBy === undefined ? 'that of this desk' : signedBy}, ${by}`;
}

function withLast(text: string, name: string, value: string): string {
  return text.replace(/\n\}\n$/, `,\n  "${name}": "${value}"\n}\n`);
}

function lastField(name: string): RegExp {
  return new RegExp(`,\\n  "${name}": "([A-Za-z0-9+/=]+)"\\n\\}\\n$`);
}

/** What a file of paydesk that has no manifest says of itself. */
export function ownDigestWords(bytes: Buffer): string {
  const own = ownDigest(bytes);
  if (own !== undefined)
    return `what stands in it is as the SHA-256 ${own.where} says; nobody signed that, and whoever changes the rest can change it too`;
  if (bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004')
    return 'a workbook that paydesk wrote says a SHA-256 of its rows on its second sheet, about; a program that saves it anew keeps none that fits';
  return 'orders export --to FILE writes a file that can be verified';
}

/** Where a workbook or a report has a SHA-256 of itself that does not fit; undefined if it fits, or has none. */
export function wrongDigest(bytes: Buffer): string | undefined {
  const own = ownDigest(bytes);
  if (own === undefined) return undefined;
  const digest = createHash('sha256').update(bytes.subarray(0, own.length)).digest('hex');
  return digest === own.digest ? undefined : own.where;
}

// The second sheet of a workbook is not packed. The digest comes last, whatever somebody wrote into what stands before it.
function ownDigest(bytes: Buffer) {
  const said = /SHA-256 of the first (\d+) bytes of this file(?:: |(<\/t>).{1,200}?>)([0-9a-f]{64})<\//gs;
  const [, length, sheet, digest] = [...bytes.toString('latin1').matchAll(said)].at(-1) ?? [];
  if (digest === undefined) return undefined;
  return {
    length: Number(length),
    digest,
    where: sheet === undefined ? 'at its end' : 'on its second sheet, about,',
  };
}
