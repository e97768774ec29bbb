/** One run: arguments in, exit code out. Joins the parts, and prints every error. */

import { type Joined, join } from './context.ts';
import { CliError } from './errors.ts';
import { formatHint, type Globals, resolveGlobals, setVariable } from './globals.ts';
import { type Invocation, readCommandLine } from './program.ts';
import { listenToSignals } from './signals.ts';

declare const PAYDESK_VERSION: string;

/** Runs one command line and sets the exit code; never calls exit, since that cuts what is still being written. */
export async function main(process: NodeJS.Process): Promise<void> {
  const argv = process.argv.slice(2);
  const joined = join({ process, version: PAYDESK_VERSION });
  const signals = listenToSignals(process, (reason) => joined.abort(reason));
  const crash = (error: unknown) => {
    process.exitCode = exitCodeOf(error);
    joined.abort(toCliError(error));
    void joined.fail(toCliError(error));
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  try {
    process.exitCode = await runLine(argv, joined, process);
  } catch (error) {
    process.exitCode = await failed(error, joined);
  } finally {
    signals.stop();
    await joined.close();
  }
  process.exitCode = joined.lostCode() ?? process.exitCode;
}

async function runLine(argv: readonly string[], joined: Joined, process: NodeJS.Process): Promise<number> {
  joined.hint(formatHint(argv, process.env));
  const invocation = await readCommandLine(argv, helpWidth(process));
  if (invocation.kind !== 'run') {
    await joined.text(invocation.kind === 'version' ? PAYDESK_VERSION : invocation.text);
    return 0;
  }
  const globals = resolveGlobals(invocation.globals, process.env);
  return runCommand(invocation, globals, joined);
}

async function runCommand(
  { command, input }: Extract<Invocation, { kind: 'run' }>,
  globals: Globals,
  joined: Joined,
): Promise<number> {
  const context = joined.context(globals);
  const code = await command.run(context, input);
  await joined.succeed();
  return code ?? 0;
}

// The reason of an aborted run says more than what the abort broke.
async function failed(error: unknown, joined: Joined): Promise<number> {
  const shown = toCliError(joined.reason() ?? error);
  await joined.fail(shown);
  return shown.exitCode;
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('internal', `this should not have happened: ${message}`, {
    now: ['add --debug to see more; report it with what you typed, without keys'],
    cause: error,
  });
}

function exitCodeOf(error: unknown): number {
  return toCliError(error).exitCode;
}

// Help goes to stdout; off a terminal COLUMNS says how wide it is to be.
function helpWidth({ stdout, env }: NodeJS.Process): number {
  const columns = Number(setVariable(env, 'COLUMNS'));
  const width = stdout.isTTY ? stdout.columns : columns;
  return Number.isInteger(width) && width >= 20 ? Math.min(width, 120) : 80;
}
