/** Charges and cards: what counts as paid, how hints name a charge, and what the preview warns of. */

import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, errorBody, type Json, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { type Handler, json } from '../harness/server.ts';
import { sentTo, startCreations, startService } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
const env = standingAt('2026-11-21T09:31:40Z');

describe('five declined tries on one card', () => {
  const tries = Array.from({ length: 5 }, (_, index) =>
    chargeOf(`ch_${index + 1}`, 35_000, { status: 'declined', paid_at: null }),
  );
  const orders = [
    orderOf('ord_2tQ8mVxK4nRz7LcWp', tries, {
      amount: 35_000,
      payment_status: 'declined',
      is_refundable: false,
    }),
    orderOf('ord_2tQ8mTd6JhB3sYfGq', [...tries, chargeOf('ch_6', 35_000)], { amount: 35_000 }),
    orderOf(id, [chargeOf('ch_7', 20_000), chargeOf('ch_8', 15_000)]),
  ];
  async function listed(columns: number): Promise<string> {
    await using service = await startService({ orders, sendsDate: false });
    return (await service.run(['orders', 'list'], { env, columns })).stdout;
  }

  test('are not split', async () => {
    expect(await listed(80)).toMatchInlineSnapshot(`
      "ID                     CREATED UTC   STATUS      MXN  REFUND  CARD   BUYER     
      ord_2tQ8mVxK4nRz7LcWp  21 Sep 14:13  declined  35000       -  *4242  Buyer Name
      ord_2tQ8mTd6JhB3sYfGq  21 Sep 14:13  paid      35000       -  *4242  Buyer Name
      ord_2tQ7zRk9PwE5xNvAm  21 Sep 14:13  paid      35000       -  split  Buyer Name
      "
    `);
    expect(await listed(120)).toMatchInlineSnapshot(`
      "ID                     CREATED UTC   STATUS       AMOUNT  REFUNDED  CARD   BUYER       REASON  NOTE
      ord_2tQ8mVxK4nRz7LcWp  21 Sep 14:13  declined  35000 MXN         -  *4242  Buyer Name  -       -   
      ord_2tQ8mTd6JhB3sYfGq  21 Sep 14:13  paid      35000 MXN         -  *4242  Buyer Name  -       -   
      ord_2tQ7zRk9PwE5xNvAm  21 Sep 14:13  paid      35000 MXN         -  split  Buyer Name  -       -   
      "
    `);
  });
});

test('a refund of a whole order says that nothing goes back to a declined charge, and does not foretell a refusal', async () => {
  const declined = chargeOf('ch_1', 35_000, { status: 'declined', paid_at: null, is_refundable: false });
  const paid = orderOf(id, [declined, chargeOf('ch_2', 35_000)], { amount: 35_000 });
  await using service = await startService({ orders: [paid], sendsDate: false });
  const ran = await service.run(['orders', 'refund', id, '--dry-run'], { env, columns: 80 });
  expect(ran.code, ran.stderr).toBe(0);
  const said = `${ran.stdout}${ran.stderr}`.replaceAll(/\s+/g, ' ');
  expect(said).toContain('note: charge 1 (*4242) is declined: nothing goes back to it');
  expect(said).not.toContain('may refuse');
});

describe('after charge_id_is_required', () => {
  const charges = [
    chargeOf('656f1c0e9a2b4d0018c3e5a1', 20_000),
    chargeOf('656f1c0e9a2b4d0018c3e5b4', 15_000),
    chargeOf('656f1c0e9a2b4d0018c3e5c7', 200, {
      payment_method: { object: 'card_payment', type: 'credit', last4: '0005' },
    }),
  ];
  const split = orderOf(id, charges);
  const required: Handler = json(
    errorBody(
      { type: 'processing_error', data: split },
      {
        message: 'A split payment needs charge_id.',
        code: 'service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required',
      },
    ),
    402,
  );
  /** What is shown after the preview of a refund of 300 on the first charge, with this reason. */
  async function refused(columns: number): Promise<string> {
    await using service = await startService({ orders: [split], onPost: () => required, sendsDate: false });
    const args = ['orders', 'refund', id, '--charge', '1', '--amount', '300', '--reason', 'other', '--yes'];
    const ran = await service.run(args, { env, columns });
    expect({ code: ran.code, posts: service.posts.length }).toEqual({ code: 5, posts: 1 });
    return ran.stderr.slice(ran.stderr.indexOf('refused by'));
  }

  test('the commands keep the amount and the reason, and cards that end alike have their ids', async () => {
    const narrow = await refused(80);
    expect(narrow).toMatchInlineSnapshot(`
      "refused by the service: order ord_2tQ7zRk9PwE5xNvAm was paid by 3 charges: to
               refund a part, name the charge (HTTP 402, log_id 5f2c81)
               A split payment needs charge_id.
               (service.errors.processing.charge_operations.refund.split_payment.charge_id_is_required)
      certain: this refund moved no money
      now:     charge 1 *4242 656f1c0e9a2b4d0018c3e5a1: 20000 of 20000 MXN left
                 paydesk orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 300 --reason other
               charge 2 *4242 656f1c0e9a2b4d0018c3e5b4: 15000 of 15000 MXN left
                 paydesk orders refund ord_2tQ7zRk9PwE5xNvAm --charge 2 --amount 300 --reason other
               charge 3 *0005: 200 of 200 MXN left
      "
    `);
    expect(differences(await refused(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 1 to 2:
      refused by the service: order ord_2tQ7zRk9PwE5xNvAm was paid by 3 charges: to refund a part, name the charge (HTTP 402,
               log_id 5f2c81)"
    `);
  });

  test('a card that is named by its last four, and is there twice, keeps the amount too', async () => {
    await using service = await startService({ orders: [split] });
    const args = ['orders', 'refund', id, '--charge', '*4242', '--amount', '300', '--yes'];
    const ran = await service.run(args);
    expect({ code: ran.code, posts: service.posts.length }).toEqual({ code: 3, posts: 0 });
    expect(ran.stderr).toContain('charge 2 *4242 656f1c0e9a2b4d0018c3e5b4: 15000 of 15000 MXN left');
    expect(ran.stderr).toContain(`paydesk orders refund ${id} --charge 2 --amount 300\n`);
    expect(ran.stderr).not.toContain('--charge 3');
  });
});

describe('the preview of a refund warns', () => {
  const paid = chargeOf('ch_1', 35_000);
  const decides = 'the service decides whether it can be refunded';
  test.each<[string, Json, readonly Json[], string]>([
    [
      'of a payment_status that paydesk does not know',
      { payment_status: 'in_review' },
      [paid],
      `paydesk does not know the payment_status in_review; ${decides}`,
    ],
    [
      'of an absent payment_status',
      { payment_status: undefined },
      [paid],
      `the order shows no payment_status; ${decides}`,
    ],
    [
      'of an absent is_refundable',
      { is_refundable: undefined },
      [paid],
      `the order does not show is_refundable; ${decides}`,
    ],
    [
      'of an order that was charged back',
      { payment_status: 'charged_back' },
      [paid],
      'this order was charged back: the bank has paid the buyer, and a refund pays a second time',
    ],
    [
      'of a charge that was charged back',
      {},
      [paid, chargeOf('ch_2', 5_000, { status: 'charged_back' })],
      'charge 2 was charged back: the bank has paid the buyer, and a refund pays a second time',
    ],
  ])('%s', async (_, changes, charges, warning) => {
    await using service = await startService({ orders: [orderOf(id, charges, changes)] });
    const ran = await service.run(['orders', 'refund', id, '--dry-run', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).checks).toContain(warning);
    expect(service.posts).toEqual([]);
  });

  test('of nothing when the order shows all of it', async () => {
    await using service = await startService({ orders: [orderOf(id, [paid])] });
    const ran = await service.run(['orders', 'refund', id, '--dry-run', '--json']);
    expect(JSON.parse(ran.stdout).checks).toEqual([]);
  });
});

test('an operator called notary is called so in the preview of the next refund', async () => {
  const order = orderOf(id, [chargeOf('ch_1', 35_000)]);
  await using service = await startService({
    orders: [order],
    onPost: (now = order, own) => {
      const after = withRefund(now, newRefundOf('rf_1', 1000), 1000);
      own.orders = [after];
      return json(after);
    },
  });
  const first = ['orders', 'refund', id, '--charge', '1', '--amount', '1000', '--yes'];
  const notary = { PAYDESK_OPERATOR: 'notary' };
  expect((await service.run(first, { env: notary })).code).toBe(0);
  const second = await service.run(['orders', 'refund', id, '--charge', '1', '--amount', '500', '--yes'], {
    env: notary,
  });
  expect(second.stderr).toMatch(/refunded so far .*, by notary$/m);
});

describe('an order that the service makes over another total than the preview showed', () => {
  const args = ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN'];
  const made = (changes: Json): Handler =>
    json({ id: 'ord_new1', object: 'order', livemode: false, amount: 300, currency: 'mxn', ...changes });
  const warned = 'the service made order ord_new1 over 348 MXN, but the preview showed 300 MXN';

  async function screen(columns: number): Promise<string> {
    await using service = await startCreations({ onChange: made({ amount: 348, currency: 'MXN' }) });
    const ran = await service.run([...args, '--yes'], { columns });
    expect(ran.code).toBe(7);
    return `${ran.stdout}${ran.stderr.slice(ran.stderr.indexOf('will send once'))}`.replaceAll(
      /i_\w{8}/g,
      'i_7f3k2m9q',
    );
  }

  test('is pointed out', async () => {
    const narrow = await screen(80);
    expect(narrow).toMatchInlineSnapshot(`
      "created an order of 348 MXN    sandbox environment
      order    ord_new1   no status yet      journal i_7f3k2m9q
      next: paydesk orders show ord_new1
      will send once: {"currency":"MXN", "line_items":[{"name":"Lamp",
                       "unit_price":300, "quantity":1}]}
      NOT AS ASKED: the service made order ord_new1 over 348 MXN, but the preview
               showed 300 MXN
      certain: the service made it, once; do not create it again
      now:     check it before the buyer pays, and show your lead:
               paydesk orders show ord_new1
      "
    `);
    expect(differences(await screen(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 4 to 7:
      will send once: {"currency":"MXN", "line_items":[{"name":"Lamp", "unit_price":300, "quantity":1}]}
      NOT AS ASKED: the service made order ord_new1 over 348 MXN, but the preview showed 300 MXN"
    `);
  });

  test.each<[string, Json, string]>([
    ['another amount, also with --quiet', { amount: 348, currency: 'MXN' }, warned],
    [
      'another currency',
      { currency: 'USD' },
      'the service made order ord_new1 over 300 USD, but the preview showed 300 MXN',
    ],
  ])('%s: exit 7, it was made once, and no link is drawn for the buyer', async (_, changes, words) => {
    await using service = await startCreations({
      onChange: made({ ...changes, checkout: { url: 'https://pay.example/1' } }),
    });
    const ran = await service.run([...args, '--yes', '--quiet', '--qr']);
    expect(ran.code).toBe(7);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `NOT AS ASKED: ${words} certain: the service made it, once; do not create it again`,
    );
    expect(ran.stderr).toContain('paydesk orders show ord_new1');
  });

  test.each<[string, Json]>([
    ['the same, in small letters', {}],
    ['no amount', { amount: undefined, currency: undefined }],
  ])('%s', async (_, changes) => {
    await using service = await startCreations({ onChange: made(changes) });
    const ran = await service.run([...args, '--yes', '--quiet']);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a person sees it under the result (real terminal)', async () => {
    await using service = await startCreations({ onChange: made({ amount: 348, currency: 'MXN' }) });
    const terminal = atTerminal(args, { home: service.home, env: service.env, columns: 120 });
    await terminal.answer('Send it?', 'y\r');
    await terminal.waitFor('created an order of 348 MXN');
    await terminal.waitFor('over 348 MXN, but the preview showed 300 MXN');
    const { exitCode } = await terminal.end;
    expect({ exitCode, sent: sentTo(service).length }).toEqual({ exitCode: 7, sent: 1 });
  });
});
