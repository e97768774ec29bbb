/** Builds the context of a command: its output, profile, account, journal, files and clock. Loaded only when a command runs. */

import { join } from 'node:path';
import type { Context, Days } from '../context/context.ts';
import { orElse } from '../errors.ts';
import { createIndexes, type Indexes } from '../index/index.ts';
import { variable } from '../io.ts';
import { landmarkFolders } from '../journal/sqlite/copy-marks.ts';
import type { Locks } from '../locks/locks.ts';
import { createSqliteLocks } from '../locks/sqlite/sqlite-locks.ts';
import { createProfiles } from '../profiles/joined-profiles.ts';
import { deskKeyIn, type FileRules, type Profiles } from '../profiles/profiles.ts';
import {
  createDemo,
  createSimulatorControl,
  type DemoOfRun,
  type SimulatorControl,
} from '../simulator/simulator.ts';
import { type Cell, createTimes, knowsZone, type Notes, type Times } from '../terminal/terminal.ts';
import { createAccount } from './accounts.ts';
import { agentOf, operatorOf } from './agent/agent.ts';
import { localJournal, type StoreChoice, sharedOfRun } from './choose-store.ts';
import { exportDoor, ownFileGuard, placeOf, planDoor } from './file-doors.ts';
import { type JournalPlace, senderFileIn } from './machine/journal-place.ts';
import { type Policy, readPolicy, refuseCommand, releaseKeysOf, whileNotUsed } from './machine/policy.ts';
import type { RunLine } from './run-inside.ts';
import { nextLines } from './run-inside.ts';
import type { RunState } from './run-state.ts';
import { changesOf, inJournalOf, typedProfile } from './typed/command-line.ts';
import type { Globals } from './typed/global-options.ts';
import { createReaders } from './user-files.ts';

/** A command's context, and how to close its files at the end. */
export interface Run {
  readonly context: Context;
  readonly close: () => void;
}

/**
 * Joins the parts of a run. Except for the policy of the machine, nothing is opened, read or written before the command asks for
 * it. `run`: the entry of the program. Throws CliError 'refused' for a command that the policy turns off.
 */
export async function createRun(
  state: RunState,
  globals: Globals,
  words: readonly string[],
  run: RunLine,
): Promise<Run> {
  const { io, clock, folders, signal } = state;
  const { out, ask } = state.screen();
  const notes = notesOf(state);
  const policy = await readPolicy(io);
  refuseCommand(policy, words, io.env);
  if (policy.problem !== undefined) notes.warn(`${policy.problem.message}; ${whileNotUsed}`);
  // A policy that is not understood may ask for masking.
  if (policy.problem !== undefined || policy.says.redact === 'on') state.forceRedaction();
  const now = () => clock.now();
  const simulator = { folder: join(folders.state, 'simulator'), now, cwd: io.cwd };
  const demo = createDemo({ ...simulator, fault: variable(io.env, 'PAYDESK_DEMO_FAULT') });
  const operator = state.secrets.clean(operatorOf(io));
  const rules: FileRules = {
    uid: io.uid,
    notice: (line) => notes.warn(line),
    movedBy: 'XDG_STATE_HOME',
  };
  const journalPlace = placeOf(state, rules);
  const locksIn = (place: Pick<JournalPlace, 'folder' | 'rules'>) =>
    createSqliteLocks({
      folder: join(place.folder, 'locks'),
      rules: place.rules,
      clock,
      // Other runs that wait for a lock see this command, but never its values.
      owner: { operator, command: words.join(' ') },
      node: io.execPath,
    });
  const shortTime = (ms: number) => createTimes(state.zone(), now).short(Math.floor(ms / 1000));
  const journalFiles: StoreChoice = {
    place: journalPlace,
    cwd: io.cwd,
    onNetwork: variable(io.env, 'PAYDESK_STATE_ON_NETWORK') === '1',
    landmarks: { folders: landmarkFolders(io), rules: { uid: io.uid, notice: () => undefined } },
    shortTime,
    clock,
  };
  const machineLocks = locksIn(journalPlace);
  const shared = sharedOfRun({
    env: io.env,
    home: io.home(),
    clock,
    rules,
    file: senderFileIn(folders.config),
    owner: { operator, command: words.join(' ') },
    ofMachine: machineLocks,
    // Whether this copy was restored from an old one does not matter: it fetches what it lacks.
    openCopy: () => localJournal({ ...journalFiles, landmarks: undefined }),
  });
  // Changes and plans are locked where their journal is. What only this user has is locked in the user's own folder.
  const locks: Locks = {
    take: async (...asked) => ((await shared.open())?.locks ?? machineLocks).take(...asked),
  };
  const ownLocks =
    journalPlace.folder === folders.state ? machineLocks : locksIn({ folder: folders.state, rules });
  const profiles = joinProfiles({ state, globals, locks: ownLocks, demo });
  const { close: closeAccount, ...account } = createAccount({
    ...state,
    globals,
    words,
    changes: changesOf(state.argv),
    profiles,
    locks,
    notes,
    operator,
    shortTime,
    demo: demo.open,
    journalFiles,
    shared,
    rules,
    policy: () => readPolicy(io),
  });
  const refuseOwnFile = ownFileGuard(state, policy.file, journalPlace);
  const deskKey = () => deskKeyIn(folders, rules);
  const exports = exportDoor({
    state,
    globals,
    refuseOwnFile,
    locks: ownLocks,
    folder: join(folders.state, 'exports'),
    deskKey,
  });
  const index = indexUnder(
    policy,
    createIndexes({ folder: join(folders.state, 'index'), profiles, rules, clock }),
  );
  const days = daysOf(() => createTimes(state.zone(), now));
  const readers = createReaders(io, state.signal);
  const context: Context = {
    options: globals,
    clock,
    signal,
    stopAsked: state.stop.stopWaiting,
    out,
    notes,
    ask,
    profiles,
    simulator: showingKey(createSimulatorControl(simulator), state),
    ...account,
    journalPlace,
    policy,
    async checkPolicy(named) {
      const { checkPolicy } = await import('./machine/check-policy.ts');
      const read = () => readers.file(named, 1024 * 1024);
      return await checkPolicy({ named, read, place: policy.file, nowMs: now() }, io);
    },
    redaction: state.redaction,
    ...readers,
    days,
    daysIn(zone) {
      const times = createTimes(zone, now);
      return knowsZone(zone) ? daysOf(() => times) : undefined;
    },
    zone: () => state.zone() ?? io.zoneName(),
    exports,
    deskKey,
    index,
    lock: (name) => ownLocks.take(name, { waitMs: 0, alone: true }),
    plans: planDoor({ state, operator, refuseOwnFile, notes }),
    refuseOwnFile,
    next: nextLines(run, {
      ...state,
      own: words,
      policy,
      show: (line) => notes.warn({ text: line, style: 'strong' }),
    }),
    installable: async (reader) => (await import('./completion/installable.ts')).installable(reader, io),
    purge: async () =>
      (await import('./purge-user.ts')).createPurge({
        clock,
        profiles,
        index,
        folders,
        operator,
        journalFiles,
        senderFile: senderFileIn(folders.config),
        installed: (reader) => context.installable(reader),
      }),
    agent: agentOf(io.env),
    releases: async () =>
      (await import('../release/sign-and-check.ts')).createReleases({
        enrolled: releaseKeysOf(policy, join(folders.config, 'release-keys'), {
          uid: io.uid,
          notice: rules.notice,
        }),
        env: io.env,
        cwd: io.cwd,
      }),
    async serveAgent() {
      const { serveAgent } = await import('./agent/agent-tools.ts');
      await serveAgent(run, state, globals.profile, await isProduction(profiles, globals.profile));
    },
    shortTime,
    timeOfDay: (ms) => createTimes(state.zone(), now).show(Math.floor(ms / 1000), 'clock'),
  };
  const close = () => {
    closeAccount();
    index.close();
    demo.close();
  };
  return { context, close };
}

// If the profile cannot be opened, the answer does not matter: no plan is made.
async function isProduction(profiles: Profiles, name: string | undefined): Promise<boolean> {
  const described = await profiles.describe(name).catch(orElse(() => undefined));
  return described?.profile.mode === 'production';
}

// If the policy turns the index off, an index that still exists is not used.
function indexUnder({ says }: Policy, indexes: Indexes): Indexes {
  return says.index === 'off' ? { ...indexes, open: async () => undefined } : indexes;
}

// At a desk, the typed profile says whose journal is meant, so commands in notes get it too.
function notesOf({ screen, isDesk, argv }: RunState): Notes {
  const { notes } = screen();
  const named = (line: Cell): Cell => {
    const profile = typeof line === 'string' && isDesk() ? typedProfile(argv) : undefined;
    return typeof line === 'string' && profile !== undefined ? inJournalOf(line, profile) : line;
  };
  return {
    ...notes,
    note: (line, hang) => notes.note(named(line), hang),
    aside: (line) => notes.aside(named(line)),
    warn: (line) => notes.warn(named(line)),
  };
}

// `simulator serve` prints its key on purpose. So the key is shown even if a profile stores the same one.
function showingKey(control: SimulatorControl, { secrets }: RunState): SimulatorControl {
  return {
    ...control,
    async serve(options) {
      const serving = await control.serve(options);
      secrets.reveal(serving.key);
      return serving;
    },
  };
}

interface ProfileNeeds {
  readonly state: RunState;
  readonly globals: Globals;
  readonly locks: Locks;
  readonly demo: DemoOfRun;
}

function joinProfiles({ state, globals, locks, demo }: ProfileNeeds): Profiles {
  const { io, clock, folders, keys } = state;
  const profiles = createProfiles({
    folders,
    env: io.env,
    given: globals,
    locks,
    clock,
    uid: io.uid,
    execPath: io.execPath,
    cwd: io.cwd,
    learnKey: keys.learn,
    notice: (line) => state.screen().notes.warn(line),
    demo: async () => ({ ...(await demo.identity()), baseUrl: demo.baseUrl }),
  });
  return {
    ...profiles,
    // Commands of the journal open the profile but not its account; they show days in the zone of the profile too.
    async open(name, trial) {
      const opened = await profiles.open(name, trial);
      if (name === undefined) state.setProfile(opened.profile);
      return opened;
    },
    async describe(name, isOfRun) {
      const described = await profiles.describe(name);
      if (isOfRun === true) state.setProfile(described.profile);
      return described;
    },
  };
}

// The time zone of a run is the zone of its profile, once the profile is open. So it is looked up each time.
function daysOf(times: () => Times): Days {
  return {
    moment: (shown) => times().moment(shown),
    between: (first, last) => times().days(first, last),
    day: (seconds) => times().day(seconds),
    full: (ms) => times().show(Math.floor(ms / 1000), 'full'),
    show: (seconds, precision) => {
      const shown = times();
      return shown.valid(seconds) ? shown.show(seconds, precision) : '-';
    },
    offset: (seconds) => times().offset(seconds),
  };
}
