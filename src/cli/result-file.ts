/** `--to FILE` of a list: the file that stands for stdout. It gets its name when the list in it is whole. Loaded with the first one. */

import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { CliError, systemReason } from '../errors.ts';
import { fullPath, type Io } from '../io.ts';
import type { ResultFile } from '../terminal/terminal.ts';

/** Opens the file under another name. Throws CliError 'refused' if it exists, unless `force`, or cannot be written. */
export async function openResultFile(
  { name, force }: { readonly name: string; readonly force: boolean },
  { cwd }: Pick<Io, 'cwd'>,
): Promise<ResultFile> {
  const path = fullPath(cwd, name);
  const refused = (words: string, now: string, cause?: unknown): CliError =>
    new CliError('refused', `--to ${name}: ${words}`, { certain: 'nothing was sent', now: [now], cause });
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) throw refused('this is not a plain file', 'name another file');
  if (there !== undefined && !force) throw refused('the file exists', '--force replaces it');
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  const handle = await open(temporary, 'wx', 0o600).catch((error: unknown) => {
    throw refused(`it cannot be written: ${systemReason(error)}`, 'name a file in another folder', error);
  });
  const stream = handle.createWriteStream({ flush: true });
  return {
    stream,
    async settle(isWhole) {
      try {
        await new Promise<void>((resolve, reject) => {
          if (stream.closed) return resolve();
          stream.once('error', reject).once('close', resolve);
          if (isWhole) stream.end();
          else stream.destroy();
        });
        if (isWhole) await rename(temporary, path);
      } catch (error) {
        throw new CliError('incomplete', `--to ${name}: it could not be written: ${systemReason(error)}`, {
          cause: error,
        });
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}
