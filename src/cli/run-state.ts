/**
 * What every run has, also one that only prints help: streams, known keys, and the one signal that stops it.
 */

import type { CliError } from '../errors.ts';
import type { ClockWithTimers, Io } from '../io.ts';
import { type Folders, findFolders } from '../profiles/folders.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Format, Secrets } from '../terminal/terminal.ts';
import type { Globals } from './global-options.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import { openScreen, type Screen } from './screen.ts';
import { createStop, type Stop } from './stop.ts';

/** What run.ts makes before it knows what is to run. */
export interface RunState {
  /** The words behind `paydesk`. */
  readonly argv: readonly string[];
  readonly io: Io;
  readonly version: string;
  readonly clock: ClockWithTimers;
  readonly folders: Folders;
  readonly keys: KnownKeys;
  /** Masks the known keys. */
  readonly secrets: Secrets;
  readonly stop: Stop;
  /** That of `stop`: ends reads and questions. */
  readonly signal: AbortSignal;
  /** Stops the run; the first reason counts. */
  readonly abort: (reason: CliError) => void;
  /** Streams and prompts, opened when they are first asked for. */
  readonly screen: () => Screen;
  /** How to print before the command line is understood. */
  readonly guessFormat: (format: Format) => void;
  /** The options of the run, once they are known; before the screen is opened. */
  readonly setGlobals: (globals: Globals) => void;
  readonly debug: () => boolean;
  /** The time zone in which times are shown; undefined: the zone of the process. */
  readonly zone: () => string | undefined;
  /** The profile of the run, once it is open: times and amounts are shown as it says. */
  readonly setProfile: (profile: Profile) => void;
}

type UsedGlobals = Pick<
  Globals,
  | 'format'
  | 'columns'
  | 'usualColumns'
  | 'header'
  | 'input'
  | 'quiet'
  | 'color'
  | 'accessible'
  | 'debug'
  | 'utc'
>;

// Until the command line is read.
const plainGlobals: UsedGlobals = {
  format: 'table',
  columns: undefined,
  usualColumns: undefined,
  header: true,
  input: false,
  quiet: false,
  color: undefined,
  accessible: false,
  debug: false,
  utc: false,
};

/** The state of a new run. Nothing is opened, read or written yet. */
export function createRunState(argv: readonly string[], io: Io, version: string): RunState {
  const { env, clock, platform } = io;
  const folders = findFolders({ env, platform, home: io.home() });
  const keys = createKnownKeys({ argv, env, folders, cwd: io.cwd });
  const { secrets } = keys;
  const stop = createStop();
  let globals = plainGlobals;
  let screen: Screen | undefined;
  let profile: Profile | undefined;
  const { signal, abort } = stop;
  const zone = () => (globals.utc ? 'UTC' : (profile?.settings['time.zone'] ?? io.zone));
  const locale = () => ({ zone: zone(), decimals: profile?.settings['amounts.decimals'] ?? {} });
  return {
    argv,
    io,
    version,
    clock,
    folders,
    keys,
    secrets,
    stop,
    signal,
    abort,
    zone,
    screen: () => {
      screen ??= openScreen({
        io,
        clock,
        secrets,
        learnKey: keys.learn,
        signal,
        globals,
        locale,
        sentChange: () => stop.sentChange() !== undefined,
        abort,
      });
      return screen;
    },
    guessFormat: (format) => {
      globals = { ...plainGlobals, format };
    },
    setGlobals: (resolved) => {
      globals = resolved;
    },
    debug: () => globals.debug,
    setProfile: (one) => {
      profile = one;
    },
  };
}
