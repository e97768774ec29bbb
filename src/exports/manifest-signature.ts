/** The signature of a manifest: its last two fields, over all that stands before the second. Pure. */

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
  if (signature === undefined)
    return 'its manifest is not signed: it was rewritten, or is of an older paydesk';
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
