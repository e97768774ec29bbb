/** `… export --verify FILE`: whether a file is what its manifest says, for whoever loads it. */

import { CliError } from '../../errors.ts';
import type { Context } from '../command.ts';
import { usage } from '../command.ts';

/** Checks a file. Throws CliError 'incomplete' for one that is not whole, 'refused' for one that was changed or is old. */
export async function verifyFile(
  ctx: Context,
  path: string,
  maxAgeMs: number | undefined,
): Promise<undefined> {
  const { file, manifest, problem, rows, startedAt, endedAt } = await ctx.exports.verify(path, maxAgeMs);
  if (problem !== undefined) {
    throw new CliError(problem.kind, `${path}: ${problem.words}`, {
      certain: 'do not load it',
      now: ['export it again: --resume goes on with an unfinished one, --force replaces this file'],
    });
  }
  const record = {
    object: 'export_check',
    file,
    manifest,
    ok: true,
    rows,
    started_at: startedAt,
    ended_at: endedAt,
  };
  const when = startedAt === undefined ? '' : `, as of ${ctx.fullTime(startedAt * 1000)}`;
  await ctx.out.own(record, () => [{ line: `${path}: complete, ${rows} rows${when}` }]);
  return undefined;
}

/** Refuses `--max-age` where nothing is verified. Throws CliError 'usage'. */
export function refuseLoneMaxAge(maxAgeMs: number | undefined): void {
  if (maxAgeMs !== undefined) throw usage('--max-age needs --verify FILE');
}
