/** How a doubtful case ends: settled by hand, corrected, acknowledged; and what every screen says of it. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { journalRows } from '../../atmost/desk.ts';
import { later, standingAt } from '../../harness/clock.ts';
import { chargeOf, listOf, newRefundOf, orderOf } from '../../harness/orders.ts';
import { type Home, newHome, paydesk, type Ran } from '../../harness/paydesk.ts';
import { sit } from '../../harness/person.ts';
import { withoutEscapes } from '../../harness/pty.ts';
import { inOneLine } from '../../harness/ran.ts';
import { reply } from '../../harness/server.ts';
import { type Service, startService, storeShop } from '../../harness/service.ts';
import { atTerminal } from '../../harness/terminal.ts';
import { differences } from '../../harness/two-widths.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35000)]);
// Made right after the first refund here was sent.
const madeAt = Date.UTC(2040, 10, 21, 5, 5, 13) / 1000;
const refunded = (...amounts: number[]) => refundedAt(madeAt, ...amounts);
const refundedAt = (time: number, ...amounts: number[]) => {
  const records = amounts.map((amount, index) => ({
    ...newRefundOf(`rf_${index + 1}`, amount),
    created_at: time,
  }));
  const charge = chargeOf('ch_1', 35000, { refunds: listOf(...records) });
  return orderOf('ord_1', [charge], { amount_refunded: amounts.reduce((sum, amount) => sum + amount, 0) });
};
const refund = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--charge', '1', '--amount', '300', '--yes'];

interface Desk {
  readonly service: Service;
  readonly home: Home;
  /** The journal's id of the refund that got no usable answer at 05:05. */
  readonly change: string;
  /** Runs at a time of 21 November. */
  readonly run: (at: string, args: readonly string[], columns?: number) => Promise<Ran>;
  /** What a terminal shows, with one id for every run. */
  readonly screen: (at: string, args: readonly string[], columns: number) => Promise<string>;
}

// `clock` real: for a person at a real terminal, whose process has this machine's clock.
async function startDesk(clock: 'standing' | 'real' = 'standing'): Promise<Desk> {
  const onPost = () => reply('<h1>Bad Gateway</h1>', 502, { 'content-type': 'text/html' });
  const service = await startService({ orders: [order], onPost, sendsDate: false });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const { home } = service;
  await storeShop(home, service, { 'reconcile.after': '0' });
  const run = (at: string, args: readonly string[], columns?: number) => {
    const time = clock === 'real' ? {} : standingAt(`2040-11-${at}Z`);
    const env = { TZ: 'UTC', PAYDESK_OPERATOR: 'op7', ...time };
    return paydesk(args, { home, env, ...(columns === undefined ? {} : { columns }) });
  };
  const lost = await run('21T05:05:12', refund);
  expect(lost.code, lost.stderr).toBe(7);
  const change = journalRows(home)[0]?.change ?? '';
  const screen = async (at: string, args: readonly string[], columns: number) => {
    const { stdout, stderr } = await run(at, args, columns);
    return `${stderr}${stdout}`
      .replaceAll(/\bi_[0-9a-f]{8}\b/g, 'i_7f3k2m9q')
      .replaceAll(service.url, 'http://127.0.0.1:1');
  };
  return { service, home, change, run, screen };
}

const note = ['--note', 'Ana at the bank looked: nothing'];

describe('journal settle --not-applied, while the refund may still go through', () => {
  test('says what it means before it records it; the order id is not in the lines above the question', async () => {
    const settledAt = async (columns: number) => {
      const { change, screen, service } = await startDesk();
      const settle = ['journal', 'settle', change, '--not-applied', ...note, '--confirm', 'ord_1'];
      const shown = await screen('21T06:10:00', settle, columns);
      expect(service.posts).toHaveLength(1);
      return shown;
    };
    const narrow = await settledAt(80);
    expect(narrow).toMatchInlineSnapshot(`
      "refund of 300 MXN, sent 64 min ago by op7; the order does not show it
      You are recording that this refund was NOT made. It may still go through until
      tomorrow 05:06. If you are wrong, the buyer is paid twice.
      refund of 300 MXN: recorded not made, by op7
        change         i_7f3k2m9q, attempt 1
        order          ord_1
        account        shop, http://127.0.0.1:1 service sandbox
        sent           21 Nov 2040 05:05:12 UTC by op7
        asked by       op7
        could be sent  until 21 Nov 2040 05:05:22 UTC
        request        POST /orders/ord_1/refunds {"charge_id":"ch_1","amount":300}
        asked for      a refund of 300 MXN on charge ch_1
        reply          HTTP 502
        evidence       what was shown, sent and answered:
                       paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      history
        21 Nov 2040 05:05:12 UTC  unconfirmed        HTTP 502, an HTML page
        21 Nov 2040 05:05:12 UTC  unconfirmed        the order did not show it yet
        21 Nov 2040 06:10:00 UTC  recorded not made  by op7: Ana at the bank looked:
                                                     nothing
      now:  it may still go through until tomorrow 05:06; to look whether it has:
            paydesk journal reconcile i_7f3k2m9q
            paydesk -p shop orders show ord_1
            if that record is wrong:
            paydesk journal settle i_7f3k2m9q --correct --applied --note TEXT
            --confirm ORDER
      "
    `);
    expect(differences(await settledAt(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 2 to 3:
      You are recording that this refund was NOT made. It may still go through until tomorrow 05:06. If you are wrong, the
      buyer is paid twice.
      instead of lines 14 to 15:
        evidence       what was shown, sent and answered: paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      instead of lines 19 to 20:
        21 Nov 2040 06:10:00 UTC  recorded not made  by op7: Ana at the bank looked: nothing
      instead of lines 25 to 26:
            paydesk journal settle i_7f3k2m9q --correct --applied --note TEXT --confirm ORDER"
    `);
  });

  test.each([
    [['--note', 'idk'], 2, '--note is too short: 10 letters or more, saying how you know'],
    [['--note', 'test test test test'], 2, 'the same again and again'],
    [['--note', 'ord_2tQ7zRk9PwE5xNvAm'], 2, 'this is only an id: say how you know'],
    [['--note', 'i_7f3k2m9q, rf_12345678'], 2, 'these are only ids: say how you know'],
    [
      [],
      2,
      'missing --note TEXT: how you know; --confirm ORDER: the order id, from the screen of the service or the ticket',
    ],
    [[], 2, ' --not-applied --note TEXT --confirm ORDER'],
    [note, 2, `--not-applied --note '${note[1]}' --confirm ORDER`],
    [note, 2, 'missing --confirm ORDER: the order id, from the screen of the service or the ticket'],
    [[...note, '--yes'], 2, 'missing --confirm ORDER'],
    [[...note, '--confirm', 'ord_2'], 3, 'take the order id from the screen of the service or the ticket'],
  ])('%j writes nothing, and no line of it shows the order id', async (words, code, says) => {
    const { change, run, home } = await startDesk();
    const rows = journalRows(home).length;
    const ran = await run('21T06:10:00', ['journal', 'settle', change, '--not-applied', ...words]);
    expect({ code: ran.code, stderr: ran.stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      code,
      stderr: expect.stringContaining(says),
    });
    expect(ran.stdout + ran.stderr).not.toContain('ord_1');
    expect(journalRows(home)).toHaveLength(rows);
  });

  test('not even when the order cannot be read', async () => {
    const { change, run, service } = await startDesk();
    service.orders = [];
    const settle = ['journal', 'settle', change, '--not-applied', ...note, '--confirm', 'ord_1'];
    const { code, stderr } = await run('21T06:10:00', settle);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('there is no order the order'),
    });
    expect(stderr).not.toContain('ord_1');
  });

  test('is the status of its order in lists and finds of people until that time is over', async () => {
    const { change, run } = await startDesk();
    await run('21T06:10:00', ['journal', 'settle', change, '--not-applied', ...note, '--confirm', 'ord_1']);
    const line = async (at: string, words: readonly string[], columns: number) => {
      const { stdout } = await run(at, ['-p', 'shop', 'orders', ...words], columns);
      return stdout.split('\n').find((one) => one.startsWith('ord_1 ')) ?? '';
    };
    expect(await line('21T06:20:00', ['list'], 60)).toMatch(/ recorded not made /);
    expect(await line('21T06:20:00', ['find', 'ord_1'], 60)).toMatch(/ recorded not made /);
    expect(await line('21T06:20:00', ['list'], 120)).toContain(' recorded not made ');
    expect((await run('21T06:20:00', ['-p', 'shop', 'orders', 'list', '--csv'])).stdout).not.toContain(
      'appear',
    );
    expect(await line('22T05:07:00', ['list'], 120)).toContain(' paid ');
  });

  test('is told by orders show, which says until when to wait, and suggests no refund before that but of what is left besides it', async () => {
    const { change, run, screen } = await startDesk();
    await run('21T06:10:00', ['journal', 'settle', change, '--not-applied', ...note, '--confirm', 'ord_1']);
    const shown = await screen('21T06:20:00', ['-p', 'shop', 'orders', 'show', 'ord_1'], 80);
    const [head, last] = shown.split(/\n\n[\s\S]*\n\n/);
    expect(`${head}\n…\n${last}`).toMatchInlineSnapshot(`
      "ord_1  paid, recorded not made  sandbox shop
      SETTLED BY HAND  op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund of 300
              MXN of 21 Nov 2040 05:05:12 UTC, sent by op7, was NOT made (op7's note:
              Ana at the bank looked: nothing); it may still go through until tomorrow
              05:06
              tell the buyer: "We are checking a refund of 300 MXN to your Visa card
              ending in 4242. We cannot confirm yet whether it went through."
      created 21 Sep 2026 14:13:20 UTC    read just now, 21 Nov 06:20:00
      buyer   Buyer Name  buyer@example.com
      …
      until tomorrow 05:06 the refund of 300 MXN may still go through: if it is sent
      again before then, the buyer may be paid twice. See who recorded that it was not
      made, and why:
        paydesk journal show i_7f3k2m9q
      refund 34700 of charge 1 (safe: it leaves the 300 that may still go through):
        paydesk -p shop orders refund ord_1 --charge 1 --amount 34700
      "
    `);
    const over = await screen('22T05:07:00', ['-p', 'shop', 'orders', 'show', 'ord_1'], 80);
    expect(over).toContain('orders refund');
  });

  test('is told by the picker, where the order can be chosen all the same', async () => {
    const { change, run, home, service } = await startDesk();
    await run('21T06:10:00', ['journal', 'settle', change, '--not-applied', ...note, '--confirm', 'ord_1']);
    const env = { TZ: 'UTC', PAYDESK_OPERATOR: 'op7', ...standingAt('2040-11-21T06:20:00Z') };
    const person = sit(['-p', 'shop', 'orders', 'refund'], { home, env });
    await person.waitFor('recorded not made');
    await person.answer('sent at 05:05:12 by op7: op7 says', '\r');
    await person.answer('How much?', '\x03');
    const { code, screen } = await person.leaves;
    expect(code).toBe(130);
    expect(inOneLine(screen)).toContain(
      'op7 says it was not made; it may still go through until tomorrow 05:06',
    );
    expect(service.posts).toHaveLength(1);
  });

  test('a person types the id from elsewhere; a mistype asks once more (real terminal)', async () => {
    const { change, home } = await startDesk('real');
    const env = { TZ: 'UTC', ...later(600_000) };
    const person = atTerminal(['journal', 'settle', change, '--not-applied'], { home, env });
    await person.waitFor(/this\s+refund\s+was\s+NOT\s+made\.\s+It\s+may\s+still\s+go\s+through\s+until\s/);
    await person.waitFor(/If\s+you\s+are\s+wrong,\s+the\s+buyer\s+is\s+paid\s+twice/);
    await person.waitFor("Type the order id, from the service's own screen or the ticket");
    expect(person.transcript).not.toContain('ord_1');
    person.type('ord_2\r');
    await person.answer('ord_2 is not the right id. Type it again', 'ord_1\r');
    await person.answer('How do you know? In a few words', 'ord_9\r');
    await person.answer('this is only an id: say how you know', '\x15idk\r');
    await person.answer('too short: 10 letters or more', 'Ana at the bank looked\r');
    const { exitCode, transcript } = await person.end;
    expect({ exitCode, screen: withoutEscapes(transcript) }).toEqual({
      exitCode: 0,
      screen: expect.stringContaining('recorded not made, by'),
    });
  });
});

describe('after it was settled by hand', () => {
  async function settled() {
    const desk = await startDesk();
    const settle = ['journal', 'settle', desk.change, '--not-applied', ...note, '--confirm', 'ord_1'];
    expect((await desk.run('21T06:10:00', settle)).code).toBe(0);
    return desk;
  }

  test('the next change of the order says so, also with --quiet, in its JSON and under --dry-run', async () => {
    const { run, screen, service } = await settled();
    const words =
      "settled by hand: op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund of 300 MXN of 21 Nov 2040 05:05:12 UTC, sent by op7, was NOT made (op7's note: Ana at the bank looked: nothing); it may still go through until tomorrow 05:06. If it was made after all, this pays the buyer twice";
    const dry = await run('21T06:20:00', [...refund, '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout).checks).toContain(words);
    expect(await screen('21T06:20:00', [...refund, '--dry-run'], 120)).toMatchInlineSnapshot(`
      "settled by hand: op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund of 300 MXN of 21 Nov 2040 05:05:12 UTC, sent
      by op7, was NOT made (op7's note: Ana at the bank looked: nothing); it may still go through until tomorrow 05:06. If it
      was made after all, this pays the buyer twice
      REFUND PART OF AN ORDER                                         sandbox shop
      order   ord_1  35000 MXN  paid  21 Sep 2026 14:13
      buyer   Buyer Name  buyer@example.com
      from    charge 1 of 1, visa *4242, ch_1
      reason  none is sent
                         charge 1  order
        paid                35000  35000
        refunded so far         0      0
        THIS REFUND          -300   -300  0.9 % of charge 1
        left afterwards     34700  34700
      would send: POST /orders/ord_1/refunds
      body: {"charge_id":"ch_1", "amount":300}
      nothing was sent (--dry-run)
      "
    `);
    expect(await screen('21T06:20:00', refund, 80)).toMatchInlineSnapshot(`
      "settled by hand: op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund of 300
      MXN of 21 Nov 2040 05:05:12 UTC, sent by op7, was NOT made (op7's note: Ana at
      the bank looked: nothing); it may still go through until tomorrow 05:06. If it
      was made after all, this pays the buyer twice
      REFUND PART OF AN ORDER                                         sandbox shop
      order   ord_1  35000 MXN  paid  21 Sep 2026 14:13
      buyer   Buyer Name  buyer@example.com
      from    charge 1 of 1, visa *4242, ch_1
      reason  none is sent
                         charge 1  order
        paid                35000  35000
        refunded so far         0      0
        THIS REFUND          -300   -300  0.9 % of charge 1
        left afterwards     34700  34700
      will send once: {"charge_id":"ch_1", "amount":300}
      unconfirmed: no usable answer to the refund of 300 MXN on ord_1 (HTTP 502, an
               HTML page). It may have been made
      certain: sent once at 06:20:00; looked once, at 06:20:00, and it is not there
               yet
      now:     tell the buyer "it is being checked"; do not refund it anywhere else;
               in a few minutes: paydesk journal reconcile i_7f3k2m9q
               blocked until 22 Nov 2040 06:20:00 UTC at the latest, or until you
               settle it
      "
    `);
    expect(service.posts).toHaveLength(2);
    const quiet = await run('21T06:20:00', [...refund, '--quiet', '--again', 'x']);
    expect(quiet.code).toBe(3);
  });

  test('--quiet does not hide it', async () => {
    const { run } = await settled();
    const { stderr } = await run('21T06:20:00', [...refund, '--quiet']);
    expect(stderr).toContain('settled by hand: op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund');
  });

  test('a wrong record is corrected, and both stay', async () => {
    const { change, run, screen, home } = await settled();
    const correct = ['journal', 'settle', change, '--correct', '--applied'];
    const reason = ['--note', 'it came after all, bank file of Monday', '--confirm', 'ord_1'];
    const plain = await run('21T07:00:00', ['journal', 'settle', change, '--applied', ...reason]);
    expect(plain).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`settle ${change} --correct --applied`),
    });
    expect(await screen('21T07:00:00', [...correct, ...reason], 80)).toMatchInlineSnapshot(`
      "refund of 300 MXN, sent 114 min ago by op7; the order does not show it
      op7 recorded on 21 Nov 2040 06:10:00 UTC that it was not made: Ana at the bank
      looked: nothing; that stays in the journal
      You are recording that this refund was made. If you are wrong, the buyer does
      not get the money.
      order id: ord_1
      refund of 300 MXN: recorded made, by op7
        change         i_7f3k2m9q, attempt 1
        order          ord_1
        account        shop, http://127.0.0.1:1 service sandbox
        sent           21 Nov 2040 05:05:12 UTC by op7
        asked by       op7
        could be sent  until 21 Nov 2040 05:05:22 UTC
        request        POST /orders/ord_1/refunds {"charge_id":"ch_1","amount":300}
        asked for      a refund of 300 MXN on charge ch_1
        reply          HTTP 502
        evidence       what was shown, sent and answered:
                       paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      history
        21 Nov 2040 05:05:12 UTC  unconfirmed        HTTP 502, an HTML page
        21 Nov 2040 05:05:12 UTC  unconfirmed        the order did not show it yet
        21 Nov 2040 06:10:00 UTC  recorded not made  by op7: Ana at the bank looked:
                                                     nothing
        21 Nov 2040 07:00:00 UTC  corrected to made  by op7: it came after all, bank
                                                     file of Monday
      now:  paydesk -p shop orders show ord_1
            if that record is wrong:
            paydesk journal settle i_7f3k2m9q --correct --not-applied --note TEXT
            --confirm ORDER
      "
    `);
    const told = journalRows(home).map(({ verdict, by }) => [verdict, by]);
    expect(told.slice(-2)).toEqual([
      ['rejected', 'person'],
      ['applied', 'person'],
    ]);
    const again = await run('21T07:10:00', refund);
    expect(again).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('was recorded as made by hand, by op7, and the order does not show it'),
    });
    const same = await run('21T07:10:00', [...correct, ...reason]);
    expect(same).toMatchObject({ code: 3, stderr: expect.stringContaining('is recorded as made already') });
  });

  test('a correction that shows two refunds of ours is a duplicate alarm', async () => {
    const { change, run, service } = await settled();
    const first = await run('21T06:20:00', refund);
    expect(first.code, first.stderr).toBe(7);
    service.orders = [refundedAt(madeAt + 4500, 300)];
    expect((await run('21T06:30:00', ['journal', 'reconcile', '--all'])).code).toBe(0);
    const correct = [
      'journal',
      'settle',
      change,
      '--correct',
      '--applied',
      '--note',
      'both came',
      '--confirm',
      'ord_1',
    ];
    const corrected = await run('21T07:00:00', [...correct, '--json']);
    expect(corrected.code, corrected.stderr).toBe(7);
    expect(JSON.parse(corrected.stdout)).toMatchObject({
      alarm: 'duplicate',
      verdict: 'applied',
      by: 'person',
    });
    const ended = await run('21T08:00:00', [
      'journal',
      'acknowledge',
      change,
      '--note',
      'voucher, ticket 8851',
      '--yes',
    ]);
    expect(ended.code, ended.stderr).toBe(0);
    expect((await run('21T08:00:00', ['journal', 'reconcile', '--all'])).code).toBe(0);
    expect(service.posts).toHaveLength(2);
  });

  test('--correct without a record of a person is refused', async () => {
    const { change, run } = await startDesk();
    const correct = [
      'journal',
      'settle',
      change,
      '--correct',
      '--applied',
      '--note',
      'n',
      '--confirm',
      'ord_1',
    ];
    expect(await run('21T07:00:00', correct)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('there is nothing to correct'),
    });
  });
});

describe('orders show of an order that somebody settled by hand', () => {
  const show = ['-p', 'shop', 'orders', 'show', 'ord_1'];
  const settle = (change: string, ...words: readonly string[]) => [
    'journal',
    'settle',
    change,
    ...words,
    '--confirm',
    'ord_1',
  ];
  const head = (screen: string) => screen.slice(0, screen.indexOf('\n\n'));

  test('remembers it in its first block: who, when, what and why', async () => {
    const { change, run, screen } = await startDesk();
    expect(await screen('21T06:00:00', show, 80)).not.toContain('SETTLED');
    await run('21T06:10:00', settle(change, '--not-applied', ...note));
    expect(head(await screen('21T06:20:00', show, 80))).toMatchInlineSnapshot(`
      "ord_1  paid, recorded not made  sandbox shop
      SETTLED BY HAND  op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund of 300
              MXN of 21 Nov 2040 05:05:12 UTC, sent by op7, was NOT made (op7's note:
              Ana at the bank looked: nothing); it may still go through until tomorrow
              05:06
              tell the buyer: "We are checking a refund of 300 MXN to your Visa card
              ending in 4242. We cannot confirm yet whether it went through."
      created 21 Sep 2026 14:13:20 UTC    read just now, 21 Nov 06:20:00
      buyer   Buyer Name  buyer@example.com"
    `);
    expect(head(await screen('21T06:20:00', show, 120))).toMatchInlineSnapshot(`
      "ord_1  paid, recorded not made  sandbox shop
      SETTLED BY HAND  op7 recorded on 21 Nov 2040 06:10:00 UTC that the refund of 300 MXN of 21 Nov 2040 05:05:12 UTC, sent
              by op7, was NOT made (op7's note: Ana at the bank looked: nothing); it may still go through until tomorrow 05:06
              tell the buyer: "We are checking a refund of 300 MXN to your Visa card ending in 4242. We cannot confirm yet
              whether it went through."
      created 21 Sep 2026 14:13:20 UTC    read just now, 21 Nov 06:20:00
      buyer   Buyer Name  buyer@example.com"
    `);
    expect((await run('21T06:20:00', [...show, '--json'])).stdout).not.toContain('SETTLED');
  });

  test('remembers a correction, and what was wrong about it', async () => {
    const { change, run, screen } = await startDesk();
    await run('21T06:10:00', settle(change, '--not-applied', ...note));
    await run(
      '21T06:30:00',
      settle(change, '--correct', '--applied', '--note', 'in the bank file of Monday'),
    );
    expect(head(await screen('21T06:40:00', show, 80))).toMatchInlineSnapshot(`
      "ord_1  paid, recorded made  sandbox shop
      RECORDED MADE  op7 says 300 MXN were paid back; the service does not show it
              treat it as paid back; ask op7 before you refund that again
      SETTLED BY HAND  op7 recorded on 21 Nov 2040 06:30:00 UTC that the refund of 300
              MXN of 21 Nov 2040 05:05:12 UTC, sent by op7, was made (op7's note: in
              the bank file of Monday), correcting an earlier record
              tell the buyer: "According to our records, a refund of 300 MXN to your
              Visa card ending in 4242 was made."
      created 21 Sep 2026 14:13:20 UTC    read just now, 21 Nov 06:40:00
      buyer   Buyer Name  buyer@example.com"
    `);
  });

  test('remembers it after a read corrected it', async () => {
    const { change, run, screen, service } = await startDesk();
    await run('21T06:10:00', settle(change, '--not-applied', ...note));
    service.orders = [refunded(300)];
    const corrected = settle(change, '--correct', '--applied', '--note', 'in the bank file of Monday');
    expect((await run('21T06:30:00', corrected)).code).toBe(0);
    expect(inOneLine(head(await screen('21T06:40:00', show, 80)))).toContain(
      "was NOT made (op7's note: Ana at the bank looked: nothing); later the order showed it",
    );
  });
});

describe('journal settle at a terminal', () => {
  test('without a flag says what is missing, and that nothing was recorded', async () => {
    const { change, home, screen } = await startDesk();
    const { code, screen: seen } = await sit(['journal', 'settle', change], { home, env: {} }).leaves;
    expect({ code, seen: seen.replaceAll(change, 'i_7f3k2m9q') }).toMatchInlineSnapshot(`
      {
        "code": 2,
        "seen": "error:   say --applied or --not-applied: was it made?
      certain: nothing was recorded
      now:     first look: paydesk can often find out by itself
               paydesk journal reconcile i_7f3k2m9q
               then one of:
               paydesk journal settle i_7f3k2m9q --applied --note TEXT
               paydesk journal settle i_7f3k2m9q --not-applied --note TEXT
      ",
      }
    `);
    expect(await screen('21T06:00:00', ['journal', 'settle', change], 80)).toContain('nothing was recorded');
  });

  test('says that it is too early, until when, and what to do first, before it asks anything', async () => {
    const { change, home } = await startDesk();
    const env = { TZ: 'UTC', ...standingAt('2040-11-21T05:05:30Z') };
    const { code, screen } = await sit(['journal', 'settle', change, '--not-applied'], { home, env }).leaves;
    expect(code).toBe(3);
    expect(screen.replaceAll(change, 'i_7f3k2m9q')).toMatchInlineSnapshot(`
      "refused: the refund of 300 MXN can still arrive until 05:07:22
      certain: nothing was recorded
      now:     first let paydesk look:
               paydesk journal reconcile i_7f3k2m9q
               wait until 05:07:22; if it is still not there, run:
               paydesk journal settle i_7f3k2m9q --not-applied --note TEXT
      "
    `);
  });
});

describe('a duplicate alarm', () => {
  async function duplicated(clock: 'standing' | 'real' = 'standing') {
    const desk = await startDesk(clock);
    desk.service.orders = [refunded(300, 300)];
    expect((await desk.run('21T05:10:00', ['journal', 'reconcile', '--all'])).code).toBe(7);
    return desk;
  }
  const dealt = ['--note', 'the bank recalls rf_2, ticket 8851', '--yes'];

  test('stays listed after its time until somebody acknowledges it; then reconcile --all exits 0', async () => {
    const { change, run, screen, home, service } = await duplicated();
    const weeksLater = '30T05:10:00';
    for (let round = 0; round < 2; round += 1) {
      const ran = await run(weeksLater, ['journal', 'reconcile', '--all']);
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({
        code: 7,
        stdout: expect.stringContaining(change),
      });
    }
    const open = JSON.parse((await run(weeksLater, ['journal', 'list', '--open', '--json'])).stdout);
    expect(open.data).toMatchObject([{ change, alarm: 'duplicate' }]);
    const acknowledged = await screen(weeksLater, ['journal', 'acknowledge', change, ...dealt], 80);
    expect(acknowledged).toMatchInlineSnapshot(`
      "refund of 300 MXN: made twice; alarm acknowledged by op7
        change         i_7f3k2m9q, attempt 1
        order          ord_1
        account        shop, http://127.0.0.1:1 service sandbox
        sent           21 Nov 2040 05:05:12 UTC by op7
        asked by       op7
        could be sent  until 21 Nov 2040 05:05:22 UTC
        request        POST /orders/ord_1/refunds {"charge_id":"ch_1","amount":300}
        asked for      a refund of 300 MXN on charge ch_1
        reply          HTTP 502
        evidence       what was shown, sent and answered:
                       paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      history
        21 Nov 2040 05:05:12 UTC  unconfirmed         HTTP 502, an HTML page
        21 Nov 2040 05:05:12 UTC  unconfirmed         the order did not show it yet
        21 Nov 2040 05:10:00 UTC  made twice          the service shows it more than
                                                      once
        30 Nov 2040 05:10:00 UTC  made twice          the service shows it more than
                                                      once
        30 Nov 2040 05:10:00 UTC  alarm acknowledged  by op7: the bank recalls rf_2,
                                                      ticket 8851
        refund rf_1   -300 MXN   charge ch_1
        refund rf_2   -300 MXN   charge ch_1
      now:  paydesk -p shop orders show ord_1
      "
    `);
    const wide = await screen(weeksLater, ['journal', 'show', change], 120);
    expect(differences(wide, acknowledged)).toMatchInlineSnapshot(`
      "instead of lines 11 to 12:
        evidence       what was shown, sent and answered: paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      instead of lines 16 to 21:
        21 Nov 2040 05:10:00 UTC  made twice          the service shows it more than once
        30 Nov 2040 05:10:00 UTC  made twice          the service shows it more than once
        30 Nov 2040 05:10:00 UTC  alarm acknowledged  by op7: the bank recalls rf_2, ticket 8851"
    `);
    expect(await run(weeksLater, ['journal', 'reconcile', '--all', '--quiet'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(journalRows(home).at(-1)).toMatchObject({ acknowledged: 'duplicate', operator: 'op7' });
    const twice = await run(weeksLater, ['journal', 'acknowledge', change, ...dealt]);
    expect(twice).toMatchObject({ code: 3, stderr: expect.stringContaining('is acknowledged already') });
    expect(service.posts).toHaveLength(1);
  });

  test('that was acknowledged early comes back when the order shows one more', async () => {
    const { change, run, service } = await duplicated();
    expect((await run('21T06:00:00', ['journal', 'acknowledge', change, ...dealt])).code).toBe(0);
    expect((await run('21T12:00:00', ['journal', 'reconcile', change])).code).toBe(0);
    service.orders = [refunded(300, 300, 300)];
    expect((await run('22T12:00:00', ['journal', 'reconcile', '--all'])).code).toBe(7);
  });

  test('is not raised by a refund that comes after the last read of the waiting period: orders show lists it', async () => {
    const { change, run, service } = await duplicated();
    await run('21T06:00:00', ['journal', 'acknowledge', change, ...dealt]);
    expect((await run('22T12:00:00', ['journal', 'reconcile', '--all'])).code).toBe(0);
    service.orders = [refunded(300, 300, 300)];
    expect((await run('22T13:00:00', ['journal', 'reconcile', '--all'])).code).toBe(0);
    const named = await run('22T13:00:00', ['journal', 'reconcile', change]);
    expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing changed') });
    const shown = await run('22T13:00:00', ['-p', 'shop', 'orders', 'show', 'ord_1']);
    expect(shown.stdout).toContain('id rf_3');
  });

  test('does not stand in the way of another change of the order once it is acknowledged', async () => {
    const { change, run, service } = await duplicated();
    await run('21T06:00:00', ['journal', 'acknowledge', change, ...dealt]);
    const other = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--charge', '1', '--amount', '200', '--yes'];
    const ran = await run('21T06:10:00', other);
    expect(ran.code, ran.stderr).toBe(7);
    expect(service.posts).toHaveLength(2);
  });

  test('is acknowledged by a script under its own id', async () => {
    const { run, home, service } = await startDesk();
    const [{ change } = { change: '' }] = journalRows(home);
    await run('21T05:06:00', ['journal', 'settle', change, '--applied', ...note, '--confirm', 'ord_1']);
    const scripted = [
      ...refund.slice(0, 6),
      '--amount',
      '200',
      '--charge',
      '1',
      '--yes',
      '--idempotency-key',
      'ticket-8851',
      '--again',
      change,
    ];
    expect((await run('21T05:10:00', [...refund.slice(0, 5), ...scripted.slice(6)])).code).toBe(7);
    service.orders = [refunded(200, 200)];
    expect((await run('21T05:20:00', ['journal', 'reconcile', 'ticket-8851'])).code).toBe(7);
    expect((await run('21T05:30:00', ['journal', 'acknowledge', 'ticket-8851', ...dealt])).code).toBe(0);
  });

  test('an unconfirmed change is settled, not acknowledged; without an alarm there is nothing to do', async () => {
    const { change, run, service } = await startDesk();
    expect(await run('21T05:10:00', ['journal', 'acknowledge', change, ...dealt])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is still unconfirmed'),
    });
    service.orders = [refunded(300)];
    await run('21T05:10:00', ['journal', 'reconcile', change]);
    expect(await run('21T05:10:00', ['journal', 'acknowledge', change, ...dealt])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('has no alarm'),
    });
  });

  test('a person is asked what was done about it (real terminal)', async () => {
    const { change, home } = await duplicated('real');
    const person = atTerminal(['journal', 'acknowledge', change], { home, env: { TZ: 'UTC' } });
    await person.waitFor('refund rf_2');
    await person.answer('What was done about it? (MADE TWICE)', 'the bank recalls one\r');
    await person.answer('End this alarm? It then stops no refund of ord_1.', 'y\r');
    const { exitCode, transcript } = await person.end;
    expect({ exitCode, screen: withoutEscapes(transcript) }).toEqual({
      exitCode: 0,
      screen: expect.stringContaining('alarm acknowledged'),
    });
  });
});

describe('journal reconcile', () => {
  test('CHANGE says that it looked again, when, and what changed', async () => {
    const { change, run, screen, service } = await startDesk();
    const narrow = await screen('21T05:10:00', ['journal', 'reconcile', change], 80);
    expect(narrow).toMatchInlineSnapshot(`
      "still unconfirmed: read again at 05:10:00, the order does not show it
      refund of 300 MXN: unconfirmed: the order does not show it
        change         i_7f3k2m9q, attempt 1
        order          ord_1
        account        shop, http://127.0.0.1:1 service sandbox
        sent           21 Nov 2040 05:05:12 UTC by op7
        asked by       op7
        could be sent  until 21 Nov 2040 05:05:22 UTC
        request        POST /orders/ord_1/refunds {"charge_id":"ch_1","amount":300}
        asked for      a refund of 300 MXN on charge ch_1
        reply          HTTP 502
        evidence       what was shown, sent and answered:
                       paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      history
        21 Nov 2040 05:05:12 UTC  unconfirmed  HTTP 502, an HTML page
        21 Nov 2040 05:05:12 UTC  unconfirmed  the order did not show it yet
        21 Nov 2040 05:10:00 UTC  read again   nothing new
      now:  tell the buyer "it is being checked"; do not send it again anywhere else
            in a few minutes, read it again:
            paydesk journal reconcile i_7f3k2m9q
            blocked until 22 Nov 2040 05:05:12 UTC at the latest, or until you settle
            it
            when you know whether it was made, one of:
            paydesk journal settle i_7f3k2m9q --applied --note TEXT --confirm ORDER
            paydesk journal settle i_7f3k2m9q --not-applied --note TEXT --confirm
            ORDER
      "
    `);
    const wide = await screen('21T05:11:00', ['journal', 'reconcile', change], 120);
    expect(differences(wide, narrow)).toMatchInlineSnapshot(`
      "instead of line 1:
      still unconfirmed: read again at 05:11:00, the order does not show it
      instead of lines 12 to 13:
        evidence       what was shown, sent and answered: paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
      instead of line 17:
        21 Nov 2040 05:11:00 UTC  read again   nothing new
      instead of lines 21 to 22:
            blocked until 22 Nov 2040 05:05:12 UTC at the latest, or until you settle it
      instead of lines 25 to 26:
            paydesk journal settle i_7f3k2m9q --not-applied --note TEXT --confirm ORDER"
    `);
    service.orders = [refunded(300)];
    const changed = await run('21T05:20:00', ['journal', 'reconcile', change]);
    expect(changed.stdout.split('\n')[0]).toBe(
      'read ord_1 again at 05:20:00: it was "unconfirmed: the order does not show it", and is now "made: the reply did not confirm it, the order shows such a refund"',
    );
    const again = await run('23T05:20:00', ['journal', 'reconcile', change, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      read_at: Date.UTC(2040, 10, 23, 5, 20) / 1000,
      changed: false,
    });
    const settled = await run('23T05:30:00', ['journal', 'reconcile', change]);
    expect(settled.stdout).toContain('read ord_1 again at 05:30:00: nothing changed');
  });

  test('says when the order could not be read', async () => {
    const { change, run, service } = await startDesk();
    service.orders = [];
    const ran = await run('21T05:10:00', ['journal', 'reconcile', change]);
    expect(ran.stdout.split('\n')[0]).toMatch(/^tried to read ord_1 again at 05:10:00: .*; nothing changed$/);
  });

  test('--all puts what is open first, with its advice in full, and --quiet leaves out what is neither open nor new', async () => {
    const { run, screen, service } = await startDesk();
    // A refund that was made, beside the one that is unconfirmed.
    const other = orderOf('ord_2', [chargeOf('ch_2', 9000)]);
    service.orders = [order, other];
    const second = ['-p', 'shop', 'orders', 'refund', 'ord_2', '--charge', '1', '--amount', '500', '--yes'];
    expect((await run('21T05:06:00', second)).code).toBe(7);
    const made = orderOf(
      'ord_2',
      [chargeOf('ch_2', 9000, { refunds: listOf({ ...newRefundOf('rf_9', 500), created_at: madeAt + 48 }) })],
      {
        amount_refunded: 500,
      },
    );
    service.orders = [order, made];
    const all = ['journal', 'reconcile', '--all'];
    const news = await run('21T05:07:00', [...all, '--quiet', '--json']);
    expect(JSON.parse(news.stdout).data).toMatchObject([
      { order: 'ord_1', open: true },
      { order: 'ord_2', verdict: 'applied' },
    ]);
    const still = await run('21T12:00:00', [...all, '--quiet', '--json']);
    expect(JSON.parse(still.stdout).data).toMatchObject([{ order: 'ord_1', open: true }]);
    expect(await screen('21T20:00:00', [...all, '--quiet'], 80)).toMatchInlineSnapshot(`
      "refund of 300 MXN on ord_1: unconfirmed: the order does not show it; blocked
      until 22 Nov 2040 05:05:12 UTC at the latest, or until you settle it:
      paydesk journal show i_7f3k2m9q
      CHANGE      SENT UTC      ORDER   AMOUNT  OUTCOME      BY 
      i_7f3k2m9q  21 Nov 05:05  ord_1  300 MXN  unconfirmed  op7
      "
    `);
    expect(await screen('21T21:00:00', [...all, '--quiet'], 120)).toMatchInlineSnapshot(`
      "refund of 300 MXN on ord_1: unconfirmed: the order does not show it; blocked until 22 Nov 2040 05:05:12 UTC at the
      latest, or until you settle it: paydesk journal show i_7f3k2m9q
      CHANGE      SENT UTC      ORDER   AMOUNT  OUTCOME                                  KIND    BY   PROFILE
      i_7f3k2m9q  21 Nov 05:05  ord_1  300 MXN  unconfirmed: the order does not show it  refund  op7  shop   
      "
    `);
  });
});

test('simulator reset asks first while a refund of the demo is unconfirmed, which nothing could read after it', async () => {
  using home = newHome();
  const run = (args: readonly string[], env = {}) => paydesk(args, { home, env });
  const refund = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '1', '--amount', '200', '--yes'];
  expect((await run(['-p', 'demo', ...refund], { PAYDESK_DEMO_FAULT: 'drop' })).code).toBe(7);
  const script = await run(['simulator', 'reset']);
  expect([script.code, script.stderr]).toEqual([
    2,
    expect.stringMatching(
      /1 change of the demo is unconfirmed[\s\S]*or, from \d\d:\d\d:\d\d on, reset all the same:\n\s*paydesk simulator reset --yes\n/,
    ),
  ]);
  const atOnce = await run(['simulator', 'reset', '--yes']);
  expect([atOnce.code, atOnce.stderr]).toEqual([
    3,
    expect.stringMatching(
      /the refund of 200 MXN can still arrive until[\s\S]*journal reconcile i_[\s\S]*if it is still not there, run:\n\s*paydesk simulator reset --yes\n/,
    ),
  ]);
  const person = sit(['simulator', 'reset'], { home, env: {} });
  await person.waitFor(/start the demo again all the same/);
  person.type('n\r');
  expect(await person.leaves).toMatchObject({ code: 3 });
  expect((await run(['journal', 'list', '--open', '--json'])).stdout).toContain('unconfirmed');
  expect((await run(['simulator', 'reset', '--yes'], later(600_000))).code).toBe(0);
  const left = await run(['journal', 'list', '--open', '--json'], later(600_000));
  expect(JSON.parse(left.stdout)).toMatchObject({ data: [] });
  expect((await run(['simulator', 'reset'], later(600_000))).code).toBe(0);
});

test('simulator reset ends the alarms of the demo, which nobody could read any more', async () => {
  using home = newHome();
  const run = (args: readonly string[], env = {}) => paydesk(args, { home, env });
  const tenMinutes = later(600_000);
  const words = [
    '-p',
    'demo',
    'orders',
    'refund',
    'ord_2tQ7zRk9PwE5xNvAm',
    '--charge',
    '1',
    '--amount',
    '200',
  ];
  expect((await run([...words, '--yes'], { PAYDESK_DEMO_FAULT: 'drop' })).code).toBe(7);
  const change = journalRows(home)[0]?.change ?? '';
  const settle = ['journal', 'settle', change, ...note, '--confirm', 'ord_2tQ7zRk9PwE5xNvAm'];
  expect((await run([...settle, '--not-applied'], tenMinutes)).code).toBe(0);
  expect((await run([...words, '--yes'], tenMinutes)).code).toBe(0);
  expect((await run([...settle, '--correct', '--applied'], tenMinutes)).code).toBe(7);
  expect((await run(['journal', 'reconcile', '--all'], tenMinutes)).code).toBe(7);
  expect((await run(['simulator', 'reset'], tenMinutes)).code).toBe(0);
  expect((await run(['journal', 'reconcile', '--all'], tenMinutes)).code).toBe(0);
});
