/** Chooses where a report takes its facts from: a file that was named, or else the service itself. */

import type { Context } from './command.ts';
import { openFile } from './report-file.ts';
import { openLive } from './report-live.ts';
import type { Asked, Source } from './report-source.ts';

/**
 * Opens the source of a report. An index of the orders on this machine would be a third one: it would answer unless `--live` was
 * given, and as long as there is none, the service does. Throws CliError 'usage' for a file that cannot answer.
 */
export function openSource(ctx: Context, asked: Asked): Promise<Source> {
  const file = asked.flags['from-file'];
  return file === undefined ? openLive(ctx, asked) : openFile(ctx, asked, file);
}
