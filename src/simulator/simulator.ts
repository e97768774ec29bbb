/** The simulator, as the rest of paydesk sees it: the demo, and the simulator on a port. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode } from '../api/spec.ts';
import type { Demo } from './demo.ts';
import type { Identity } from './store.ts';

export interface DemoOptions {
  /** The folder of the demo's file. Created with mode 0700 if missing. */
  readonly folder: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** `PAYDESK_DEMO_FAULT`: `KIND[,KIND…][:RATE]`, for changes only. */
  readonly fault?: string | undefined;
}

/** The demo of a run. The first `open` opens it; the run closes it at its end. */
export interface DemoOfRun {
  readonly open: () => Promise<Demo>;
  /** Who the demo is. Opens it only if its file does not say that. */
  readonly identity: () => Promise<DemoIdentity>;
  /** Requests to the demo use this address. They never leave this process. */
  readonly baseUrl: string;
  readonly close: () => void;
}

type DemoIdentity = Pick<Demo, 'instance' | 'key'>;

/** Loads the simulator's code when the demo is opened. */
export function createDemo(options: DemoOptions): DemoOfRun {
  let demo: Demo | undefined;
  const open = async () => {
    const { openDemo } = await import('./demo.ts');
    demo ??= openDemo(demoFileIn(options.folder), options);
    return demo;
  };
  return {
    open,
    // A wrong fault is refused, whatever the command needs from the demo.
    identity: async () =>
      (options.fault === undefined ? await demoOnFile(options.folder) : undefined) ?? (await open()),
    baseUrl: 'http://demo.invalid',
    close: () => demo?.close(),
  };
}

/** How many characters the demo's key has. */
export const demoKeyLength = 36;

/** Undefined if the demo's file cannot be read. Opens no demo and creates no file. */
export async function demoOnFile(folder: string): Promise<DemoIdentity | undefined> {
  const text = await textOnFile(folder, 'SELECT json_group_object(name, value) AS text FROM meta');
  const { instance, key } = Object(JSON.parse(text ?? '{}'));
  return typeof instance === 'string' && typeof key === 'string' ? { instance, key } : undefined;
}

/** The JSON text of a demo order, or undefined if it cannot be read. Opens no demo and creates no file. */
export function demoOrderOnFile(folder: string, id: string): Promise<string | undefined> {
  return textOnFile(folder, 'SELECT body AS text FROM orders WHERE id = ?', id);
}

async function textOnFile(
  folder: string,
  sql: string,
  ...named: readonly string[]
): Promise<string | undefined> {
  const file = demoFileIn(folder);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: 100 });
    const text = db.prepare(sql).get(...named)?.text;
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

function demoFileIn(folder: string): string {
  return join(folder, 'demo.db');
}

export interface ServeOptions {
  /** Default: 0, which takes any free port. */
  readonly port?: number | undefined;
  /** The file of its records. Default: in memory. */
  readonly db?: string | undefined;
  /** The vendors that Accept may name. Error codes begin with the first. Default: `service`. */
  readonly vendors?: readonly string[] | undefined;
  /** Default: the mode of the file; `sandbox` for a new one. */
  readonly mode?: Mode | undefined;
  /** `KIND[,KIND…][:RATE]`. */
  readonly faults?: string | undefined;
  readonly faultReads?: boolean | undefined;
  readonly faultSeed?: number | undefined;
  readonly latencyMs?: number | undefined;
  /** How many orders a new simulator is filled with. Default: 120. */
  readonly orders?: number | undefined;
}

export interface RunningSimulator extends Identity {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly vendors: readonly string[];
  /** Resolves when the simulator no longer listens. Rejects when its server fails. */
  readonly closed: Promise<void>;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

/** What the commands `simulator serve` and `simulator reset` call. */
export interface SimulatorControl {
  /**
   * Listens on 127.0.0.1 until closed. Throws CliError 'usage' for options that contradict each other or the file, 'refused' if
   * the port is taken or the file is not a simulator's.
   */
  serve(options: ServeOptions): Promise<RunningSimulator>;
  /** Restores the demo's first orders, with a new instance id. */
  reset(): Promise<{ readonly instance: string; readonly orders: number }>;
  /** Judges the current case of the drill, and begins the next. */
  drill(asked: DrillAsked): Promise<DrillView>;
}

/** What a trainee asks the drill to do. By default it judges the current case. */
export type DrillAsked = 'judge' | 'hint' | 'skip' | 'restart' | 'look';

export interface DrillEnd {
  readonly number: number;
  readonly title: string;
  readonly passed: boolean;
  /** What the orders of the case show. */
  readonly ledger: string;
  readonly hints: number;
}

/** What the drill shows. Times are Unix seconds. */
export interface DrillView {
  readonly startedAt: number;
  /** If a case was just judged: that it ended, or why it is not done yet. */
  readonly said: string | undefined;
  /** The current case; undefined at the end. `isNew`: it has just begun. */
  readonly at:
    | {
        readonly number: number;
        readonly title: string;
        readonly text: readonly string[];
        readonly hints: readonly string[];
        readonly isNew: boolean;
        /** A file that goes with the case. */
        readonly file: { readonly name: string; readonly text: string } | undefined;
      }
    | undefined;
  readonly ends: readonly DrillEnd[];
  readonly total: number;
}

export interface ControlOptions extends DemoOptions {
  /** Where relative file names start. */
  readonly cwd: () => string;
}

/** Loads the simulator's code when a function is called. */
export function createSimulatorControl(options: ControlOptions): SimulatorControl {
  return {
    serve: async (asked) => (await import('./serve.ts')).serve(asked, options),
    async reset() {
      const { resetDemo } = await import('./demo.ts');
      const { instance, orders } = resetDemo(demoFileIn(options.folder), options.now);
      return { instance, orders };
    },
    async drill(asked) {
      const { drill } = await import('./drill.ts');
      return drill(demoFileIn(options.folder), asked, options.now);
    },
  };
}
