/** Two machines that share no journal at the same order: what the service refuses is explained, what it does twice is an alarm. */

import { describe, expect, test } from 'vitest';
import {
  chargeOf,
  type Json,
  listOf,
  newRefundOf,
  notReturnable,
  refundOf,
  withRefund,
} from '../harness/orders.ts';
import { type Handler, json, reset } from '../harness/server.ts';
import { changeArgs, journalRows, ledgerAndDesk, refundAmount, story } from './desk.ts';
import { chargeAmount, type LedgerOrder } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

const refusal = json(notReturnable, 428);

/** Two homes, one order: each reads it, both requests arrive, then they are answered. */
async function atOnce(
  args: (order: LedgerOrder) => readonly string[],
  answer: (post: number, order: LedgerOrder, apply: () => Json) => Handler,
) {
  using here = desk.newHome();
  using there = desk.newHome();
  // Nothing takes effect before both have left: otherwise the second machine could read what the first one did.
  const turns: (() => void)[] = [];
  const order = ledger.add('refund', (posted, apply) => {
    const post = posted.posts.length;
    const turn = Promise.withResolvers<Handler>();
    turns.push(() => turn.resolve(answer(post, posted, apply)));
    if (post === 2) for (const go of turns) go();
    return async (...request) => (await turn.promise)(...request);
  });
  const ran = await Promise.all([desk.run(here, args(order)), desk.run(there, args(order))]);
  const byCode = ran.toSorted((one, other) => Number(one.code) - Number(other.code));
  return { order, ran: byCode, stories: [story(here), story(there)].toSorted() };
}

/** In one line, as it reads. */
const flat = (text: string | undefined): string => (text ?? '').replaceAll(/\s+/g, ' ');

describe.concurrent('two machines, the same whole order (F23)', () => {
  test('exactly one is made; the other, refused by the service, reads an identical one: said so, exit 7', async () => {
    const { order, ran, stories } = await atOnce(
      ({ id }) => ['orders', 'refund', id, '--yes'],
      (post, _, apply) => (post === 1 ? json(apply()) : refusal),
    );
    // A refusal beside a refund that looks like ours is no plain refusal: a person compares the ids.
    expect({ codes: ran.map(({ code }) => code), posts: order.posts.length, done: order.done() }).toEqual({
      codes: [0, 7],
      posts: 2,
      done: 1,
    });
    expect(stories).toEqual(['sent applied', 'sent applied']);
    const refused = flat(ran[1]?.stderr);
    expect(refused).toContain('it counted as not made, but the order now shows it');
    expect(refused).toContain(`new refunds at the service: rf_${order.id}_1 -${chargeAmount}`);
  });
});

describe.concurrent('two machines, the same part of a charge (F24)', () => {
  test('both are made: where the answers show two new refunds, a duplicate alarm names both, exit 7', async () => {
    const { order, ran } = await atOnce(changeArgs, (_post, posted, apply) => {
      apply();
      return (...request) => json(posted.value)(...request);
    });
    expect({ codes: ran.map(({ code }) => code), done: order.done() }).toEqual({ codes: [7, 7], done: 2 });
    for (const { stderr } of ran) {
      expect(flat(stderr)).toContain(
        `MADE TWICE: 2 new refunds of ${refundAmount} MXN on charge 1 (*4242) of this order`,
      );
      expect(flat(stderr)).toContain(`rf_${order.id}_1 and rf_${order.id}_2`);
    }
  });

  test('the one whose refund is there before its request is sent is refused, and nothing is sent', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    // The other machine's refund comes between the preview and the final read.
    order.onRead = (read) => {
      if (read === 2) order.apply(JSON.stringify({ amount: refundAmount }));
      return undefined;
    };
    const { code, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
      code: 3,
      posts: 0,
      story: '',
    });
    expect(flat(stderr)).toContain(`rf_${order.id}_1`);
  });

  test.each([
    [14, 1],
    [16, 0],
  ])(
    'a refund of another amount %i minutes ago is warned of in the preview (%i times)',
    async (minutes, times) => {
      using home = desk.newHome();
      const order = ledger.add('refund');
      const made = refundOf('rf_other', 700, { created_at: Math.floor(Date.now() / 1000) - minutes * 60 });
      order.value = withRefund(order.value, made, 700);
      const { code, stderr } = await desk.run(home, changeArgs(order));
      expect(code, stderr).toBe(0);
      const warnings = flat(stderr).split(
        `rf_other refunded 700 of charge 1 ${minutes} min ago: somebody may be`,
      );
      expect(warnings).toHaveLength(times + 1);
    },
  );
});

describe.concurrent('somebody else makes the same refund while ours is unknown (F31)', () => {
  test('one matching refund: applied, shown with id and time, and never sent again', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (posted) => {
      const theirs = newRefundOf('rf_theirs', refundAmount);
      posted.value = withRefund(posted.value, theirs, refundAmount);
      return reset;
    });
    const { code, stdout } = await desk.run(home, changeArgs(order));
    expect({ code, story: story(home) }, stdout).toEqual({ code: 0, story: 'sent unknown applied' });
    expect(flat(stdout)).toMatch(/refund rf_theirs \d+ \w+ \d{4} \d\d:\d\d:\d\d/);
    expect(stdout).toContain('the reply was lost; the order now shows the refund');
    expect(journalRows(home).map(({ by }) => by)).not.toContain('reply');
    const again = await desk.run(home, changeArgs(order));
    expect({ code: again.code, posts: order.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
  });

  test('and ours comes late: the next look is a duplicate alarm, exit 7', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (posted) => {
      posted.value = withRefund(posted.value, newRefundOf('rf_theirs', refundAmount), refundAmount);
      return reset;
    });
    expect((await desk.run(home, changeArgs(order))).code).toBe(0);
    order.apply(order.posts[0]?.body ?? '');
    const later = await desk.run(home, ['journal', 'reconcile', journalRows(home)[0]?.change ?? '']);
    expect({ code: later.code, posts: order.posts.length }, later.stderr).toEqual({ code: 7, posts: 1 });
    expect(flat(later.stdout)).toMatch(/made twice.*rf_theirs.*rf_/);
  });
});

test('a refusal says why, from what a read shows: code, log_id, which charge, what went back and when (F15)', async () => {
  using home = desk.newHome();
  const order = ledger.add('refund', (posted) => {
    const refunds = listOf(refundOf('rf_other', 20_000, { created_at: 1_790_000_100, auth_code: '881034' }));
    const charge = chargeOf(`ch_${posted.id}`, chargeAmount, { refunds, is_refundable: false });
    posted.value = {
      ...posted.value,
      amount_refunded: 20_000,
      charges: listOf(charge),
      is_refundable: false,
    };
    return refusal;
  });
  const { code, stderr } = await desk.run(home, changeArgs(order));
  expect({ code, story: story(home) }, stderr).toEqual({ code: 5, story: 'sent rejected' });
  for (const words of [
    'The order is not refundable.',
    'combo.order.is_not_returnable',
    'log_id 5f2c81',
    '20000 of 35000 MXN went back on 21 Sep 2026',
    'elsewhere',
  ]) {
    expect(flat(stderr)).toContain(words);
  }
});
