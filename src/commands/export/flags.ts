/** The flags that every export has, and the file that they name. */

import { type ExportFormat, exportFormats } from '../../exports/exports.ts';
import type { Format } from '../../terminal/terminal.ts';
import { flag, usage } from '../command.ts';
import { spanFlag } from '../typed-time.ts';

/** Where an export goes, how fast, and what becomes of one that was interrupted. */
export const exportFlags = {
  to: flag.text({
    value: 'FILE',
    summary:
      'write FILE (.ndjson, .json or .csv by its name, each also .gz) with a manifest beside it, instead of stdout',
  }),
  resume: flag.switch({ summary: 'go on with an export to FILE that was interrupted' }),
  force: flag.switch({ summary: 'replace FILE, or an unfinished export to it' }),
  limit: flag.integer(1, 1000, { value: 'N', summary: 'records a page', defaultText: '250' }),
  'max-rps': flag.integer(1, 1000, { value: 'N', summary: 'not more requests a second' }),
  verify: flag.text({
    value: 'FILE',
    summary: 'check FILE against its manifest, and nothing else',
    conflicts: ['to', 'resume', 'force', 'limit', 'max-rps'],
  }),
  'max-age': spanFlag('with --verify: refuse an export that began longer ago'),
} as const;

/** The flags as given. */
export interface ExportInput {
  readonly to?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly 'max-rps'?: number | undefined;
  readonly verify?: string | undefined;
  readonly 'max-age'?: number | undefined;
}

/** What an export is written as. */
export interface Written {
  readonly format: ExportFormat;
  readonly gzip: boolean;
}

const ending = new RegExp(String.raw`\.(${exportFormats.join('|')})(\.gz)?$`, 'i');

/**
 * The format of an export, from the name of its file, or else from `-o`. Throws CliError 'usage' for a format that no export has,
 * a name that says another one, and flags that need a file.
 */
export function writtenAs({ to, resume, force }: ExportInput, asked: Format | undefined): Written {
  const wanted = exportFormats.find((format) => format === asked);
  if (asked !== undefined && wanted === undefined)
    throw usage(`-o ${asked}: an export is ${exportFormats.join(', ')}`);
  if (to === undefined) {
    if (resume === true || force === true)
      throw usage(`--${resume === true ? 'resume' : 'force'} needs --to FILE`);
    return { format: wanted ?? 'ndjson', gzip: false };
  }
  const [, named, zipped] = ending.exec(to.replace(/^.*[/\\]/, '')) ?? [];
  const byName = exportFormats.find((format) => format === named?.toLowerCase());
  // JSON beside such a name is how the run is to speak: in errors that a script reads.
  if (byName !== undefined && wanted === 'csv' && byName !== 'csv')
    throw usage(`--to ${to} says ${byName}, -o says csv`);
  const format = byName ?? wanted;
  if (format === undefined)
    throw usage(`--to ${to}: the name says no format; end it in .ndjson, .json or .csv, or say -o FORMAT`);
  return { format, gzip: zipped !== undefined || /\.gz$/i.test(to) };
}
