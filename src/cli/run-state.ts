/** Makes what every run has, even one that only prints help: its options, keys, the signal that stops it, and its screen. */

import { join } from 'node:path';
import { plainAmounts } from '../amounts.ts';
import { CliError } from '../errors.ts';
import { type ClockWithTimers, type Env, type Io, type ScreenStream, variable } from '../io.ts';
import { keysOnFile } from '../profiles/early-reads.ts';
import { type Folders, findFolders } from '../profiles/folders.ts';
import { type Profile, plainCommand } from '../profiles/profiles.ts';
import { demoKeyLength, demoOnFile } from '../simulator/simulator.ts';
import {
  type Ask,
  chartSigns,
  colorLevel,
  createAsk,
  createNotes,
  createOutput,
  createRedaction,
  createSecrets,
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

/** The keys of a run. */
interface KnownKeys {
  /** Masks the keys in every text that leaves the program. */
  readonly secrets: Secrets;
  /** Loads the keys in files and variables. The system keyring is not asked, because that may take seconds. Throws like `learn`. */
  load(): Promise<void>;
  /**
   * Adds keys that were typed, piped in or read from a store. From then on they are masked. Throws CliError 'usage' when the
   * command line holds one of them, or a variable that is not meant for keys.
   */
  readonly learn: (...keys: readonly string[]) => void;
}

/** Where keys may be found. */
interface KeyPlaces {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly folders: Folders;
  readonly cwd: () => string;
}

/** An empty set of keys. Reads nothing before `load`. */
function createKnownKeys(places: KeyPlaces): KnownKeys {
  const { env, folders, cwd } = places;
  const secrets = createSecrets();
  const inputs = inputsOf(places);
  const learn = (...keys: readonly string[]): void => {
    for (const key of keys) secrets.add(key);
    for (const { name, text } of inputs) if (secrets.holds(text)) throw keyIn(name);
  };
  return {
    secrets,
    learn,
    async load() {
      learn(...keysOnFile(folders.config, env, cwd));
      // A text too short for a key is not searched for in the command line. It is still meant as a key, so it is masked.
      secrets.add(variable(env, 'PAYDESK_API_KEY') ?? '');
      // A key is never written with fewer letters than it has. So for most command lines the demo's file is not opened.
      if (!inputs.some(({ text }) => text.length >= demoKeyLength)) return;
      const demo = await demoOnFile(join(folders.state, 'simulator'));
      if (demo !== undefined) learn(demo.key);
    },
  };
}

// Where a key must not be: others see arguments in the list of processes, and the shell keeps them; our variables are shown on
// screens and in the journal.
function inputsOf({ argv, env }: KeyPlaces): readonly { readonly name: string; readonly text: string }[] {
  const variables = Object.entries(env).filter(([name]) => /^PAYDESK_(?!API_KEY$)/.test(name));
  return [
    ...argv.map((text) => ({ name: 'one of the arguments', text })),
    ...variables.map(([name, text = '']) => ({ name, text })),
  ];
}

function keyIn(name: string): CliError {
  const where = name.startsWith('PAYDESK_')
    ? `${name} holds a key: only PAYDESK_API_KEY may hold one`
    : `${name} holds a key: a key is never an argument`;
  return new CliError('usage', where, {
    certain: 'nothing was sent',
    now: ['others may have seen that key; replace it: paydesk profile key NAME'],
  });
}
