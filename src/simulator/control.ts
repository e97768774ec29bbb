/** What the simulator commands are given. Types only. */

import type { Mode } from '../api/spec.ts';

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

/** The simulator, as its commands are given it. */
export interface SimulatorControl {
  /**
   * Serves on 127.0.0.1 until it is closed. Throws CliError 'usage' for options that make no sense, 'refused' when the
   * port is taken or the file is something else.
   */
  serve(options: ServeOptions): Promise<Serving>;
  /** Throws away the demo's state: it starts again from the seed under a new instance id, which is returned. */
  reset(): Promise<{ readonly instance: string; readonly orders: number }>;
}
