/** The signed manifest beside an exported file: writes it, and checks a file against it so that nobody loads a wrong or old one. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { exactly, type JsonObject } from '../api/json-values.ts';
import { secondsOf } from '../api/spec.ts';
import { counted } from '../counted.ts';
import { CliError, systemCode, systemReason } from '../errors.ts';
import type { ExportCheck, ExportRequest } from './exports.ts';
import { ownDigest, signatureProblem, type Trust } from './file-digests.ts';
import { hashOfProblems, manifestOf, partialOf, problemsOf } from './files-on-disk.ts';
import type { Totals } from './totals.ts';

/** Times are Unix milliseconds here, and Unix seconds in the file. */
export interface Manifest {
  /** The file's name without folders. */
  readonly file: string;
  /** Why the export is not complete; undefined if it is. */
  readonly why: string | undefined;
  readonly profile: ExportRequest['profile'];
  readonly keyFingerprint: string | undefined;
  readonly query: JsonObject;
  /** What a row holds: the columns of CSV, or the fields of rows that paydesk makes; null: the service's own records. */
  readonly columns: readonly string[] | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly version: string;
  readonly totals: Totals;
  /** How many problems, and the SHA-256 of the file that names them; undefined if nothing is missing. */
  readonly gaps: { readonly problems: number; readonly sha256: string } | undefined;
  /** What there is to know about the rows, as the screen said it. */
  readonly notes: readonly string[];
  readonly bytes: number;
  readonly sha256: string;
}

// Tells readers how records were read, and so what may be missing.
const walk =
  'read page by page, in the order of the service; records made or changed after started_at may be missing or appear in their earlier state';

export function manifestText(manifest: Manifest): string {
  const { totals, profile, gaps } = manifest;
  const why =
    manifest.why ?? (gaps === undefined ? undefined : gapWords(gaps.problems, problemsOf(manifest.file)));
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
    columns: manifest.columns,
    walk,
    started_at: secondsOf(manifest.startedAt),
    ended_at: secondsOf(manifest.endedAt),
    records_read: totals.read,
    repeated: totals.repeated,
    odd_records: totals.odd,
    problems: gaps?.problems ?? 0,
    ...(gaps === undefined ? {} : { problems_file: problemsOf(manifest.file), problems_sha256: gaps.sha256 }),
    rows: totals.rows,
    first_id: totals.first ?? null,
    last_id: totals.last ?? null,
    unsummed_rows: totals.unsummed,
    sums: totals.sums.map(({ currency, status, state, day, rows, amount, fee }) => ({
      currency: currency ?? null,
      status: status ?? null,
      ...(state === undefined ? {} : { state }),
      day: day ?? null,
      rows,
      amount,
      fee,
    })),
    ...(manifest.notes.length === 0 ? {} : { notes: manifest.notes }),
    bytes: manifest.bytes,
    sha256: manifest.sha256,
    program: `paydesk ${manifest.version}`,
  };
  return `${JSON.stringify(value, exactly, 2)}\n`;
}

/** What is missing from a finished export. */
function gapWords(problems: number, file: string): string {
  return `not all is in it: ${counted(problems, 'problem')}, named in ${file}`;
}

// Only the fields that are read again, by the check and by reports.
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
  problems: v.number(),
  problems_sha256: v.optional(v.string()),
  query: v.record(v.string(), v.unknown()),
  profile: v.string(),
  account: v.object({ origin: v.string(), vendor: v.string(), mode: v.string() }),
  columns: v.nullable(v.array(v.string())),
});
type CheckedManifest = v.InferOutput<typeof checked>;

/**
 * Compares a file with its manifest. `maxAgeMs`: the longest time since the export began. `trust`: who must have signed. Throws
 * CliError 'usage' if a file cannot be read.
 */
export async function verifyExport(
  path: string,
  maxAgeMs: number | undefined,
  now: number,
  trust?: Trust,
): Promise<ExportCheck> {
  const file = resolve(path);
  const manifestFile = manifestOf(file);
  const manifest = await manifestAt(manifestFile);
  const found =
    manifest === undefined ? await missingManifest(file) : await problemOf(file, manifest, maxAgeMs, now);
  const signature = trust && signatureProblem((await textOf(manifestFile)) ?? '', trust);
  const isKnown = signature !== 'unknown key';
  const wrong: Problem =
    signature === undefined || !isKnown
      ? undefined
      : {
          kind: 'refused',
          words: signature,
          now:
            trust?.signedBy === undefined
              ? 'if another desk wrote it, add --signed-by with its key (desk_key of its profile show)'
              : undefined,
        };
  return {
    file,
    manifest: manifestFile,
    problem: withName(found ?? wrong, file, manifest?.file, trust && isKnown),
    isSignatureKnown: isKnown,
    gaps:
      manifest?.problems_sha256 === undefined
        ? undefined
        : { file: problemsOf(file), problems: manifest.problems },
    rows: manifest?.rows,
    startedAt: manifest?.started_at,
    endedAt: manifest?.ended_at,
  };
}

/** Throws CliError 'usage' if the file cannot be read. */
export async function isManifest(path: string): Promise<boolean> {
  return readManifest((await textOf(path)) ?? '') !== undefined;
}

type Problem = ExportCheck['problem'];

// Renaming a file does not change it, but somebody may have put one export instead of another.
function withName(problem: Problem, file: string, written = basename(file), isSigned?: boolean): Problem {
  if (written === basename(file)) return problem;
  if (problem !== undefined) return { ...problem, words: `${problem.words}; it was written as ${written}` };
  const words = `only its name differs: it was written as ${written}, and its bytes match the manifest`;
  const signed =
    isSigned === undefined ? '' : isSigned ? ', whose signature is right' : '; its signature was not checked';
  return {
    kind: 'refused',
    words: words + signed,
    certain: 'do not load it under this name',
    now: `give it and its manifest that name again: ${written}`,
  };
}

async function problemOf(
  file: string,
  manifest: CheckedManifest,
  maxAgeMs: number | undefined,
  now: number,
): Promise<Problem> {
  const refused = (words: string): Problem => ({ kind: 'refused', words });
  const incomplete = (words: string): Problem => ({ kind: 'incomplete', words });
  if (!manifest.complete && manifest.problems_sha256 === undefined)
    return incomplete(`its manifest says that the export is not complete: ${manifest.why_not ?? ''}`);
  const size = await sizeOf(file);
  if (size === undefined) return incomplete('its manifest is there, but the file is missing');
  if (size !== manifest.bytes)
    return refused(`the file has ${size} bytes; its manifest says ${manifest.bytes}`);
  if ((await hashOf(file)) !== manifest.sha256)
    return refused('the file was changed after the export (its SHA-256 differs)');
  if (
    manifest.problems_sha256 !== undefined &&
    (await hashOfProblems(problemsOf(file))) !== manifest.problems_sha256
  )
    return refused(
      `${problemsOf(file)} is not the one that its manifest names: it is missing, or was changed`,
    );
  // A manifest from the future is as wrong as an old one.
  const age = now - manifest.started_at * 1000;
  if (maxAgeMs !== undefined && (age > maxAgeMs || age < -maxAgeMs))
    return refused(
      `the export is ${spanWords(Math.abs(age))} ${age < 0 ? 'ahead' : 'old'}, more than --max-age allows`,
    );
  return undefined;
}

/** The problem if neither the file nor its manifest is there. */
export const noFile = 'there is no such file, and no manifest for it';

async function missingManifest(file: string): Promise<Problem> {
  const incomplete = (words: string) => ({ kind: 'incomplete' as const, words });
  const partial = partialOf(file);
  const manifest = await manifestAt(manifestOf(partial));
  if (manifest !== undefined)
    return incomplete(`there is only ${partial}, not complete: ${manifest.why_not ?? 'interrupted'}`);
  if ((await sizeOf(partial)) !== undefined) return incomplete(`there is only ${partial}, not complete`);
  if ((await sizeOf(file)) === undefined)
    return { ...incomplete(noFile), now: 'check the name of the file and its folder' };
  const bytes = await bytesOf(file);
  if (bytes.indexOf('{"object":"proof",') === 0)
    return { kind: 'usage', words: 'prove wrote it, so it has no manifest', isProof: true };
  const { of, problem } = ownDigest(bytes) ?? {};
  if (problem !== undefined)
    return {
      kind: 'refused',
      words: `it is not as paydesk wrote it: ${problem}`,
      now: 'make it again with the command that made it',
    };
  return {
    kind: 'usage',
    words: `it has no manifest (${manifestOf(file)}), so it cannot be verified; only an export has one: a list with --to and a report have none`,
    now: 'orders export --to FILE writes a file that can be verified',
    asWritten: of,
  };
}

/** Undefined if there is no such file. Throws CliError 'usage' if it is not a manifest. */
export async function manifestAt(path: string): Promise<CheckedManifest | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const manifest = readManifest(text);
  if (manifest === undefined) throw new CliError('usage', `${path} is not a manifest of an export`);
  return manifest;
}

/** Undefined if the text is not a manifest of this version. */
export function readManifest(text: string): CheckedManifest | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), checked), text);
  return result.success ? result.output : undefined;
}

async function textOf(path: string): Promise<string | undefined> {
  return (await sizeOf(path)) === undefined ? undefined : (await bytesOf(path)).toString('utf8');
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
  throw new CliError('usage', `${path} is not a plain file`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw unreadable(path, error);
  }
  return hash.digest('hex');
}

function unreadable(path: string, error: unknown): CliError {
  return new CliError('usage', `${path} cannot be read: ${systemReason(error)}`, { cause: error });
}

function spanWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
