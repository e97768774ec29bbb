/** The parts of one command's run, joined: what the command is given. Loaded only when a command runs. */

import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Context, Days } from '../commands/command.ts';
import type { Exports } from '../exports/exports.ts';
import { variable } from '../io.ts';
import type { Locks } from '../locks/locks.ts';
import { createSqliteLocks } from '../locks/sqlite/sqlite-locks.ts';
import { createProfiles } from '../profiles/create-profiles.ts';
import { findFolders } from '../profiles/folders.ts';
import type { Profiles } from '../profiles/profiles.ts';
import type { SimulatorControl } from '../simulator/simulator.ts';
import { createDemo, createSimulatorControl, type DemoOfRun } from '../simulator/simulator.ts';
import { createTimes, fileFormat, knowsZone, type Times } from '../terminal/terminal.ts';
import { createAccount } from './accounts.ts';
import type { Globals } from './globals.ts';
import { homeFolder } from './home.ts';
import { readInput } from './input.ts';
import type { Stage } from './stage.ts';

/** A command's context, and what is left to do when it ended. */
export interface Run {
  readonly context: Context;
  readonly close: () => void;
}

/** Joins the parts of a run. Nothing is opened, read or written before the command asks for it. */
export function createRun(stage: Stage, globals: Globals, words: readonly string[]): Run {
  const { process, clock, signal } = stage;
  const { out, notes, ask } = stage.screen();
  const now = () => clock.now();
  // Where it is set, conf writes its file in place instead of whole.
  delete process.env.SNAP;
  const folders = findFolders({ env: process.env, platform: process.platform, home: homeFolder() });
  const simulator = { folder: join(folders.state, 'simulator'), now };
  const demo = createDemo({ ...simulator, fault: variable(process.env, 'PAYDESK_DEMO_FAULT') });
  const operator = stage.secrets.clean(operatorOf(process));
  const locks = createSqliteLocks({
    folder: join(folders.state, 'locks'),
    clock,
    // What others are shown of this run: its command, never its values.
    owner: { operator, command: words.join(' ') },
    uid: process.getuid?.(),
    notice: (line) => notes.warn(line),
    node: process.execPath,
  });
  const profiles = joinProfiles({ stage, globals, locks, demo });
  const account = createAccount({
    ...stage,
    globals,
    profiles,
    locks,
    notes,
    operator,
    demo: demo.open,
    cacheFolder: folders.cache,
    stateFolder: folders.state,
  });
  const exports = exportDoor({ stage, globals, locks, folder: join(folders.state, 'exports') });
  const context: Context = {
    options: globals,
    clock,
    signal,
    out,
    notes,
    ask,
    profiles,
    simulator: showingKey(createSimulatorControl(simulator), stage),
    ...account,
    ...readInput(process, stage.signal),
    days: daysOf(() => createTimes(stage.zone(), now)),
    daysIn(zone) {
      const times = createTimes(zone, now);
      return knowsZone(zone) ? daysOf(() => times) : undefined;
    },
    zone: () => stage.zone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    exports,
    completionScript: async (shell) => (await import('./completion/scripts.ts')).completionScript(shell),
    timeOfDay: (ms) => createTimes(stage.zone(), now).show(Math.floor(ms / 1000), 'clock'),
    fullTime: (ms) => createTimes(stage.zone(), now).show(Math.floor(ms / 1000), 'full'),
  };
  return { context, close: demo.close };
}

// `simulator serve` prints its key on purpose, also when a profile has the same one stored.
function showingKey(control: SimulatorControl, { secrets }: Stage): SimulatorControl {
  return {
    ...control,
    async serve(options) {
      const serving = await control.serve(options);
      secrets.reveal(serving.key);
      return serving;
    },
  };
}

// What writes files is loaded with the first export.
function exportDoor(parts: {
  readonly stage: Stage;
  readonly globals: Globals;
  readonly locks: Locks;
  readonly folder: string;
}): Exports {
  const { stage, globals } = parts;
  const load = async (): Promise<Exports> => {
    const { createExports } = await import('../exports/open-export.ts');
    return createExports({
      ...parts,
      version: stage.version,
      clean: (json) => stage.secrets.cleanJson(json),
      clock: stage.clock,
      uid: stage.process.getuid?.(),
      format: (file) =>
        fileFormat({
          ...file,
          named: globals.columns,
          usual: globals.usualColumns,
          header: globals.header,
          secrets: stage.secrets,
        }),
    });
  };
  return {
    open: async (request) => (await load()).open(request),
    verify: async (path, maxAgeMs) => (await load()).verify(path, maxAgeMs),
  };
}

interface ProfileNeeds {
  readonly stage: Stage;
  readonly globals: Globals;
  readonly locks: Locks;
  readonly demo: DemoOfRun;
}

function joinProfiles({ stage, globals, locks, demo }: ProfileNeeds): Profiles {
  const { process, clock, keys } = stage;
  return createProfiles({
    folders: findFolders({ env: process.env, platform: process.platform, home: homeFolder() }),
    env: process.env,
    given: globals,
    locks,
    clock,
    uid: process.getuid?.(),
    execPath: process.execPath,
    learnKey: keys.learn,
    notice: (line) => stage.screen().notes.warn(line),
    demo: async () => ({ ...(await demo.open()), baseUrl: demo.baseUrl }),
  });
}

// The zone of a run is that of its profile, once that is open: so it is asked for each time.
function daysOf(times: () => Times): Days {
  return {
    moment: (shown) => times().moment(shown),
    between: (first, last) => times().days(first, last),
    day: (seconds) => times().day(seconds),
  };
}

// As stated by this machine: the system's user, or PAYDESK_OPERATOR.
function operatorOf(process: NodeJS.Process): string {
  const named = variable(process.env, 'PAYDESK_OPERATOR');
  if (named !== undefined) return named;
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
