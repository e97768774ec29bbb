/** Runs one command line and returns its exit code. Every error is printed here. */

import { counted } from '../counted.ts';
import { CliError, exitCodes, messageOf, orUndefined, unreadExitCode, withParts } from '../errors.ts';
import { listFileFlags } from '../flags/flags.ts';
import type { Io } from '../io.ts';
import { isUnread } from '../terminal/terminal.ts';
import { helpWidth } from './help/help-page.ts';
import type { Run } from './make-context.ts';
import { createRunState, type RunState } from './run-state.ts';
import { listenToSignals } from './stop.ts';
import {
  changesOf,
  type Invocation,
  readCommandLine,
  typedProfile,
  withoutTyped,
  withProfile,
} from './typed/command-line.ts';
import { formatHint, type Globals, intoFile, resolveGlobals } from './typed/global-options.ts';

declare const PAYDESK_VERSION: string;

/** Runs a command line: the words after `paydesk`. A run reaches the outside only through `io`. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const state = createRunState(argv, io, PAYDESK_VERSION);
  const stopListening = listenToSignals(io, state.stop, (line) => state.screen().notes.warn(line));
  let crashes = 0;
  io.onUncaught((error) => {
    const shown = toCliError(error, state);
    crashes += 1;
    // The code that prints errors may itself be broken. So it is tried once; a second crash is printed as
    // plain text, a third one not at all.
    if (crashes === 2) printPlainly(shown, state);
    if (crashes === 1) {
      state.abort(shown);
      void printError(shown, state);
    }
    return shown.exitCode;
  });
  const code = await runLine(state);
  // An impatient Ctrl-C at the end of a run must not change the exit code that a script gets for a change.
  if (state.stop.sentChange() === undefined) stopListening();
  return codeOfLostOutput(state, code);
}

async function runLine(state: RunState): Promise<number> {
  const { argv, io } = state;
  state.guessFormat(formatHint(argv, io.env));
  let opened: Run | undefined;
  try {
    await state.keys.load();
    const invocation = await readCommandLine(argv, helpWidth(io));
    if (invocation.kind !== 'run') return await printText(invocation, state);
    const typed = resolveGlobals(invocation.globals, io.env);
    const file = listFile(invocation, typed);
    const globals = intoFile(typed, file?.name);
    state.setGlobals(globals);
    const { createRun } = await import('./make-context.ts');
    if (file !== undefined) {
      const { openResultFile, refuseOwnFile } = await import('./file-doors.ts');
      await refuseOwnFile(state, file.name);
      state.setFile(await openResultFile(file, io));
    }
    opened = await createRun(state, globals, invocation.words, run);
    const code = await invocation.command.run(opened.context, invocation.input);
    const { out, notes } = state.screen();
    await out.finish();
    if (file !== undefined)
      notes.note(
        `written: ${file.name}, ${counted(out.rows, 'row')}${state.redaction.isOn() ? ', personal data masked' : ''}`,
      );
    const certain =
      (code ?? 0) === 0 || changesOf(argv) === undefined ? undefined : state.whatWasSent.afterResult();
    if (certain !== undefined) notes.note(`certain: ${certain}`);
    await notes.succeed();
    return code ?? 0;
  } catch (error) {
    // An aborted run may fail anywhere, so the reason why it was aborted says more. But if a change was sent, how it ended matters
    // most.
    const reason = state.stop.sentChange() === undefined ? state.signal.reason : undefined;
    const explained = error instanceof CliError && error.cause === reason;
    const shown = withRoom(toCliError(explained ? error : (reason ?? error), state), opened?.context);
    // Help changes nothing, whatever the command does.
    if (opened === undefined || isReading(state)) {
      const { lost } = state.screen().out;
      if (lost !== undefined && isUnread(lost)) return unreadExitCode;
    }
    await printError(shown, state);
    return shown.exitCode;
  } finally {
    opened?.close();
  }
}

// Adds when a limit has room again. An error from a sender has that time too, so it is put into words here, in the zone of this
// run.
function withRoom(error: CliError, context: Run['context'] | undefined): CliError {
  const { roomAt, now = [] } = error.parts;
  if (roomAt === undefined || context === undefined) return error;
  const room =
    roomAt === null
      ? 'it is more than the limit itself, so waiting does not help'
      : `there is room for it again from ${context.days.full(roomAt * 1000)} on, if nothing more goes back until then`;
  return withParts(error, { now: [room, ...now] });
}

// The file of --to of a command that prints a list, or of one whose file is a list if its name says so. In other commands, --to
// means something else, or does not exist.
function listFile(
  { command, input: { flags } }: Extract<Invocation, { kind: 'run' }>,
  { dryRun }: Globals,
): { readonly name: string; readonly force: boolean } | undefined {
  const { to } = command.flags;
  if (typeof flags.to !== 'string') return undefined;
  const isList = to === listFileFlags.to || (!dryRun && to?.list?.test(flags.to) === true);
  if (!isList) return undefined;
  return { name: flags.to, force: flags.force === true };
}

async function printText(invocation: Exclude<Invocation, { kind: 'run' }>, state: RunState): Promise<number> {
  const { out, notes } = state.screen();
  await out.text(invocation.kind === 'version' ? state.version : invocation.text);
  await out.finish();
  if (invocation.kind === 'version' || invocation.certain === undefined) return 0;
  // Somebody who typed a yes wanted to change something, so help alone is not a success.
  const slip = new CliError('usage', '--help together with a yes to a change', {
    certain: invocation.certain,
  });
  await notes.fail(slip, state.debug());
  return slip.exitCode;
}

async function printError(error: CliError, state: RunState): Promise<void> {
  try {
    const { out, notes } = state.screen();
    await out.finish(error);
    const named = withProfile(error, typedProfile(state.argv), state.isDesk());
    await notes.fail(await forScripts(named, state), state.debug());
  } catch {
    printPlainly(error, state);
  }
}

// With json and ndjson, an error also has fields for what people read in its texts.
async function forScripts(error: CliError, state: RunState): Promise<CliError> {
  const { format } = state.screen().out;
  if (format !== 'json' && format !== 'ndjson') return error;
  const { readyCommands } = await import('./ready-commands.ts');
  const profile = state.profileName() ?? typedProfile(state.argv);
  const { now = [], forOthers = [] } = error.parts;
  const own = now.filter((line) => !forOthers.includes(line));
  return withParts(error, { profile, commands: await readyCommands(own) });
}

// Prints an error without the code that usually draws it: that code may be broken, or its file replaced during an update.
function printPlainly(
  { message, parts: { read = '', certain = read, now = [] } }: CliError,
  { io, secrets }: RunState,
): void {
  let words = cleaned(message, secrets) ?? 'this should not have happened';
  for (const line of [certain, ...now]) {
    const shown = cleaned(line, secrets) ?? '';
    if (shown !== '') words += `; ${shown}`;
  }
  io.stderr.write(`error: ${words.replace(/[^ -~]/g, '?')}\n`);
}

// Undefined if the text cannot be searched for keys: then it is not printed.
function cleaned(text: string, secrets: RunState['secrets']): string | undefined {
  return orUndefined(() => secrets.clean(text));
}

function isReading({ argv }: RunState): boolean {
  return changesOf(argv) === undefined;
}

// A run whose output was lost is incomplete. But exit code 7 stays: somebody has to look at that change.
function codeOfLostOutput(state: RunState, code: number): number {
  const lost = state.screen().out.lost;
  if (lost === undefined || code === exitCodes.unconfirmed || code === unreadExitCode) return code;
  return isReading(state) && isUnread(lost) ? unreadExitCode : lost.exitCode;
}

// The error as it is printed: it says what is certain if the command could have changed something.
function toCliError(error: unknown, state: RunState): CliError {
  const only = state.stop.onlyChange();
  const known =
    error instanceof CliError
      ? withoutTyped(withParts(error, { change: only }), state.argv)
      : crashed(error, state);
  const changes = changesOf(state.argv);
  return changes === undefined ? known : state.whatWasSent.withCertain(known, changes);
}

function crashed(error: unknown, { stop }: RunState): CliError {
  const sent = stop.sentChange();
  const message = messageOf(error);
  if (sent !== undefined) {
    return new CliError('unconfirmed', `a change was sent, then paydesk failed: ${message}`, {
      change: sent,
      certain: 'what is known about the change is in the journal; it is not sent again',
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
