/** What an export says besides writing its rows: what is missing or odd in them, and after an early end what is certain and how to go on. */

import { brokeOff, type WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import { resources } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, messageOf, systemCode } from '../../errors.ts';
import type { ExportFile, ExportProblem, ExportRow } from '../../exports/exports.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { ExportForm } from './export-flags.ts';
import type { ExportRun } from './export-run.ts';

interface Left extends Pick<ExportRun, 'input' | 'job' | 'again'> {
  readonly ctx: Pick<Context, 'signal'>;
  readonly service: { readonly profile: Profile };
}

/** The error of an export into stdout: how far it got. `last`: the id of the last record. */
export function stoppedError(
  error: CliError,
  run: Left,
  format: string,
  { read, rows, last }: { readonly read: number; readonly rows: number; readonly last: string | undefined },
): CliError {
  return new CliError(kindOf(error), endedEarlyWords(error, 'stopped', run, read), {
    ...error.parts,
    certain: `only ${rows} ${run.job.row.many} were written, up to ${last}; there are more`,
    now: [
      ...(error.parts.now ?? []),
      `run the export again; if it writes into a file, you can resume it: ${intoFile(run, format)}`,
    ],
    cause: error,
  });
}

function intoFile({ service, again }: Left, format: string): string {
  return commandLine(service.profile, ...again, '--to', `FILE.${format}`);
}

/** The error for a full disk behind stdout. Somebody who closed a pipe wanted no more output, so EPIPE gets no advice. */
export function lostOutput(run: Left, format: string): CliError | undefined {
  const { signal } = run.ctx;
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  if (!(reason instanceof CliError) || !fromDisk(reason) || systemCode(reason.cause) === 'EPIPE')
    return undefined;
  return new CliError(reason.kind, reason.message, {
    ...reason.parts,
    certain: 'not everything that was read could be written',
    now: [
      `free some space, or export into a file on another disk, where you can resume it: ${intoFile(run, format)}`,
    ],
    cause: reason,
  });
}

function fromDisk({ kind, cause }: CliError): boolean {
  return kind === 'incomplete' && cause instanceof Error && 'code' in cause;
}

function kindOf(error: CliError): CliError['kind'] {
  return brokeOff(error) ? 'incomplete' : error.kind;
}

/** Why an export ended early. If a person ended it, that person wants to know how far it got. */
export function endedEarlyWords(
  error: unknown,
  verb: 'paused' | 'stopped',
  { job }: Left,
  read: number,
): string {
  const byPerson = error instanceof CliError && ['interrupted', 'hangup', 'terminated'].includes(error.kind);
  if (byPerson && read > 0) return `export ${verb} after ${read} ${resources[job.resource].many}`;
  return messageOf(error);
}

/** The error for a file that is not complete: what is certain, and how to go on. */
export function leftError(error: unknown, run: Left, file: ExportFile, to: string): unknown {
  const { read, rows } = file.progress;
  // An error before the first page already says what is certain, unless it comes from the disk.
  if (!(error instanceof CliError) || (read === 0 && !fromDisk(error))) return error;
  // A file with the final name exists, so the next run needs --force too.
  const force = run.input.force === true || file.taken ? ['--force'] : [];
  const { resume } = run.input;
  const onwards = read > 0 || resume === true ? ['--resume'] : [];
  const line = commandLine(run.service.profile, ...run.again, '--to', to, ...onwards, ...force);
  const first = error.kind === 'auth' || fromDisk(error) ? (error.parts.now ?? []) : [];
  return new CliError(kindOf(error), endedEarlyWords(error, 'paused', run, read), {
    ...error.parts,
    certain:
      read > 0
        ? `${rows} ${run.job.row.many} are in ${file.partial}; ${to} was not written`
        : `none of the ${run.job.row.many} were saved; ${to} was not written`,
    now: [...first, `${read > 0 ? 'go on with the export' : 'run the export again'}: ${line}`],
    cause: error,
  });
}

interface Noted {
  readonly ctx: Pick<Context, 'notes'>;
  readonly job: { readonly row: { readonly many: string } };
}

/** Throws CliError 'incomplete' once everything that the service shows is written. `file` names the problems of an export into a file. */
export function refuseGaps(
  { ctx, job }: Noted,
  problems: readonly ExportProblem[],
  file: string | undefined,
): never {
  const named = file === undefined ? problems : problems.slice(0, mostNamed);
  for (const { order_id: id, why } of named)
    ctx.notes.warn(`${id === '' ? 'an order without an id' : id}: ${why}`);
  const more = problems.length - named.length;
  if (more > 0) ctx.notes.warn(`and ${more} more`);
  const orders = new Set(problems.map(({ order_id: id }) => id)).size;
  throw new CliError(
    'incomplete',
    `the service does not show all of ${counted(orders, 'order')}, so some ${job.row.many} may be missing`,
    {
      certain: `all ${job.row.many} that it shows were written`,
      now: [
        file === undefined
          ? 'with --to FILE the orders are named in FILE.problems.csv'
          : `${file} names each of these orders and what is missing`,
        'ask whoever runs the service about them; --strict stops at the first such order instead',
      ],
    },
  );
}

// The screen names at most this many problems; the file of problems has all of them.
const mostNamed = 5;

// A spreadsheet keeps 15 digits of a number, and silently turns the others into 0.
const longest = 10n ** 15n;

/** Says how many amounts of a CSV a spreadsheet would round. `rows`: those that this run wrote. */
export function noteLongAmounts({ ctx, job }: Noted, { format }: ExportForm, rows: number): void {
  if (format !== 'csv' || rows === 0) return;
  ctx.notes.warn(
    `${counted(rows, 'amount')} of these ${job.row.many} ${rows === 1 ? 'has' : 'have'} more than 15 digits: a spreadsheet rounds such a number, unless its column is read as text`,
  );
}

/** How many of these rows have such an amount. */
export function countLong(rows: readonly ExportRow[]): number {
  return rows.filter(
    ({ amount }) =>
      (typeof amount === 'bigint' || typeof amount === 'number') && (amount >= longest || amount <= -longest),
  ).length;
}

/** Names records that are not as the document says. */
export function warnOfOdd({ notes }: Context, odd: readonly WireRecord[]): void {
  const [first] = odd;
  const more = odd.length === 1 ? '' : ` and ${odd.length - 1} more`;
  notes.warn(
    `${idOf(first) ?? 'a record without an id'}${more}: not as the service's document says; exported as received`,
  );
}
