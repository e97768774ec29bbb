/** A refusal is final only where the document says so: what any other error did is read, waited for and watched. */

import { describe, expect, test } from 'vitest';
import { later } from '../harness/clock.ts';
import { errorOf, notReturnable, undocumentedError } from '../harness/orders.ts';
import type { Home, Ran } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reply, reset } from '../harness/server.ts';
import { changeArgs, ledgerAndDesk, openDesk, printedCommand, refundAmount, story } from './desk.ts';
import { honest, type LedgerOrder, type OnPost, startLedger } from './ledger.ts';

const { ledger, desk } = await ledgerAndDesk();

const day = 86_400_000;
const bankTimeout = errorOf('processing_error', 'service.errors.processing.bank.timeout');
const splitPayment = errorOf(
  'processing_error',
  'service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required',
);

/** What a run came to: its exit, the requests at the server, the rows of the journal. */
const came = ({ code }: Ran, order: LedgerOrder, home: Home) => ({
  code,
  posts: order.posts.length,
  story: story(home),
});

/** Neither "made" nor "not made" is claimed. */
function expectNoClaim({ stdout, stderr }: Ran): void {
  expect(stdout).not.toContain('refunded');
  expect(inOneLine(stderr)).not.toMatch(/moved no money|was not sent|refused by the service/);
  expect(inOneLine(stderr)).toContain('It may have been made');
}

describe.concurrent('an error that does not say what became of the money leaves it unconfirmed', () => {
  test.each([
    [402, 'processing.bank.timeout', bankTimeout],
    [409, 'an error of the service', undocumentedError],
    [412, 'an error of the service', undocumentedError],
    [423, 'an error of the service', undocumentedError],
    [500, 'an error of the service', undocumentedError],
  ])(
    '%i with %s, made three seconds later: exit 7, the same command is refused (3), the next look finds it, one POST',
    async (status, _, body) => {
      using home = desk.newHome();
      const order = ledger.add('refund', () => json(body, status));
      const first = await desk.run(home, changeArgs(order));
      expect(came(first, order, home), first.stderr).toEqual({
        code: 7,
        posts: 1,
        story: 'sent unknown not_seen',
      });
      expectNoClaim(first);
      const same = await desk.run(home, changeArgs(order));
      expect(came(same, order, home), same.stderr).toEqual({
        code: 3,
        posts: 1,
        story: 'sent unknown not_seen',
      });
      expect(same.stderr).toContain('is still unconfirmed');
      order.apply(order.posts[0]?.body ?? '');
      const look = await desk.run(home, ['journal', 'reconcile', '--all']);
      expect(came(look, order, home), look.stderr).toEqual({
        code: 0,
        posts: 1,
        story: 'sent unknown not_seen applied',
      });
    },
  );

  test('402 processing.bank.timeout, made between two reads: exit 0, confirmed by a read, one POST', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', () => json(bankTimeout, 402));
    // The preview, the final read, and one after the loss that shows nothing.
    order.onRead = (read) => {
      if (read === 4) order.apply(order.posts[0]?.body ?? '');
      return undefined;
    };
    const ran = await desk.run(home, changeArgs(order));
    expect(came(ran, order, home), ran.stderr).toEqual({ code: 0, posts: 1, story: 'sent unknown applied' });
    expect(ran.stdout).toContain('the reply did not confirm it; the order now shows the refund');
  });

  test('402 processing.bank.timeout, never made: blocked to its horizon, then the printed --again and a yes send it', async () => {
    await using own = await startLedger();
    using desk = await openDesk({ url: own.url });
    using home = desk.newHome();
    const order = own.add('refund', () => json(bankTimeout, 402));
    expect((await desk.run(home, changeArgs(order))).code).toBe(7);
    expect((await desk.run(home, changeArgs(order))).code).toBe(3);
    order.onPost = honest;
    own.clock.offMs = day + 60_000;
    const tomorrow = later(day + 60_000);
    const over = await desk.run(home, changeArgs(order), tomorrow);
    expect({ code: over.code, posts: order.posts.length }, over.stderr).toEqual({ code: 3, posts: 1 });
    const printed = printedCommand(over.stderr, '--again');
    const unasked = await desk.run(home, printed, tomorrow);
    expect({ code: unasked.code, posts: order.posts.length }, unasked.stderr).toEqual({ code: 2, posts: 1 });
    const again = await desk.run(home, [...printed, '--yes'], tomorrow);
    expect(came(again, order, home), again.stderr).toEqual({
      code: 0,
      posts: 2,
      story: 'sent unknown not_seen not_seen sent applied',
    });
    expect(order.done()).toBe(1);
  });

  test('an error without a type is no refusal, whatever its status: exit 7', async () => {
    using home = desk.newHome();
    const { type: _, ...untyped } = undocumentedError;
    const order = ledger.add('refund', () => json(untyped, 422));
    const ran = await desk.run(home, changeArgs(order));
    expect(came(ran, order, home), ran.stderr).toEqual({ code: 7, posts: 1, story: 'sent unknown not_seen' });
    expectNoClaim(ran);
  });
});

const notTakenUp = [
  [400, 5],
  [401, 4],
  [403, 4],
  [404, 5],
  [406, 5],
  [422, 5],
] as const;

describe.concurrent('an answer that the request was not taken up is final once a read confirms it', () => {
  test.each(notTakenUp)(
    "%i in the service's error form and a read of the unchanged order: exit %i",
    async (status, exit) => {
      using home = desk.newHome();
      const order = ledger.add('refund', () => json(undocumentedError, status));
      const ran = await desk.run(home, changeArgs(order));
      expect(came(ran, order, home), ran.stderr).toEqual({ code: exit, posts: 1, story: 'sent rejected' });
      expect(inOneLine(ran.stderr)).toMatch(/moved no money|nothing was changed/);
      expect(ran.stderr).not.toContain('paydesk could not read the order to confirm this');
      // The preview, the final read, and the one that confirms.
      expect(order.reads).toBe(3);
    },
  );

  test.each(notTakenUp)('%i with an HTML page is no word of the service: exit 7, blocked', async (status) => {
    using home = desk.newHome();
    const page = reply('<!doctype html><p>no</p>', status, { 'content-type': 'text/html' });
    const order = ledger.add('refund', () => page);
    const ran = await desk.run(home, changeArgs(order));
    expect(came(ran, order, home), ran.stderr).toEqual({ code: 7, posts: 1, story: 'sent unknown not_seen' });
    expectNoClaim(ran);
  });

  test.each(notTakenUp)(
    '%i, and the read shows the refund: refused, and yet made, exit 7, one POST',
    async (status) => {
      using home = desk.newHome();
      const order = ledger.add('refund', (_, apply) => {
        apply();
        return json(undocumentedError, status);
      });
      const ran = await desk.run(home, changeArgs(order));
      expect(came(ran, order, home), ran.stderr).toEqual({ code: 7, posts: 1, story: 'sent applied' });
      expect(inOneLine(ran.stderr)).toContain('it counted as not made, but the order now shows it');
      expect(ran.stderr).toContain(`rf_${order.id}_1 -${refundAmount}`);
    },
  );

  test('422 that no read confirms blocks the order (3), and is an alarm (7) when it shows later', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', () => json(undocumentedError, 422));
    order.onRead = (read) => (read > 2 ? reset : undefined);
    const blind = await desk.run(home, changeArgs(order));
    expect(came(blind, order, home), blind.stderr).toEqual({ code: 5, posts: 1, story: 'sent rejected' });
    expect(inOneLine(blind.stderr)).toContain('paydesk could not read the order to confirm this');
    order.onPost = honest;
    const same = await desk.run(home, changeArgs(order));
    expect({ code: same.code, posts: order.posts.length }, same.stderr).toEqual({ code: 3, posts: 1 });
    order.onRead = undefined;
    order.apply(order.posts[0]?.body ?? '');
    const look = await desk.run(home, ['journal', 'reconcile', '--all']);
    expect(came(look, order, home), look.stderr).toEqual({
      code: 7,
      posts: 1,
      story: 'sent rejected applied',
    });
    expect(look.stdout).toContain('counted as not made, but made all the same');
  });

  test('422 that a read confirmed frees the order: the same command sends a second request', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', () => json(undocumentedError, 422));
    expect((await desk.run(home, changeArgs(order))).code).toBe(5);
    order.onPost = honest;
    const again = await desk.run(home, changeArgs(order));
    expect(came(again, order, home), again.stderr).toEqual({
      code: 0,
      posts: 2,
      story: 'sent rejected sent applied',
    });
  });
});

describe.concurrent('a documented type and code is a refusal on any status', () => {
  test.each([
    ['not returnable', 200, notReturnable],
    ['not returnable', 402, notReturnable],
    ['not returnable', 409, notReturnable],
    ['not returnable', 503, notReturnable],
    ['charge_id required', 200, splitPayment],
    ['charge_id required', 423, splitPayment],
    ['charge_id required', 500, splitPayment],
  ])('%s with %i: exit 5, confirmed by a read', async (_, status, body) => {
    using home = desk.newHome();
    const order = ledger.add('refund', () => json(body, status));
    const ran = await desk.run(home, changeArgs(order));
    expect(came(ran, order, home), ran.stderr).toEqual({ code: 5, posts: 1, story: 'sent rejected' });
    expect(inOneLine(ran.stderr)).toContain('this refund moved no money');
  });

  test.each<[string, OnPost]>([
    [
      'the type of one with the code of the other',
      () => json({ ...notReturnable, details: splitPayment.details }, 409),
    ],
    ['the code alone', () => json({ ...notReturnable, type: 'processing_error' }, 500)],
  ])('%s is none of them: exit 7', async (_, onPost) => {
    using home = desk.newHome();
    const order = ledger.add('refund', onPost);
    const ran = await desk.run(home, changeArgs(order));
    expect(came(ran, order, home), ran.stderr).toEqual({ code: 7, posts: 1, story: 'sent unknown not_seen' });
    expectNoClaim(ran);
  });
});
