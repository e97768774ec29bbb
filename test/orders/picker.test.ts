/** Picking the order of a refund: what a search finds, how far it looks, what it costs, and which orders cannot be chosen. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDesk } from '../harness/desk.ts';
import {
  chargeOf,
  errorBody,
  type Json,
  listOf,
  orderOf,
  refundOf,
  withCharge,
  withRefund,
} from '../harness/orders.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { type Person, sit } from '../harness/person.ts';
import { screenOf } from '../harness/screen.ts';
import { json, reply } from '../harness/server.ts';
import { pages, type Service, startAnswering, startService } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const newest = 1_605_900_000;
const buyer = (name: string, email: string): Json => ({ object: 'customer_info', name, email });

/** The order at a place of the list, newest first. */
function orderAt(place: number, changes: Json = {}): Json {
  const number = String(place).padStart(17, '0');
  return orderOf(`ord_${number}`, [chargeOf(`ch_${number}`, 35_000 + place)], {
    created_at: newest - place * 600,
    customer_info: buyer(`Buyer ${place}`, `buyer${place}@example.com`),
    ...changes,
  });
}

function cardOf(last4: string): Json {
  return {
    payment_method: { object: 'card_payment', type: 'credit', name: 'A HOLDER', last4, brand: 'visa' },
  };
}

const paths = (service: Service): readonly string[] => service.requests.map(({ url }) => url);

/** The screen as it is now, without what stood before the question. */
function screenNow(person: Person, columns: number): string {
  const screen = screenOf(person.transcript, columns);
  return screen.slice(screen.indexOf('? ['));
}

/** Types words, and waits until a row and the state below it show. */
async function search(person: Person, words: string, shown: RegExp): Promise<void> {
  person.type(words);
  await person.waitFor(new RegExp(`${words}[\\s\\S]*${shown.source}`));
}

test('a screen of 40 columns and 12 rows shows four orders, and no more lines than it has', async () => {
  using home = newHome();
  const person = sit(['-p', 'demo', 'orders', 'refund'], { home, env: {}, rows: 12 }, 40);
  await person.waitFor('possible twin');
  const lines = screenNow(person, 40).split('\n');
  expect(lines.slice(2, 6).every((line) => /^[> ] \d{1,2} \w{3} \d\d:\d\d /.test(line))).toBe(true);
  expect(lines.length).toBeLessThanOrEqual(12);
  person.type('\x03');
  expect((await person.leaves).code).toBe(130);
});

test('Esc leads from a suggestion to the words, to all orders, and says that nothing comes before them', async () => {
  using home = newHome();
  const person = sit(['-p', 'demo', 'orders', 'refund'], { home, env: {} });
  await person.answer('type to search', 'ana tores');
  await person.answer('did you mean Ana Torres', '\r');
  await person.answer(/ana torres[\s\S]*found in/, '\x1b');
  await person.answer(/ana tores[\s\S]*did you mean/, '\x1b');
  await person.answer('type to search, arrows', '\x1b');
  await person.waitFor('there is nothing to go back to from here');
  expect(screenNow(person, 80)).not.toContain('tores');
  person.type('\x03');
  expect((await person.leaves).code).toBe(130);
});

describe('among 20,000 orders', () => {
  const special = new Map<number, Json>([
    [300, orderAt(300, { customer_info: buyer('María Núñez Álvarez', 'mna@example.com') })],
    [
      900,
      orderOf('ord_splitOfTwoCards', [chargeOf('ch_a', 20_000), chargeOf('ch_b', 17_000, cardOf('7391'))], {
        created_at: newest - 900 * 600,
        customer_info: buyer('Ana Torres', 'ana@example.com'),
      }),
    ],
    [2300, orderAt(2300, { metadata: { shop_order: 'A-77123' } })],
    [14_900, orderAt(14_900, { customer_info: buyer('Łukasz Żółć', 'lz@example.com') })],
  ]);
  const orders = Array.from({ length: 20_000 }, (_, place) => special.get(place) ?? orderAt(place));
  let service: Service;
  beforeAll(async () => {
    service = await startService({ orders });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const sitDown = async (home: Home) => {
    const person = sit(['orders', 'refund'], { home, env: service.env }, 100);
    await person.waitFor('Which order?');
    return person;
  };

  test.each([
    { what: 'a name with accents typed without them', words: 'nunez maria', place: 300 },
    { what: 'a card inside a split', words: '7391 torres', place: 900 },
    { what: "the shop's own number", words: 'a-77123', place: 2300 },
  ])('finds $what while it reads on, and reads each page once', async ({ words, place }) => {
    using home = newHome();
    const before = service.requests.length;
    const person = await sitDown(home);
    const id = String(orders[place]?.id);
    await search(person, words, new RegExp(`\\n${id}  `));
    person.type('\r');
    await person.waitFor(place === 900 ? 'Refund what?' : 'How much?');
    person.type('\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
    const asked = paths(service).slice(before);
    const pages = asked.filter((url) => url.startsWith('/orders?limit=250'));
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.length).toBeGreaterThan(Math.floor(place / 250));
    expect(pages.length).toBeLessThanOrEqual(20);
    // It is read again behind the order before it.
    expect(asked).toContain(`/orders?limit=1&next=${String(orders[place - 1]?.id)}`);
  });

  test('an id 15,000 orders back is looked up on Enter: four requests to the next question', async () => {
    using home = newHome();
    const before = service.requests.length;
    const person = await sitDown(home);
    const id = String(orders[15_000]?.id);
    await search(person, id, /not among the newest 250 orders, back to 19 Nov 2020; Enter looks it up/);
    person.type('\r');
    await person.waitFor('How much?');
    person.type('\x03');
    await person.leaves;
    expect(paths(service).slice(before)).toEqual([
      '/orders?limit=250',
      `/orders?limit=1&previous=${id}`,
      `/orders?limit=1&next=${String(orders[14_999]?.id)}`,
      `/orders?limit=1&next=${String(orders[14_999]?.id)}`,
    ]);
  });

  test('a card inside a split is found and chosen while older orders are read (real terminal)', async () => {
    using home = newHome();
    const person = atTerminal(['orders', 'refund'], { home, env: service.env, columns: 100 });
    await person.answer('Which order?', '7391 torres');
    await person.answer(/7391 torres[\s\S]*\nord_splitOfTwoCards {2}/, '\r');
    await person.answer('Refund what?', '\x03');
    expect(await person.end).toMatchObject({ exitCode: 130, sameTerminal: true, cursorShown: true });
    expect(service.posts).toEqual([]);
  });

  test('says how far it looked, and reads older orders when Enter is pressed', async () => {
    using home = newHome();
    const before = service.requests.length;
    const person = await sitDown(home);
    await search(
      person,
      'lukasz',
      /0 found in the newest 5000 orders, back to 17 Oct 2020; Enter reads older orders/,
    );
    expect(service.requests.length - before).toBe(20);
    person.type('\r');
    await person.answer(/0 found in the newest 10000 orders[\s\S]*Enter reads older orders/, '\r');
    await person.waitFor(/\nord_00000000000014900/);
    person.type('\r');
    await person.answer('How much?', '\x03');
    await person.leaves;
    expect(service.requests.length - before).toBe(61);
  });

  test('an id of which the service says nothing is searched for like other words', async () => {
    using home = newHome();
    const person = await sitDown(home);
    await search(person, 'ord_nowhere', /Enter looks it up/);
    person.type('\r');
    await person.waitFor('ord_nowhere was not found by its id');
    await person.waitFor('0 found in the newest 5000 orders');
    person.type('\x15mna@');
    await person.waitFor(/mna@[\s\S]*1 found in/);
    person.type('\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
  });

  test('numbered lines find the same: words, more by Enter, and an id that is typed (real terminal)', async () => {
    using home = newHome();
    const env = { ...service.env, PAYDESK_ACCESSIBLE: '1' };
    const person = atTerminal(['orders', 'refund'], { home, env, columns: 100 });
    const next = 'or Enter for more: ';
    await person.answer(next, '7391 torres\r');
    await person.answer(/ 1 {2}.*Ana Torres {2}split {2}37000 MXN {2}paid[\s\S]*for more: /, '\r');
    await person.answer(/0 found|1 found in the newest 10000 orders/, '');
    await person.answer(next, `${String(orders[15_000]?.id)}\r`);
    await person.answer('How much?', '\x03');
    expect(await person.end).toMatchObject({ exitCode: 130 });
  });
});

describe('the screen', () => {
  const twins = buyer('Ana Torres Hernández de la Cruz', 'ana@example.com');
  const orders = [
    orderAt(0, { customer_info: twins, amount: 35_000, metadata: { shop_order: 'A-10025' } }),
    orderOf(
      'ord_2tQ7zRk9PwE5xNvAm',
      [
        chargeOf('ch_1', 35_000, { refunds: listOf(refundOf('rf_1', 12_000)), status: 'partially_refunded' }),
        chargeOf('ch_2', 17_000, cardOf('5100')),
      ],
      {
        created_at: newest - 86_400,
        amount_refunded: 12_000,
        payment_status: 'partially_refunded',
        metadata: { shop_order: 'A-10023' },
      },
    ),
    orderAt(300, { customer_info: buyer('José Pérez', 'jose@example.com') }),
    withCharge(
      orderAt(301, {
        customer_info: twins,
        payment_status: 'refunded',
        amount_refunded: 35_301,
        is_refundable: false,
      }),
      { status: 'refunded', refunds: listOf(refundOf('rf_9', 35_301)) },
    ),
    withCharge(orderAt(4000, { customer_info: twins, amount: 900 }), { amount: 900 }),
    withCharge(
      orderAt(4000, {
        id: 'ord_twin',
        created_at: newest - 4000 * 600 + 240,
        customer_info: twins,
        amount: 900,
      }),
      {
        amount: 900,
      },
    ),
  ];

  async function open(columns: number, service: Service, home: Home) {
    const env = { ...service.env, TZ: 'America/Mexico_City', PAYDESK_OPERATOR: 'root' };
    const person = sit(['orders', 'refund'], { home, env }, columns);
    await person.waitFor('Which order?');
    await person.waitFor('all 6 orders');
    return person;
  }

  test('stands in columns, with what is known of the row under the cursor, at 80 columns', async () => {
    await using service = await startService({ orders });
    using home = newHome();
    const person = await open(80, service, home);
    const all = screenNow(person, 80);
    await search(person, 'torres', /1 of them not refundable/);
    person.type('\x1b[B');
    await person.waitFor('possible twin');
    const twin = screenNow(person, 80);
    person.type('\x1b[B\x1b[B\r');
    await person.waitFor('is not refundable: refunded');
    const refused = screenNow(person, 80);
    person.type('\x03');
    await person.leaves;
    expect([all, twin, refused].join('\n\n')).toMatchInlineSnapshot(`
      "? [sandbox] Which order?
        CREATED -06        BUYER       CARD      AMOUNT  STATUS              REFERENCE
      > 20 Nov 2020 13:20  Ana Torre…  *4242  35000 MXN  paid                A-10025
        19 Nov 2020 13:20  Buyer Name  split  52000 MXN  partially_refunded  A-10023
        18 Nov 2020 11:20  José Pérez  *4242  35300 MXN  paid
        23 Oct 2020 19:40  Ana Torre…  *4242    900 MXN  twin, paid
        23 Oct 2020 19:44  Ana Torre…  *4242    900 MXN  twin, paid

      ord_00000000000000000  ana@example.com
      all 6 orders, back to 23 Oct 2020
      type to search, arrows to move, Enter to choose, Ctrl-C to stop

      ? [sandbox] Which order? torres
        CREATED -06        BUYER       CARD      AMOUNT  STATUS              REFERENCE
        20 Nov 2020 13:20  Ana Torre…  *4242  35000 MXN  paid                A-10025
      > 23 Oct 2020 19:40  Ana Torre…  *4242    900 MXN  twin, paid
        23 Oct 2020 19:44  Ana Torre…  *4242    900 MXN  twin, paid
        18 Nov 2020 11:10  Ana Torre…  *4242  35301 MXN  refunded

      ord_00000000000004000  ana@example.com
      possible twin: ord_twin, another order of this buyer, same amount, 4 min later,
        was paid and not refunded: ask which of the two the buyer wants to keep
      4 found in all 6 orders, back to 23 Oct 2020, 1 of them not refundable
      type to search, arrows to move, Enter to choose, Ctrl-C to stop

      ? [sandbox] Which order? torres
        CREATED -06        BUYER       CARD      AMOUNT  STATUS              REFERENCE
        20 Nov 2020 13:20  Ana Torre…  *4242  35000 MXN  paid                A-10025
        23 Oct 2020 19:40  Ana Torre…  *4242    900 MXN  twin, paid
        23 Oct 2020 19:44  Ana Torre…  *4242    900 MXN  twin, paid
      > 18 Nov 2020 11:10  Ana Torre…  *4242  35301 MXN  refunded

      > ord_00000000000000301 is not refundable: refunded
      4 found in all 6 orders, back to 23 Oct 2020, 1 of them not refundable
      type to search, arrows to move, Enter to choose, Ctrl-C to stop"
    `);
    expect(service.posts).toEqual([]);
  });

  test('has room for whole names at 120 columns, and says where the words were found', async () => {
    await using service = await startService({ orders });
    using home = newHome();
    const person = await open(120, service, home);
    await search(person, '5100 holder', /1 found in all/);
    const found = screenNow(person, 120);
    person.type('\x15');
    await person.waitFor(/\n.*all 6 orders/);
    const all = screenNow(person, 120);
    person.type('\x03');
    await person.leaves;
    expect([found, all].join('\n\n')).toMatchInlineSnapshot(`
      "? [sandbox] Which order? 5100 holder
        CREATED -06        BUYER                            CARD      AMOUNT  STATUS              REFERENCE
      > 19 Nov 2020 13:20  Buyer Name                       split  52000 MXN  partially_refunded  A-10023

      ord_2tQ7zRk9PwE5xNvAm  buyer@example.com  *4242 35000  *5100 17000
      found: card 5100, cardholder A HOLDER
      1 found in all 6 orders, back to 23 Oct 2020
      type to search, arrows to move, Enter to choose, Ctrl-C to stop

      ? [sandbox] Which order?
        CREATED -06        BUYER                            CARD      AMOUNT  STATUS              REFERENCE
      > 20 Nov 2020 13:20  Ana Torres Hernández de la Cruz  *4242  35000 MXN  paid                A-10025
        19 Nov 2020 13:20  Buyer Name                       split  52000 MXN  partially_refunded  A-10023
        18 Nov 2020 11:20  José Pérez                       *4242  35300 MXN  paid
        23 Oct 2020 19:40  Ana Torres Hernández de la Cruz  *4242    900 MXN  twin, paid
        23 Oct 2020 19:44  Ana Torres Hernández de la Cruz  *4242    900 MXN  twin, paid

      ord_00000000000000000  ana@example.com
      all 6 orders, back to 23 Oct 2020
      type to search, arrows to move, Enter to choose, Ctrl-C to stop"
    `);
  });

  test('an order with an unconfirmed refund is marked and cannot be chosen', async () => {
    await using service = await startService({ orders, onPost: () => reply('gone', 502) });
    using home = newHome();
    const env = { ...service.env, PAYDESK_OPERATOR: 'root' };
    const lost = await paydesk(['orders', 'refund', 'ord_twin', '--yes'], { home, env });
    expect(lost.code).toBe(7);
    const person = await open(80, service, home);
    await search(person, '900', /twin, paid/);
    person.type('\x1b[B');
    await person.waitFor('is still');
    person.type('\r');
    await person.waitFor('> an earlier refund of 900 MXN');
    await person.waitFor('Ctrl-C to stop');
    const screen = screenNow(person, 80)
      .replaceAll(/i_[0-9a-z]{8}/g, 'i_7f3k2m9x')
      .replaceAll(/\(\d\d:\d\d:\d\d,/g, '(05:05:12,');
    expect(screen).toMatchInlineSnapshot(`
      "? [sandbox] Which order? 900
        CREATED -06        BUYER       CARD      AMOUNT  STATUS              REFERENCE
        23 Oct 2020 19:40  Ana Torre…  *4242    900 MXN  twin, paid
      > 23 Oct 2020 19:44  Ana Torre…  *4242    900 MXN  unconfirmed

      > an earlier refund of 900 MXN (05:05:12, by root) is still unconfirmed:
        paydesk journal reconcile i_7f3k2m9x
      2 found in all 6 orders, back to 23 Oct 2020
      type to search, arrows to move, Enter to choose, Ctrl-C to stop"
    `);
    person.type('\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
    expect(service.posts).toHaveLength(1);
  });
});

test('a page that cannot be read is told, and Enter reads it again', async () => {
  const orders = Array.from({ length: 600 }, (_, place) => orderAt(place));
  const whole = pages(orders);
  let refusals = 1;
  await using service = await startAnswering((request, response, socket) => {
    const refuses = request.url.includes('&next=') && refusals > 0;
    if (refuses) refusals -= 1;
    return (refuses ? json(errorBody(), 422) : whole)(request, response, socket);
  });
  using home = newHome();
  const person = sit(['orders', 'refund'], { home, env: service.env }, 100);
  await person.waitFor('Which order?');
  await search(person, 'buyer555', /0 found in the newest 250 orders[\s\S]*not\s+read\s[\s\S]*tries/);
  person.type('\r');
  await person.waitFor(/1 found in all 600 orders/);
  person.type('\x03');
  expect(await person.leaves).toMatchObject({ code: 130 });
  expect(paths(service)).toEqual([
    '/orders?limit=250',
    ...['249', '249', '499'].map((last) => `/orders?limit=250&next=ord_${last.padStart(17, '0')}`),
  ]);
});

test('an id that the service does not know is said to be missing, and no page is read for it', async () => {
  await using desk = await startDesk();
  using home = newHome();
  const person = sit(['orders', 'refund'], { home, env: desk.env }, 100);
  await person.waitFor('Which order?');
  await search(person, 'ord_nowhere', /Enter looks it up/);
  person.type('\r');
  await person.waitFor('sandbox environment has no order ord_nowhere');
  person.type('\x03');
  expect(await person.leaves).toMatchObject({ code: 130 });
});

test('a paid order that cannot be refunded says why, under the cursor and when it is chosen', async () => {
  const charges = [chargeOf('ch_1', 900)];
  const orders = [
    orderOf('ord_1', charges),
    orderOf('ord_forbidden', charges, { is_refundable: false, payment_status: 'paid' }),
  ];
  await using service = await startService({ orders });
  using home = newHome();
  const person = sit(['orders', 'refund'], { home, env: service.env }, 80);
  await person.waitFor('Which order?');
  const why = /not refundable: paid, but the service does not allow it \(is_refundable false\)/;
  await search(person, 'ord_forbidden', why);
  person.type('\r');
  await person.waitFor(new RegExp(`> ord_forbidden is ${why.source.slice(0, 40)}`));
  person.type('\x03');
  await person.leaves;
  expect(service.posts).toEqual([]);
});

describe('an order that is given by its id, on a terminal', () => {
  const split = orderOf('ord_split', [chargeOf('ch_1', 20_000), chargeOf('ch_2', 15_000, cardOf('5100'))]);
  const part = withRefund(orderOf('ord_part', [chargeOf('ch_1', 20_000)]), refundOf('rf_1', 5_000), 5_000);
  const two = orderOf('ord_same', [chargeOf('ch_1', 20_000), chargeOf('ch_2', 15_000)]);
  const flags = ['--reason', 'other', '--note', 'ticket 8840'];

  test('a split one leads to the questions which charge and how much; after a No the command is printed, and works', async () => {
    await using service = await startService({ orders: [split] });
    using home = newHome();
    const person = sit(['orders', 'refund', 'ord_split', ...flags], { home, env: service.env });
    await person.answer('Refund what?', '\x1b[B');
    await person.answer(/> charge 2 +\*5100 +15000 left/, '\r');
    await person.answer('How much? (Enter: all 15000)', '300\r');
    await person.answer(/Send back .*\? \(y\/N\)/, '\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    const command = "orders refund ord_split --charge ch_2 --amount 300 --reason other --note 'ticket 8840'";
    expect(screen.slice(screen.indexOf('cancelled:'))).toBe(
      `cancelled: not confirmed\ncertain: nothing was sent\nnow:     the same as one command, for later:\n         paydesk ${command}\n`,
    );
    const dry = await service.run([
      ...command.replaceAll("'", '').split(' ').slice(0, 9),
      '--dry-run',
      '--json',
    ]);
    expect(JSON.parse(dry.stdout)).toMatchObject({ body: { charge_id: 'ch_2', amount: 300 } });
    expect(service.posts).toEqual([]);
  });

  test('Esc at its first question leads back to the list', async () => {
    await using service = await startService({ orders: [split, two], onPost: (order) => json(order) });
    using home = newHome();
    const person = sit(['orders', 'refund', ...flags], { home, env: service.env });
    await person.answer('Which order?', 'ord_split\r');
    await person.answer('Refund what?', '\x1b');
    // The search that led there stands in it.
    await person.answer(/Refund what\?[\s\S]*Which order\?[\s\S]*ord_split[\s\S]*1 found/, '\x15ord_same\r');
    await person.answer(/Which order\?[\s\S]*Refund what\?[\s\S]*> charge 1/, '\r');
    await person.answer('How much? (Enter: all 20000)', '100\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'yes\r');
    const { code } = await person.leaves;
    expect([code, service.posts.map(({ url }) => url)]).toEqual([
      expect.any(Number),
      ['/orders/ord_same/refunds'],
    ]);
  });

  test('a charge may be named by the end of its card, as in a search', async () => {
    await using service = await startService({ orders: [split, two] });
    const run = (...words: readonly string[]) =>
      service.run(['orders', 'refund', ...words, '--dry-run', '--no-input', '--json']);
    expect(JSON.parse((await run('ord_split', '--charge', '5100')).stdout)).toMatchObject({
      body: { charge_id: 'ch_2' },
    });
    expect((await run('ord_same', '--charge', '4242')).stderr).toContain('has 2 charges 4242');
  });

  test.each([
    [
      'all of it, without a note',
      [],
      'orders refund ord_split --reason requested_by_client --only-confirm',
      '{"reason":"requested_by_client"}',
    ],
    [
      'one charge whole',
      ['--charge', '2', '--reason', 'other'],
      'orders refund ord_split --charge 2 --reason other --only-confirm',
      '{"charge_id":"ch_2","reason":"other"}',
    ],
  ])('after a No the command asks only for the yes: %s', async (_, given, command, body) => {
    await using service = await startService({ orders: [split], onPost: (order) => json(order) });
    using home = newHome();
    const first = sit(['orders', 'refund', 'ord_split', ...given], { home, env: service.env });
    if (given.length === 0) {
      await first.answer('Refund what?', '\x1b[B\x1b[B');
      await first.answer('> all of it, 35000 MXN over 2 cards', '\r');
      await first.answer('Why?', '\r');
    } else await first.answer('How much?', '\r');
    await first.answer('Note, kept only on this machine', '\r');
    await first.answer(/Send back .*\? \(y\/N\)/, '\r');
    const { screen } = await first.leaves;
    expect(screen).toContain(`\n         paydesk ${command}\n`);
    const again = sit(command.split(' '), { home, env: service.env });
    await again.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    const { screen: second } = await again.leaves;
    for (const question of ['Refund what?', 'How much?', 'Why?', 'Note'])
      expect(second).not.toContain(question);
    expect(service.posts.map((post) => post.body)).toEqual([body]);
  });

  test('one that was refunded in part is asked how much of the rest', async () => {
    await using service = await startService({ orders: [part] });
    using home = newHome();
    const person = sit(['orders', 'refund', 'ord_part', ...flags], { home, env: service.env });
    await person.answer('How much? (Enter: all 15000)', '\r');
    await person.waitFor('REFUND THE REST OF A CHARGE');
    await person.answer(/Send back .*\? \(y\/N\)/, '\x03');
    expect(await person.leaves).toMatchObject({ code: 130 });
  });

  test('the amount is asked, of one charge and of a whole order, as from the list; a given one, or a yes, asks nothing', async () => {
    const whole = orderOf('ord_whole', [chargeOf('ch_1', 20_000)]);
    await using service = await startService({ orders: [split, part, whole] });
    using home = newHome();
    const asked = (id: string, ...words: string[]) =>
      sit(['orders', 'refund', id, '--charge', '1', ...words, ...flags], { home, env: service.env });
    const person = asked('ord_split');
    await person.answer('How much? (Enter: all 20000)', '300\r');
    await person.waitFor('"charge_id":"ch_1", "amount":300');
    await person.answer(/Send back .*\? \(y\/N\)/, '\x03');
    await person.leaves;
    const rest = asked('ord_part');
    await rest.answer('How much? (Enter: all 15000)', '\r');
    await rest.waitFor('REFUND THE REST OF A CHARGE');
    await rest.answer(/Send back .*\? \(y\/N\)/, '\x03');
    await rest.leaves;
    const all = sit(['orders', 'refund', 'ord_whole', ...flags], { home, env: service.env });
    await all.answer('How much? (Enter: all 20000)', '\r');
    await all.waitFor('REFUND A WHOLE ORDER');
    await all.answer(/Send back .*\? \(y\/N\)/, '\x03');
    await all.leaves;
    for (const words of [['--amount', '300'], ['--only-confirm']]) {
      const sure = asked('ord_whole', ...words);
      await sure.answer(/Send back .*\? \(y\/N\)/, '\x03');
      expect((await sure.leaves).screen).not.toContain('How much?');
    }
    expect((await asked('ord_split', '--yes', '--dry-run').leaves).screen).not.toContain('How much?');
    expect(service.posts).toEqual([]);
  });

  test('an amount without a charge is asked for its charge only', async () => {
    await using service = await startService({ orders: [split] });
    using home = newHome();
    const person = sit(['orders', 'refund', 'ord_split', '--amount', '300', ...flags], {
      home,
      env: service.env,
    });
    await person.waitFor('Refund what?');
    await person.answer(/> charge 1 +\*4242 +20000 left/, '\r');
    await person.waitFor('"amount":300');
    await person.answer(/Send back .*\? \(y\/N\)/, '\x03');
    const { screen } = await person.leaves;
    expect(screen).not.toContain('How much?');
    expect(screen).not.toContain('all of it');
  });

  test('a card that two charges have is asked which of them', async () => {
    await using service = await startService({ orders: [two] });
    using home = newHome();
    const person = sit(['orders', 'refund', 'ord_same', '--charge', '*4242', ...flags], {
      home,
      env: service.env,
    });
    await person.answer('Refund what?', '\x1b[B');
    await person.answer(/> charge 2 /, '\r');
    await person.answer('How much?', '\r');
    await person.waitFor('"charge_id":"ch_2"');
    await person.answer(/Send back .*\? \(y\/N\)/, '\x03');
    await person.leaves;
  });

  test('a script is refused with the command for each charge, as before', async () => {
    await using service = await startService({ orders: [split, two] });
    const ran = await service.run(['orders', 'refund', 'ord_split', '--amount', '300', '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('has 2 charges: say which one --amount is for');
    const same = await service.run(['orders', 'refund', 'ord_same', '--charge', '*4242', '--yes']);
    expect(same.code).toBe(3);
    expect(same.stderr).toContain('has 2 charges *4242');
    expect(service.posts).toEqual([]);
  });
});
