/** What is never cut, and text that would do something to a terminal. */

import { expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { chargeOf, customerOf, errorBody, listOf, paidOrder } from '../harness/orders.ts';
import { bin, cleanEnv, onScreen } from '../harness/paydesk.ts';
import { runInPty, withoutEscapes } from '../harness/pty.ts';
import { json, reply } from '../harness/server.ts';
import { pages, type Service, startAnswering } from '../harness/service.ts';

const name = 'A very long name of a buyer that no column has room for, whatever it does with its words';

async function screenOf({ home, env }: Service, args: readonly string[], columns: number): Promise<string> {
  return (await onScreen(args, { home, env, columns })).written;
}

test.each([
  { columns: 40, shows: [] },
  { columns: 60, shows: ['9007199254740991'] },
  { columns: 80, shows: ['9007199254740991', '…'] },
  { columns: 120, shows: ['9007199254740991', 'a_st', '…'] },
  { columns: 250, shows: ['9007199254740991 MXN', 'a_status_that_is_very_long_and_longer', name] },
])(
  'at $columns columns ids and amounts are whole; what is cut ends in … (C28)',
  async ({ columns, shows }) => {
    const id = `ord_${'A'.repeat(30)}`;
    const rows = [
      paidOrder(id, {
        amount: 9_007_199_254_740_991,
        payment_status: 'a_status_that_is_very_long_and_longer',
        customer_info: { name },
      }),
      paidOrder('ord_1'),
    ];
    await using desk = await startAnswering(pages(rows));
    const screen = await screenOf(desk, ['orders', 'list'], columns);
    const lines = screen
      .split('\n')
      .filter((line) => /ord_(1|A{30})/.test(line) && !line.includes('paydesk'));
    expect(lines).toHaveLength(2);
    expect(lines.every((line) => line.length <= columns)).toBe(true);
    for (const words of [id, ...shows]) expect(lines[0]).toContain(words);
  },
);

test('-o list, CSV and JSON hold every value whole, on a narrow terminal as well (C28)', async () => {
  await using desk = await startAnswering(pages([], [customerOf('cus_1', { name })]));
  for (const format of ['list', 'csv', 'json']) {
    expect(await screenOf(desk, ['customers', 'list', '-o', format], 40), format).toContain(name);
  }
});

/** Strings that move a cursor, set a clipboard, ring, overwrite, or turn the order of a line. */
const attacks: readonly string[] = [
  '\x1b[2J\x1b[H',
  '\x1b]52;c;ZXZpbA==\x07',
  '\x1b]0;title\x07',
  '\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\',
  '\x1bP1$r\x1b\\',
  'bell\x07',
  'back\b\b\b\bspace',
  'over\rwrite',
  '\u009b31m',
  '\u0090q\u009c',
  'null\u0000',
  'delete\x7f',
  'bidi \u202e evil \u2066 order \u2069',
  'mark \u200e\u200f\u061c',
  'line\u2028para\u2029',
  'next\u0085line',
  'tag \u{e0041}\u{e007f}',
  'zero\ufeffwidth',
];
const raw =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

const evil = attacks.join(' ');
const evilOrder = paidOrder('ord_1', {
  payment_status: evil,
  currency: evil,
  channel: evil,
  metadata: { [evil]: evil },
  customer_info: { name: evil, email: evil, phone: evil },
  charges: listOf(
    chargeOf(evil, 35_000, {
      status: evil,
      failure_message: evil,
      payment_method: { last4: evil, brand: evil, name: evil },
    }),
  ),
});
const evilCustomer = customerOf('cus_1', { name: evil, email: evil, custom_reference: evil });

test('no control or bidirectional character of the service reaches a terminal (C29)', async () => {
  await using desk = await startAnswering(pages([evilOrder], [evilCustomer]));
  const lines = [
    ['orders', 'list'],
    ['orders', 'show', 'ord_1'],
    ['orders', 'list', '-o', 'list'],
    ['orders', 'list', '--csv'],
    ['orders', 'list', '--json'],
    ['orders', 'list', '--ndjson'],
    ['orders', 'show', 'ord_1', '-o', 'list'],
    ['orders', 'refund', 'ord_1', '--dry-run'],
    ['customers', 'show', 'cus_1'],
  ];
  const screens = await each(lines, (line) => screenOf(desk, line, 200));
  for (const [index, line] of lines.entries()) {
    // The one thing paydesk writes itself: the end of its progress line.
    const screen = (screens[index] ?? '').replaceAll('\r\x1b[K', '');
    expect(screen, line.join(' ')).not.toMatch(raw);
    expect(screen, line.join(' ')).toMatch(/ord_1|cus_1/);
  }
});

test('an error of the service and the question before a refund are safe as well (C29)', async () => {
  await using failing = await startAnswering(
    json(errorBody({ type: evil, log_id: evil }, { message: evil, code: evil, param: evil }), 422),
  );
  const error = await screenOf(failing, ['orders', 'list'], 200);
  expect(error).not.toMatch(raw);
  const held = paidOrder('ord_1', { customer_info: { name: evil, email: evil } });
  await using desk = await startAnswering(pages([held]));
  const pty = runInPty(
    process.execPath,
    [bin, 'orders', 'refund', 'ord_1', '--reason', 'other', '--note', 'n', '--only-confirm'],
    {
      cwd: desk.home.path,
      env: cleanEnv({ home: desk.home, env: { ...desk.env, NO_COLOR: '1' } }),
    },
  );
  await pty.answer(/Send back .*\?/, '\x03');
  const { transcript } = await pty.end;
  expect(withoutEscapes(transcript).replaceAll('\r', '')).not.toMatch(raw);
  expect(transcript).not.toContain('\x1b]');
  expect(transcript).not.toContain('\x07');
});

test('JSON holds such text escaped and without loss, and every other record keeps its bytes (C29)', async () => {
  const plain = '{"id":"ord_2", "amount" : 1.00, "name":"\\u00e9\\/", "big":12345678901234567890}';
  const sent = JSON.stringify(evilOrder);
  await using desk = await startAnswering(
    reply(`{"object":"list","has_more":false,"data":[${sent},${plain}]}`),
  );
  const [asJson, ndjson] = await each(['--json', '--ndjson'], (flag) => desk.run(['orders', 'list', flag]));
  expect(asJson?.stdout).not.toMatch(raw);
  expect(ndjson?.stdout).not.toMatch(raw);
  expect(JSON.parse(asJson?.stdout ?? '').data[0]).toEqual(JSON.parse(sent));
  const [first, second] = ndjson?.stdout.split('\n') ?? [];
  expect(JSON.parse(first ?? '')).toEqual(JSON.parse(sent));
  expect(second).toBe(plain);
});

test('in a file a CSV has no raw control character but the line breaks and tabs of its cells (C29)', async () => {
  await using desk = await startAnswering(pages([], [evilCustomer]));
  const { stdout } = await desk.run(['customers', 'list', '--csv']);
  expect(stdout).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
});

test.each(['table', 'list', 'json', 'ndjson', 'csv'])(
  'no filler, selector, tag or pile of marks reaches a terminal, -o %s (C29)',
  async (format) => {
    const codes = [0x115f, 0x1160, 0x3164, 0xffa0, 0x34f, 0x2065, 0x180e, 0xfe00, 0xe0101, 0xe0041, 0xe007f];
    const unseen = codes.map((code) => String.fromCodePoint(code));
    const hostile = `Ana${unseen.join('x')}o${'\u0301'.repeat(40)}`;
    await using desk = await startAnswering(
      json(listOf(paidOrder('ord_1', { payment_status: hostile, customer_info: { name: hostile } }))),
    );
    const shown = await screenOf(desk, ['orders', 'list', '-o', format], 200);
    expect(shown).toContain('Ana');
    expect(unseen.filter((one) => shown.includes(one))).toEqual([]);
    expect(shown).not.toMatch(/\u0301{5}/);
    const piped = await desk.run(['orders', 'list', '--ndjson']);
    expect(JSON.parse(piped.stdout)).toMatchObject({ customer_info: { name: hostile } });
  },
);
