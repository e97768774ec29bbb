/** One run: arguments in, exit code out. Joins the parts, and prints every error. */

import { CliError, exitCodes } from '../errors.ts';
import { variable } from '../io.ts';
import { withProfile } from './carried-profile.ts';
import { type Invocation, readCommandLine, typedProfile } from './command-line.ts';
import type { Run } from './context.ts';
import { formatHint, resolveGlobals } from './globals.ts';
import { listenToSignals } from './signals.ts';
import { type Stage, setStage } from './stage.ts';

declare const PAYDESK_VERSION: string;

/** Runs one command line and sets the exit code; never calls exit, since that cuts what is still being written. */
export async function main(process: NodeJS.Process): Promise<void> {
  const stage = setStage(process, PAYDESK_VERSION);
  const signals = listenToSignals(process, stage.stop, (line) => stage.screen().notes.warn(line));
  let crashes = 0;
  const crash = (error: unknown) => {
    const shown = toCliError(error, stage);
    process.exitCode = shown.exitCode;
    crashes += 1;
    // What prints errors may be what is broken: it is tried once, then said plainly, then left.
    if (crashes === 2) lastWords(shown, stage);
    if (crashes > 1) return;
    stage.abort(shown);
    void printError(shown, stage);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  const code = await runLine(stage);
  // An impatient Ctrl-C on the way out must not change what a script is told of a change.
  if (stage.stop.tookOff() === undefined) signals.stop();
  process.exitCode = codeOfLostOutput(stage, code);
}

async function runLine(stage: Stage): Promise<number> {
  const { process } = stage;
  const argv = process.argv.slice(2);
  stage.hint(formatHint(argv, process.env));
  let run: Run | undefined;
  try {
    await stage.keys.load();
    const invocation = await readCommandLine(argv, helpWidth(process));
    if (invocation.kind !== 'run') return await printText(invocation, stage);
    const globals = resolveGlobals(invocation.globals, process.env);
    stage.use(globals);
    const { createRun } = await import('./context.ts');
    run = createRun(stage, globals, invocation.words);
    const code = await invocation.command.run(run.context, invocation.input);
    await stage.screen().out.finish();
    await stage.screen().notes.succeed();
    return code ?? 0;
  } catch (error) {
    // The reason of an aborted run says more than what the abort broke, but not more than what a change came to.
    const reason = stage.stop.tookOff() === undefined ? stage.signal.reason : undefined;
    const explained = error instanceof CliError && error.cause === reason;
    const shown = toCliError(explained ? error : (reason ?? error), stage);
    await printError(shown, stage);
    return shown.exitCode;
  } finally {
    run?.close();
  }
}

async function printText(invocation: Exclude<Invocation, { kind: 'run' }>, stage: Stage): Promise<number> {
  const { out } = stage.screen();
  await out.text(invocation.kind === 'version' ? stage.version : invocation.text);
  await out.finish();
  return 0;
}

async function printError(error: CliError, stage: Stage): Promise<void> {
  try {
    const { out, notes } = stage.screen();
    await out.finish();
    await notes.fail(withProfile(error, typedProfile(stage.process.argv.slice(2))), stage.debug());
  } catch {
    lastWords(error, stage);
  }
}

// Where what draws errors is broken, or was replaced meanwhile: the same words, past all of it.
function lastWords(
  { message, parts: { certain = '', now = [] } }: CliError,
  { process, secrets }: Stage,
): void {
  const own = [certain, ...now].filter((text) => text !== '').join('; ');
  let words = `this should not have happened; ${own}`;
  try {
    words = secrets.clean(`${message}; ${own}`);
  } catch {
    // What cannot be searched for keys is not printed: our own words hold none.
  }
  process.stderr.write(`error: ${words.replace(/[^ -~]/g, '?')}\n`);
}

// Lost output makes any run incomplete, but a change whose outcome a person must look at stays that.
function codeOfLostOutput(stage: Stage, code: number): number {
  const lost = stage.screen().out.lost;
  return lost === undefined || code === exitCodes.unknown ? code : lost.exitCode;
}

function toCliError(error: unknown, { stop }: Stage): CliError {
  const sent = stop.tookOff();
  if (error instanceof CliError) return sent === undefined ? error : withJournal(error, sent);
  const message = error instanceof Error ? error.message : String(error);
  if (sent !== undefined) {
    return new CliError('unknown', `a change was sent, then this happened, which should not: ${message}`, {
      certain: 'what is known of the change is in the journal; it is not sent again',
      now: [`paydesk journal show ${sent}`, `paydesk journal reconcile ${sent}`],
      cause: error,
    });
  }
  return new CliError('internal', `this should not have happened: ${message}`, {
    now: [
      'add --debug to see more; report it to whoever gave you paydesk, with what you typed, without keys',
    ],
    cause: error,
  });
}

// Output that got lost says nothing of the change that it was to tell of.
function withJournal(error: CliError, sent: string): CliError {
  const { kind, message, parts } = error;
  if (kind !== 'incomplete' || parts.certain !== undefined) return error;
  const certain = 'a change was sent, and what became of it is in the journal';
  return new CliError(kind, message, { ...parts, certain, now: [`paydesk journal show ${sent}`] });
}

// Help goes to stdout; off a terminal COLUMNS says how wide it is to be.
function helpWidth({ stdout, env }: NodeJS.Process): number {
  const width = stdout.isTTY ? stdout.columns : Number(variable(env, 'COLUMNS'));
  return Number.isInteger(width) && width >= 20 ? Math.min(width, 120) : 80;
}
