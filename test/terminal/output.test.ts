import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/api/json-values.ts';
import { orderColumns } from '../../src/api/resources.ts';
import { createSecrets } from '../../src/terminal/secrets.ts';
import { formats } from '../../src/terminal/terminal.ts';
import { attacks, rawAttack } from './attacks.ts';
import { lines, outputOf, wire } from './screens.ts';

describe('JSON output', () => {
  it('prints the bytes of the service', async () => {
    const bytes = '{"id":"ord_1", "amount":1.0,"unknown":{"a":[1,2]},"big":9007199254740993}';
    const { out, text } = outputOf({ format: 'json' });
    await out.record(wire({ id: 'ord_1' }, bytes), orderColumns, () => []);
    expect(text()).toBe(`${bytes}\n`);
  });

  it('is one envelope with has_more last, over many pages', async () => {
    const { out, text } = outputOf({ format: 'json' });
    const sink = out.list(orderColumns);
    await sink.page([wire({ id: 'ord_1' }), wire({ id: 'ord_2' })]);
    await sink.page([]);
    await sink.page([wire({ id: 'ord_3' })]);
    await sink.end(true);
    await out.finish();
    expect(text()).toBe(
      '{"object":"list","data":[\n{"id":"ord_1"},\n{"id":"ord_2"},\n{"id":"ord_3"}\n],"has_more":true}\n',
    );
  });

  it('is an envelope without data for an empty list', async () => {
    const { out, text } = outputOf({ format: 'json' });
    await out.list(orderColumns).end(false);
    await out.finish();
    expect(text()).toBe('{"object":"list","data":[],"has_more":false}\n');
  });

  it('is closed with has_more true when the run fails in the middle', async () => {
    const { out, text } = outputOf({ format: 'json' });
    await out.list(orderColumns).page([wire({ id: 'ord_1' })]);
    await out.finish();
    expect(JSON.parse(text())).toEqual({ object: 'list', data: [{ id: 'ord_1' }], has_more: true });
  });

  it('is empty when the run fails before the first page', async () => {
    const { out, text } = outputOf({ format: 'json' });
    out.list(orderColumns);
    await out.finish();
    expect(text()).toBe('');
  });

  it('escapes what a terminal would obey and loses nothing', async () => {
    const hostile = attacks.slice(0, -1).map((name, index) => ({ id: `ord_${index}`, name }));
    const { out, text } = outputOf({ format: 'json', width: 80 });
    const sink = out.list(orderColumns);
    await sink.page(hostile.map((value) => wire(value)));
    await sink.end(false);
    expect(text()).not.toMatch(rawAttack);
    expect(JSON.parse(text()).data).toEqual(JSON.parse(JSON.stringify(hostile)));
  });
});

describe('NDJSON output', () => {
  it('is one record a line, also for a service that indents', async () => {
    const { out, text } = outputOf({ format: 'ndjson' });
    const sink = out.list(orderColumns);
    await sink.page([
      wire({ id: 'ord_1' }, '{\r\n  "id": "ord_1"\r\n}'),
      wire({ id: 'ord_2', name: 'a\nb' }),
    ]);
    await sink.end(true);
    expect(text()).toBe('{"id": "ord_1"}\n{"id":"ord_2","name":"a\\nb"}\n');
  });
});

describe('list output', () => {
  it('is a field a line, nested ones by their dotted names', async () => {
    const { out, text } = outputOf({ format: 'list' });
    const order: JsonObject = {
      id: 'ord_1',
      created_at: 1795216131,
      amount: 35000,
      currency: 'MXN',
      is_refundable: true,
      customer_info: { name: 'Ana\nNúñez', antifraud_info: { first_paid_at: 1795216131 } },
      charges: {
        object: 'list',
        total: 1,
        data: [{ id: 'ch_1', refunds: null, payment_method: { last4: '4242' } }],
      },
      metadata: {},
      channel: { name: 'web' },
    };
    await out.record(wire(order), orderColumns, () => []);
    expect(text()).toMatchInlineSnapshot(`
      "id: ord_1
      created_at: 20 Nov 2026 17:08:51 UTC-6
      payment_status: -
      amount: 35000 MXN
      amount_refunded: -
      currency: MXN
      customer_info.name: Ana Núñez
      customer_info.email: -
      customer_info.phone: -
      customer_info.customer_id: -
      is_refundable: true
      split_payment: -
      livemode: -
      updated_at: -
      customer_info.antifraud_info.first_paid_at: 20 Nov 2026 17:08:51 UTC-6
      charges.object: list
      charges.total: 1
      charges.1.id: ch_1
      charges.1.refunds: -
      charges.1.payment_method.last4: 4242
      metadata: -
      channel.name: web
      "
    `);
  });

  it('has an empty line between two records', async () => {
    const { out, text } = outputOf({ format: 'list', columns: ['id'] });
    await out.ownList(orderColumns, [{ id: 'ord_1' }, { id: 'ord_2' }]);
    expect(text()).toBe('id: ord_1\n\nid: ord_2\n');
  });
});

describe('a record of our own', () => {
  const record = {
    object: 'profile',
    name: 'shop-mx',
    default: true,
    created_at: 1795216131,
    note: '=1',
    none: null,
  };

  it.each([
    [
      'json',
      '{"object":"profile","name":"shop-mx","default":true,"created_at":1795216131,"note":"=1","none":null}\n',
    ],
    [
      'ndjson',
      '{"object":"profile","name":"shop-mx","default":true,"created_at":1795216131,"note":"=1","none":null}\n',
    ],
    ['csv', "object,name,default,created_at,note,none\nprofile,shop-mx,true,2026-11-20T23:08:51Z,'=1,\n"],
    [
      'list',
      'object: profile\nname: shop-mx\ndefault: true\ncreated_at: 20 Nov 2026 17:08:51 UTC-6\nnote: =1\nnone: -\n',
    ],
    ['table', 'shop-mx  \x1b'],
  ] as const)('is printed as %s', async (format, expected) => {
    const { out, text } = outputOf({ format });
    await out.own(record, () => [{ line: ['shop-mx  ', '\x1b'] }]);
    expect(text()).toBe(expected.replace('\x1b', '␛\n'));
  });
});

// A workbook goes into a file only, and is read cell by cell: exports/workbooks.test.ts.
const texts = formats.filter((format) => format !== 'xlsx');

describe('a key', () => {
  const key = 'sk_canary_0001';

  it.each(texts)('never comes out as %s, whole, split or spelled in escapes', async (format) => {
    const secrets = createSecrets();
    secrets.add(key);
    const { out, text } = outputOf({ format, secrets, width: 60 });
    const record = wire(
      { id: 'ord_1', payment_status: key, name: key },
      `{"id":"ord_1","payment_status":"${key}","name":"\\u0073k_canary_0001"}`,
    );
    const sink = out.list(orderColumns);
    await sink.page([record]);
    await sink.end(false);
    await out.record(record, orderColumns, () => [{ line: ['sk_canary', '_0001', ` ${key}`] }]);
    await out.text('sk_cana');
    await out.finish();
    expect(text()).not.toMatch(/canary/);
    expect(text()).toContain('[key]');
  });
});

describe('every format', () => {
  it.each(texts)('keeps attacks in every field off a terminal: %s', async (format) => {
    const { out, text } = outputOf({ format, width: 120 });
    const sink = out.list(orderColumns);
    const records = attacks.slice(0, -1).map((attack) =>
      wire({
        id: attack,
        created_at: attack,
        payment_status: attack,
        amount: attack,
        currency: attack,
        customer_info: { name: attack },
        [attack]: attack,
      }),
    );
    await sink.page(records);
    await sink.end(false);
    await out.finish();
    expect(text()).not.toMatch(rawAttack);
  });

  it.each(['table', 'ndjson', 'csv'] as const)('is one line a record on a terminal: %s', async (format) => {
    const { out, text } = outputOf({ format, width: 120, header: false });
    const sink = out.list(orderColumns);
    await sink.page(
      attacks.slice(0, 300).map((attack) => wire({ id: attack, customer_info: { name: attack } })),
    );
    await sink.end(false);
    expect(lines(text())).toHaveLength(300);
  });
});
