/** A recording service for creations: lists one order, and answers every change as a test says. */

import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { type Handler, json, startServer, type TestServer } from '../harness/server.ts';

export interface CreationDesk extends AsyncDisposable {
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly server: TestServer;
  /** Requests that change something, in their order. */
  posts(): readonly { readonly method: string; readonly path: string; readonly body: unknown }[];
  /** Runs paydesk without a terminal; `input` is piped in. */
  run(args: readonly string[], input?: string): Promise<Ran>;
}

export interface CreationOptions {
  readonly mode?: 'sandbox' | 'production';
  /** Answers every change; absent: a checkout or an order with an id. */
  readonly onChange?: Handler;
  /** The newest order of the account, as listed; absent: none. */
  readonly newest?: () => readonly object[];
  /** Its list does not say that it is one. */
  readonly unnamed?: true;
}

const made: Handler = (request, response, socket) => {
  const body =
    request.url === '/orders'
      ? { id: 'ord_new1', object: 'order', livemode: false, amount: 30_000, currency: 'MXN' }
      : { id: 'chk_1', object: 'checkout', url: 'https://pay.example.com/link/1', expires_at: 1_900_000_000 };
  return json(body)(request, response, socket);
};

/** Starts it, with the variables of the profile `environment`. */
export async function startCreations(options: CreationOptions = {}): Promise<CreationDesk> {
  const { mode = 'sandbox', onChange = made, newest = () => [], unnamed } = options;
  const kind = unnamed === true ? {} : { object: 'list' };
  const home = newHome();
  const server = await startServer((request, response, socket) =>
    (request.method === 'GET' ? json({ ...kind, has_more: false, data: newest() }) : onChange)(
      request,
      response,
      socket,
    ),
  );
  const env = {
    PAYDESK_BASE_URL: server.url,
    PAYDESK_MODE: mode,
    PAYDESK_API_KEY: 'key_test_4u9fQ2',
    TZ: 'UTC',
  };
  return {
    home,
    env,
    server,
    posts: () =>
      server.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, url, body }) => ({
          method,
          path: url,
          body: body === '' ? undefined : JSON.parse(body),
        })),
    run: (args, input) => paydesk(args, { home, env, ...(input === undefined ? {} : { input }) }),
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}
