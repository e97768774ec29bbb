/** The built program's simulator on a loopback port, for a client that knows nothing of it but its address and key. */

import { serve } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';

export interface Server {
  readonly url: string;
  readonly key: string;
  /** Runs paydesk itself against it, as a script does. */
  cli(...args: readonly string[]): Promise<Ran>;
  stop(): Promise<void>;
}

export async function startServer(vendors: readonly string[]): Promise<Server> {
  const home: Home = newHome();
  const simulator = await serve(
    home,
    vendors.flatMap((vendor) => ['--vendor', vendor]),
  );
  const { url, key, mode } = simulator;
  const env = { PAYDESK_BASE_URL: url, PAYDESK_API_KEY: key, PAYDESK_MODE: mode, PAYDESK_VENDOR: 'acme' };
  return {
    url,
    key,
    cli: (...args) => paydesk(args, { home, env }),
    async stop() {
      await simulator.stop();
      home[Symbol.dispose]();
    },
  };
}
