import { expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import type { Json } from '../harness/orders.ts';
import { newHome } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { type Break, type HowBroken, startBreakingHop } from './breaking-hop.ts';
import { directDesk, type Said } from './direct-desk.ts';
import { type Ledger, ordersOf, startLedger } from './ledger.ts';

interface Case {
  readonly order: Json;
  readonly id: string;
  readonly breaks: readonly Break[];
  said?: Said;
}

// Hands one refund over for each case, through a way that breaks.
async function handOverAll(ledger: Ledger, token: string, cases: readonly Case[]): Promise<void> {
  using home = newHome();
  const queue = [...cases];
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      await using hop = await startBreakingHop(ledger.sender.port, one.breaks);
      const desk = directDesk({ url: hop.url, token, folder: home.path });
      one.said = (await desk.refund(one.order, one.id)).said;
      desk.close();
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

// What each desk said, what the service was asked for, and what the journal of the sender holds.
async function compare(ledger: Ledger, cases: readonly Case[]) {
  const listed = await ledger.sender.run(['-p', 'shop', 'journal', 'list', '--json', '--all']);
  const { data } = JSON.parse(listed.stdout) as {
    readonly data: readonly { readonly order: string; readonly verdict: string }[];
  };
  const madeIn = new Map(Map.groupBy(data, ({ order }) => order));
  const wrong = cases.filter(({ order, said }) => {
    const posts = ledger.posts(String(order.id));
    const made = madeIn.get(String(order.id)) ?? [];
    const isFalse =
      posts > 1 || (said === 'made' && posts !== 1) || (said !== 'made' && said !== 'unknown' && posts !== 0);
    return isFalse || made.length !== posts || made.some(({ verdict }) => verdict !== 'applied');
  });
  return {
    wrong: wrong.map(({ breaks, said: word, order }) => ({
      breaks,
      word,
      posts: ledger.posts(String(order.id)),
    })),
  };
}

const direct = { 'orders.get': 'direct' };

// Orders are found by their ids at once.
function ledgerOf(count: number): Promise<Ledger> {
  let held: Ledger | undefined;
  const starting = startLedger({
    orders: ordersOf(count),
    settings: direct,
    onPage: ({ url }) => {
      const order = held?.service.orders.find(({ id }) => url === `/orders/${String(id)}`);
      return order === undefined ? undefined : json(order);
    },
  });
  return starting.then((ledger) => {
    held = ledger;
    return ledger;
  });
}

// How many bytes a hand-over and its reply have when nothing breaks.
async function measure(ledger: Ledger, token: string, order: Json) {
  using home = newHome();
  await using hop = await startBreakingHop(ledger.sender.port);
  const desk = directDesk({ url: hop.url, token, folder: home.path });
  const { said } = await desk.refund(order, 'i_measured');
  desk.close();
  return { said, ...hop.seen };
}

const hows: readonly HowBroken[] = ['fin', 'rst', 'mute', 'delay', 'hang-up'];

test.for(hows)(
  'a hand-over whose way breaks at any byte is made once, and no desk says anything false (%s)',
  { timeout: 3_600_000 },
  async (how) => {
    const [sampled, most] = isLong ? [1, 9000] : [480, 45];
    await using ledger = await ledgerOf(most);
    const { token } = await ledger.sender.desk('ana');
    const [first, ...orders] = ledger.service.orders;
    const whole = await measure(ledger, token, first ?? {});
    expect(whole.said).toBe('made');
    const step = sampled * (isLong && (how === 'mute' || how === 'delay') ? 4 : 1);
    const breaks = (['request', 'reply'] as const).flatMap((side) =>
      Array.from({ length: Math.ceil(whole[side] / step) + 1 }, (_, at) => ({
        side,
        at: Math.min(at * step, whole[side]),
        how,
      })),
    );
    const cases = breaks.map(
      (one, at): Case => ({ order: orders[at] ?? {}, id: `i_c${at}x`, breaks: [one] }),
    );
    await handOverAll(ledger, token, cases);
    const { wrong } = await compare(ledger, cases);
    expect(wrong).toEqual([]);
  },
);
