/** A desk for tests: the built program against a simulator of its own, and the test's own look at the other side. */

import {
  bin,
  cleanEnv,
  type Home,
  newHome,
  paydesk,
  type Ran,
  startInMemory,
  startProcess,
} from '../harness/paydesk.ts';
import { type Pty, type PtyEnd, runInPty, withoutEscapes } from '../harness/pty.ts';

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

export interface Desk extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the program as a script does: no terminal. */
  script(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs the program as a person does: in a terminal. */
  person(args: readonly string[], options?: PersonOptions): Person;
  /** One order as the simulator holds it, by the test's own fetch. */
  order(id: string): Promise<Order>;
  orders(): Promise<readonly Order[]>;
  /** An order of this kind that no test was given before. */
  take(kind: (order: Order) => boolean): Promise<Order>;
  /** A request of the test's own. */
  request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
}

export interface PersonOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Person extends Pty {
  /** What stood on the screen at the end, without escape sequences, and the exit code. */
  readonly leaves: Promise<{ readonly code: number; readonly screen: string }>;
}

/** Starts `simulator serve` with these options and a desk in front of it. */
export async function openDesk(...options: readonly string[]): Promise<Desk> {
  const home = newHome();
  const simulator = await serve(home, options);
  const env = {
    PAYDESK_BASE_URL: simulator.url,
    PAYDESK_MODE: simulator.mode,
    PAYDESK_API_KEY: simulator.key,
    TZ: 'UTC',
  };
  const taken = new Set<string>();
  const request: Desk['request'] = async (method, path, body) => {
    const reply = await fetch(`${simulator.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${simulator.key}`,
        accept: 'application/vnd.service-v2.3.0+json',
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  const orders = async (): Promise<readonly Order[]> => {
    const all: Order[] = [];
    for (let more = true; more; ) {
      const last = all.at(-1);
      const { body } = await request(
        'GET',
        `/orders?limit=250${last === undefined ? '' : `&next=${last.id}`}`,
      );
      const page = body as { data: Order[]; has_more: boolean };
      all.push(...page.data);
      more = page.has_more;
    }
    return all;
  };
  return {
    url: simulator.url,
    key: simulator.key,
    home,
    env,
    script: (args, more = {}) => paydesk(args, { home, env: { ...env, ...more } }),
    person: (args, more = {}) => sit(args, { home, env: { ...env, ...more.env } }, more.columns),
    orders,
    async order(id) {
      const found = (await orders()).find((order) => order.id === id);
      if (found === undefined) throw new Error(`the simulator has no ${id}`);
      return found;
    },
    async take(kind) {
      const found = (await orders()).find((order) => !taken.has(order.id) && kind(order));
      if (found === undefined) throw new Error('no such order is left');
      taken.add(found.id);
      return found;
    },
    request,
    async [Symbol.asyncDispose]() {
      await simulator.stop();
      home[Symbol.dispose]();
    },
  };
}

/** Runs the program in a terminal, in an environment of its own. */
export function sit(
  args: readonly string[],
  options: { readonly home: Home; readonly env: Readonly<Record<string, string>>; readonly bin?: string },
  columns = 80,
): Person {
  const pty = runInPty(process.execPath, [options.bin ?? bin, ...args], {
    columns,
    rows: 50,
    cwd: options.home.path,
    env: cleanEnv(options),
  });
  const leave = ({ exitCode, transcript }: PtyEnd) => ({
    code: exitCode,
    screen: withoutEscapes(transcript).replaceAll('\r\n', '\n'),
  });
  const { end } = pty;
  return Object.assign(pty, { leaves: end.then(leave) });
}

/** Types words at the question which order, and chooses the first order that they find, which must be this one. */
export async function pick(person: Person, id: string, words = id): Promise<void> {
  await person.waitFor('Which order?');
  person.type(words);
  await person.answer(new RegExp(`${words}[\\s\\S]*\\n${id}  `), '\r');
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
): Promise<Simulator> {
  const args = ['simulator', 'serve', '--json', '--port', '0', ...options];
  const running =
    program === bin ? startInMemory(args, { home }) : startProcess(args, { home, bin: program });
  const { url, key, mode } = JSON.parse(await running.firstLine()) as Simulator;
  const stop = async (): Promise<void> => {
    running.signal('SIGINT');
    await running.end;
  };
  return { url, key, mode, stop, [Symbol.asyncDispose]: stop };
}

// ── Kinds of order, by what the service says of them ────────────────────────────────────────────

const chargesOf = (order: Order): readonly Charge[] => order.charges?.data ?? [];
const untouched = (order: Order): boolean => chargesOf(order).every(({ refunds }) => refunds === null);
const statusesOf = (order: Order): string =>
  chargesOf(order)
    .map(({ status }) => status)
    .join(' ');

/** Paid by one charge, nothing refunded. */
export const paidOnce = (order: Order): boolean =>
  statusesOf(order) === 'paid' && order.is_refundable === true && untouched(order);
/** Paid by two charges that can both be refunded, nothing refunded. */
export const paidTwice = (order: Order): boolean =>
  statusesOf(order) === 'paid paid' &&
  untouched(order) &&
  chargesOf(order).every((charge) => charge.is_refundable === true);
/** Paid by two charges, one of which the service does not refund. */
export const partlyLocked = (order: Order): boolean =>
  statusesOf(order) === 'paid paid' && chargesOf(order).some((charge) => charge.is_refundable === false);
/** A declined charge beside a paid one. */
export const declinedBeside = (order: Order): boolean => statusesOf(order) === 'declined paid';
export const preAuthorized = (order: Order): boolean => statusesOf(order) === 'pre_authorized';
/** A part of its first charge went back already. */
export const refundedInPart = (order: Order): boolean =>
  order.payment_status === 'partially_refunded' &&
  chargesOf(order).length === 2 &&
  chargesOf(order)[0]?.status === 'partially_refunded';

/** The charge at a place, from 0. */
export function chargeAt(order: Order, index: number): Charge {
  const charge = order.charges?.data[index];
  if (charge === undefined) throw new Error(`${order.id} has no charge ${index}`);
  return charge;
}

/** The amounts of the refunds of each charge, charge by charge. */
export function refundsOf(order: Order): readonly (readonly number[])[] {
  return chargesOf(order).map(({ refunds }) => (refunds?.data ?? []).map(({ amount }) => amount));
}
