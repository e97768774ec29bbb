/** A sender in memory, over real HTTP, beside a service of the tests; and desks that have joined it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SenderConfig } from '../../src/sender/sender.ts';
import { type Home, newHome, paydesk, type Ran, type RunOptions, startInMemory } from './paydesk.ts';
import { sit } from './person.ts';
import { storeProfile } from './profile.ts';
import { testKey } from './service.ts';

/** The key that only the sender has. */
export { testKey };

export type Role = 'viewer' | 'proposer' | 'operator' | 'lead';

/** What `sender invite` prints. */
export interface TestInvitation {
  readonly sender: string;
  readonly until: number;
  readonly invitation: string;
}

/** A machine of a member that has joined, with its profile `shop`. */
export interface TestDesk {
  readonly home: Home;
  readonly token: string;
  /** Runs a command of the member there, as a script does. */
  run(args: readonly string[], more?: Omit<RunOptions, 'home'>): Promise<Ran>;
}

export interface TestSender extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The home of the user who runs it: its profile `shop` has the key. */
  readonly home: Home;
  /** Runs a command of that user. */
  run(args: readonly string[], more?: Omit<RunOptions, 'home'>): Promise<Ran>;
  invite(name: string, role?: Role, more?: Pick<RunOptions, 'env'>): Promise<TestInvitation>;
  /** Invites somebody, who joins at a machine of this name. */
  desk(name: string, role?: Role, machine?: string): Promise<TestDesk>;
  /** Joins at a new machine with an invitation. */
  join(invitation: TestInvitation, machine?: string): Promise<{ readonly ran: Ran; readonly desk: TestDesk }>;
  signal(signal: 'SIGTERM' | 'SIGINT'): void;
  /** How the run of the sender ended. */
  readonly end: Promise<Ran>;
}

export interface SenderOptions {
  /** The base URL of the service, which takes `testKey`. */
  readonly url: string;
  readonly mode?: 'sandbox' | 'production';
  readonly settings?: Readonly<Record<string, string>>;
  /** Changes the file of the sender before it starts. */
  readonly config?: Partial<SenderConfig>;
  readonly env?: Readonly<Record<string, string>>;
  /** The configuration of its machine; a policy lies beside it. */
  readonly machineFile?: string;
  /** A home with a sender that was started before. Absent: a new one. */
  readonly home?: Home;
}

/** The file of a sender. */
export function senderFile(home: Home): string {
  return join(home.path, '.config/paydesk/sender.json');
}

/** Makes the file of a sender for the profile `shop` of this home, and the tables of its journal if that is in a database. */
export async function initSender(home: Home, options: SenderOptions): Promise<void> {
  const { url, mode = 'sandbox', settings = {} } = options;
  await storeProfile(home, { name: 'shop', baseUrl: url, mode, settings }, testKey);
  await paydesk(['sender', 'init', '--listen', '127.0.0.1:0', '--allow-root'], { home });
  const file = senderFile(home);
  const config = { ...JSON.parse(readFileSync(file, 'utf8')), ...options.config };
  writeFileSync(file, JSON.stringify(config));
  if (options.config?.postgres === undefined) return;
  const { code, stderr } = await paydesk(['sender', 'migrate', '--yes', '--allow-root'], { home });
  if (code !== 0) throw new Error(stderr);
}

/** Runs `sender invite …` as a person at a terminal, who says yes: in production no script invites whoever sends. */
export async function invited(home: Home, args: readonly string[]): Promise<TestInvitation> {
  const person = sit(['sender', 'invite', ...args, '--allow-root'], { home, env: {} }, 1000);
  await person.answer('allow it? (y/N)', 'y\r');
  const { screen } = await person.leaves;
  return JSON.parse(/\{"object":"paydesk_invitation".*\}/.exec(screen)?.[0] ?? screen) as TestInvitation;
}

/** Starts a sender that serves the account `shop`. */
export async function startSender(options: SenderOptions): Promise<TestSender> {
  const home = options.home ?? newHome();
  const homes = options.home === undefined ? [home] : [];
  if (options.home === undefined) await initSender(home, options);
  const { env, machineFile } = options;
  const how = {
    home,
    sleeps: 'really',
    ...(env === undefined ? {} : { env }),
    ...(machineFile === undefined ? {} : { machineFile }),
  } as const;
  const running = startInMemory(['sender', 'serve', '--allow-root', '--json'], how);
  const { url } = JSON.parse(await running.firstLine()) as { readonly url: string };
  const run: TestSender['run'] = (args, more = {}) => paydesk(args, { ...more, home });
  const invite: TestSender['invite'] = async (name, role = 'operator', more = {}) => {
    const asked = [name, '--role', role];
    if (options.mode === 'production') return { ...(await invited(home, asked)), sender: url };
    const { stdout } = await run(['sender', 'invite', ...asked, '--allow-root'], more);
    // The port was free when it started, so the file does not name it.
    return { ...(JSON.parse(stdout) as TestInvitation), sender: url };
  };
  const joinAt: TestSender['join'] = async (invitation, machineName = 'desk-1') => {
    const own = newHome();
    homes.push(own);
    const ran = await paydesk(['profile', 'add', 'shop', '--sender', '-', '--key-store', 'file'], {
      home: own,
      machineName,
      input: JSON.stringify(invitation),
    });
    return { ran, desk: deskIn(own, machineName) };
  };
  return {
    url,
    port: Number(new URL(url).port),
    home,
    run,
    invite,
    join: joinAt,
    async desk(name, role, machine) {
      const { ran, desk } = await joinAt(await invite(name, role), machine);
      if (ran.code !== 0) throw new Error(ran.stderr);
      return desk;
    },
    signal: running.signal,
    end: running.end,
    async [Symbol.asyncDispose]() {
      running.signal('SIGTERM');
      await running.end;
      for (const one of homes) one[Symbol.dispose]();
    },
  };
}

function deskIn(home: Home, machineName: string): TestDesk {
  return {
    home,
    get token() {
      const file = JSON.parse(readFileSync(join(home.path, '.config/paydesk/keys.json'), 'utf8')) as {
        readonly keys: readonly [name: string, stored: { readonly key: string }][];
      };
      return file.keys[0]?.[1].key ?? '';
    },
    run: (args, more = {}) => paydesk(args, { machineName, ...more, home }),
  };
}
