/** Builds the context of a command: its output, profile, account, journal, files and clock. Loaded only when a command runs. */

import { join } from 'node:path';
import type { Context, Days } from '../context/context.ts';
import { CliError } from '../errors.ts';
import type { Exports } from '../exports/exports.ts';
import type { createExports } from '../exports/open-export.ts';
import { createIndexes, type Indexes } from '../index/index.ts';
import { type Io, variable } from '../io.ts';
import { landmarkFolders } from '../journal/sqlite/landmark.ts';
import type { Locks } from '../locks/locks.ts';
import { createSqliteLocks } from '../locks/sqlite/sqlite-locks.ts';
import type { PlanFiles, Plans } from '../plans/plans.ts';
import { createProfiles } from '../profiles/joined-profiles.ts';
import { deskKeyIn, type FileRules, type Profiles } from '../profiles/profiles.ts';
import {
  createDemo,
  createSimulatorControl,
  type DemoOfRun,
  type SimulatorControl,
} from '../simulator/simulator.ts';
import {
  type AboutLine,
  asReceived,
  type Cell,
  createTimes,
  fileFormat,
  knowsZone,
  type Notes,
  type Times,
} from '../terminal/terminal.ts';
import { type Account, createAccount } from './accounts.ts';
import { agentOf } from './agent/agent.ts';
import { releaseKeysOf } from './agent/release-keys.ts';
import type { RunLine } from './agent/run-inside.ts';
import { localJournal, type StoreChoice, sharedOfRun } from './choose-store.ts';
import { changesOf, inJournalOf, typedProfile } from './command-line.ts';
import type { Globals } from './global-options.ts';
import { findJournalPlace, type JournalPlace, senderFileIn } from './machine/journal-place.ts';
import { type Policy, readPolicy, refuseCommand } from './machine/policy.ts';
import type { RunState } from './run-state.ts';
import { createBytesReader, createChunkReader, createOwnFileGuard, createReaders } from './user-files.ts';

/** A command's context, and how to close its files at the end. */
export interface Run {
  readonly context: Context;
  readonly close: () => void;
}

/**
 * Joins the parts of a run. But for the policy of the machine, nothing is opened, read or written before the command asks for it.
 * `run`: the entry of the program. Throws CliError 'refused' for a command that the policy turns off.
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
  if (globals.csv.note !== undefined) notes.note(globals.csv.note);
  const policy = await readPolicy(io);
  refuseCommand(policy, words, io.env);
  if (policy.problem !== undefined) notes.warn(policy.problem.message);
  // A policy that is not understood may say so.
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
    // Whether it was put back from a copy does not matter: it fetches what it lacks.
    openCopy: () => localJournal({ ...journalFiles, landmarks: undefined }),
  });
  // Changes and plans are locked where their journal is. What only this user has is locked in the user's own folder.
  const locks: Locks = {
    take: async (...asked) => ((await shared.open())?.locks ?? machineLocks).take(...asked),
  };
  const ownLocks =
    journalPlace.folder === folders.state ? machineLocks : locksIn({ folder: folders.state, rules });
  const profiles = joinProfiles({ state, globals, locks: ownLocks, demo });
  const account = createAccount({
    ...state,
    globals,
    changes: changesOf(state.argv),
    profiles,
    locks,
    notes,
    operator,
    shortTime,
    demo: demo.open,
    cacheFolder: folders.cache,
    stateFolder: folders.state,
    journalPlace,
    journalFiles,
    shared,
    rules,
    policy: () => readPolicy(io),
    learnKey: state.keys.learn,
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
    service: account.service,
    useProfileOf: account.useProfileOf,
    draftService: account.draftService,
    change: account.change,
    journal: account.journal,
    journalPlace,
    policy,
    redaction: state.redaction,
    sender: account.sender,
    planSender: account.planSender,
    ...createReaders(io, state.signal),
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
    plans: planDoor({ state, operator, refuseOwnFile }),
    refuseOwnFile,
    completionScript: async (shell) => (await import('./completion/scripts.ts')).completionScript(shell),
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
      await serveAgent(run, state, globals.profile, await showsPersons(account));
    },
    shortTime,
    timeOfDay: (ms) => createTimes(state.zone(), now).show(Math.floor(ms / 1000), 'clock'),
    fullTime: (ms) => days.full(ms),
  };
  const close = () => {
    account.close();
    index.close();
    demo.close();
  };
  return { context, close };
}

// Whether the account lets software agents see personal data. Without an account that can be opened they see none.
async function showsPersons(account: Account): Promise<boolean> {
  try {
    return (await account.service()).profile.settings['agents.personal_data'] === 'shown';
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

// Where the policy turns the index off, nothing is found in one that is still there.
function indexUnder({ says }: Policy, indexes: Indexes): Indexes {
  return says.index === 'off' ? { ...indexes, open: async () => undefined } : indexes;
}

function placeOf({ io, folders }: RunState, rules: FileRules): JournalPlace {
  return findJournalPlace({
    ...rules,
    machineFile: io.machineFile,
    stateFolder: folders.state,
    witnessFolder: folders.witness,
  });
}

/** What `Context.refuseOwnFile` does, before there is a context. */
export async function refuseOwnFile(state: RunState, path: string): Promise<void> {
  ownFileGuard(state, (await readPolicy(state.io)).file)(path);
}

function ownFileGuard(
  state: RunState,
  policyFile: string,
  place = placeOf(state, { uid: state.io.uid, notice: () => undefined, movedBy: 'XDG_STATE_HOME' }),
): (path: string) => void {
  const { io, folders } = state;
  return createOwnFileGuard({
    cwd: io.cwd,
    folders: [...Object.values(folders), place.folder, place.witness, ...landmarkFolders(io)],
    files: [io.machineFile, policyFile, variable(io.env, 'PAYDESK_KEY_FILE') ?? io.machineFile],
  });
}

// At a desk the profile that was typed says whose journal is meant, in notes too.
function notesOf({ screen, isDesk, argv }: RunState): Notes {
  const { notes } = screen();
  const named = (line: Cell): Cell => {
    const profile = typeof line === 'string' && isDesk() ? typedProfile(argv) : undefined;
    return typeof line === 'string' && profile !== undefined ? inJournalOf(line, profile) : line;
  };
  return {
    ...notes,
    note: (line, hang) => notes.note(named(line), hang),
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

// The code that writes exports is loaded with the first export.
function exportDoor(parts: {
  readonly state: RunState;
  readonly globals: Globals;
  readonly locks: Locks;
  readonly folder: string;
  readonly refuseOwnFile: Context['refuseOwnFile'];
  readonly deskKey: Context['deskKey'];
}): Exports {
  const { state, globals } = parts;
  const load = async (): Promise<Exports> => {
    const { createExports } = await import('../exports/open-export.ts');
    return createExports({
      ...parts,
      version: state.version,
      clean: (json) => state.secrets.cleanJson(json),
      clock: state.clock,
      cwd: state.io.cwd,
      uid: state.io.uid,
      format: (file) =>
        fileFormat({
          ...file,
          named: globals.columns,
          usual: globals.usualColumns,
          header: globals.header,
          csv: globals.csv,
          locale: () => ({ ...state.locale(), zone: file.zone }),
          now: () => state.clock.now(),
          secrets: state.secrets,
          redaction: state.redaction,
          about: () => aboutExport(file),
        }),
    });
  };
  return {
    open: async (request) => (await load()).open(request),
    verify: async (path, maxAgeMs) => (await load()).verify(path, maxAgeMs),
    read: async (path) => (await load()).read(path),
  };
}

// What the second sheet of a workbook says of its export: whose it is, and the query as the manifest has it.
function aboutExport({
  profile,
  query,
}: Parameters<Parameters<typeof createExports>[0]['format']>[0]): readonly AboutLine[] {
  const lines = Object.entries(query).flatMap(([name, value]): readonly AboutLine[] => {
    if (
      value === null ||
      (Array.isArray(value) && value.length === 0) ||
      name === 'format' ||
      name === 'gzip' ||
      name === 'zone'
    )
      return [];
    const isTime = (name === 'since' || name === 'until') && typeof value === 'number';
    return [[name, isTime ? { at: value } : Array.isArray(value) ? value.join(' ') : asReceived(value)]];
  });
  return [['profile', profile.name], ['account', profile.account], ...lines];
}

// The code that reads and writes plans is loaded with the first plan.
function planDoor({
  state: { io, signal, secrets },
  operator,
  refuseOwnFile,
}: {
  readonly state: RunState;
  readonly operator: string;
  readonly refuseOwnFile: Context['refuseOwnFile'];
}): Plans {
  const load = async (): Promise<PlanFiles> => {
    const { createPlans } = await import('../plans/plan-files.ts');
    return createPlans({
      cwd: io.cwd,
      refuseOwnFile,
      read: createBytesReader(io, signal),
      chunks: createChunkReader(io, signal),
      clean: (text) => secrets.clean(text),
      cleanJson: (json) => secrets.cleanJson(json),
      keepHeapSmall() {
        io.keepHeapSmall('old');
        io.keepHeapSmall('young');
      },
    });
  };
  return {
    operator,
    newId: () => `p_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`,
    input: async (...file) => (await load()).input(...file),
    open: async (path) => (await load()).open(path),
    save: async (...plan) => (await load()).save(...plan),
    exists: async (path) => (await load()).exists(path),
    isSameFile: async (...paths) => (await load()).isSameFile(...paths),
    checkNew: async (...file) => (await load()).checkNew(...file),
    write: async (...file) => (await load()).write(...file),
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
    demo: async () => ({ ...(await demo.open()), baseUrl: demo.baseUrl }),
  });
  return {
    ...profiles,
    // Commands of the journal open the profile but not its account; their days are those of the profile too.
    async open(name, trial) {
      const opened = await profiles.open(name, trial);
      if (name === undefined) state.setProfile(opened.profile);
      return opened;
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

function operatorOf(io: Io): string {
  const agent = agentOf(io.env);
  return agent === undefined ? personOf(io) : `agent ${agent} for ${personOf(io)}`;
}

function personOf(io: Io): string {
  const named = variable(io.env, 'PAYDESK_OPERATOR');
  if (named !== undefined) return named;
  try {
    return io.userName();
  } catch {
    return `uid ${io.uid ?? 'unknown'}`;
  }
}
