/** The service of a test: a simulator, behind a recorder that can also answer badly. */

import { newHome, startInMemory } from './paydesk.ts';
import { type Handler, type SeenRequest, type ServerOptions, startServer } from './server.ts';

/** A charge as the simulator lists it, as far as tests look at it. */
export interface SeenCharge {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly is_refundable: boolean;
  readonly refunds: { readonly data: readonly { readonly amount: number }[] } | null;
}

/** An order as the simulator lists it, as far as tests look at it. */
export interface SeenOrder {
  readonly id: string;
  readonly livemode: boolean;
  readonly amount: number;
  readonly amount_refunded: number;
  readonly currency: string;
  readonly payment_status?: string;
  readonly is_refundable: boolean;
  readonly charges?: { readonly data: readonly SeenCharge[] };
}

export interface DeskOptions {
  readonly mode?: 'sandbox' | 'production';
  /** More words for `simulator serve`. */
  readonly args?: readonly string[];
  /** Serves https. */
  readonly tls?: ServerOptions['tls'];
  /** Answers a request instead of the simulator, when it returns a handler. */
  readonly instead?: (request: SeenRequest) => Handler | undefined;
}

export interface Desk extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** The variables that form the profile `environment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly requests: readonly SeenRequest[];
  /** The requests that would change something, as the recorder saw them. */
  changes(): readonly SeenRequest[];
  /** All orders, asked of the simulator itself. */
  orders(): Promise<readonly SeenOrder[]>;
  order(id: string): Promise<SeenOrder>;
  waitFor(requests: number): Promise<void>;
}

/** Starts a simulator and the recorder in front of it. */
export async function startDesk({
  mode = 'sandbox',
  args = [],
  tls,
  instead,
}: DeskOptions = {}): Promise<Desk> {
  const home = newHome();
  const simulator = startInMemory(['simulator', 'serve', '--json', '--port', '0', '--mode', mode, ...args], {
    home,
  });
  const { url, key } = JSON.parse(await simulator.firstLine()) as { url: string; key: string };
  const forward = forwardTo(url);
  const server = await startServer(
    (request, response, socket) => (instead?.(request) ?? forward)(request, response, socket),
    tls === undefined ? {} : { tls },
  );
  const orders = () => allOrders(url, key);
  return {
    url: server.url,
    key,
    env: { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: mode, PAYDESK_API_KEY: key },
    requests: server.requests,
    changes: () => server.requests.filter(({ method }) => method !== 'GET'),
    orders,
    async order(id) {
      const found = (await orders()).find((order) => order.id === id);
      if (found === undefined) throw new Error(`the simulator has no order ${id}`);
      return found;
    },
    waitFor: (count) => server.waitFor(count),
    async [Symbol.asyncDispose]() {
      await server.close();
      simulator.signal('SIGTERM');
      await simulator.end;
      home[Symbol.dispose]();
    },
  };
}

function forwardTo(url: string): Handler {
  return async ({ method, url: path, headers, body }, response) => {
    const { authorization = '', accept = '', 'content-type': type } = headers;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, accept, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === '' ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  };
}

async function allOrders(url: string, key: string): Promise<readonly SeenOrder[]> {
  const answer = await fetch(`${url}/orders?limit=250`, {
    headers: { authorization: `Bearer ${key}`, accept: 'application/vnd.service-v2.3.0+json' },
  });
  const { data } = (await answer.json()) as { data: readonly SeenOrder[] };
  return data;
}
