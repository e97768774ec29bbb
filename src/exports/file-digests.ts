/**
 * Makes and checks what proves that an exported file is unchanged: the signature of its manifest, or the SHA-256 inside a
 * workbook or report. Pure.
 */

import { hash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { DeskKey } from '../profiles/profiles.ts';

/** Whose signature to accept: this desk's, or that of a typed public key. */
export interface Trust {
  readonly deskKey: DeskKey;
  readonly signedBy: string | undefined;
}

/** Signs the text of a manifest. The manifest names the key, so a reader knows which one is meant. */
export function signManifest(text: string, key: DeskKey): string {
  const named = withLast(text, 'signed_by', key.made());
  return withLast(named, 'signature', key.sign(Buffer.from(named)));
}

/** What is wrong with the signature of a manifest; `unknown key` if nobody said whose it must be. Undefined if valid. */
export function signatureProblem(text: string, { deskKey, signedBy }: Trust): string | undefined {
  const expected = signedBy ?? deskKey.publicKey();
  const [, signature] = lastField('signature').exec(text) ?? [];
  if (signature === undefined) return 'its manifest is not signed: it was rewritten';
  if (expected === undefined) return 'unknown key';
  const signed = text.replace(lastField('signature'), '\n}\n');
  if (deskKey.isSigned(expected, Buffer.from(signed), signature)) return undefined;
  const [, by] = lastField('signed_by').exec(signed) ?? [];
  return by === expected
    ? 'its manifest was rewritten: the signature does not match'
    : `its manifest is signed by a key other than ${signedBy === undefined ? 'that of this desk' : signedBy}, ${by}`;
}

function withLast(text: string, name: string, value: string): string {
  return text.replace(/\n\}\n$/, `,\n  "${name}": "${value}"\n}\n`);
}

function lastField(name: string): RegExp {
  return new RegExp(`,\\n  "${name}": "([A-Za-z0-9+/=]+)"\\n\\}\\n$`);
}

/** What a file without a manifest says about itself: a workbook about its rows, a report about everything above its SHA-256. */
type OwnDigest = { readonly of: 'rows' | 'report'; readonly problem: string | undefined };

/** Whether a workbook or a report is as its own SHA-256 says; undefined if it has none. */
export function ownDigest(bytes: Buffer): OwnDigest | undefined {
  // The second sheet of a workbook is not compressed, so its text can be found. The digest comes last, whatever somebody wrote
  // into the text before it.
  const text = bytes.toString('latin1');
  const [, length, digest] = [...text.matchAll(own)].at(-1) ?? [];
  if (digest === undefined)
    return isPackedAgain(bytes)
      ? { of: 'rows', problem: 'another program saved it after paydesk, so its SHA-256 no longer matches' }
      : undefined;
  const of = text.startsWith('PK') ? 'rows' : 'report';
  const where = of === 'rows' ? 'on its second sheet, about,' : 'at its end';
  const found = hash('sha256', bytes.subarray(0, Number(length)));
  if (found !== digest) return { of, problem: `the SHA-256 ${where} does not match` };
  const isEnd = of === 'rows' || text.slice(Number(length)) === endOfReport(length, digest);
  return { of, problem: isEnd ? undefined : 'something was written beside the SHA-256 at its end' };
}

const title = /SHA-256 of the first (\d+) bytes of this file/;
const own = new RegExp(`${title.source}(?:: |</t>.{1,200}?>)([0-9a-f]{64})\\b`, 'gs');

// What a report has below everything that its digest covers (src/reports/report-page.ts).
function endOfReport(bytes: string | undefined, digest: string): string {
  return `<p class="note">SHA-256 of the first ${bytes} bytes of this file: ${digest}</p>
</details>
</main>
</body>
</html>
`;
}

// Whether a part of a workbook has that title and is compressed, which paydesk never does.
function isPackedAgain(bytes: Buffer): boolean {
  const [head, packed] = [Buffer.from('PK\u0003\u0004'), 8];
  for (let at = bytes.indexOf(head); at >= 0; at = bytes.indexOf(head, at + 1)) {
    if (at + 30 > bytes.length || bytes.readUInt16LE(at + 8) !== packed) continue;
    const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    try {
      if (title.test(inflateRawSync(bytes.subarray(from), { maxOutputLength: mostText }).toString('latin1')))
        return true;
    } catch {
      // Too long to be the sheet about the file, or damaged.
    }
  }
  return false;
}

// More than the second sheet or all texts of a usual workbook have.
const mostText = 64 * 1024 * 1024;
