/** The manifest of an export: what its file holds, by which a loader can refuse it. */

import * as v from 'valibot';
import type { JsonObject } from '../api/spec.ts';
import type { ExportRequest } from './exports.ts';
import type { Tally } from './tally.ts';

// TypeScript's library does not know it yet.
declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** What a manifest says. Times are Unix milliseconds here, Unix seconds in the file. */
export interface Manifest {
  /** Its name, without folders. */
  readonly file: string;
  /** Undefined: complete. */
  readonly why: string | undefined;
  readonly profile: ExportRequest['profile'];
  readonly keyFingerprint: string | undefined;
  readonly query: JsonObject;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly version: string;
  readonly tally: Tally;
  readonly bytes: number;
  readonly sha256: string;
}

// How the walk goes decides what can be missing from it.
const walk =
  'page by page in the order of the service, by the id of the last record; what is made or changed after started_at may be missing, or be there as it was before';

/** The text of the manifest's file: one JSON object. */
export function manifestText(manifest: Manifest): string {
  const { tally, profile, why } = manifest;
  const { name, origin, vendor, mode } = profile;
  const value = {
    object: 'export_manifest',
    version: 1,
    file: manifest.file,
    complete: why === undefined,
    why_not: why,
    profile: name,
    account: { origin, vendor, mode },
    key_fingerprint: manifest.keyFingerprint,
    query: manifest.query,
    walk,
    started_at: seconds(manifest.startedAt),
    ended_at: seconds(manifest.endedAt),
    records_read: tally.read,
    repeated: tally.repeated,
    odd_records: tally.odd,
    left_out: tally.left,
    rows: tally.rows,
    first_id: tally.first ?? null,
    last_id: tally.last ?? null,
    unsummed_rows: tally.unsummed,
    sums: tally.sums.map(({ currency, status, day, rows, amount }) => ({
      currency: currency ?? null,
      status: status ?? null,
      day: day ?? null,
      rows,
      amount,
    })),
    bytes: manifest.bytes,
    sha256: manifest.sha256,
    program: `paydesk ${manifest.version}`,
  };
  return `${JSON.stringify(value, exactly, 2)}\n`;
}

/** As much of a manifest as says whether its file is what it should be. */
const checked = v.object({
  object: v.literal('export_manifest'),
  version: v.literal(1),
  file: v.string(),
  complete: v.boolean(),
  why_not: v.optional(v.string()),
  started_at: v.number(),
  ended_at: v.number(),
  rows: v.number(),
  bytes: v.number(),
  sha256: v.string(),
});
export type CheckedManifest = v.InferOutput<typeof checked>;

/** Reads a manifest; undefined when it is none that this program understands. */
export function readManifest(text: string): CheckedManifest | undefined {
  try {
    const result = v.safeParse(checked, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

// A sum may be larger than a JavaScript number is exact; its digits are written all the same.
function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}
