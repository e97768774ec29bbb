import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { plainAmounts } from '../../src/amounts.ts';
import type { JsonObject } from '../../src/api/json-values.ts';
import { type Column, customerColumns, orderColumns } from '../../src/api/resources.ts';
import { attacks, rawAttack } from './attacks.ts';
import { lines, outputOf, wire } from './screens.ts';

function order(more: JsonObject = {}): JsonObject {
  return {
    id: 'ord_2tQ8mVxK4nRz7LcWp',
    object: 'order',
    created_at: 1795221720,
    payment_status: 'paid',
    amount: 35000,
    amount_refunded: 0,
    currency: 'MXN',
    charges: { object: 'list', data: [{ payment_method: { last4: '4242' } }] },
    ...more,
  };
}

async function table(pages: readonly (readonly JsonObject[])[], width?: number, names?: readonly string[]) {
  const { out, text } = outputOf({ ...(width === undefined ? {} : { width }), columns: names });
  const sink = out.list(orderColumns);
  for (const page of pages) await sink.page(page.map((value) => wire(value)));
  await sink.end(false);
  await out.finish();
  return text();
}

/** The STATUS column as a table of people has it where something is open of an order with this id. */
const openStatus = (id: string): Column => {
  const [status] = orderColumns.filter(({ name }) => name === 'payment_status');
  if (status === undefined) throw new Error('no such column');
  return {
    ...status,
    warning: (record) => (record.id === id ? 'bad' : undefined),
    value: (record) => (record.id === id ? 'made twice' : record.payment_status),
    brief: { value: (record) => (record.id === id ? 'made twice' : record.payment_status) },
  };
};

const seen: readonly JsonObject[] = [
  order(),
  order({
    id: 'ord_2tQ7zRk9PwE5xNvAm',
    payment_status: 'partially_refunded',
    amount: 52000,
    amount_refunded: 12000,
    charges: { data: [{}, {}] },
  }),
  order({
    id: 'ord_2tQ7sLf1DtX6kPjQr',
    payment_status: undefined,
    amount: 7450,
    created_at: 1732052088,
    charges: undefined,
    payment_method: null,
  }),
];

describe('a table of orders', () => {
  it('reads as on the first screen', async () => {
    expect(await table([seen], 80)).toMatchInlineSnapshot(`
      "ID                     CREATED -06   STATUS            MXN  REFUND  CARD   BUYER
      ord_2tQ8mVxK4nRz7LcWp  20 Nov 18:42  paid            35000       -  *4242  -    
      ord_2tQ7zRk9PwE5xNvAm  20 Nov 18:42  part_ref        52000   12000  split  -    
      ord_2tQ7sLf1DtX6kPjQr  19 Nov 2024   -                7450       -  -      -    
      "
    `);
  });

  it('is not cut where there is no terminal', async () => {
    expect(await table([seen])).toContain('partially_refunded  52000 MXN');
  });

  it.each([40, 60, 80, 120, 200])('fits a terminal of %i cells, ids and amounts whole', async (width) => {
    const text = await table([seen], width);
    for (const line of lines(text)) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(text).toContain('ord_2tQ7zRk9PwE5xNvAm');
    expect(text).toMatch(/52000 MXN|MXN[\s\S]* 52000\b/);
  });

  it('keeps an id whole on a terminal narrower than it', async () => {
    expect(lines(await table([seen], 15))).toContain('ord_2tQ7zRk9PwE5xNvAm');
  });

  it('keeps the buyer from 56 cells on', async () => {
    expect(await table([seen], 55)).not.toContain('BUYER');
    expect(await table([seen], 56)).toContain('BUYER');
  });

  it('has the currency in the heading if that makes room, and in the row of an amount in another currency', async () => {
    const rows = [
      order({ customer_info: { name: 'Ana Torres' }, payment_status: 'partially_refunded' }),
      order({ amount: 7, currency: 'USD', customer_info: { name: 'Ana Torres' } }),
      order({ amount: 8, currency: null }),
    ];
    const text = await table([rows], 80);
    expect(lines(text).map((line) => line.slice(37).trimEnd())).toMatchInlineSnapshot(`
      [
        "STATUS       MXN  REFUND  CARD   BUYER",
        "part_ref   35000       -  *4242  Ana Torres",
        "paid       7 USD       -  *4242  Ana Torres",
        "paid         8 ?       -  *4242  -",
      ]
    `);
    expect(await table([rows], 120)).toContain('35000 MXN');
  });

  it('marks what is in the units of the service where the others are in decimals', async () => {
    const { out, text } = outputOf({
      width: 80,
      locale: () => ({
        zone: 'UTC',
        amounts: { ...plainAmounts, 'amounts.decimals': { MXN: 2 } },
        referenceKeys: [],
      }),
    });
    const sink = out.list(orderColumns);
    // The first page, of one currency, decides how amounts are written.
    await sink.page([wire(order({ amount: 172_000, amount_refunded: 12_000 }))]);
    await sink.page([wire(order({ amount: 145_802, amount_refunded: 45_802, currency: 'USD' }))]);
    await sink.end(false);
    expect(lines(text()).map((line) => line.slice(31).trimEnd())).toMatchInlineSnapshot(`
      [
        "STATUS      MXN  REFUND  CARD   BUYER",
        "paid    1720.00  120.00  *4242  -",
        "paid  145802* USD  45802*  *4242  -",
      ]
    `);
  });

  describe('a status that warns', () => {
    const buyer = { customer_info: { name: 'Bartholomew Torres' } };
    const plain = order({ ...buyer, payment_status: 'partially_refunded', amount_refunded: 12_000 });
    const warned = order({ ...buyer, id: 'ord_2tQ7zRk9PwE5xNvAm', amount_refunded: 1800 });
    const drawn = async (pages: readonly (readonly JsonObject[])[], width: number) => {
      const { out, text } = outputOf({
        width,
        locale: () => ({
          zone: 'UTC',
          amounts: { ...plainAmounts, 'amounts.decimals': { MXN: 2 } },
          referenceKeys: [],
        }),
      });
      const columns = orderColumns.map((column) =>
        column.name === 'payment_status' ? openStatus('ord_2tQ7zRk9PwE5xNvAm') : column,
      );
      const sink = out.list(columns, { pages: 'many' });
      for (const page of pages) await sink.page(page.map((value) => wire(value)));
      await sink.end(false);
      return lines(text());
    };

    it.each([60, 80, 100, 120])('is whole on the first page of a terminal of %i cells', async (width) => {
      const all = await drawn([[plain, warned]], width);
      expect(all.at(-1)).toMatch(/ made twice( |$)/);
      for (const line of all) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    });

    it.each([60, 80, 100, 120])('is whole on a later page of a terminal of %i cells', async (width) => {
      const all = await drawn([[plain], [plain, warned]], width);
      expect(all.at(-1)).toMatch(/ made twice( |$)/);
      for (const line of all) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    });
  });

  it('shows the columns that were named, in that order', async () => {
    expect(lines(await table([[order()]], undefined, ['amount', 'id']))).toEqual([
      '   AMOUNT  ID                   ',
      '35000 MXN  ord_2tQ8mVxK4nRz7LcWp',
    ]);
  });

  it.each(['nonsense', '__proto__', 'constructor', 'toString'])(
    'refuses --columns %s with the names there are',
    (name) => {
      const { out } = outputOf({ columns: [name] });
      expect(() => out.list(orderColumns)).toThrow(`--columns ${name}: there is no such column`);
    },
  );

  it('leaves the heading out with --no-header', async () => {
    const { out, text } = outputOf({ header: false });
    const sink = out.list(orderColumns);
    await sink.page([wire(order())]);
    await sink.end(false);
    expect(lines(text())).toHaveLength(1);
  });

  it('says its own offset beside a time of another season', async () => {
    const { out, text } = outputOf({
      locale: () => ({ zone: 'America/New_York', amounts: plainAmounts, referenceKeys: ['shop_order'] }),
    });
    const sink = out.list(orderColumns);
    await sink.page([wire(order()), wire(order({ created_at: 1783000000 }))]);
    await sink.end(false);
    expect(text()).toContain('CREATED -05');
    expect(text()).toContain('2 Jul 09:46 -04');
  });

  it('adds the scaled figure where the profile declares decimals', async () => {
    const { out, text } = outputOf({
      locale: () => ({
        zone: 'UTC',
        amounts: { ...plainAmounts, 'amounts.decimals': { MXN: 2 } },
        referenceKeys: ['shop_order'],
      }),
    });
    const sink = out.list(orderColumns);
    await sink.page([wire(order({ amount: 5 })), wire(order({ amount: 9007199254740991 }))]);
    await sink.end(false);
    expect(text()).toContain('5 MXN (0.05)');
    expect(text()).toContain('9007199254740991 MXN (90071992547409.91)');
  });

  it.each([
    ['a text for an amount', { amount: '35000' }, '35000 ?'],
    ['a fraction for an amount', { amount: 1.5 }, '1.5 ?'],
    ['an amount beyond 2^53', { amount: 9007199254740993n }, '9007199254740993 ?'],
    ['a time beyond the calendar', { created_at: 1e20 }, '100000000000000000000 ?'],
    ['a time in milliseconds', { created_at: 1795221720000 }, '1795221720000 ?'],
    ['a negative time', { created_at: -5 }, '-5 ?'],
    ['a status that is an object', { payment_status: { a: 1 } }, '{"a":1} ?'],
  ])('shows %s as received, with a mark', async (_, more, shown) => {
    const { out, text } = outputOf({});
    const sink = out.list(orderColumns);
    await sink.page([{ value: order(more), bytes: new Uint8Array() }]);
    await sink.end(false);
    expect(text()).toContain(shown);
  });

  it('widens for a longer id of a later page and keeps what was drawn', async () => {
    const long = `ord_${'x'.repeat(40)}`;
    const text = await table([[order()], [order({ id: long, payment_status: 'a'.repeat(50) })]], 80);
    expect(lines(text)).toHaveLength(3);
    expect(text).toContain(long);
    expect(text).toContain('…');
  });

  it('keeps within the terminal when a later page has wider amounts: a text makes room', async () => {
    const status = 'partially_refunded';
    const text = await table(
      [
        [order({ payment_status: status })],
        [order({ amount: 1_234_567_890, amount_refunded: 1_234_567, payment_status: status })],
      ],
      80,
    );
    const [, first = '', later = ''] = lines(text);
    expect(first).toContain('part_ref        35000 ');
    expect(later).toContain('1234567890  1234567');
    expect([first, later].map((line) => stringWidth(line) <= 80)).toEqual([true, true]);
  });

  it('draws thousands of rows, a line each', async () => {
    const page = Array.from({ length: 250 }, () => order());
    const text = await table(
      Array.from({ length: 20 }, () => page),
      80,
    );
    expect(lines(text)).toHaveLength(5001);
  });

  it('writes nothing for an empty list', async () => {
    expect(await table([[]], 80)).toBe('');
  });
});

const names = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '日本語 テスト',
    '👩‍👩‍👧 🇲🇽 ❤️',
    'ภาษาไทย',
    'हिन्दी क्षत्रिय',
    'e\u0301\u0301',
    '\u0301',
    '가각힣',
    '',
    '\ue000\ue000',
  ),
  fc.constantFrom(...attacks.slice(0, -1)),
);

describe('any name', () => {
  it.each([undefined, 80, 120])('keeps the lines of a table equally wide (terminal: %s)', async (width) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, names), { minLength: 1, maxLength: 30 }), async (people) => {
        const { out, text } = outputOf(width === undefined ? {} : { width });
        const sink = out.list(customerColumns);
        const records = people.map(([name, email]) =>
          wire({ id: 'cus_1', name, email, created_at: 1795221720 }),
        );
        await sink.page(records);
        await sink.end(false);
        const drawn = lines(text());
        expect(drawn).toHaveLength(records.length + 1);
        expect(new Set(drawn.map((line) => stringWidth(line))).size).toBe(1);
        expect(text()).not.toMatch(rawAttack);
      }),
      { numRuns: 60 },
    );
  });

  it('has no line that is wider than a terminal of 60 columns, with the address on a line below', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(names, names), async ([name, email]) => {
        const { out, text } = outputOf({ width: 60 });
        const sink = out.list(customerColumns);
        await sink.page([wire({ id: 'cus_1', name, email, created_at: 1795221720 })]);
        await sink.end(false);
        const drawn = lines(text());
        expect(drawn.length).toBeLessThanOrEqual(3);
        for (const line of drawn) expect(stringWidth(line)).toBeLessThanOrEqual(60);
        expect(text()).not.toMatch(rawAttack);
      }),
      { numRuns: 60 },
    );
  });

  it('of a megabyte is one row', async () => {
    const { out, text } = outputOf({ width: 80 });
    const sink = out.list(customerColumns);
    await sink.page([wire({ id: 'cus_1', name: attacks.at(-1) ?? '', email: 'a@b.example' })]);
    await sink.end(false);
    expect(lines(text())).toHaveLength(2);
    for (const line of lines(text())) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  });
});
