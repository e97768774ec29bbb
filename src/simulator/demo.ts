/** The simulator inside this process, behind the profile `demo`: its state is kept between commands. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defaultVendor } from '../api/spec.ts';
import { CliError } from '../errors.ts';
import type { App } from './app.ts';
import { demoFile } from './demo-file.ts';
import { createFaults, deliver, parseFaults } from './faults.ts';
import { systemRandom } from './random.ts';
import { defaultOrders } from './seed/seed.ts';
import type { DemoOptions } from './simulator.ts';
import type { Identity, StoreOptions } from './store.ts';
import { openStore, refillStore } from './store.ts';

/** The demo, open. */
export interface Demo {
  /** Answers like `fetch` over a network: a lost reply rejects with a TypeError, an abort with the signal's reason. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Renewed by a reset; the origin of the profile is `demo:<instance>`. */
  readonly instance: string;
  readonly key: string;
  close(): void;
}

/** Opens the demo; the first time, it is filled. Throws CliError 'refused' when its file is damaged, 'usage' for `fault`. */
export function openDemo({ folder, now, fault }: DemoOptions): Demo {
  const drawFault =
    fault === undefined
      ? undefined
      : createFaults(parseFaults(fault, 'PAYDESK_DEMO_FAULT'), { seed: now(), reads: false });
  const store = openStore(storeOptions(folder, now));
  const { instance, key } = store.identity();
  let app: App | undefined;
  return {
    fetch: async (request) => {
      const { createApp } = await import('./app.ts');
      app ??= createApp({ store, vendors: [defaultVendor], now, random: systemRandom() });
      const delivered = await deliver(request, { app, drawFault, latencyMs: 0 });
      if (delivered.kind === 'lost') throw lost('fetch failed');
      return delivered.kind === 'cut' ? await cutShort(delivered.response) : delivered.response;
    },
    instance,
    key,
    close: () => store.close(),
  };
}

/** Puts the first data into the demo again; a damaged file is deleted first. */
export function resetDemo({ folder, now }: DemoOptions): Identity {
  const options = storeOptions(folder, now);
  try {
    return refillStore(options);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'refused' || options.file === undefined) throw error;
    for (const file of [options.file, `${options.file}-journal`]) rmSync(file, { force: true });
    return refillStore(options);
  }
}

function storeOptions(folder: string, now: () => number): StoreOptions {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError('refused', `${folder}: the folder of the demo cannot be made`, {
      certain: 'nothing was sent',
      now: [error instanceof Error ? error.message : String(error)],
      cause: error,
    });
  }
  return {
    file: join(folder, demoFile),
    mode: 'sandbox',
    orders: defaultOrders,
    now: Math.floor(now() / 1000),
    random: systemRandom(),
  };
}

function lost(message: string): TypeError {
  return new TypeError(message, { cause: new Error('the simulator closed the connection') });
}

// Half of the body, then what fetch says when a connection breaks.
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
