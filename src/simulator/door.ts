/** The simulator's doors for one run: nothing of it is loaded before it is asked for. */

import type { SimulatorControl } from './control.ts';
import type { ControlOptions } from './create.ts';
import type { Demo, DemoOptions } from './demo.ts';

/** The demo of a run, not open yet. */
export interface DemoDoor {
  readonly open: () => Promise<Demo>;
  /** What requests to it are addressed to; they never leave this process. */
  readonly baseUrl: string;
  readonly close: () => void;
}

/** The demo: opened once, when it is first asked for, and closed with the run. */
export function demoDoor(options: DemoOptions): DemoDoor {
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

/** What the simulator commands are given. */
export function simulatorDoor(options: ControlOptions): SimulatorControl {
  const load = async () => (await import('./create.ts')).createSimulatorControl(options);
  return {
    serve: async (asked) => (await load()).serve(asked),
    reset: async () => (await load()).reset(),
  };
}
