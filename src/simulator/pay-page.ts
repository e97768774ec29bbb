/** The page of a checkout or payment link: somebody pays with a test card, or is declined. It has no scripts and loads nothing. */

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import { amountWords, plainAmounts } from '../amounts.ts';
import { isObject, type JsonObject } from '../api/json-values.ts';
import type { CheckoutCreateRequest } from '../api/request-bodies.ts';
import { livemodeOf } from '../api/spec.ts';
import type { AppOptions } from './app.ts';
import { idsFrom } from './random.ts';
import { createOrder, payOrder } from './rules/order-and-checkout.ts';
import { cards } from './seed/cases.ts';
import { chargesOf, isStoredOrder, type StoredOrder } from './stored-records.ts';

type PayOptions = Omit<AppOptions, 'vendors'>;

interface Sale {
  readonly checkout: JsonObject;
  /** The order to pay, or the one that a link would create. */
  readonly order: StoredOrder;
  readonly isPaid: boolean;
  /** Stores the order after an attempt. */
  readonly keep: (outcome: 'paid' | 'declined') => void;
}

/** Whether a path is one of these pages. */
export function isPayPage(path: string): boolean {
  return /^\/(?:checkout|link)\/[0-9a-f]+$/.test(path);
}

export function createPayPages(options: PayOptions): Pick<Hono, 'fetch'> {
  const { now } = options;
  const app = new Hono();
  const find = (kind: string, slug: string) =>
    kind === 'link' ? linkSale(slug, options) : orderSale(slug, options);
  app.get('/:kind/:slug', async ({ req }) => {
    const sale = find(req.param('kind'), req.param('slug'));
    return await page(sale, { now: now() / 1000, isDeclined: req.query('declined') !== undefined });
  });
  app.post('/:kind/:slug', bodyLimit({ maxSize: 10_000 }), async ({ req, redirect }) => {
    const { card } = await req.parseBody();
    const sale = find(req.param('kind'), req.param('slug'));
    const state = stateOf(sale, now() / 1000);
    if (sale === undefined || state !== 'open')
      return await page(sale, { now: now() / 1000, isDeclined: false });
    const outcome = card === cards[0].last4 ? 'paid' : 'declined';
    sale.keep(outcome);
    const after = outcome === 'paid' ? sale.checkout.success_url : sale.checkout.failure_url;
    return redirect(webAddress(after) ?? `${req.path}${outcome === 'paid' ? '' : '?declined'}`, 303);
  });
  return app;
}

// The checkout inside an order (service: Endpoints 4).
function orderSale(slug: string, options: PayOptions): Sale | undefined {
  const order = recordOf(options.store.bySlug('orders', slug));
  if (!isStoredOrder(order) || !isObject(order.checkout)) return undefined;
  const isPaid = order.payment_status !== undefined;
  return {
    checkout: order.checkout,
    order,
    isPaid,
    keep: (outcome) => {
      options.store.changeOrder(order.id, (now) => ({
        value: now.payment_status === undefined ? attempted(now, outcome, options) : now,
      }));
    },
  };
}

// Assumed: a payment link makes an order when it is paid, and only a recurrent one can be paid again (service: Endpoints 5).
function linkSale(slug: string, options: PayOptions): Sale | undefined {
  const { store, random, now } = options;
  const link = recordOf(store.bySlug('checkouts', slug));
  if (!isLink(link)) return undefined;
  const { customer_info: buyer, ...template } = link.order_template;
  const customer =
    buyer?.customer_id === undefined ? buyer : recordOf(store.get('customers', buyer.customer_id));
  const made = createOrder(template, {
    now: Math.floor(now() / 1000),
    ids: idsFrom(random),
    livemode: livemodeOf[store.identity().mode],
    customer: isObject(customer) ? customer : undefined,
    pageOrigin: options.pageOrigin,
  });
  if ('failure' in made) return undefined;
  const paidBy = `link ${link.id}`;
  return {
    checkout: link,
    order: made.value,
    isPaid: link.recurrent !== true && store.note(paidBy) !== undefined,
    keep: (outcome) => {
      if (outcome === 'declined') return;
      store.keep(paidBy, made.value.id);
      store.add('orders', attempted(made.value, outcome, options));
    },
  };
}

function attempted(
  order: StoredOrder,
  outcome: 'paid' | 'declined',
  { random, now }: PayOptions,
): StoredOrder {
  const card = outcome === 'paid' ? cards[0] : { ...cards[0], last4: declinedCard };
  return payOrder(order, {
    now: Math.floor(now() / 1000),
    ids: idsFrom(random),
    random,
    cards: [{ amount: order.amount, card }],
    outcome,
  });
}

function recordOf(text: string | undefined): unknown {
  return JSON.parse(text ?? 'null');
}

// The simulator checked the link when it was created.
function isLink(value: unknown): value is JsonObject & CheckoutCreateRequest & { readonly id: string } {
  return isObject(value) && isObject(value.order_template);
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────

const declinedCard = '0002';

function stateOf(sale: Sale | undefined, now: number): 'missing' | 'paid' | 'expired' | 'no_card' | 'open' {
  if (sale === undefined) return 'missing';
  if (sale.isPaid) return 'paid';
  const { expires_at: expiry, allowed_payment_methods: methods } = sale.checkout;
  if (typeof expiry === 'number' && expiry <= now) return 'expired';
  return Array.isArray(methods) && !methods.includes('card') ? 'no_card' : 'open';
}

const words = {
  missing: { title: 'No such checkout', text: 'There is no checkout at this address.' },
  paid: { title: 'Paid', text: 'This order is paid.' },
  expired: {
    title: 'Expired',
    text: 'This checkout has expired, so it cannot be paid any more. Nothing was charged.',
  },
  no_card: {
    title: 'No card',
    text: 'This checkout takes no cards, and the simulator has no other way to pay.',
  },
  open: { title: 'Pay', text: 'This is a simulator: no money moves, and no real card is asked for.' },
} as const;

const style = `
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 2rem auto; padding: 0 1rem; }
ul { padding-left: 1.2rem; }
fieldset { border: 1px solid; border-radius: .5rem; margin: 1rem 0; }
label { display: block; padding: .4rem; }
button { font: inherit; padding: .6rem 1.2rem; }
[role] { border-left: .3rem solid; padding-left: .7rem; }`;

async function page(
  sale: Sale | undefined,
  { now, isDeclined }: { readonly now: number; readonly isDeclined: boolean },
): Promise<Response> {
  const state = stateOf(sale, now);
  const { title, text } = words[state];
  const declined = isDeclined && state === 'open';
  const body = await html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}: simulator</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
${declined ? html`<p role="alert">The card was declined: insufficient funds. Nothing was charged; try the other one.</p>` : ''}
<p>${text}</p>
${sale === undefined ? '' : bought(sale)}
${sale !== undefined && state === 'open' ? form(sale) : ''}
</main>
</html>
`;
  const shops = [sale?.checkout.success_url, sale?.checkout.failure_url].flatMap((url) => {
    const address = webAddress(url);
    return address === undefined ? [] : [new URL(address).origin];
  });
  return new Response(String(body), {
    status: { missing: 404, expired: 410, paid: 200, no_card: 200, open: 200 }[state],
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' ${shops.join(' ')}`,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
}

function bought({ order, checkout }: Sale) {
  const lines =
    isObject(order.line_items) && Array.isArray(order.line_items.data) ? order.line_items.data : [];
  const name = checkout.name === undefined ? '' : html`<p><bdi>${checkout.name}</bdi></p>`;
  const last = chargesOf(order).at(-1);
  return html`${name}
<ul>${lines.map((line: unknown) => (isObject(line) ? html`<li>${line.quantity} × <bdi>${line.name}</bdi></li>` : ''))}</ul>
<p><strong>${totalOf(order)}</strong>${last?.status === 'paid' ? html` with the card *${last.payment_method.last4}` : ''}</p>`;
}

function form({ order }: Sale) {
  const [{ brand, last4 }] = cards;
  return html`<form method="post">
<fieldset><legend>Test card</legend>
<label><input type="radio" name="card" value="${last4}" checked> ${brand} *${last4}, is paid</label>
<label><input type="radio" name="card" value="${declinedCard}"> ${brand} *${declinedCard}, is declined</label>
</fieldset>
<button>Pay ${totalOf(order)}</button>
</form>`;
}

function totalOf({ amount, currency }: StoredOrder): string {
  return amountWords(amount, String(currency), plainAmounts);
}

// A shop's address: http or https only.
function webAddress(text: unknown): string | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}
