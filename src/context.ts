/** The parts of one run, joined: what a command is given, and how a run ends. */

import { homedir, userInfo } from 'node:os';
import { join as joinPath } from 'node:path';
import { createAccount } from './accounts.ts';
import { systemClock } from './clock.ts';
import type { CliError } from './errors.ts';
import { type Globals, setVariable } from './globals.ts';
import { readInput } from './input.ts';
import { createLocks } from './locks/locks.ts';
import type { Context, Format, Locks, Notes, Profile, Profiles } from './ports.ts';
import { type Folders, findFolders } from './profiles/folders.ts';
import { createProfiles } from './profiles/profiles.ts';
import { openScreen, type Screen, type ScreenGlobals } from './screen.ts';
import { createSimulatorControl } from './simulator/create.ts';
import { type DemoDoor, demoDoor } from './simulator/door.ts';
import { createSecrets } from './terminal/secrets.ts';
import { createTimes } from './terminal/time.ts';

/** One run, joined but not yet begun. */
export interface Joined {
  /** How to print before the command line is understood. */
  hint(format: Format): void;
  /** What a command is given. Call once, when the global options are known. */
  context(globals: Globals): Context;
  /** Text for people on stdout: help, the version. */
  text(text: string): Promise<void>;
  /** Stops the run; the first reason counts. */
  abort(reason: CliError): void;
  /** Why the run was stopped, when it was. */
  reason(): unknown;
  succeed(): Promise<void>;
  fail(error: CliError): Promise<void>;
  /** Ends the streams and gives back what was opened. */
  close(): Promise<void>;
  /** The exit code of a run whose stdout was lost, unless it ended with a worse one. */
  lostCode(): number | undefined;
}

const beforeReading: ScreenGlobals & Pick<Globals, 'debug' | 'utc'> = {
  format: 'table',
  columns: undefined,
  header: true,
  input: false,
  quiet: false,
  color: undefined,
  accessible: false,
  debug: false,
  utc: false,
};

/** Joins the parts. Nothing is opened, read or written before it is asked for. */
export function join({
  process,
  version,
}: {
  readonly process: NodeJS.Process;
  readonly version: string;
}): Joined {
  const clock = systemClock;
  const secrets = createSecrets();
  const controller = new AbortController();
  const folders = findFolders({ env: process.env, platform: process.platform, home: homedir() });
  const demo = demoDoor({
    folder: joinPath(folders.state, 'simulator'),
    now: () => clock.now(),
    fault: setVariable(process.env, 'PAYDESK_DEMO_FAULT'),
  });
  let options: typeof beforeReading | Globals = beforeReading;
  let open: Screen | undefined;
  let profile: Profile | undefined;
  let profiles: Profiles | undefined;
  const abort = (reason: CliError): void => controller.abort(reason);
  const locale = () => ({
    zone: options.utc ? 'UTC' : profile?.settings['time.zone'],
    decimals: profile?.settings['amounts.decimals'] ?? {},
  });
  const screen = (): Screen => {
    open ??= openScreen({
      process,
      clock,
      secrets,
      signal: controller.signal,
      globals: options,
      locale,
      abort,
    });
    return open;
  };
  return {
    hint(format) {
      options = { ...beforeReading, format };
    },
    context(globals) {
      options = globals;
      const { out, notes, ask } = screen();
      const operator = operatorOf(process);
      const locks = createLocks({
        folder: joinPath(folders.state, 'locks'),
        clock,
        owner: { operator, command: commandWords(process) },
        uid: process.getuid?.(),
      });
      profiles = joinProfiles({ process, globals, folders, locks, notes, demo });
      const account = createAccount({
        process,
        version,
        globals,
        clock,
        signal: controller.signal,
        secrets,
        profiles,
        locks,
        notes,
        operator,
        demo: demo.open,
        opened: (one) => {
          profile = one;
        },
      });
      return {
        options: globals,
        clock,
        signal: controller.signal,
        out,
        notes,
        ask,
        profiles,
        simulator: createSimulatorControl({
          folder: joinPath(folders.state, 'simulator'),
          now: () => clock.now(),
        }),
        ...account,
        ...readInput(process.stdin),
        timeOfDay: (ms) => createTimes(locale().zone, () => clock.now()).show(Math.floor(ms / 1000), 'clock'),
      };
    },
    text: (text) => screen().out.text(text),
    abort,
    reason: () => controller.signal.reason,
    async succeed() {
      await screen().out.finish();
      await screen().notes.succeed();
    },
    async fail(error) {
      for (const key of (await profiles?.knownKeys()) ?? []) secrets.add(key);
      const variable = setVariable(process.env, 'PAYDESK_API_KEY');
      if (variable !== undefined) secrets.add(variable);
      await screen().out.finish();
      await screen().notes.fail(error, options.debug);
    },
    async close() {
      await open?.out.finish();
      demo.close();
    },
    lostCode: () => (process.exitCode === 7 ? undefined : open?.out.lost?.exitCode),
  };
}

interface ProfileNeeds {
  readonly process: NodeJS.Process;
  readonly globals: Globals;
  readonly folders: Folders;
  readonly locks: Locks;
  readonly notes: Notes;
  readonly demo: DemoDoor;
}

function joinProfiles({ process, globals, folders, locks, notes, demo }: ProfileNeeds): Profiles {
  return createProfiles({
    folders,
    env: process.env,
    given: globals,
    locks,
    clock: systemClock,
    uid: process.getuid?.(),
    execPath: process.execPath,
    notice: (line) => notes.warn(line),
    demo: async () => ({ ...(await demo.open()), baseUrl: demo.baseUrl }),
  });
}

// As stated by this machine: the system's user, or PAYDESK_OPERATOR.
function operatorOf(process: NodeJS.Process): string {
  const named = setVariable(process.env, 'PAYDESK_OPERATOR');
  if (named !== undefined) return named;
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

// What others are shown of this run: its command, never its values.
function commandWords(process: NodeJS.Process): string {
  return process.argv
    .slice(2)
    .filter((word) => /^[a-z]+$/.test(word))
    .slice(0, 2)
    .join(' ');
}
