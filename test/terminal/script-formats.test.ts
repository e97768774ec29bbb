/** The formats for scripts. */

import { expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { each } from '../harness/each.ts';
import { leafCommands } from '../harness/help-text.ts';
import {
  chargeOf,
  customerOf,
  errorBody,
  listBeforeMore,
  listOf,
  paidOrder,
  refundOf,
} from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { cutBody, type Handler, inTurn, json, reply } from '../harness/server.ts';
import { pages, startAnswering } from '../harness/service.ts';

const escapes = /\x1b/;
const forced = { FORCE_COLOR: '1' };

/** Lines that make each command do its work on a fresh demo; the others run as they are, and may fail. */
const lines: Readonly<Record<string, readonly string[]>> = {
  'orders list': ['--limit', '3'],
  'orders show': ['ord_2tQ7zRk9PwE5xNvAm'],
  'orders refund': ['ord_2tQ7zRk9PwE5xNvAm', '--charge', '2', '--yes'],
  'orders capture': ['ord_2tQ7sLf1DtX6kPjQr', '--yes'],
  'customers list': ['--limit', '3'],
  'customers show': ['cus_2sZp8LmQ4tVx'],
  'orders find': ['Ana', '--max', '20'],
  'journal list': [],
  'journal reconcile': ['--all'],
  'journal verify': [],
  'profile list': [],
  'profile show': ['demo'],
  'profile check': ['demo'],
  'simulator reset': [],
};
/** They wait for others: every test that starts a simulator reads its one line, and test/mcp speaks as an agent. */
const waiting = ['simulator serve', 'mcp'];

test('with --json every command prints one document and no escape, or fails with one error object (C20, C21)', async () => {
  const commands = (await leafCommands()).filter(
    (words) => !['help', 'completion'].includes(words[0] ?? '') && !waiting.includes(words.join(' ')),
  );
  const ran = await each(commands, async (words) => {
    using own = newHome();
    const more = lines[words.join(' ')] ?? [];
    return await paydesk(['-p', 'demo', ...words, ...more, '--json', '--no-input'], {
      home: own,
      env: forced,
    });
  });
  for (const [index, words] of commands.entries()) {
    const name = words.join(' ');
    const { code, stdout, stderr } = ran[index] ?? { code: null, stdout: '', stderr: '' };
    expect(stdout, name).not.toMatch(escapes);
    if (lines[name] !== undefined) expect(code, `${name}\n${stderr}`).toBe(0);
    if (code === 0) {
      expect(stdout.endsWith('\n'), name).toBe(true);
      expect(JSON.parse(stdout), name).toBeTypeOf('object');
      expect(stderr, name).not.toContain('"object"');
    } else {
      expect(stdout, name).toBe('');
      expect(JSON.parse(stderr), name).toMatchObject({ object: 'error', exit_code: code });
    }
  }
});

test('--ndjson is one document a line, a record of a list is what the service sent, byte for byte, and stderr has nothing of it (C20)', async () => {
  const sent =
    '{ "id":"ord_1",\t"object":"order", "livemode":false,"amount":1.0e2, "new_field":{"a":[1, 2]} }';
  // A tab between tokens could move the cursor of a terminal.
  const oneLine = sent.replace('\t', '');
  await using desk = await startAnswering(
    reply(`{"object":"list","has_more":false,"data":[ ${sent} , {"id":"ord_2","livemode":false}]}`),
  );
  const [asJson, asLines] = await each(['--json', '--ndjson'], (flag) =>
    desk.run(['orders', 'list', flag], { env: forced }),
  );
  expect(asLines?.stdout).toBe(`${oneLine}\n{"id":"ord_2","livemode":false}\n`);
  expect(asJson?.stdout).toBe(
    `{"object":"list","data":[\n${oneLine},\n{"id":"ord_2","livemode":false}\n],"has_more":false}\n`,
  );
  for (const ran of [asJson, asLines]) expect(ran?.stderr).not.toMatch(/ord_|new_field/);
});

interface Failure {
  readonly name: string;
  readonly code: number;
  readonly line: readonly string[];
  readonly handler: () => Handler;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

const firstPage = json(listBeforeMore(paidOrder('ord_1'), paidOrder('ord_2')));
// Both formats where they differ, and for a line that is not understood; else one of them: one place prints all errors.
const both = ['--json', '--ndjson'] as const;
const failures: readonly Failure[] = [
  { name: 'a wrong flag', code: 2, line: ['orders', 'list', '--limt', '5'], handler: () => json({}) },
  {
    name: 'an unknown command',
    code: 2,
    line: ['orders', 'lst'],
    handler: () => json({}),
    flags: ['--json'],
  },
  {
    name: 'an unknown column',
    code: 2,
    line: ['orders', 'list', '--columns', 'x'],
    handler: () => json({}),
    flags: ['--json'],
  },
  {
    name: 'no mode',
    code: 4,
    line: ['orders', 'list'],
    handler: () => json({}),
    env: { PAYDESK_MODE: '' },
    flags: ['--ndjson'],
  },
  {
    name: 'a refused key',
    code: 4,
    line: ['orders', 'list'],
    handler: () => json(errorBody(), 401),
    flags: ['--json'],
  },
  {
    name: 'an order of the other mode',
    code: 3,
    line: ['orders', 'refund', 'ord_1', '--yes'],
    handler: () => pages([paidOrder('ord_1', { livemode: true })]),
    flags: ['--ndjson'],
  },
  {
    name: 'no such order',
    code: 5,
    line: ['orders', 'show', 'ord_9'],
    handler: () => pages([paidOrder('ord_1')]),
    flags: ['--json'],
  },
  {
    name: 'an HTML page',
    code: 1,
    line: ['orders', 'list'],
    handler: () => reply('<html>', 200, { 'content-type': 'text/html' }),
    flags: ['--json'],
  },
  {
    name: 'a refused page size',
    code: 5,
    line: ['orders', 'list', '--limit', '999'],
    handler: () => json(errorBody(), 422),
    flags: ['--ndjson'],
  },
  {
    name: 'a second page that is HTML',
    code: 9,
    line: ['orders', 'list', '--all'],
    handler: () => inTurn(firstPage, reply('<html>')),
  },
];

test.each(failures)('under --json or --ndjson, $name fails with one error object (C21)', async (failure) => {
  const { code, line, handler, env, flags = both } = failure;
  for (const flag of flags) {
    await using desk = await startAnswering(handler());
    const ran = await desk.run([...line, flag], { env: { ...forced, ...env } });
    expect(ran.code, ran.stderr).toBe(code);
    expect(ran.stderr.endsWith('\n') && ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(ran.stderr)).toMatchObject({ object: 'error', exit_code: code });
    expect(ran.stdout + ran.stderr).not.toMatch(escapes);
    if (code === 9 && flag === '--json') {
      expect(JSON.parse(ran.stdout)).toMatchObject({ object: 'list', has_more: true });
      expect(JSON.parse(ran.stdout).data).toHaveLength(2);
    } else if (code === 9) {
      expect(
        ran.stdout
          .trimEnd()
          .split('\n')
          .map((text) => JSON.parse(text).id),
      ).toEqual(['ord_1', 'ord_2']);
    } else {
      expect(ran.stdout).toBe('');
    }
  }
});

test('a cut reply in the middle of a CSV leaves whole rows, and the error is for people (C21)', async () => {
  await using desk = await startAnswering(
    inTurn(firstPage, cutBody('{"object":"list","data":[{"id":"ord_3"')),
  );
  const ran = await desk.run(['orders', 'list', '--all', '--csv', '--columns', 'id,amount']);
  expect(ran.code).toBe(9);
  expect(ran.stdout).toBe('id,amount\nord_1,35000\nord_2,35000\n');
  expect(ran.stderr).toContain('incomplete:');
  expect(ran.stderr).toContain('--next ord_2');
});

const nasty = 'line one\nline two\ttab, "quoted", comma\r\nend';

test('a piped table and ndjson hold one record a line whatever a name holds (C30)', async () => {
  await using desk = await startAnswering(
    pages([], [customerOf('cus_1', { name: nasty, email: 'a\u2028b\vc\u0085d' }), customerOf('cus_2')]),
  );
  const [table, ndjson] = await each([[], ['--ndjson']], (more) => desk.run(['customers', 'list', ...more]));
  expect(table?.stdout.trimEnd().split(/[\n\r\v\u0085\u2028]/)).toHaveLength(3);
  expect(table?.stdout).toContain('line one line two tab, "quoted", comma end');
  const records = ndjson?.stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(records).toMatchObject([{ id: 'cus_1', name: nasty, email: 'a\u2028b\vc\u0085d' }, { id: 'cus_2' }]);
});

test('CSV comes back whole out of a reader of its own (C30)', async () => {
  const names = [nasty, '"', ',', '""\n""', 'José Ángel', '王小明 🌵', ' spaces ', 'a\rb', '', 'end,'];
  await using desk = await startAnswering(
    pages(
      [],
      names.map((name, index) => customerOf(`cus_${index}`, { name, email: `e${index}`, phone: '' })),
    ),
  );
  const { stdout } = await desk.run(['customers', 'list', '--csv', '--columns', 'id,name,email,phone']);
  const [heading, ...rows] = readCsv(stdout);
  expect(heading).toEqual(['id', 'name', 'email', 'phone']);
  // No name here holds an apostrophe of its own; the ones that disarm formulas are taken away again.
  const texts = rows.map((row) => row.map((cell) => cell.replaceAll("'", '')));
  expect(texts).toEqual(names.map((name, index) => [`cus_${index}`, name, `e${index}`, '']));
});

test('CSV: booleans, ISO times, integers, negative refunds, formulas disarmed, a stable heading (C31)', async () => {
  const rows = [
    paidOrder('ord_1', {
      amount: 9_007_199_254_740_991,
      amount_refunded: 12_000,
      charges: listOf(chargeOf('ch_1', 9_007_199_254_740_991, { refunds: listOf(refundOf('rf_1', 12_000)) })),
      split_payment: false,
      channel: '=HYPERLINK("http://evil.example")',
      updated_at: 0,
      customer_info: { name: '+52 1', email: '@cmd', phone: '-1+2' },
    }),
    paidOrder('ord_2', {
      payment_status: '\t=1',
      customer_info: { name: '＝1+1', email: '|calc', phone: '5' },
    }),
    { id: 'ord_3' },
  ];
  await using desk = await startAnswering(pages(rows));
  const { stdout } = await desk.run(['orders', 'list', '--csv']);
  const [heading = [], ...records] = readCsv(stdout);
  expect(heading).toEqual(
    'id,created_at,payment_status,amount,amount_refunded,currency,customer_info.name,customer_info.email,customer_info.phone,customer_info.customer_id,is_refundable,split_payment,livemode,channel,updated_at'.split(
      ',',
    ),
  );
  const cell = (row: number, name: string) => records[row]?.[heading.indexOf(name)];
  expect(cell(0, 'is_refundable')).toBe('true');
  expect(cell(0, 'split_payment')).toBe('false');
  expect(cell(0, 'created_at')).toBe('2026-09-21T14:13:20Z');
  expect(cell(0, 'updated_at')).toBe('1970-01-01T00:00:00Z');
  expect(cell(0, 'amount')).toBe('9007199254740991');
  expect(cell(0, 'channel')).toBe('\'=HYPERLINK("http://evil.example")');
  expect(cell(0, 'customer_info.name')).toBe("'+52 1");
  expect(cell(0, 'customer_info.email')).toBe("'@cmd");
  expect(cell(0, 'customer_info.phone')).toBe("'-1+2");
  expect(cell(1, 'payment_status')).toBe("'\t'=1");
  expect(cell(1, 'customer_info.name')).toBe("'＝1+1");
  expect(cell(1, 'customer_info.email')).toBe("'|calc");
  expect(records[2]).toEqual(['ord_3', ...heading.slice(1).map(() => '')]);
  // The record of a refund is negative, and the sum of them is positive.
  const columns = 'refunded,charges.1.refunds.1.amount,id';
  const refunded = await desk.run(['orders', 'list', '--csv', '--no-header', '--columns', columns]);
  expect(refunded.stdout).toBe('12000,-12000,ord_1\n,,ord_2\n,,ord_3\n');
});

test('--no-header leaves the heading out of table and CSV and changes nothing else (C31)', async () => {
  await using desk = await startAnswering(pages([paidOrder('ord_1'), paidOrder('ord_2')]));
  for (const format of ['csv', 'table']) {
    const [headed, bare] = await each([[], ['--no-header']], (more) =>
      desk.run(['orders', 'list', '-o', format, ...more]),
    );
    expect(bare?.stdout, format).toBe(headed?.stdout.replace(/^.*\n/, ''));
  }
});

test('an empty list exits 0: an empty envelope, a heading alone, and words on stderr for people (C32)', async () => {
  await using desk = await startAnswering(pages([]));
  const formats = ['json', 'ndjson', 'csv', 'table', 'list'];
  const [asJson, ndjson, csv, table, list] = await each(formats, (format) =>
    desk.run(['orders', 'list', '-o', format]),
  );
  expect(asJson).toMatchObject({ code: 0 });
  expect(JSON.parse(asJson?.stdout ?? '')).toEqual({ object: 'list', data: [], has_more: false });
  expect(ndjson).toMatchObject({ code: 0, stdout: '' });
  expect(csv).toMatchObject({ code: 0 });
  expect(readCsv(csv?.stdout ?? '')).toHaveLength(1);
  for (const ran of [table, list]) {
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran?.stderr).toContain('No orders');
  }
});

test('a filter that nothing passes gives an empty list as well (C32)', async () => {
  await using desk = await startAnswering(pages([paidOrder('ord_1')]));
  const ran = await desk.run(['orders', 'list', '--status', 'nonsense', '--json']);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({ object: 'list', data: [], has_more: false });
  expect(ran.stderr).toContain('No orders');
});

test('a change prints the object of the service and a dry run its own record (C20)', async () => {
  using home = newHome();
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  const dry = await paydesk(['-p', 'demo', 'orders', 'refund', id, '--charge', '2', '--dry-run', '--json'], {
    home,
  });
  expect(JSON.parse(dry.stdout)).toMatchObject({ object: 'dry_run', method: 'POST' });
  const done = await paydesk(['-p', 'demo', 'orders', 'refund', id, '--charge', '2', '-y', '--json'], {
    home,
  });
  expect(JSON.parse(done.stdout)).toMatchObject({ object: 'order', id, amount_refunded: 29_000 });
});
