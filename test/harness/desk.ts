/** The service of a test: a simulator behind a recorder that can also answer badly, and who runs the program against it. */

import { bin, type Home, newHome, paydesk, type Ran, startInMemory, startProcess } from './paydesk.ts';
import { type Person, sit } from './person.ts';
import { type Handler, type SeenRequest, type ServerOptions, startServer } from './server.ts';

/** An order as far as these tests look at it (service: order, charge, refund). */
export interface Order {
  readonly id: string;
  readonly livemode: boolean;
  readonly amount: number;
  readonly amount_refunded: number;
  readonly currency: string;
  readonly payment_status?: string;
  readonly is_refundable?: boolean;
  readonly split_payment?: boolean;
  readonly customer_info: { readonly name: string; readonly email: string };
  readonly charges?: { readonly data: readonly Charge[] };
}

export interface Charge {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly is_refundable?: boolean;
  readonly payment_method: { readonly last4: string; readonly brand: string; readonly auth_code: string };
  readonly refunds: { readonly data: readonly Refund[] } | null;
}

export interface Refund {
  readonly id: string;
  readonly amount: number;
}

export interface DeskOptions {
  readonly mode?: 'sandbox' | 'production';
  /** More words for `simulator serve`. */
  readonly args?: readonly string[];
  /** Serves https. */
  readonly tls?: ServerOptions['tls'];
  /** The clock of the simulator and of every run against it (`standingAt`). */
  readonly clock?: Readonly<Record<string, string>>;
  /** Answers a request instead of the simulator, when it returns a handler. */
  readonly instead?: (request: SeenRequest) => Handler | undefined;
}

export interface Desk extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly home: Home;
  /** The variables that form the profile `environment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly requests: readonly SeenRequest[];
  /** Runs the program as a script does: no terminal. */
  script(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs the program as a person does: in a terminal. */
  person(args: readonly string[], columns?: number): Person;
  /** The requests that would change something, as the recorder saw them. */
  changes(): readonly SeenRequest[];
  waitFor(requests: number): Promise<void>;
  /** All orders, asked of the simulator itself. */
  orders(): Promise<readonly Order[]>;
  order(id: string): Promise<Order>;
  /** An order of this kind that no test was given before, and neither was its twin. */
  take(kind: (order: Order) => boolean): Promise<Order>;
  /** A request of the test's own to the simulator. */
  request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** Starts a simulator and the recorder in front of it. */
export async function startDesk({
  mode = 'sandbox',
  args = [],
  tls,
  clock = {},
  instead,
}: DeskOptions = {}): Promise<Desk> {
  const home = newHome();
  const simulator = await serve(home, ['--mode', mode, ...args], bin, clock);
  const { key } = simulator;
  const forward = forwardTo(simulator.url);
  const server = await startServer(
    (request, response, socket) => (instead?.(request) ?? forward)(request, response, socket),
    tls === undefined ? {} : { tls },
  );
  const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: mode, PAYDESK_API_KEY: key, TZ: 'UTC', ...clock };
  const request = requestTo(simulator);
  const orders = () => allOrders(request);
  const taken = new Set<string>();
  return {
    url: server.url,
    key,
    home,
    env,
    requests: server.requests,
    script: (words, more = {}) => paydesk(words, { home, env: { ...env, ...more } }),
    person: (words, columns) => sit(words, { home, env }, columns),
    changes: () => server.requests.filter(({ method }) => method !== 'GET'),
    waitFor: (count) => server.waitFor(count),
    orders,
    async order(id) {
      const found = (await orders()).find((order) => order.id === id);
      if (found === undefined) throw new Error(`the simulator has no order ${id}`);
      return found;
    },
    async take(kind) {
      const all = await orders();
      const found = all.find(
        (order) =>
          !taken.has(order.id) &&
          kind(order) &&
          !isTwin(
            order,
            all.filter(({ id }) => taken.has(id)),
          ),
      );
      if (found === undefined) throw new Error('no such order is left');
      taken.add(found.id);
      return found;
    },
    request,
    async [Symbol.asyncDispose]() {
      await server.close();
      await simulator.stop();
      home[Symbol.dispose]();
    },
  };
}

// Once one of two twins was refunded, the other needs more than the usual flags.
function isTwin({ amount, customer_info: { email } }: Order, given: readonly Order[]): boolean {
  return given.some((other) => other.amount === amount && other.customer_info.email === email);
}

/** The orders that have no twin: which they are changes with the day. */
export function withoutTwins(orders: readonly Order[]): readonly Order[] {
  return orders.filter(
    (order) =>
      !isTwin(
        order,
        orders.filter((other) => other !== order),
      ),
  );
}

interface Simulator extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly mode: string;
  stop(): Promise<void>;
}

/** Starts `paydesk simulator serve --json --port 0` and reads its one line. */
export async function serve(
  home: Home,
  options: readonly string[],
  program: string = bin,
  env: Readonly<Record<string, string>> = {},
): Promise<Simulator> {
  const args = ['simulator', 'serve', '--json', '--port', '0', ...options];
  const running =
    program === bin ? startInMemory(args, { home, env }) : startProcess(args, { home, env, bin: program });
  const { url, key, mode } = JSON.parse(await running.firstLine()) as Simulator;
  const stop = async (): Promise<void> => {
    running.signal('SIGINT');
    await running.end;
  };
  return { url, key, mode, stop, [Symbol.asyncDispose]: stop };
}

function forwardTo(url: string): Handler {
  return async ({ method, url: path, headers, body }, response) => {
    const { authorization = '', accept = '', 'content-type': type } = headers;
    // A client that gives up is one that the simulator need not answer any more.
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, accept, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === '' ? {} : { body }),
      signal: gone.signal,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const told = ['content-type', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(answer.status, { ...Object.fromEntries(told), 'content-length': bytes.length });
    response.end(bytes);
  };
}

function requestTo({ url, key }: Simulator): Desk['request'] {
  return async (method, path, body) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/vnd.service-v2.3.0+json',
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
}

async function allOrders(request: Desk['request']): Promise<readonly Order[]> {
  const all: Order[] = [];
  for (let more = true; more; ) {
    const last = all.at(-1);
    const next = last === undefined ? '' : `&next=${last.id}`;
    const { body } = await request('GET', `/orders?limit=250${next}`);
    const page = body as { data: Order[]; has_more: boolean };
    all.push(...page.data);
    more = page.has_more;
  }
  return all;
}
