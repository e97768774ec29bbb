/** The flags of every export: the file format that they choose, the words that repeat them, and --verify. */

import type { Context, Days } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import { type ExportCheck, type ExportFormat, exportFormats } from '../../exports/exports.ts';
import type { Input } from '../../flags/flags.ts';
import { flag, maxPerSecondFlag, short, usage } from '../../flags/flags.ts';
import { spanFlag } from '../../flags/typed-time.ts';
import { withoutFolder } from '../../io.ts';
import { flagWords, plainCommand } from '../../profiles/profiles.ts';
import { closestNames, type Format } from '../../terminal/terminal.ts';

export const signedByFlag = flag.of({
  value: 'KEY',
  summary: 'the public key that must have signed it, if that is not this desk: desk_key of its profile show',
  parse(text: string, name: string): string {
    // What every Ed25519 key begins with.
    if (/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/.test(text)) return text;
    throw usage(
      `${name} ${short(text)}: not the key of a desk; profile show at that desk shows it as desk_key`,
    );
  },
});

export const exportFlags = {
  to: flag.text(
    'FILE',
    'write to FILE instead of stdout, with a manifest beside it; its name ends in .xlsx, .ndjson, .json or .csv; the last three also take .gz after them',
    { writes: true },
  ),
  resume: flag.switch('go on with an export to FILE that was interrupted'),
  force: flag.switch('replace FILE, or an unfinished export to it'),
  tz: flag.text(
    'ZONE',
    'the time zone of the days, such as America/Mexico_City; CSV then has local times beside those in UTC',
    { defaultText: "the profile's time.zone, or this machine's" },
  ),
  limit: flag.integer(1, 1000, 'N', 'records per page', { defaultText: '250' }),
  'max-rps': maxPerSecondFlag,
  verify: flag.text('FILE', 'only check FILE against its manifest', {
    conflicts: ['to', 'resume', 'force', 'limit', 'max-rps'],
  }),
  'max-age': spanFlag('with --verify: refuse an export that is older than this'),
  'signed-by': signedByFlag,
} as const;

export type ExportInput = Input<readonly [], typeof exportFlags>['flags'];

export interface ExportForm {
  readonly format: ExportFormat;
  readonly gzip: boolean;
}

const ending = new RegExp(String.raw`\.(${exportFormats.join('|')})(\.gz)?$`, 'i');

/**
 * Takes the format from the file name, or else from `-o`. Throws CliError 'usage' for a format that exports do not have, for
 * a name that contradicts `-o`, and for flags that need a file.
 */
export function exportForm({ to, resume, force }: ExportInput, asked: Format | undefined): ExportForm {
  const wanted = exportFormats.find((format) => format === asked);
  if (asked !== undefined && wanted === undefined)
    throw usage(`-o ${asked}: an export is ${exportFormats.join(', ')}`);
  if (to === undefined) {
    if (resume === true || force === true)
      throw usage(`--${resume === true ? 'resume' : 'force'} needs --to FILE`);
    return { format: wanted ?? 'ndjson', gzip: false };
  }
  const [, named, zipped] = ending.exec(withoutFolder(to)) ?? [];
  const byName = exportFormats.find((format) => format === named?.toLowerCase());
  // With a file name, `-o json` only asks for JSON errors on stderr, so it does not contradict the name.
  if (byName !== undefined && (wanted === 'csv' || wanted === 'xlsx') && byName !== wanted)
    throw usage(`--to ${to} says ${byName}, -o says ${wanted}`);
  const format = byName ?? wanted;
  if (format === undefined)
    throw usage(`--to ${to}: end the name in .xlsx, .ndjson, .json or .csv, or add -o FORMAT`);
  if (format === 'xlsx' && /\.gz$/i.test(to))
    throw usage(`--to ${to}: a workbook is packed already; leave out .gz`);
  return { format, gzip: zipped !== undefined || /\.gz$/i.test(to) };
}

/** Days in the time zone of `--tz`, or else of the run. Throws CliError 'usage' for an unknown zone. */
export function daysOfFlag(ctx: Context, zone: string | undefined): Days {
  return zone === undefined ? ctx.days : daysIn(ctx, '--tz', zone);
}

/** Days in the time zone of an unfinished file's query. Throws CliError 'usage' for an unknown zone. */
export function daysOfFile(ctx: Context, zone: unknown): Days {
  return daysIn(ctx, 'the unfinished file counts days in', String(zone));
}

function daysIn(ctx: Context, whose: string, zone: string): Days {
  const days = ctx.daysIn(zone);
  if (days !== undefined) return days;
  throw usage(
    `${whose} ${zone}: this machine knows no such time zone; type a name such as America/Mexico_City or UTC`,
    closestNames(zone, Intl.supportedValuesOf('timeZone')).map((name) => `did you mean ${name}?`),
  );
}

/** Flags that a resumed export must repeat, besides those that choose the rows and the file. */
export function againWords({ options }: Context, input: ExportInput): readonly string[] {
  const { limit, 'max-rps': perSecond } = input;
  return [...flagWords({ limit }), ...options.outputWords, ...flagWords({ 'max-rps': perSecond })];
}

/** Flags that change the bytes of a file, besides those that choose the rows. A resumed run must have the same ones. */
export function contentWords(
  { options }: Context,
  { limit }: ExportInput,
  { format }: ExportForm,
): readonly string[] {
  const { columns, header, csv } = options;
  return [
    // In a .gz file each page is one gzip member, so the page size changes the bytes.
    ...flagWords({ limit }),
    '-o',
    format,
    ...flagWords({ columns, 'no-header': !header }),
    ...(format === 'csv' ? csv.words : []),
  ];
}

/**
 * Checks the file of --verify. Throws CliError 'incomplete' when the file is not whole, 'refused' when it was changed or is
 * too old.
 */
export async function verifyFile(
  ctx: Context,
  path: string,
  { 'max-age': maxAgeMs, 'signed-by': signedBy }: Pick<ExportInput, 'max-age' | 'signed-by'>,
): Promise<undefined> {
  const { file, manifest, problem, isSignatureKnown, gaps, rows, startedAt, endedAt } =
    await ctx.exports.verify(path, { maxAgeMs, signedBy });
  const isAsked = maxAgeMs !== undefined || signedBy !== undefined;
  if (problem !== undefined && (isAsked || problem.asWritten === undefined)) throw notVerified(path, problem);
  const when = startedAt === undefined ? '' : `, as of ${ctx.days.full(startedAt * 1000)}`;
  if (gaps !== undefined)
    throw new CliError(
      'incomplete',
      `${path}: just what its manifest says, ${rows} rows${when}, but not all is in it: ${counted(gaps.problems, 'problem')}`,
      { certain: `it was not changed, and ${gaps.file} names each order that has something missing` },
    );
  const record = {
    object: 'export_check',
    file,
    manifest: problem === undefined ? manifest : null,
    ok: true,
    rows: rows ?? null,
    started_at: startedAt ?? null,
    ended_at: endedAt ?? null,
    signature_checked: problem === undefined && isSignatureKnown,
  };
  const whole = problem?.asWritten === 'rows' ? 'its rows are as written' : 'as written';
  await ctx.out.own(record, () => [
    {
      line:
        problem === undefined
          ? `${path}: complete, ${rows} rows${when}; ${isSignatureKnown ? `unchanged, signed by ${signedBy === undefined ? 'this desk' : 'that key'}` : 'who signed it is not known here'}`
          : `${path}: ${whole}; not signed`,
    },
  ]);
  if (problem !== undefined)
    ctx.notes.warn('whoever changes such a file can change its SHA-256 too: only an export is signed');
  else if (!isSignatureKnown)
    ctx.notes.warn(
      'nobody looked whose signature its manifest has: add --signed-by with the key of the desk that wrote it',
    );
}

function notVerified(
  path: string,
  { kind, words, certain = 'do not load it', now, isProof }: NonNullable<ExportCheck['problem']>,
): CliError {
  const again =
    'if it is an export, make it again: --resume goes on with an unfinished one, --force replaces this file';
  return new CliError(kind, `${path}: ${words}`, {
    certain: kind === 'usage' ? 'nothing was checked' : certain,
    now: [isProof ? plainCommand('prove', '--check', path) : (now ?? again)],
  });
}
