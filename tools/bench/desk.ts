/** The programs that are measured, as they are run: the same Node, an operator's environment, a loopback service. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Program } from './measure.ts';

const programs = join(import.meta.dirname, 'programs');
const bin = join(import.meta.dirname, '../../bin/paydesk.js');
const key = 'key_bench_2tQ7zRk9PwE5xNvAm';

/** A service of static pages in a process of its own. */
export interface Service {
  readonly baseUrl: string;
  readonly orders: number;
  stop(): Promise<void>;
}

/** Starts a service of so many orders of about 3 kB; each reply waits for so long. */
export async function startService(orders: number, latencyMs = 0): Promise<Service> {
  const server: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [join(programs, 'service.js'), String(orders), String(latencyMs)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [baseUrl] = await once(createInterface(server.stdout), 'line');
  return {
    baseUrl: String(baseUrl),
    orders,
    async stop() {
      const ended = once(server, 'exit');
      server.stdin.end();
      await ended;
    },
  };
}

/** What all programs share: where they run, and for whom. */
export interface Desk {
  /** `paydesk ARGS`, with the profile of the service in variables, as scripts have it. */
  paydesk(service: Service | undefined, ...args: readonly string[]): Program;
  /** One of `programs/`, on the same Node. */
  other(
    service: Service | undefined,
    name: string,
    env?: Readonly<Record<string, string>>,
    args?: readonly string[],
  ): Program;
  /** Any file of JavaScript in place of `bin/paydesk.js`. */
  script(service: Service | undefined, file: string, ...args: readonly string[]): Program;
}

/** A desk whose HOME lies in a folder. */
export function openDesk(folder: string): Desk {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const plain = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color' };
  const ofPaydesk = (service: Service | undefined) =>
    service === undefined
      ? plain
      : { ...plain, PAYDESK_BASE_URL: service.baseUrl, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key };
  const script = (service: Service | undefined, file: string, ...args: readonly string[]): Program => ({
    file: process.execPath,
    args: [file, ...args],
    env: ofPaydesk(service),
  });
  return {
    script,
    paydesk: (service, ...args) => script(service, bin, ...args),
    other: (service, name, env = {}, args = []) => ({
      file: name.endsWith('.sh') ? 'bash' : process.execPath,
      args: [join(programs, name), ...args],
      env: {
        ...plain,
        ...(service === undefined
          ? {}
          : { BASE_URL: service.baseUrl, API_KEY: key, ORDERS: String(service.orders) }),
        ...env,
      },
    }),
  };
}
