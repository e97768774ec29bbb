/** The demo of one run: opened once, when it is first asked for, and closed with the run. */

import type { Demo, DemoOptions } from './demo.ts';

export interface DemoDoor {
  readonly open: () => Promise<Demo>;
  /** What requests to it are addressed to; they never leave this process. */
  readonly baseUrl: string;
  readonly close: () => void;
}

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
