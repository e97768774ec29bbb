/** `orders find` by each kind of text on 1,500 orders of the simulator (5,000 in the long form), and within its bounds on 5,001. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import { isLong } from '../harness/long.ts';
import { newHome, paydeskProcess } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { orderPages, pages as pagesOf, startService } from '../harness/service.ts';

/** An order as far as this test looks at it (service: order, charge). */
interface Seen {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly created_at: number;
  readonly payment_status?: string;
  readonly is_refundable: boolean;
  readonly customer_info: {
    readonly customer_id: string | null;
    readonly name: string;
    readonly email: string;
    readonly phone: string;
  };
  readonly metadata: { readonly shop_order?: string };
  readonly charges?: {
    readonly data: readonly {
      readonly amount: number;
      readonly reference_id: string | null;
      readonly payment_method: { readonly last4: string; readonly auth_code: string; readonly name: string };
    }[];
  };
}

let desk: Desk;
const count = isLong ? 5000 : 1500;
/** The newest orders of the simulator. */
let orders: readonly Seen[];
/** Gives these as the simulator does, at a third of its work. */
let pages: TestServer;
beforeAll(async () => {
  desk = await startDesk({ args: ['--orders', '5001'] });
  const all = await desk.orders();
  orders = all.slice(0, count) as unknown as readonly Seen[];
  pages = await startServer(pagesOf(orders.map((order) => ({ ...order }))));
}, 120_000);
afterAll(async () => {
  await pages.close();
  await desk[Symbol.asyncDispose]();
});

interface Result {
  readonly code: number | null;
  readonly ids: readonly string[];
  readonly stderr: string;
}

/** Runs `paydesk orders find` on those. */
async function find(...args: readonly string[]): Promise<Result> {
  const here = { PAYDESK_BASE_URL: pages.url };
  const { code, stdout, stderr } = await desk.script(['orders', 'find', ...args, '--ndjson'], here);
  const ids = stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as Seen).id);
  return { code, ids, stderr };
}

const idsOf = (kind: (order: Seen) => boolean): readonly string[] => orders.filter(kind).map(({ id }) => id);
const chargesOf = (order: Seen) => order.charges?.data ?? [];
const far = (): Seen => orders[821] ?? failed();
const withCharge = (): Seen =>
  orders.find((order, index) => index > 1000 && chargesOf(order).some((one) => one.reference_id !== null)) ??
  failed();

function failed(): never {
  throw new Error('the simulator has no such order');
}

describe('a text finds all orders it stands in, and no others', () => {
  test('a whole id, and then reads no further', async () => {
    const { code, ids, stderr } = await find(far().id);
    expect({ code, ids }).toEqual({ code: 0, ids: [far().id] });
    expect(stderr).toContain('1 found in 1000 orders');
  });

  test('a part of an id, in another case', async () => {
    const part = far().id.slice(7, 14).toLowerCase();
    const { code, ids } = await find(part);
    expect(code).toBe(0);
    expect(ids).toEqual(idsOf((order) => JSON.stringify(order).toLowerCase().includes(part)));
    expect(ids).toContain(far().id);
  });

  test('an e-mail', async () => {
    const { email } = far().customer_info;
    const { ids } = await find(email.toUpperCase());
    expect(ids).toEqual(idsOf(({ customer_info: buyer }) => buyer.email === email));
  });

  test("the shop's own number, also as screens write it", async () => {
    const { shop_order: number = '' } = far().metadata;
    const found = await find(number);
    expect(found.ids).toContain(far().id);
    expect((await find(`shop_order=${number}`)).ids).toEqual(found.ids);
  });

  test('a phone number, as people write it', async () => {
    const { phone } = far().customer_info;
    const written = `${phone.slice(0, 3)} (${phone.slice(3, 6)}) ${phone.slice(6, 10)}-${phone.slice(10)}`;
    const { ids } = await find(written);
    expect(ids).toEqual(idsOf(({ customer_info: buyer }) => buyer.phone === phone));
  });

  test('a name without its accents and in another order', async () => {
    const { ids } = await find('MUNOZ', 'angel');
    expect(ids.length).toBeGreaterThan(20);
    expect(ids).toEqual(idsOf(({ customer_info: { name } }) => name.startsWith('José Ángel Muñoz Peña')));
    expect((await find('小明')).ids).toEqual(
      idsOf(({ customer_info: { name } }) => name.startsWith('王小明')),
    );
  });

  test('last4 and a name together', async () => {
    const { ids } = await find('*8431', 'soren');
    expect(ids.length).toBeGreaterThan(5);
    expect(ids).toEqual(
      idsOf(
        (order) =>
          order.customer_info.name.startsWith('Søren') &&
          chargesOf(order).some(({ payment_method: method }) => method.last4 === '8431'),
      ),
    );
  });

  test('the reference of a charge', async () => {
    const order = withCharge();
    const reference = chargesOf(order).find((one) => one.reference_id !== null)?.reference_id ?? failed();
    const { ids } = await find(reference.toLowerCase());
    expect(ids).toEqual(idsOf((one) => chargesOf(one).some((each) => each.reference_id === reference)));
  });

  test('an amount, with its currency', async () => {
    const { amount, currency } = withCharge();
    const { ids } = await find(String(amount), currency.toLowerCase());
    const holds = (order: Seen) =>
      order.amount === amount || chargesOf(order).some((charge) => charge.amount === amount);
    expect(ids).toEqual(
      expect.arrayContaining([...idsOf((order) => holds(order) && order.currency === currency)]),
    );
    expect(idsOf((order) => ids.includes(order.id) && order.currency !== currency)).toEqual([]);
    expect(ids.length).toBeLessThan(orders.length);
  });

  test('an auth code', async () => {
    const code = chargesOf(withCharge())[0]?.payment_method.auth_code ?? failed();
    const { ids } = await find(code);
    const holders = idsOf((order) => chargesOf(order).some((one) => one.payment_method.auth_code === code));
    expect(ids).toEqual(expect.arrayContaining([...holders]));
  });

  test('a metadata value', async () => {
    const shopOrder = orders.find((order, index) => index > 1250 && order.metadata.shop_order !== undefined);
    const value = shopOrder?.metadata.shop_order ?? failed();
    expect((await find(value.toLowerCase())).ids).toEqual([shopOrder?.id]);
  });

  test('`perez` finds `Pérez`', async () => {
    const { body } = await desk.request('POST', '/orders', {
      currency: 'MXN',
      line_items: [{ name: 'Lamp', unit_price: 20000, quantity: 1 }],
      metadata: { gift_for: 'Señora Pérez' },
    });
    const { id } = body as Seen;
    const ran = await desk.script(['orders', 'find', 'perez', 'senora', '--max', '20']);
    expect(ran.stdout).toContain(id);
    expect(ran.stdout).toContain('Señora Pérez (metadata.gift_for)');
  });

  test('filters narrow it', async () => {
    const { ids } = await find('4242', '--refundable', '--status', 'paid', '--min-amount', '100000');
    const expected = idsOf(
      (order) =>
        order.is_refundable &&
        order.payment_status === 'paid' &&
        order.amount >= 100_000 &&
        chargesOf(order).some(({ payment_method: method }) => method.last4 === '4242'),
    );
    expect(expected.length).toBeGreaterThan(20);
    expect(ids).toEqual(expect.arrayContaining([...expected]));
    expect(idsOf((order) => ids.includes(order.id) && order.amount >= 100_000)).toHaveLength(ids.length);
  });
});

describe('what it says', () => {
  test('the search with fewer words keeps the word that a name has, and a lone sign of a currency is no word', async () => {
    const misspelt = await desk.script(['orders', 'find', 'Hernandes', 'luis']);
    expect(misspelt.stderr).toMatch(/orders find luis\n/);
    const sign = await desk.script(['orders', 'find', '$', String(orders[0]?.amount), '--json']);
    expect(JSON.parse(sign.stdout).data).not.toEqual([]);
  });

  test('no match within the bound exits 9 with what is certain, and the command to look further back', async () => {
    const ran = await desk.script(['orders', 'find', 'no such', 'thing', '--max', '300']);
    expect(ran).toMatchObject({ code: 9, stdout: '' });
    expect(ran.stderr).toMatch(
      /^no match for "no such thing" in 300 orders, \d+ \w+(?: \d{4})? to \d+ \w+ \d{4} \(UTC\)\ncertain: all 300 were read; the account has more\nnow: {5}all words must be in one and the same order; search for several orders one at a time, or with fewer words:\n {9}paydesk orders find 'no such' --max 300\n {9}ask for the e-mail or the shop's own number, or search older orders:\n {9}paydesk orders find 'no such' thing --max 300 --next ord_\w+\n$/,
    );
  });

  test('the printed command goes on where it stopped: nothing is read twice or left out', async () => {
    const value = orders[700]?.metadata.shop_order ?? orders[701]?.metadata.shop_order ?? failed();
    let args: readonly string[] = ['orders', 'find', value, '--max', '300'];
    const codes: (number | null)[] = [];
    for (let run = 0; run < 4; run += 1) {
      const ran = await desk.script(args);
      codes.push(ran.code);
      if (ran.code === 0) expect(ran.stdout).toContain(value);
      const command = /paydesk (orders find .*)$/m.exec(ran.stderr)?.[1];
      if (ran.code !== 9 || command === undefined) break;
      args = command.split(' ');
    }
    expect(codes).toEqual([9, 9, 0]);
  });

  test('without --max it stops after 5,000', async () => {
    const ran = await desk.script(['orders', 'find', 'nothere']);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain('no match for "nothere" in 5000 orders');
  });

  test('no match after a complete walk exits 5', async () => {
    const ran = await desk.script(['orders', 'find', 'nothere', '--max', '9000', '--json']);
    expect(ran.code).toBe(5);
    expect(JSON.parse(ran.stdout)).toEqual({ object: 'list', data: [], has_more: false });
    expect(JSON.parse(ran.stderr)).toMatchObject({
      kind: 'not_found',
      exit_code: 5,
      message: expect.stringMatching(/^no match for "nothere" in 500\d orders/),
    });
  });

  test('what was found within a bound exits 0 and says that more may follow', async () => {
    const found = await desk.script(['orders', 'find', 'buyer', '--max', '100', '--json']);
    expect(found.code).toBe(0);
    expect(JSON.parse(found.stdout)).toMatchObject({ has_more: true });
    expect(found.stderr).toContain('found in 100 orders');
    expect(found.stderr).toMatch(/older orders: paydesk orders find buyer --max 100 --json --next ord_\w+$/m);
  });

  test('what matched stands beside each order, in table, list and CSV', async () => {
    const [order] = orders;
    const email = order?.customer_info.email ?? failed();
    const find = ['orders', 'find', email, '--max', '20'];
    const table = await desk.script(find);
    expect(table.stdout).toMatch(/^ID .* MATCHED/);
    expect(table.stdout).toContain(`${email} (email)`);
    expect((await desk.script([...find, '-o', 'list'])).stdout).toMatch(
      new RegExp(`^matched: .*email ${email}$`, 'm'),
    );
    const csv = (await desk.script([...find, '--csv', '--columns', 'id,matched,twin'])).stdout.split('\n');
    expect(csv[0]).toBe('id,matched,twin');
    expect(csv.some((line) => line.includes(`email ${email}`))).toBe(true);
  });

  test('twins are marked, and named together', async () => {
    // The newest two orders of the simulator's data are twins.
    const [, first, second] = await desk.orders();
    const ran = await desk.script(['orders', 'find', first?.customer_info.email ?? '', '--max', '30']);
    expect(ran.stdout).toMatch(/twin, \S+ \(email\)/);
    expect(
      ran.stderr.replace(/ord_\w+/g, (id) => (id === first?.id ? 'A' : id === second?.id ? 'B' : id)),
    ).toMatch(/possible twins, same buyer and amount within 10 minutes: (A and B|B and A)/);
    const listed = await desk.script(['orders', 'list', '--limit', '5', '--csv', '--columns', 'id,twin']);
    expect(listed.stdout).toContain(`${first?.id},${second?.id}\n${second?.id},${first?.id}\n`);
    expect(listed.stderr).toContain('possible twins');
  });

  test('nothing to look for is a usage error that sends nothing', async () => {
    for (const args of [
      ['orders', 'find'],
      ['orders', 'find', ' '],
      ['orders', 'find', 'x', '--max', '0'],
    ])
      expect(await desk.script(args), args.join(' ')).toMatchObject({ code: 2, stdout: '' });
  });

  test('a text that begins with a dash is looked for behind --', async () => {
    const ran = await desk.script(['orders', 'find', '--max', '30', '--', '-4242']);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toMatch(/paydesk orders find --max 30 --next ord_\w+ -- -4242$/m);
  });

  test('on a terminal of 80 columns every line fits, and ids and amounts are whole', async () => {
    const named = orders.filter(({ customer_info: { name } }) => name.startsWith('José Ángel Muñoz'));
    // Of this year, whatever the day: the time of another one is wider. None is the twin of another.
    const created_at = Math.floor(Date.now() / 1000);
    const seen = named.slice(0, 5).map((order, index) => ({ ...order, amount: 100_000 + index, created_at }));
    await using service = await startService({ orders: seen });
    using home = newHome();
    const person = sit(['orders', 'find', 'munoz'], { home, env: service.env });
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    const rows = screen.split('\n').filter((line) => line.startsWith('ord_'));
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      expect(row.trimEnd().length).toBeLessThanOrEqual(80);
      expect(row).toMatch(/^ord_[A-Za-z0-9]{17} .* 10000\d( USD| MXN)? .*…Muñoz/);
    }
    expect(screen).not.toContain('matched');
  });

  test('on a terminal of 80 columns the value that was found stands below the row, which has the card and the buyer', async () => {
    const { screen } = await sit(['-p', 'demo', 'orders', 'find', 'A-99998'], { home: desk.home, env: {} })
      .leaves;
    expect(screen).toMatch(/^ID .* REFUND(ED)? +CARD +BUYER/m);
    expect(screen).toMatch(/^ord_.*\n +matched A-99998 *$/m);
  });
});

test('customers find --limit is what is shown, and the command under it goes on behind the last one', async () => {
  const find = ['customers', 'find', 'example.com', '--csv', '--no-header', '--columns', 'id'];
  const all = (await desk.script(find)).stdout.trim().split('\n');
  const first = await desk.script([...find, '--limit', '3', '--page-size', '2']);
  expect(first.stdout.trim().split('\n')).toEqual(all.slice(0, 3));
  expect(first.stderr).toContain(
    `further customers: paydesk customers find example.com --limit 3 --page-size 2 --next ${all[2]}`,
  );
  const next = ['customers', 'find', 'example.com', '--limit', '3', '--next', all[2] ?? ''];
  const second = await desk.script([...next, ...find.slice(3)]);
  expect(second.stdout.trim().split('\n')).toEqual(all.slice(3, 6));
});

describe('memory', () => {
  async function peakOf(pages: number): Promise<number> {
    await using server = await startServer(orderPages({ pages, count: 250 }));
    using home = newHome();
    const file = join(home.path, 'peak');
    const ran = await paydeskProcess(['orders', 'find', 'buyer', '--max', '100000', '--ndjson'], {
      home,
      env: {
        PAYDESK_BASE_URL: server.url,
        PAYDESK_MODE: 'sandbox',
        PAYDESK_API_KEY: 'key_test',
        PEAK_MEMORY_FILE: file,
      },
      // A small heap: what is garbage is collected soon, so that the peak tells what is held. Left to itself V8 lets
      // some 100 MB of it wait.
      nodeArgs: [
        '--max-semi-space-size=1',
        '--max-old-space-size=48',
        '--import',
        join(import.meta.dirname, 'peak-memory.mjs'),
      ],
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(pages * 250);
    return Number(readFileSync(file, 'utf8'));
  }

  const [few, many] = isLong ? [5_000, 20_000] : [1_500, 6_000];

  test(`does not grow with the orders read: ${many} take what ${few} take`, async () => {
    const [less, more] = [await peakOf(few / 250), await peakOf(many / 250)];
    // Measured: 1.03 to 1.07. Orders that were kept would add some 5 kB each, 37 MB and more, nearly all that the heap holds.
    expect(more / less).toBeLessThan(1.3);
  });
});
