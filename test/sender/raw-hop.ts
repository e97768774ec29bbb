/** Requests to a sender as somebody makes them who has a token and a program of their own. */

import type { Json } from '../harness/orders.ts';

export interface RawReply {
  readonly status: number;
  readonly text: string;
}

/** The last line of a stream, as far as these tests look at it. */
interface LastLine {
  readonly end?: { readonly verdict: string; readonly change: string };
  readonly refused?: unknown;
  readonly changed?: { readonly text: string };
  readonly closed?: true;
  readonly unknown?: true;
  readonly worked?: unknown;
}

export function lastLine({ text }: RawReply): LastLine {
  return JSON.parse(text.trim().split('\n').at(-1) ?? '{}') as LastLine;
}

/** Hands a refund of 300 over. `forge` changes what is asked for. */
export function handOver(
  url: string,
  token: string,
  id: string,
  shown: Json,
  forge: (what: Json) => Json = (what) => what,
  account = 'shop',
  more: { readonly shown?: object } = {},
): Promise<RawReply> {
  const order = String(shown.id);
  const chargeId = `ch_${order}`;
  const what = {
    kind: 'refund',
    orderId: order,
    request: { method: 'POST', path: `orders/${order}/refunds`, body: { charge_id: chargeId, amount: 300 } },
    expected: [{ chargeId, amount: -300 }],
    tolerated: [],
    amount: 300,
    currency: 'MXN',
    again: [],
  };
  return post(url, token, `/v1/changes/${account}`, {
    change: id,
    profile: 'shop',
    timeoutMs: 60_000,
    what: forge(what),
    closed: [],
    shown: { text: JSON.stringify(shown) },
    ...more,
  });
}

export function withdraw(url: string, token: string, id: string): Promise<RawReply> {
  return post(url, token, `/v1/changes/shop/${id}/withdraw`, {});
}

/** Gives the sender the text of a plan. */
export function givePlan(url: string, token: string, text: string): Promise<RawReply> {
  return post(url, token, '/v1/plans/shop', text);
}

/** Hands a plan over. `head`: what was confirmed. */
export function applyRaw(url: string, token: string, head: object, text: string): Promise<RawReply> {
  const usual = { run: 'u_raw', profile: 'shop', timeoutMs: 60_000, concurrency: 4 };
  return post(url, token, '/v1/plans/shop/apply', `${JSON.stringify({ ...usual, ...head })}\n${text}`);
}

/** Posts a body as JSON, or a text as it is. */
export async function post(url: string, token: string, path: string, body: unknown): Promise<RawReply> {
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: reply.status, text: await reply.text() };
}
