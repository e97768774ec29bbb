/** What the simulator commands are given. */

export interface SimulatorControl {
  /** Throws away the demo's state; the next run starts from the seed under a new instance id. */
  reset(): Promise<void>;
}
