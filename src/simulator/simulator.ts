/** The simulator of the service, as the rest of paydesk sees it: the demo of a run, and the commands that serve and reset. */

import type { Mode } from '../api/spec.ts';
import type { Demo } from './demo.ts';

export { demoKeyLength, demoKeyOnFile, demoOrderOnFile } from './demo-file.ts';

/** The folder of the demo, and the faults it simulates. */
export interface DemoOptions {
  /** The folder of its file; made with mode 0700 when it is not there. */
  readonly folder: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** `PAYDESK_DEMO_FAULT`: `KIND[,KIND…][:RATE]`, for changes only. */
  readonly fault?: string | undefined;
}

/** The demo of a run: opened once, when it is first asked for, and closed with the run. */
export interface DemoOfRun {
  readonly open: () => Promise<Demo>;
  /** What requests to it are addressed to; they never leave this process. */
  readonly baseUrl: string;
  readonly close: () => void;
}

/** Loads nothing of the simulator before the demo is opened. */
export function createDemo(options: DemoOptions): DemoOfRun {
  let demo: Demo | undefined;
  return {
    async open() {
      const { openDemo } = await import('./demo.ts');
      demo ??= openDemo(options);
      return demo;
    },
    baseUrl: 'http://demo.invalid',
    close: () => demo?.close(),
  };
}

/** Options of a simulator on a loopback port; what is absent has the default named with it. */
export interface ServeOptions {
  /** 0 or absent: any free one. */
  readonly port?: number | undefined;
  /** The file that keeps its state; absent: memory. */
  readonly db?: string | undefined;
  /** Vendor segments that are answered, default `service`; the first is the brand of error codes. */
  readonly vendors?: readonly string[] | undefined;
  /** Default: sandbox, or what the file holds. */
  readonly mode?: Mode | undefined;
  /** `KIND[,KIND…][:RATE]`. */
  readonly faults?: string | undefined;
  readonly faultReads?: boolean | undefined;
  readonly faultSeed?: number | undefined;
  readonly latencyMs?: number | undefined;
  /** How many orders a new state has, default 120. */
  readonly orders?: number | undefined;
}

/** A simulator that listens. */
export interface Serving {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly mode: Mode;
  readonly instance: string;
  readonly vendors: readonly string[];
  /** How many orders it was filled with. */
  readonly orders: number;
  /** Resolves when it no longer listens; rejects when it broke. */
  readonly closed: Promise<void>;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

/** What the simulator commands are given. */
export interface SimulatorControl {
  /**
   * Serves on 127.0.0.1 until it is closed. Throws CliError 'usage' for options that make no sense, 'refused' when the
   * port is taken or the file is something else.
   */
  serve(options: ServeOptions): Promise<Serving>;
  /** Throws away the demo's state: it starts again from the seed under a new instance id, which is returned. */
  reset(): Promise<{ readonly instance: string; readonly orders: number }>;
}

/** Where the demo lies, and the folder that a relative name of a file belongs to. */
export interface ControlOptions extends DemoOptions {
  readonly cwd: () => string;
}

/** Loads nothing of the simulator before one of its functions is called. */
export function createSimulatorControl(options: ControlOptions): SimulatorControl {
  return {
    serve: async (asked) => (await import('./serve.ts')).serve(asked, options),
    async reset() {
      const { instance, orders } = (await import('./demo.ts')).resetDemo(options);
      return { instance, orders };
    },
  };
}
