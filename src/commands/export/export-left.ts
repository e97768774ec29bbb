/** The errors of an export that ended early: what is certain, and how to go on. */

import { resources } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { CliError, systemCode } from '../../errors.ts';
import type { ExportFile } from '../../exports/exports.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { brokeOff } from '../walk.ts';
import type { ExportInput } from './export-flags.ts';
import type { ExportJob } from './export-run.ts';

/** The export that ended. */
interface Left {
  readonly ctx: Pick<Context, 'signal'>;
  readonly service: { readonly profile: Profile };
  readonly input: ExportInput;
  readonly job: ExportJob;
  /** The command line that repeats this export, without `paydesk` and the profile. */
  readonly again: readonly string[];
}

/** The error of an export into stdout: how far it came. `last`: the id of the last record. */
export function stoppedError(
  error: CliError,
  run: Left,
  format: string,
  { read, rows, last }: { readonly read: number; readonly rows: number; readonly last: string | undefined },
): CliError {
  return new CliError(kindOf(error), leftWords(error, 'stopped', run, read), {
    ...error.parts,
    certain: `only ${rows} ${run.job.rowsWord} were written, up to ${last}; there are more`,
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

/** Why an export ended early. If a person ended it, that person wants to know how far it came. */
export function leftWords(error: unknown, verb: 'paused' | 'stopped', { job }: Left, read: number): string {
  const byPerson = error instanceof CliError && ['interrupted', 'hangup', 'terminated'].includes(error.kind);
  if (byPerson && read > 0) return `export ${verb} after ${read} ${resources[job.resource].many}`;
  return error instanceof Error ? error.message : String(error);
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
  return new CliError(kindOf(error), leftWords(error, 'paused', run, read), {
    ...error.parts,
    certain:
      read > 0
        ? `${rows} ${run.job.rowsWord} are in ${file.partial}; ${to} was not written`
        : `none of the ${run.job.rowsWord} were saved; ${to} was not written`,
    now: [...first, `${read > 0 ? 'go on with the export' : 'run the export again'}: ${line}`],
    cause: error,
  });
}
