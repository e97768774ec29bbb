/** The way between a desk and its sender breaks at every byte of a hand-over and of its reply. The short form takes a sample. */

import { expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import { type Json, paidOrder } from '../harness/orders.ts';
import { newHome } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { type Break, type HowBroken, startBreakingHop } from './breaking-hop.ts';
import { directDesk, quickClock, type Said } from './direct-desk.ts';
import { type Ledger, startLedger } from './ledger.ts';

interface Case {
  readonly order: Json;
  readonly id: string;
  readonly broken: Break;
  /** What the desk said at first, and when it asked again over a way that is whole. */
  said?: Said;
  saidAgain?: Said;
  why?: string | undefined;
  hasBroken?: boolean;
}

// Only a desk to which nothing comes any more has to notice silence. Who waits needs no processor.
const silence: Readonly<Record<HowBroken, number>> = { fin: 1, rst: 1, mute: 4, delay: 1, 'hang-up': 1 };
const atOnce: Readonly<Record<HowBroken, number>> = { fin: 6, rst: 6, mute: 60, delay: 12, 'hang-up': 12 };

// Hands one refund over for each case, through a way that breaks. A desk that does not know how it ended asks again afterwards.
async function handOverAll(
  ledger: Ledger,
  token: string,
  how: HowBroken,
  cases: readonly Case[],
): Promise<void> {
  using home = newHome();
  const clock = quickClock(silence[how]);
  const queue = [...cases];
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      await using hop = await startBreakingHop(ledger.sender.port, [one.broken]);
      const desk = directDesk({ url: hop.url, token, folder: home.path, clock });
      const { said, error } = await desk.refund(one.order, one.id);
      one.said = said;
      one.why = error?.message;
      desk.close();
      one.hasBroken = hop.hasBroken;
    }
  };
  await Promise.all(Array.from({ length: atOnce[how] }, worker));
  const desk = directDesk({ url: ledger.sender.url, token, folder: home.path, clock });
  for (const one of cases.filter(({ said }) => said === 'unknown'))
    one.saidAgain = (await desk.refund(one.order, one.id)).said;
  desk.close();
}

// What each desk said, what the service was asked for, and what the journal of the sender holds.
async function compare({ sender, service }: Ledger, cases: readonly Case[]) {
  const listed = await sender.run(['-p', 'shop', 'journal', 'list', '--json', '--all']);
  const { data } = JSON.parse(listed.stdout) as {
    readonly data: readonly { readonly order: string; readonly verdict: string }[];
  };
  const recordedOf = Map.groupBy(data, ({ order }) => order);
  const postsOf = Map.groupBy(service.posts, ({ url }) => url);
  return cases.flatMap(({ order, broken, said, saidAgain, why }) => {
    const id = String(order.id);
    const posts = postsOf.get(`/orders/${id}/refunds`)?.length ?? 0;
    const recorded = recordedOf.get(id) ?? [];
    const last = saidAgain ?? said;
    // A machine that was too busy to send in time records that it did not.
    const made = recorded.filter(({ verdict }) => verdict !== 'not_sent');
    const isLost = made.length !== posts || made.some(({ verdict }) => verdict !== 'applied');
    const isTrue = last === 'made' ? posts === 1 : posts === 0 && last !== 'unknown';
    const what = [
      ...(posts > 1 ? ['double'] : []),
      ...(isLost ? ['lost'] : []),
      ...(isTrue ? [] : ['false']),
    ];
    return what.length === 0
      ? []
      : [{ what, broken, said, saidAgain, why, posts, recorded: recorded.map(({ verdict }) => verdict) }];
  });
}

// All ids are of one length, so that the same byte of each request is the same one. Orders are found by their ids at once.
async function ledgerOf(count: number): Promise<Ledger> {
  let held: Ledger | undefined;
  const find = (url: string) => held?.service.orders.find(({ id }) => url === `/orders/${String(id)}`);
  held = await startLedger({
    orders: Array.from({ length: count }, (_, at) => paidOrder(`ord_${numbered(at)}`)),
    settings: { 'orders.get': 'direct' },
    onPage: ({ url }) => {
      const order = find(url);
      return order === undefined ? undefined : json(order);
    },
  });
  return held;
}

function numbered(at: number): string {
  return String(at).padStart(5, '0');
}

// How many bytes a hand-over and its reply have when nothing breaks.
async function measure(ledger: Ledger, token: string, order: Json) {
  using home = newHome();
  await using hop = await startBreakingHop(ledger.sender.port);
  const desk = directDesk({ url: hop.url, token, folder: home.path, clock: quickClock(1) });
  const { said } = await desk.refund(order, 'i_cwhole');
  desk.close();
  return { said, ...hop.seen };
}

// The long form goes over every byte, in pieces of a few minutes: `-t 'mute, request, 2 of 4'` is one of them.
const [pieces, step] = isLong ? [4, 1] : [1, 48 * 10];
const hows: readonly HowBroken[] = ['fin', 'rst', 'mute', 'delay', 'hang-up'];
const ways = hows.flatMap((how) =>
  (['request', 'reply'] as const).flatMap((side) =>
    Array.from({ length: pieces }, (_, before) => ({ how, side, piece: before + 1 })),
  ),
);

test.for(ways)(
  `a hand-over whose way breaks at any byte is made once at most, and no desk says anything false ($how, $side, $piece of ${pieces})`,
  { timeout: 3_600_000 },
  async ({ how, side, piece }) => {
    await using ledger = await ledgerOf(isLong ? 3000 : 30);
    const { token } = await ledger.sender.desk('ana');
    const [first, ...orders] = ledger.service.orders;
    const whole = await measure(ledger, token, first ?? {});
    expect(whole.said).toBe('made');
    const positions = Array.from({ length: Math.ceil(whole[side] / step) + 1 }, (_, at) => at * step);
    // A desk may leave before the last chunk of a reply, which is empty.
    const last = whole[side] - 'N\r\n0\r\n\r\n'.length;
    let left = positions.filter((_, at) => at % pieces === piece - 1);
    const cases: Case[] = [];
    // On a busy machine a desk takes its sender for gone before so many bytes have come, and that is no case.
    for (let round = 0; round < 5 && left.length > 0; round += 1) {
      const these = left.map((at): Case => {
        const order = orders.shift();
        if (order === undefined) throw new Error(`${whole[side]} bytes, and too few orders`);
        return {
          order,
          id: `i_c${numbered(orders.length)}`,
          broken: { side, at: Math.min(at, whole[side]), how },
        };
      });
      await handOverAll(ledger, token, how, these);
      cases.push(...these);
      left = these
        .filter(({ hasBroken, broken: { at } }) => hasBroken !== true && at < last)
        .map(({ broken: { at } }) => at);
    }
    const wrong = await compare(ledger, cases);
    const count = (word: string) => wrong.filter(({ what }) => what.includes(word)).length;
    const unknown = cases.filter(({ said }) => said === 'unknown').length;
    process.stdout.write(
      `hop: ${how}, ${side} of ${whole[side]} bytes, ${piece} of ${pieces}: ${cases.length} cases (${unknown} asked again): ${count('double')} double, ${count('lost')} lost, ${count('false')} false; ${left.length} bytes left\n`,
    );
    expect(wrong).toEqual([]);
    expect(left).toEqual([]);
  },
);
