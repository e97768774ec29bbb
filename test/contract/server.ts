/** Starts a simulator on a loopback port for a client that knows nothing of this program but its address and key. */

import { createSimulatorControl } from '../../src/simulator/create.ts';

export interface Server {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

export async function startServer(vendors: readonly string[]): Promise<Server> {
  const control = createSimulatorControl({ folder: '', now: Date.now });
  const serving = await control.serve({ vendors });
  return { url: serving.url, key: serving.key, stop: () => serving.close() };
}
