/** A scripted service of the tests' own, written from the service's document alone, and the desk in front of it. */

import type { Home } from './paydesk.ts';
import { newHome, paydesk, type Ran } from './paydesk.ts';
import { type Handler, json, startServer, type TestServer } from './server.ts';

export const key = 'key_CANARYxyz0123456789';

type Fields = Readonly<Record<string, unknown>>;

/** A paid order of one charge (service: order, charge); `fields` replace any of its own. */
export function order(id: string, fields: Fields = {}): Fields {
  const amount = typeof fields.amount === 'number' ? fields.amount : 35_000;
  return {
    id,
    object: 'order',
    livemode: false,
    amount,
    amount_refunded: 0,
    currency: 'MXN',
    payment_status: 'paid',
    is_refundable: true,
    customer_info: {
      object: 'customer_info',
      customer_id: 'cus_2sZp8LmQ4tVx',
      name: 'Ana Torres',
      email: 'ana@example.com',
      phone: '+5215555555555',
      corporate: false,
      antifraud_info: {},
    },
    shipping_contact: null,
    fiscal_entity: null,
    channel: null,
    metadata: {},
    created_at: 1_763_000_000,
    updated_at: 1_763_000_030,
    line_items: listOf([
      {
        id: `line_item_${id}`,
        object: 'line_item',
        parent_id: id,
        name: 'Wool blanket',
        description: null,
        unit_price: amount,
        quantity: 1,
        sku: null,
        tags: null,
        brand: null,
        type: null,
        metadata: {},
        antifraud_info: {},
      },
    ]),
    shipping_lines: null,
    tax_lines: null,
    discount_lines: null,
    charges: listOf([charge(`ch_${id}`, { amount, order_id: id })]),
    ...fields,
  };
}

/** A paid charge (service: charge). */
export function charge(id: string, fields: Fields = {}): Fields {
  return {
    id,
    object: 'charge',
    livemode: false,
    created_at: 1_763_000_005,
    paid_at: 1_763_000_025,
    currency: 'MXN',
    amount: 35_000,
    fee: 1015,
    status: 'paid',
    is_refundable: true,
    description: 'Payment from order',
    reference_id: null,
    customer_id: '',
    failure_code: null,
    failure_message: null,
    monthly_installments: null,
    device_fingerprint: null,
    channel: null,
    payment_method: {
      object: 'card_payment',
      type: 'credit',
      name: 'ANA TORRES',
      exp_month: '12',
      exp_year: '29',
      auth_code: '490215',
      last4: '4242',
      brand: 'visa',
      issuer: '',
      account_type: '',
      country: 'MX',
      fraud_score: null,
      fraud_indicators: [],
      normalized_device_fingerprint: null,
    },
    refunds: null,
    ...fields,
  };
}

/** A customer as listed (service: customer). */
export function customer(id: string, fields: Fields = {}): Fields {
  return {
    id,
    object: 'customer',
    livemode: false,
    name: 'Ana Torres',
    email: 'ana@example.com',
    phone: '+5215555555555',
    corporate: false,
    custom_reference: '',
    created_at: 1_763_000_000,
    payment_sources: listOf([]),
    ...fields,
  };
}

/** A list envelope (service: List envelope). */
export function listOf(data: readonly Fields[], hasMore = false): Fields {
  return { object: 'list', has_more: hasMore, total: data.length, data };
}

/** An error body (service: Errors). */
export function errorBody(fields: Fields = {}, detail: Fields = {}): Fields {
  return {
    object: 'error',
    type: 'parameter_validation_error',
    log_id: '5f2c81',
    details: [
      {
        debug_message: 'the debugger says why',
        message: 'El parámetro no es válido',
        param: null,
        code: 'service.errors.parameter_validation.limit.invalid',
        ...detail,
      },
    ],
    ...fields,
  };
}

/** Pages over these records, newest first (service: Endpoints 2); anything else is a 404. */
export function pages(orders: readonly Fields[], customers: readonly Fields[] = []): Handler {
  return (request, response, socket) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    const records = { '/orders': orders, '/customers': customers }[pathname];
    if (request.method !== 'GET' || records === undefined) {
      return json(errorBody({ type: 'resource_not_found_error' }), 404)(request, response, socket);
    }
    return json(pageOf(records, searchParams))(request, response, socket);
  };
}

function pageOf(records: readonly Fields[], query: URLSearchParams): Fields {
  const limit = Number(query.get('limit') ?? 20);
  const at = (name: string) => records.findIndex(({ id }) => id === query.get(name));
  if (query.has('previous')) {
    const end = Math.max(0, at('previous'));
    return listOf(records.slice(Math.max(0, end - limit), end), end - limit > 0);
  }
  const start = query.has('next') ? at('next') + 1 : 0;
  return listOf(records.slice(start, start + limit), start + limit < records.length);
}

/** One order that can be refunded and captured (service: Endpoints 1 and 3), as the last answer leaves it. */
export function changing(first: Fields): Handler {
  let held = first;
  return (request, response, socket) => {
    if (request.method === 'GET') return pages([held])(request, response, socket);
    held = request.url.endsWith('/capture')
      ? captured(held)
      : refunded(held, JSON.parse(request.body || '{}'));
    return json(held)(request, response, socket);
  };
}

type Charged = Fields & { readonly id: string; readonly amount: number };

const chargesOf = (one: Fields) => (one.charges as { readonly data: readonly Charged[] }).data;

function captured(one: Fields): Fields {
  const charges = chargesOf(one).map((each) => ({ ...each, status: 'paid' }));
  return { ...one, payment_status: 'paid', charges: listOf(charges) };
}

// The amount of a refund record is negative; what a partial refund leaves as status is not documented.
function refunded(one: Fields, asked: { readonly charge_id?: string; readonly amount?: number }): Fields {
  const charges = chargesOf(one).map((each) => {
    if (asked.charge_id !== undefined && asked.charge_id !== each.id) return each;
    const amount = -(asked.amount ?? each.amount);
    const record = {
      id: `re_${each.id}`,
      object: 'refund',
      amount,
      created_at: Math.floor(Date.now() / 1000),
      auth_code: '490215',
    };
    return { ...each, status: 'refunded', is_refundable: false, refunds: listOf([record]) };
  });
  const back = asked.amount ?? chargesOf(one).reduce((sum, { amount }) => sum + amount, 0);
  return { ...one, payment_status: 'refunded', amount_refunded: back, charges: listOf(charges) };
}

/** A desk in front of a scripted service. */
export interface Desk extends AsyncDisposable {
  readonly home: Home;
  readonly server: TestServer;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the program as a script does: no terminal. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Requests that were no GET. */
  changes(): number;
}

/** Starts a server with this handler and a desk with the profile `environment` in front of it. */
export async function openDesk(handler: Handler): Promise<Desk> {
  const server = await startServer(handler);
  const home = newHome();
  const env = { ...environment(server.url), TZ: 'UTC' };
  return {
    home,
    server,
    env,
    run: (args, more = {}) => paydesk(args, { home, env: { ...env, ...more } }),
    changes: () => server.requests.filter(({ method }) => method !== 'GET').length,
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

/** The variables of the profile `environment`. */
export function environment(url: string): Readonly<Record<string, string>> {
  return { PAYDESK_BASE_URL: url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key };
}

/** Runs the cases a few at a time and gives their results in order. */
export async function each<T, R>(
  cases: readonly T[],
  run: (one: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < cases.length; start += atOnce) {
    results.push(
      ...(await Promise.all(cases.slice(start, start + atOnce).map((one, index) => run(one, start + index)))),
    );
  }
  return results;
}

const atOnce = 3;
