/** Makes what every run has, even one that only prints help: its options, keys, the signal that stops it, and its screen. */

import { plainAmounts } from '../amounts.ts';
import type { CliError } from '../errors.ts';
import type { ClockWithTimers, Io, ScreenStream } from '../io.ts';
import { type Folders, findFolders } from '../profiles/folders.ts';
import { type Profile, plainCommand } from '../profiles/profiles.ts';
import {
  type Ask,
  chartSigns,
  colorLevel,
  createAsk,
  createNotes,
  createOutput,
  createRedaction,
  type Format,
  type Locale,
  type NotesControl,
  type OutputControl,
  type Redaction,
  type ResultFile,
  type Secrets,
  type StreamFacts,
} from '../terminal/terminal.ts';
import { agentOf } from './agent/agent.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import { createStop, type Stop } from './stop.ts';
import { type Globals, resolveGlobals } from './typed/global-options.ts';
import { createWhatWasSent, type WhatWasSent } from './what-was-sent.ts';

/** What run.ts makes before it knows which command runs. */
export interface RunState {
  /** The words after `paydesk`. */
  readonly argv: readonly string[];
  readonly io: Io;
  readonly version: string;
  readonly clock: ClockWithTimers;
  readonly folders: Folders;
  readonly keys: KnownKeys;
  /** Masks the known keys. */
  readonly secrets: Secrets;
  /**
   * Masks personal data, if flag, variable, profile or policy say so, and for an agent unless the account shows personal data to
   * agents.
   */
  readonly redaction: Redaction;
  /** Masks personal data from now on, whatever flag and profile say. */
  readonly forceRedaction: () => void;
  readonly stop: Stop;
  readonly whatWasSent: WhatWasSent;
  /** The signal of `stop`: it ends reads and questions. */
  readonly signal: AbortSignal;
  /** Stops the run; the first reason counts. */
  readonly abort: (reason: CliError) => void;
  /** Opens the streams and prompts at its first call. */
  readonly screen: () => Screen;
  /** Sets the format for errors in the command line. */
  readonly guessFormat: (format: Format) => void;
  /** Sets the file that a list is written into. Has to be called before the screen is opened. */
  readonly setFile: (file: ResultFile) => void;
  /** Sets the options of the run. Has to be called before the screen is opened. */
  readonly setGlobals: (globals: Globals) => void;
  readonly debug: () => boolean;
  /** The time zone in which times are shown; undefined: the zone of the process. */
  readonly zone: () => string | undefined;
  /** The name of the profile of the run, once it is open. */
  readonly profileName: () => string | undefined;
  /** Whether that profile has a sender. */
  readonly isDesk: () => boolean;
  /** How figures and times are shown. */
  readonly locale: () => Locale;
  /**
   * Called with the profile of the run once it is open: its settings say how times and amounts are shown. Called again with the limits
   * of its account: they say whether agents see personal data.
   */
  readonly setProfile: (profile: Profile) => void;
}

/** The state of a new run. Nothing is opened, read or written yet. */
export function createRunState(argv: readonly string[], io: Io, version: string): RunState {
  const { env, clock, platform } = io;
  const folders = findFolders({ env, platform, home: io.home() });
  const keys = createKnownKeys({ argv, env, folders, cwd: io.cwd });
  const stop = createStop();
  // The options that are used until the command line is read.
  const plainOptions: Globals = { ...resolveGlobals({}, {}), input: false };
  let options = plainOptions;
  let file: ResultFile | undefined;
  let screen: Screen | undefined;
  let profile: Profile | undefined;
  let forced = false;
  // The accounts whose personal data agents may see. An agent that uses a shell sees the same as through its tools.
  const shown = new Set<string>();
  // Asked for every cell of a table, and to read a variable of the process takes longer than to draw the cell.
  const isAgent = agentOf(env) !== undefined;
  const hides = () => isAgent && !shown.has(profile?.account ?? '');
  const redaction = createRedaction(
    () => forced || hides() || (options.redact ?? profile?.settings.redact === 'on'),
    () => ({
      reference: profile?.settings['reference.keys'] ?? [],
      // The keys of metadata in the typed columns, such as `metadata.gift`.
      columns: [...(options.columns ?? []), ...(options.usualColumns ?? [])].flatMap((name) =>
        name.split('metadata.').slice(1),
      ),
    }),
  );
  const zone = () => (options.utc ? 'UTC' : (profile?.settings['time.zone'] ?? io.zone));
  const locale = () => ({
    zone: zone(),
    amounts: profile?.settings ?? plainAmounts,
    referenceKeys: profile?.settings['reference.keys'] ?? [],
  });
  return {
    argv,
    io,
    version,
    clock,
    folders,
    keys,
    secrets: keys.secrets,
    redaction,
    forceRedaction: () => {
      forced = true;
    },
    stop,
    whatWasSent: createWhatWasSent(),
    signal: stop.signal,
    abort: stop.abort,
    zone,
    locale,
    screen: () => {
      screen ??= openScreen({ argv, io, version, keys, redaction, stop, options, locale, file });
      return screen;
    },
    guessFormat: (format) => {
      options = { ...plainOptions, format };
    },
    setFile: (opened) => {
      file = opened;
    },
    setGlobals: (globals) => {
      options = globals;
    },
    debug: () => options.debug,
    profileName: () => profile?.name,
    isDesk: () => profile?.sender !== undefined,
    setProfile: (opened) => {
      profile = opened;
      // The profile may be opened again, without the limits of its account.
      if (opened.settings['agents.personal_data'] === 'shown') shown.add(opened.account);
    },
  };
}

/** stdout, stderr and the questions of a run. */
interface Screen {
  readonly out: OutputControl;
  readonly notes: NotesControl;
  readonly ask: Ask;
}

/** What is needed to make a screen. */
interface ScreenParts extends Pick<RunState, 'argv' | 'version' | 'io' | 'redaction' | 'stop' | 'locale'> {
  readonly file: ResultFile | undefined;
  readonly keys: Pick<KnownKeys, 'secrets' | 'learn'>;
  readonly options: Globals;
}

/** Takes over the streams. Nothing is written yet. */
function openScreen(parts: ScreenParts): Screen {
  const { io, keys, redaction, stop, options, locale, file } = parts;
  const { secrets } = keys;
  const { clock } = io;
  const shared = { ...options, locale, secrets, redaction };
  const stdout = file === undefined ? factsOf(io.stdout, options.width) : fileFacts(file, options.width);
  // Notes in a log are never wrapped.
  const stderr = factsOf(io.stderr, io.stderr.isTTY === true ? options.width : undefined);
  const stderrColor = colorLevel(stderr, options.color, io.env);
  const notes = createNotes({
    ...shared,
    stderr,
    color: stderrColor,
    clock,
    // Nobody reads notes any more. The run goes on, because its result goes to stdout or the journal.
    onLost: () => undefined,
  });
  const out = createOutput({
    ...shared,
    stdout,
    isBriefList: options.accessible && options.askedFormat === undefined,
    charts: chartSigns({ ...options, env: io.env, platform: io.platform }),
    color: colorLevel(stdout, options.color, io.env),
    now: () => clock.now(),
    onLost: stop.abort,
    // A result that nobody can read is an error. But once a single change was sent, its outcome decides the exit code. The
    // report of a batch says more than an exit code.
    file,
    // What the second sheet of a workbook says about a list: what was asked for, when, and everything that the screen said.
    about: async (failed) => [
      ['command', plainCommand(...parts.argv)],
      ['written', { at: Math.floor(parts.io.clock.now() / 1000) }],
      ['program', `paydesk ${parts.version}`],
      ...(failed === undefined ? [] : [['complete', `no: ${failed.message}`] as const]),
      ...(await notes.lines()).map((line) => ['note', line] as const),
    ],
    isClosed: () => file === undefined && stop.onlyChange() === undefined && io.stdoutWasClosed(),
    note: (line) => notes.note(line),
    beforeWrite: () => notes.clearProgress(),
  });
  const ask = createAsk({
    get stdin() {
      return io.stdin;
    },
    stderr,
    noInput: !options.input,
    accessible: options.accessible,
    color: stderrColor,
    secrets: redaction.over(secrets),
    learnKey: keys.learn,
    clock,
    signal: stop.signal,
    beforeQuestion: () => notes.flush(),
    onLeft: io.onLeft,
    write: (text) => notes.write(text),
  });
  return { out, notes, ask };
}

function fileFacts({ stream }: ResultFile, width: number | undefined): StreamFacts {
  return { stream, isTTY: false, columns: undefined, rows: undefined, width };
}

// The size of a terminal may change during the run.
function factsOf(stream: ScreenStream, width: number | undefined): StreamFacts {
  const isTTY = stream.isTTY === true;
  return {
    stream,
    isTTY,
    width,
    get columns() {
      return isTTY ? stream.columns : undefined;
    },
    get rows() {
      return isTTY ? stream.rows : undefined;
    },
  };
}
