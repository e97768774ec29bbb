/** Checks a file against its manifest, so that a loader can refuse what is not whole, was changed or is old. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CliError, systemCode, systemReason } from '../errors.ts';
import type { ExportCheck } from './exports.ts';
import { type CheckedManifest, readManifest } from './manifest.ts';
import { manifestOf, partialOf } from './names.ts';

/** What the check comes to. `maxAgeMs`: how long ago the export may have begun. Throws CliError 'usage'. */
export async function verifyExport(
  path: string,
  maxAgeMs: number | undefined,
  now: number,
): Promise<ExportCheck> {
  const file = resolve(path);
  const manifestFile = manifestOf(file);
  const said = await manifestAt(manifestFile);
  const problem = said === undefined ? await unfinished(file) : await problemOf(file, said, maxAgeMs, now);
  return {
    file,
    manifest: manifestFile,
    problem,
    rows: said?.rows,
    startedAt: said?.started_at,
    endedAt: said?.ended_at,
  };
}

/** Whether a file is the manifest of an export. Throws CliError 'usage' when it cannot be read. */
export async function isManifest(path: string): Promise<boolean> {
  return readManifest((await textOf(path)) ?? '') !== undefined;
}

type Problem = ExportCheck['problem'];

async function manifestAt(path: string): Promise<CheckedManifest | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const said = readManifest(text);
  if (said === undefined) throw new CliError('usage', `${path} is no manifest of an export`);
  return said;
}

async function textOf(path: string): Promise<string | undefined> {
  if ((await sizeOf(path)) === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function unfinished(file: string): Promise<Problem> {
  const partial = partialOf(file);
  const said = await manifestAt(manifestOf(partial));
  if (said !== undefined) {
    return {
      kind: 'incomplete',
      words: `there is only ${partial}, not complete: ${said.why_not ?? 'interrupted'}`,
    };
  }
  if ((await sizeOf(partial)) !== undefined)
    return { kind: 'incomplete', words: `there is only ${partial}, not complete` };
  const missing = (await sizeOf(file)) === undefined;
  return {
    kind: 'incomplete',
    words: missing ? 'there is no such file, and no manifest of it' : `there is no ${manifestOf(file)}`,
  };
}

async function problemOf(
  file: string,
  said: CheckedManifest,
  maxAgeMs: number | undefined,
  now: number,
): Promise<Problem> {
  const refused = (words: string): Problem => ({ kind: 'refused', words });
  if (!said.complete)
    return { kind: 'incomplete', words: `its manifest says that it is not complete: ${said.why_not ?? ''}` };
  if (said.file !== basename(file)) return refused(`its manifest is that of ${said.file}`);
  const size = await sizeOf(file);
  if (size === undefined) return { kind: 'incomplete', words: 'there is a manifest, but no file' };
  if (size !== said.bytes) return refused(`it has ${size} bytes; its manifest says ${said.bytes}`);
  if ((await hashOf(file)) !== said.sha256) return refused('its bytes are not those of the export (SHA-256)');
  // A manifest out of the future is as wrong as an old one.
  const age = now - said.started_at * 1000;
  if (maxAgeMs !== undefined && (age > maxAgeMs || age < -maxAgeMs))
    return refused(
      `it is ${spanWords(Math.abs(age))} ${age < 0 ? 'ahead' : 'old'}, more than --max-age allows`,
    );
  return undefined;
}

function spanWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
  throw new CliError('usage', `${path} is no plain file`);
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
