/** What the service of the model shows of the order, and how it answers a request. */

import type { ParsedReply } from '../../src/journal/judge-reply.ts';
import { horizonMs, type Rules } from './rules.ts';
import { type Refund, type Request, timeAt, type World } from './world.ts';

/**
 * Every order that a read may show now. A refund is shown for sure once the time is over in which its request may take
 * effect. `final`: it is the read before a sending, and what that leaves out is older than the clocks can be apart.
 */
export function shownOrders(world: World, rules: Rules, final: boolean): unknown[] {
  const { ledger } = world;
  const all = orderOf(world, ledger, ledger, rules);
  if (rules.reads === 'current') return [all];
  const firstNew = ledger.findIndex((refund, at) =>
    ledger.slice(at).every((one) => mayBeLeftOut(one, world, rules, final)) ? refund : undefined,
  );
  const cuts = firstNew === -1 ? [] : ledger.map((_, at) => at).slice(firstNew);
  return [
    all,
    ...cuts.map((cut) => {
      const shown = ledger.slice(0, cut);
      return orderOf(world, shown, rules.reads === 'lagging' ? shown : ledger, rules);
    }),
  ];
}

function mayBeLeftOut({ at, by }: Refund, world: World, { reads }: Rules, final: boolean): boolean {
  const since = by === undefined ? at : (world.requests.find(({ name }) => name === by)?.at ?? at);
  const isNew = timeAt(world, world.now) - timeAt(world, since) <= horizonMs;
  return isNew && (!final || reads === 'without_records' || at < world.now);
}

/** The order with these records, and with the sums of those. */
export function orderOf(
  world: World,
  shown: readonly Refund[],
  summed: readonly Refund[],
  rules: Rules,
): unknown {
  const records = shown.map(({ at, amount, status }, index) => ({
    id: `r${index}`,
    object: 'refund',
    amount: -amount,
    ...(status !== undefined && { status: readAs(status, rules) }),
    ...(rules.times && !rules.newestFirst && { created_at: Math.floor(timeAt(world, at) / 1000) }),
  }));
  const data = rules.newestFirst ? records.toReversed() : records;
  const refunds = data.length === 0 ? null : { object: 'list', has_more: false, total: data.length, data };
  return {
    id: 'ord_1',
    object: 'order',
    livemode: false,
    amount: 100,
    ...(rules.sums && {
      amount_refunded: summed.reduce(
        (sum, { amount, status }) => sum + (readAs(status, rules) === 'failed' ? 0 : amount),
        0,
      ),
    }),
    payment_status: 'paid',
    charges: { has_more: false, data: [{ id: 'ch_1', amount: 100, status: 'paid', refunds }] },
  };
}

function readAs(status: Refund['status'], { statusesRead }: Rules): string | undefined {
  if (status === 'pending' && statusesRead === 'pending_as_failed') return 'failed';
  return status === 'failed' && statusesRead === 'failed_as_made' ? 'succeeded' : status;
}

/** What may be answered to a request as it stands. */
export function answersTo(request: Request | undefined, world: World, rules: Rules): readonly ParsedReply[] {
  const final = refusal(422);
  switch (request?.fate) {
    case 'applied': {
      const done = { status: 200, body: { value: orderOf(world, world.ledger, world.ledger, rules) } };
      return rules.refusesWhatItApplied ? [done, final] : [done];
    }
    case 'refused':
      return [final];
    case 'flying':
      // It may still be at work: a bank, a queue, another request.
      return rules.finalRefusals === 'any' ? [final] : [402, 409, 503].map(refusal);
    default:
      return [];
  }
}

function refusal(status: number): ParsedReply {
  const value = { object: 'error', type: 'parameter_validation_error', details: [{ message: 'no' }] };
  return { status, body: { value } };
}
