/** A command that a refusal offers is not refused in its turn: not by a limit, not for the mode, and not for want of `--again`. */

import { describe, expect, test } from 'vitest';
import {
  chargeOf,
  chargesOf,
  errorBody,
  type Json,
  listOf,
  newRefundOf,
  orderOf,
  refundOf,
} from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

const one = orderOf('ord_1', [chargeOf('ch_1', 300)]);
const split = orderOf('ord_1', [chargeOf('ch_1', 300), chargeOf('ch_2', 200)]);
const recent = Math.floor(Date.now() / 1000) - 600;
/** The order after a refund of one of its charges. */
function refundedOn(order: Json, chargeId: unknown, refund: Json): Json {
  const amount = Math.abs(Number(refund.amount));
  const charges = chargesOf(order).map((charge) => {
    if (charge.id !== chargeId) return charge;
    const before = (charge.refunds as { readonly data: readonly Json[] } | null)?.data ?? [];
    const all = [...before, refund];
    const left = Number(charge.amount) + all.reduce((sum, one) => sum + Number(one.amount), 0);
    const status = left === 0 ? 'refunded' : 'partially_refunded';
    return { ...charge, status, is_refundable: left > 0, refunds: listOf(...all) };
  });
  const sum = Number(order.amount_refunded) + amount;
  const isWhole = sum === order.amount;
  return {
    ...order,
    payment_status: isWhole ? 'refunded' : 'partially_refunded',
    amount_refunded: sum,
    is_refundable: !isWhole,
    charges: listOf(...charges),
  };
}

const back = (order: Json, amount: number): Json =>
  refundedOn(order, 'ch_1', refundOf('rf_1', amount, { created_at: recent }));

interface Situation {
  readonly name: string;
  readonly order: Json;
  readonly args: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly mode?: 'production';
  /** How the service answers the first request that changes something. */
  /** Runs before, to have a past. */
  readonly past?: readonly string[];
  /** How many refunds it offers; absent: at least one command of any kind. */
  readonly refunds?: number;
}

const limited = { 'refund.max_amount.MXN': '200' };
const refund = 'orders refund ord_1 --yes';
const situations: readonly Situation[] = [
  { name: 'an equal refund', order: back(one, 100), args: `${refund} --amount 100`, refunds: 1 },
  {
    name: 'an equal refund, over the limit',
    order: back(one, 100),
    args: `${refund} --amount 100`,
    settings: { 'refund.max_amount.MXN': '150' },
    refunds: 0,
  },
  { name: 'which of two charges', order: split, args: `${refund} --amount 100`, refunds: 2 },
  {
    name: 'which of two charges, both over the limit',
    order: split,
    args: `${refund} --amount 100`,
    settings: { 'refund.max_amount.MXN': '50' },
    refunds: 0,
  },
  {
    name: 'which of two charges, one with an equal refund',
    order: back(split, 100),
    args: `${refund} --amount 100`,
    refunds: 2,
  },
  {
    name: 'which of two charges, with a limit that one refund has used up in part',
    order: back(split, 150),
    args: `${refund} --amount 200`,
    settings: { 'refund.max_amount.MXN': '300' },
    refunds: 0,
  },
  { name: 'the rest, of which charge', order: back(split, 100), args: refund, refunds: 3 },
  { name: 'the rest, equal to what went back', order: back(split, 150), args: refund, refunds: 2 },
  {
    name: 'the rest, over the limit for one',
    order: back(split, 100),
    args: refund,
    settings: { 'refund.max_amount.MXN': '300' },
    refunds: 2,
  },
  { name: 'more than one charge has', order: split, args: `${refund} --amount 250`, refunds: 1 },
  { name: 'a charge that is not there', order: split, args: `${refund} --charge 7`, refunds: 2 },
  {
    name: 'a charge that is not there, and one that is not refundable',
    order: orderOf('ord_1', [chargeOf('ch_1', 300), chargeOf('ch_2', 200, { is_refundable: false })]),
    args: `${refund} --charge 7`,
    refunds: 1,
  },
  {
    name: 'a required note is missing',
    order: one,
    args: `${refund} --amount 100`,
    settings: { 'refund.require': 'note' },
    refunds: 1,
  },
  {
    name: 'a required note is missing, of a repeat',
    order: back(one, 100),
    args: `${refund} --amount 100 --again rf_1`,
    settings: { 'refund.require': 'note' },
    refunds: 1,
  },
  {
    name: 'a required reason is missing, in production',
    order: { ...one, livemode: true },
    args: 'orders refund ord_1 --amount 100 --confirm ord_1',
    settings: { 'refund.require': 'reason' },
    mode: 'production',
    refunds: 1,
  },
  {
    name: 'a limit',
    order: one,
    args: `${refund} --amount 300`,
    settings: { 'refund.max_amount.MXN': '200' },
    refunds: 0,
  },
  {
    name: 'a charge that stops the whole order',
    order: orderOf('ord_1', [chargeOf('ch_1', 300), chargeOf('ch_2', 200, { is_refundable: false })]),
    args: refund,
    refunds: 1,
  },
  {
    name: 'a charge that stops the whole order, and a limit the other one',
    order: orderOf('ord_1', [chargeOf('ch_1', 300), chargeOf('ch_2', 200, { is_refundable: false })]),
    args: refund,
    settings: limited,
    refunds: 0,
  },
  { name: 'an order of the other mode', order: { ...one, livemode: true }, args: refund },
  { name: 'an order that is refunded', order: back(one, 300), args: refund },
  { name: 'a charge of which nothing is left', order: back(split, 300), args: `${refund} --charge 1` },
  {
    name: 'the same again, unconfirmed',
    order: one,
    args: `${refund} --amount 100`,
    past: [`${refund} --amount 100`],
  },
  {
    name: 'another one, the first unconfirmed',
    order: one,
    args: `${refund} --amount 50`,
    past: [`${refund} --amount 100`],
  },
  {
    name: 'the same again, recorded as made',
    order: one,
    args: `${refund} --amount 100`,
    past: [
      `${refund} --amount 100 --idempotency-key t-1`,
      'journal settle t-1 --applied --note seen-at-the-bank --confirm ord_1',
    ],
    refunds: 1,
  },
];

async function startShop({ order, settings = {}, mode, past = [] }: Situation): Promise<Service> {
  let answers = 0;
  const service = await startService({
    orders: [order],
    ...(mode === undefined ? {} : { mode }),
    onPost: (found = {}, own, { body }) => {
      answers += 1;
      if (answers <= past.length) return reset;
      const { amount, charge_id: charge } = JSON.parse(body) as { amount?: number; charge_id?: string };
      if (amount === undefined && charge === undefined) return json(errorBody(), 422);
      const paid = chargesOf(found).find(({ id }) => id === charge) ?? chargesOf(found)[0] ?? {};
      const made = newRefundOf(`rf_new${answers}`, amount ?? Number(paid.amount));
      own.orders = [refundedOn(found, paid.id, made)];
      return json(own.orders[0]);
    },
  });
  await storeShop(service.home, service, settings);
  return service;
}

interface Failed {
  readonly kind: string;
  readonly message: string;
  readonly now: readonly string[];
}

const failed = ({ stderr }: Ran): Failed =>
  JSON.parse(
    stderr.split('\n').find((line) => line.startsWith('{"object":"error"')) ?? '{"now":[]}',
  ) as Failed;

/** A command as a person completes it: with what stands for a text, and a yes. */
function completed(line: string, { mode }: Situation): readonly string[] {
  const words = line
    .trim()
    .replace(/^paydesk /, '')
    .replaceAll(/\bTEXT\b/g, 'seen-at-the-bank')
    .replaceAll(/\bREASON\b/g, 'other')
    .split(' ');
  const isChange = words.includes('refund') && !words.includes('--help');
  if (!isChange || mode === 'production' || words.includes('--yes')) return words;
  return [...words, '--yes'];
}

// What looks into a profile says the same about it once more.
const isCommand = (line: string) => /^ *paydesk (?!profile )/.test(line);

const isRefusedAgain = /over the limit|says sandbox|says production|has a refund of|--again/;

describe.concurrent('the next commands', () => {
  test.each(situations)('$name', async (situation) => {
    const run = (service: Service, words: readonly string[]) =>
      service.run(words[0] === '-p' ? [...words, '--json'] : ['-p', 'shop', ...words, '--json'], {
        env: { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '' },
      });
    const begin = async () => {
      const service = await startShop(situation);
      for (const line of situation.past ?? []) await run(service, line.split(' '));
      return { service, ran: await run(service, situation.args.split(' ')) };
    };
    const { service, ran } = await begin();
    await service[Symbol.asyncDispose]();
    const { now } = failed(ran);
    const offered = now.filter(isCommand);
    expect(ran.code, ran.stderr).not.toBe(0);
    expect(now.length, ran.stderr).toBeGreaterThan(0);
    const refunds = offered.filter(
      (line) => line.includes(' orders refund ord_1') && !line.includes('--help'),
    );
    expect(refunds, ran.stderr).toHaveLength(situation.refunds ?? 0);
    for (const [index] of offered.entries()) {
      // Each is tried where the first one was refused.
      const again = await begin();
      await using shop = again.service;
      const line = failed(again.ran).now.filter(isCommand)[index] ?? '';
      const next = await run(shop, completed(line, situation));
      expect(next.code === 3 ? failed(next).message : '', `${line}\n${next.stderr}`).not.toMatch(
        isRefusedAgain,
      );
      expect(next.code, `${line}\n${next.stderr}`).not.toBe(2);
    }
  });
});
