/** The simulator behind the profile `demo`: it runs inside this process and keeps its records in a file. */

import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { defaultVendor } from '../api/spec.ts';
import { CliError, messageOf, refused } from '../errors.ts';
import type { App } from './app.ts';
import { createFaults, type DrawFault, deliver, nextFault, parseFaults } from './faults.ts';
import { systemRandom } from './random.ts';
import { defaultOrders } from './seed/seed.ts';
import type { DemoOptions } from './simulator.ts';
import type { Identity, Store, StoreOptions } from './store.ts';
import { openStore, refillStore } from './store.ts';

/** The demo listens nowhere, so its pages cannot be opened. */
export const demoPages = 'https://pay.example.com';

export interface Demo {
  /** Behaves like `fetch`: rejects with a TypeError if the reply is lost, and with the signal's reason if it aborts. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** A reset makes a new one. The origin of the profile is `demo:<instance>`. */
  readonly instance: string;
  readonly key: string;
  close(): void;
}

/** Opens the demo. A new file is filled first. Throws CliError 'refused' for a damaged file, 'usage' for a wrong `fault`. */
export function openDemo(file: string, { now, fault }: Pick<DemoOptions, 'now' | 'fault'>): Demo {
  const drawFault =
    fault === undefined
      ? undefined
      : createFaults(parseFaults(fault, 'PAYDESK_DEMO_FAULT'), { seed: now(), reads: false });
  const store = openStore(storeOptions(file, now));
  const { instance, key } = store.identity();
  let app: App | undefined;
  return {
    fetch: async (request) => {
      const { createApp } = await import('./app.ts');
      app ??= createApp({
        store,
        vendors: [defaultVendor],
        now,
        random: systemRandom(),
        pageOrigin: demoPages,
      });
      const once = faultOnce(store, request);
      const delivered = await deliver(request, { app, drawFault: once ?? drawFault, latencyMs: 0 });
      if (delivered.kind === 'lost') throw lost('fetch failed');
      return delivered.kind === 'cut' ? await cutShort(delivered.response) : delivered.response;
    },
    instance,
    key,
    close: () => store.close(),
  };
}

// A fault that the drill set for an order affects only its next change.
function faultOnce(store: Store, { method, url }: Request): DrawFault | undefined {
  const id = /\/orders\/([^/]+)\//.exec(url)?.[1];
  if (method !== 'POST' || id === undefined) return undefined;
  const kind = store.note(nextFault(id));
  if (kind === undefined) return undefined;
  store.keep(nextFault(id), undefined);
  return createFaults(parseFaults(kind, 'drill'), { seed: 1, reads: false });
}

/** Fills the demo's file again with its first orders. A damaged file is deleted first. */
export function resetDemo(file: string, now: () => number): Identity {
  const options = storeOptions(file, now);
  try {
    return refillStore(options);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused') throw error;
    for (const path of [file, `${file}-journal`]) rmSync(path, { force: true });
    return refillStore(options);
  }
}

export function storeOptions(file: string, now: () => number): StoreOptions {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refused(`${folder}: the demo's folder cannot be created`, [messageOf(error)], { cause: error });
  }
  return {
    file,
    mode: 'sandbox',
    orders: defaultOrders,
    now: Math.floor(now() / 1000),
    random: systemRandom(),
  };
}

function lost(message: string): TypeError {
  return new TypeError(message, { cause: new Error('the simulator closed the connection') });
}

// The first half of the body, then the error that `fetch` gives for a broken connection.
async function cutShort(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  const chunks = [half][Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value } = chunks.next();
      if (value === undefined) controller.error(lost('terminated'));
      else controller.enqueue(value);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
