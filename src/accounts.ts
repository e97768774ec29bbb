/** From a profile to what talks to its account: the client for reads, and the one door for changes. */

import { type Client, createClient } from './api/client.ts';
import { useProxies } from './api/proxy.ts';
import type { Globals } from './globals.ts';
import { createMemoryStore } from './journal/memory-store.ts';
import { createChange } from './journal/run.ts';
import type { Change, Clock, Locks, Notes, Profile, Profiles, Service } from './ports.ts';
import { refuseUnsafeRuntime } from './profiles/runtime.ts';
import type { Demo } from './simulator/demo.ts';
import type { Secrets } from './terminal/secrets.ts';

export interface AccountParts {
  readonly process: NodeJS.Process;
  readonly version: string;
  readonly globals: Globals;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  readonly profiles: Profiles;
  readonly locks: Locks;
  readonly notes: Notes;
  readonly operator: string;
  readonly demo: () => Promise<Demo>;
  /** Called with the profile once it is open: times and amounts are shown as it says. */
  readonly opened: (profile: Profile) => void;
}

export interface Account {
  service(purpose?: 'read' | 'change'): Promise<Service>;
  readonly change: Change;
}

/** The account of a run, opened when it is first asked for. */
export function createAccount(parts: AccountParts): Account {
  let client: Promise<Client> | undefined;
  const open = () => {
    client ??= openClient(parts);
    return client;
  };
  return {
    async service(purpose = 'read') {
      if (purpose === 'change') (await parts.profiles.open()).approveChange();
      return (await open()).service;
    },
    async change(intent) {
      (await parts.profiles.open()).approveChange();
      const { service, send } = await open();
      const { clock, locks, notes, operator, globals, version, signal } = parts;
      const change = createChange({
        service,
        send,
        locks,
        store: createMemoryStore(),
        clock,
        operator,
        version,
        options: globals,
        notes,
        ids: () => `i_${crypto.randomUUID().replaceAll('-', '').slice(0, 8)}`,
        signal,
      });
      return change(intent);
    },
  };
}

async function openClient(parts: AccountParts): Promise<Client> {
  const { process, version, globals, clock, signal, secrets } = parts;
  const { profile, key } = await parts.profiles.open();
  refuseUnsafeRuntime({ env: process.env, execArgv: process.execArgv, mode: profile.mode });
  const secret = await key();
  secrets.add(secret);
  parts.opened(profile);
  const transport = profile.kind === 'demo' ? inProcess(await parts.demo()) : undefined;
  if (transport === undefined) await useProxies(process.env);
  return createClient({
    profile,
    key: secret,
    version,
    timeoutMs: globals.timeoutMs,
    clock,
    random: Math.random,
    signal,
    transport,
    debug: globals.debug ? (line) => parts.notes.warn(line) : undefined,
  });
}

function inProcess(demo: Demo): typeof fetch {
  return (input, init) => demo.fetch(new Request(input, init));
}
