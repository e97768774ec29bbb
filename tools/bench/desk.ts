/** The programs that are measured, as they are run: the same Node, an operator's environment, a loopback service. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Program } from './measure.ts';

const programs = join(import.meta.dirname, 'programs');
const root = join(import.meta.dirname, '../..');

/** The key of every desk of the bench, of 20 characters. */
export const benchKey = 'key_bench_2tQ7zRk9Pw';

/** A key of 64 characters, such as some services give. */
export const longKey = `${benchKey}_${'E5xNvAm3'.repeat(5)}_x2`;

/** A service in a process of its own. */
export interface Service {
  readonly baseUrl: string;
  /** How many orders it lists. */
  readonly orders: number;
  stop(): Promise<void>;
}

/**
 * Starts a service of static pages: so many orders of 1.5 to 40 kB (order-text.js); each reply waits for so long. `latin`: nothing
 * but the characters of Latin-1, which every program reads and writes faster.
 */
export function startService(
  orders: number,
  latencyMs = 0,
  characters: 'all' | 'latin' = 'all',
): Promise<Service> {
  return startProgram(orders, 'service.js', String(orders), String(latencyMs), characters);
}

/** Starts a service that lists one order, the one that is asked for, and refunds it. */
export function startRefundService(): Promise<Service> {
  return startProgram(1, 'refund-service.js');
}

/** Starts a service of so many orders, no two alike. */
export function startManyOrders(orders: number, latencyMs = 0): Promise<Service> {
  return startProgram(orders, 'many-orders.js', String(orders), String(latencyMs));
}

/** Starts a service of so many paid orders that can be refunded; each reply waits for so long. */
export function startBulkService(orders: number, latencyMs: number): Promise<Service> {
  return startProgram(orders, 'bulk-service.js', String(orders), String(latencyMs));
}

/** Starts a service of paid orders of which, below a number, every other one is refunded. */
export function startDeskService(orders: number, refundedBelow: number): Promise<Service> {
  return startProgram(orders, 'bulk-service.js', String(orders), '0', String(refundedBelow));
}

/** Starts a way to a port of this machine on which bytes take so long each way. */
export function startRelay(port: string, eachWayMs: number): Promise<Service> {
  return startProgram(0, 'relay.js', port, String(eachWayMs));
}

async function startProgram(orders: number, name: string, ...args: readonly string[]): Promise<Service> {
  const server: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [join(programs, name), ...args],
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

type Args = Program['args'];

/** What all programs share: where they run, and for whom. */
export interface Desk {
  /** `paydesk ARGS`, with the profile of the service in variables, as scripts have it. */
  paydesk(service: Service | undefined, args: Args, key?: string): Program;
  /** One of `programs/`, on the same Node. */
  other(service: Service | undefined, name: string, args?: Args, env?: Program['env']): Program;
  /** Any file of JavaScript in place of `bin/paydesk.js`. */
  script(service: Service | undefined, file: string, args: Args): Program;
}

/** A desk whose HOME lies in a folder, and that runs the paydesk of a folder. */
export function openDesk(folder: string, project = root): Desk {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  // Landmarks of its journals go away with it.
  const plain = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, TERM: 'xterm-256color' };
  const ofPaydesk = ({ baseUrl }: Service, key: string) => ({
    ...plain,
    PAYDESK_BASE_URL: baseUrl,
    PAYDESK_MODE: 'sandbox',
    PAYDESK_API_KEY: key,
  });
  const ofOthers = ({ baseUrl, orders }: Service) => ({
    ...plain,
    BASE_URL: baseUrl,
    API_KEY: benchKey,
    ORDERS: String(orders),
  });
  const node = (file: string, args: Args, env: Program['env']): Program => ({
    file: process.execPath,
    args: typeof args === 'function' ? () => [file, ...args()] : [file, ...args],
    env,
  });
  const script = (service: Service | undefined, file: string, args: Args, key = benchKey) =>
    node(file, args, service === undefined ? plain : ofPaydesk(service, key));
  return {
    script,
    paydesk: (service, args, key) => script(service, join(project, 'bin/paydesk.js'), args, key),
    other: (service, name, args = [], env = {}) => {
      const all = { ...(service === undefined ? plain : ofOthers(service)), ...env };
      const file = join(programs, name);
      return name.endsWith('.sh') ? { file: 'bash', args: [file], env: all } : node(file, args, all);
    },
  };
}
