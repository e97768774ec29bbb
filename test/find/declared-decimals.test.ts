/** Amounts with declared decimals are found as screens show them: by `orders find`, by the picker, and by --min-amount and --max-amount. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chargeOf, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

const priced = (number: number, amount: number, currency = 'MXN') =>
  orderOf(`ord_${String(number).padStart(17, 'A')}`, [chargeOf(`ch_${number}`, amount)], {
    currency,
    created_at: 1_795_000_000 - number * 86_400,
  });
const refunded = withRefund(priced(4, 1_650_000), newRefundOf('rf_4', 12_000), 12_000);

let service: Service;
beforeEach(async () => {
  service = await startService({
    orders: [priced(1, 16_000), priced(2, 16_001), priced(3, 16_000, 'JPY'), refunded],
  });
  await storeShop(service.home, service, {
    'amounts.decimals.MXN': '2',
    'amounts.grouping': 'on',
    'time.zone': 'UTC',
  });
});
afterEach(() => service[Symbol.asyncDispose]());

const run = (...args: readonly string[]) => paydesk(['-p', 'shop', ...args], { home: service.home });
const numbersIn = (ndjson: string) =>
  [...ndjson.matchAll(/^\{"id":"ord_A+(\d)"/gm)].map(([, digit]) => Number(digit));

describe('orders find', () => {
  test.each([
    ['the decimals, of the currency that has them', '160.00', [1]],
    ["the service's units, of every currency", '16000', [1, 3]],
    ['a thousand as it is shown, with its space', '16\u00a0500.00', [4]],
    ['the amount of a refund', '120.00', [4]],
  ])('finds by %s', async (_, text, numbers) => {
    const { code, stdout, stderr } = await run('orders', 'find', text, '--ndjson');
    expect(code, stderr).toBe(0);
    expect(numbersIn(stdout)).toEqual(numbers);
  });

  test.each(['160.0', '160', '1.60'])('finds nothing by %s, which no screen shows', async (text) => {
    expect((await run('orders', 'find', text, '--ndjson')).code).toBe(5);
  });

  test.each(['16,500.00', '1,650,000'])('finds thousands with commas: %s', async (text) => {
    expect(numbersIn((await run('orders', 'find', text, '--ndjson')).stdout)).toEqual([4]);
  });

  test.each(['16 500.00', '1 650 000', '16500,00', '16.500,00', '16 500,00'])(
    'finds thousands with spaces, and decimals behind a comma: %s',
    async (text) => {
      expect(numbersIn((await run('orders', 'find', text, '--ndjson')).stdout)).toEqual([4]);
      const split = await run('orders', 'find', '--ndjson', '--', ...text.split(' '));
      expect(numbersIn(split.stdout)).toEqual([4]);
    },
  );

  test.each([
    ['1 600', 'an amount is typed with its decimals here: 1600.00'],
    ['160', 'an amount is typed with its decimals here: 160.00'],
    ['1,600', 'an amount is typed with its decimals here: 1600.00'],
    ['160.0', 'an amount is typed with its decimals here: 160.00'],
  ])('says after %s, which finds nothing, how amounts are typed here', async (text, hint) => {
    const { code, stderr } = await run('orders', 'find', text);
    expect(code).toBe(5);
    expect(stderr).toContain('certain: all orders of sandbox shop were searched for just this text');
    expect(stderr).toContain(hint);
  });

  test('says nothing of amounts after words, or an amount that is typed as it should be', async () => {
    for (const text of ['nobody', '9.99', 'A-9'])
      expect((await run('orders', 'find', text)).stderr).not.toMatch(/an amount|amounts here/);
  });

  test.each([
    ['16000', 'an amount of the service'],
    ['4242', 'the end of a card'],
    ['buyer', 'a word'],
  ])('says nothing of amounts where %s was found, %s', async (text) => {
    const { code, stderr } = await run('orders', 'find', text);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('an amount is typed');
  });

  test('says in MATCHED the amount that was typed', async () => {
    const { stdout } = await run('orders', 'find', '160.00', '--columns', 'id,matched', '--csv');
    expect(stdout).toContain(',amount 160.00');
  });
});

test.each(['found page by page', 'found with an index'])(
  'a number that is only part of a phone, %s: a line shows that part, and a line says how amounts are typed',
  async (how) => {
    const buyer = {
      name: 'Guadalupe Hernández',
      email: 'guadalupe@example.com',
      phone: '+52 1 555 1520 111',
    };
    service.orders = [{ ...priced(5, 35_000), customer_info: buyer }, priced(6, 52_000)];
    if (how === 'found with an index')
      expect((await run('index', 'build', '--yes', '--quiet')).stderr).toBe('');
    const words = ['-p', 'shop', 'orders', 'find', '520'];
    const { code, stdout, stderr } = await paydesk(words, { home: service.home, columns: 80 });
    expect(code, stderr).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).toMatch(/^ord_A+5 .* Gua.*\n +matched …520/m);
    expect(stderr).toContain('an amount is typed with its decimals here: 520.00\n');
    expect(numbersIn((await run('orders', 'find', '520.00', '--ndjson')).stdout)).toEqual([6]);
  },
);

test.each(['160.00', '16 500.00'])(
  'the picker finds an order by the decimals that its rows show: %s',
  async (text) => {
    const person = sit(['-p', 'shop', 'orders', 'refund'], { home: service.home, env: {} }, 120);
    await person.waitFor('Which order?');
    person.type(text);
    await person.waitFor(/\b1 found/);
    person.type('\x03');
    await person.leaves;
    expect(service.posts).toEqual([]);
  },
);

test('the picker says how amounts are typed if it finds none', async () => {
  const person = sit(['-p', 'shop', 'orders', 'refund'], { home: service.home, env: {} }, 160);
  await person.waitFor('Which order?');
  person.type('160');
  await person.waitFor(/0 found in all 4 orders.*; an amount is typed with its decimals here: 160\.00/);
  person.type('\x03');
  await person.leaves;
});

describe('--min-amount and --max-amount', () => {
  test('an amount in decimals says what it left out of a currency that has none', async () => {
    const left =
      '1 in JPY left out, since the profile declares other decimals for JPY, or none: type a whole number';
    for (const words of [
      ['orders', 'list', '--min-amount', '160.00'],
      ['orders', 'export', '--min-amount', '160.00', '--to', 'orders.csv'],
    ])
      expect((await run(...words)).stderr, words.join(' ')).toContain(left);
    for (const words of [
      ['--min-amount', '16000'],
      ['--min-amount', '16000 MXN'],
    ])
      expect((await run('orders', 'list', ...words)).stderr).not.toContain('left out');
    const yen = priced(5, 20_000, 'JPY');
    service.orders = [withRefund(yen, newRefundOf('rf_5', 12_000), 12_000), refunded];
    for (const verb of ['list', 'summary']) {
      const words = ['refunds', verb, '--since', '2020-01-01', '--min-amount', '100.00'];
      expect((await run(...words)).stderr, verb).toContain(left);
    }
  });

  test.each([
    ['orders list', ['--min-amount', '160.00', '--max-amount', '160.00'], [1]],
    ['orders list', ['--min-amount', '160.01'], [2, 4]],
    ['orders list', ['--max-amount', '16000'], [1, 3]],
    ['orders list', ['--max-amount', '16 000 JPY'], [3]],
    ['orders find e', ['--min-amount', '165.00'], [4]],
    ['orders export', ['--min-amount', '16 500.00'], [4]],
  ])('%s %j', async (command, flags, numbers) => {
    const { code, stdout, stderr } = await run(...command.split(' '), ...flags, '--ndjson');
    expect(code, stderr).toBe(0);
    expect(numbersIn(stdout)).toEqual(numbers);
  });

  test('a whole number stays in the units of the service, and a warning says what that is', async () => {
    const { stderr } = await run('orders', 'list', '--min-amount', '16000', '--max-amount', '17000 JPY');
    expect(stderr).toContain('--min-amount 16000 is 160.00 MXN; for 16\u00a0000.00 type 16000.00\n');
    expect(stderr).not.toContain('--max-amount 17000');
    expect((await run('orders', 'list', '--min-amount', '160.00')).stderr).not.toContain('--min-amount 160');
  });

  test.each([
    [['--min-amount', '160.0'], 'type 160.00'],
    [['--max-amount', '160.005'], 'type an amount such as 100.00'],
    [
      ['--min-amount', '160.01', '--max-amount', '160.00'],
      'no amount is between --min-amount 160.01 and --max-amount 160.00',
    ],
  ])('%j is refused before any request', async (flags, words) => {
    const { code, stderr } = await run('orders', 'list', ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(service.requests).toEqual([]);
  });
});

describe('the demo, whose settings nobody can change', () => {
  const demo = (...args: readonly string[]) =>
    paydesk(['-p', 'demo', ...args, '--no-input'], { home: service.home });
  const id = 'ord_2tQ7zRk9PwE5xNvAm';

  test('refuses decimals and says what to type, without a command that it would refuse', async () => {
    const { code, stderr } = await demo(
      'orders',
      'refund',
      id,
      '--charge',
      '1',
      '--amount',
      '230.00',
      '--yes',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('--amount 230.00: profile demo declares no decimals\n');
    expect(stderr).toContain("type the service's whole number: if it counts hundredths 23000, if not 230\n");
    expect(stderr).toContain("ask your lead what one unit of an amount is, or look at an order's amount\n");
    // Where one unit is a hundredth, 230 would be 2.30, so it is never named alone.
    expect(stderr.match(/\b230\b(?!\.00)/g)).toHaveLength(1);
    expect(stderr).not.toContain('profile set');
  });

  test('says after a search for decimals that amounts have none here', async () => {
    const { code, stderr } = await demo('orders', 'find', '1,726.00');
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /amounts here have no decimals; type the service's whole number: if it counts hundredths \d+/,
    );
    expect((await demo('orders', 'find', '172,600')).code).toBe(0);
  });

  test('names no amount with decimals where somebody mistyped one', async () => {
    const { code, stderr } = await demo('orders', 'refund', id, '--amount', '5O00', '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('--amount 5O00: not an amount, which is a number above 0');
    expect(stderr).not.toContain('230.00');
  });
});
