/** Bytes that are no text, and names that mean something to JavaScript. */

import { expect, test } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { each } from '../harness/each.ts';
import { paidOrder } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { rawReply, reply } from '../harness/server.ts';
import { pages, startAnswering } from '../harness/service.ts';

const leaks = /\[object |undefined|SyntaxError|TypeError|RangeError|^\s+at /m;
const text = (...names: readonly string[]) =>
  `{"object":"list","has_more":false,"data":[${names
    .map((name, index) => `{"id":"ord_${index + 1}","object":"order","customer_info":{"name":"${name}"}}`)
    .join(',')}]}`;
const latin1 = (body: string) => Buffer.from(body, 'latin1');

const odd: readonly { readonly what: string; readonly sent: string; readonly name: string }[] = [
  { what: 'invalid UTF-8', sent: 'Jos\xe9', name: 'Jos\ufffd' },
  { what: 'a cut UTF-8 character', sent: '\xf0\x9f\x8c', name: '\ufffd' },
  { what: 'overlong UTF-8', sent: '\xc0\xaf', name: '\ufffd\ufffd' },
  { what: 'an escaped lone surrogate', sent: 'a\\ud83cb', name: 'a\ud83cb' },
  { what: 'an escaped NUL', sent: 'a\\u0000b', name: 'a\u0000b' },
];
const bodies: readonly {
  readonly what: string;
  readonly body: Uint8Array;
  readonly names: readonly string[];
}[] = [
  {
    what: odd.map(({ what }) => what).join(', '),
    body: latin1(text(...odd.map(({ sent }) => sent))),
    names: odd.map(({ name }) => name),
  },
  { what: 'a byte order mark', body: Buffer.from(`\ufeff${text('Ana')}`), names: ['Ana'] },
];

test.each(bodies)(
  '$what is shown with stand-ins, and JSON stays JSON (F65)',
  async ({ body, names: expected }) => {
    await using desk = await startAnswering(reply(body, 200, { 'content-type': 'application/json' }));
    const lines = [['--json'], ['--csv'], [], ['-o', 'list']];
    const ran = await each(lines, (more) => desk.run(['orders', 'list', ...more]));
    for (const { code, stdout, stderr } of ran) {
      expect(code, stderr).toBe(0);
      expect(stdout).not.toMatch(/[\0\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])/);
      expect(stdout + stderr).not.toMatch(leaks);
    }
    const { data } = JSON.parse(ran[0]?.stdout ?? '') as {
      readonly data: readonly { readonly customer_info: { readonly name: string } }[];
    };
    expect(data.map(({ customer_info: { name } }) => name)).toEqual(expected);
  },
);

test.each([
  { what: 'UTF-16, little end first', body: Buffer.from(`\ufeff${text('Ana')}`, 'utf16le') },
  { what: 'UTF-16, big end first', body: Buffer.from(`\ufeff${text('Ana')}`, 'utf16le').swap16() },
  { what: 'UTF-16 without a mark', body: Buffer.from(text('Ana'), 'utf16le') },
  { what: 'a raw NUL between tokens', body: Buffer.from(`${text('Ana')}\0`) },
  { what: 'a raw control character in a string', body: Buffer.from(text('a\x01b')) },
])('$what is no JSON: exit 1 in clear words (F65)', async ({ body }) => {
  await using desk = await startAnswering(reply(body, 200, { 'content-type': 'application/json' }));
  const ran = await desk.run(['orders', 'list']);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/not JSON|UTF-16/);
  expect(ran.stderr).not.toMatch(leaks);
});

test.each(['x-a: b\x00c', 'x-a: b\x07c', 'x\x01: b', 'location: \x1b[2J', 'retry-after: \x1b]0;x\x07'])(
  'a control character in a header (%j) ends in clear words, without it (F65)',
  async (header) => {
    const body = text('Ana');
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${header}`;
    await using desk = await startAnswering(rawReply(Buffer.from(`${head}\r\n\r\n${body}`, 'latin1')));
    const ran = await desk.run(['orders', 'list']);
    expect([0, 1]).toContain(ran.code);
    expect(ran.stdout + ran.stderr).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    expect(ran.stderr).not.toMatch(leaks);
  },
);

const names = ['__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty', 'valueOf'];

test('names that mean something to JavaScript are metadata keys like any other (F66)', async () => {
  const metadata = `{${names.map((name) => `"${name}":"of ${name}"`).join(',')}}`;
  const polluting = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
  const sent = `{"id":"ord_1","object":"order","amount":100,"currency":"__proto__","metadata":${metadata},${polluting}}`;
  await using desk = await startAnswering(
    reply(`{"object":"list","has_more":false,"__proto__":{"a":1},"data":[${sent}]}`),
  );
  const lines = [
    ['orders', 'show', 'ord_1'],
    ['orders', 'show', 'ord_1', '-o', 'list'],
    ['orders', 'show', 'ord_1', '--json'],
    ['orders', 'list', '--csv'],
    ['orders', 'list'],
  ];
  const ran = await each(lines, (line) => desk.run(line));
  for (const { code, stderr } of ran) {
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(leaks);
  }
  for (const name of names) {
    expect(ran[0]?.stdout).toContain(`${name}=of ${name}`);
    expect(ran[1]?.stdout).toContain(`metadata.${name}: of ${name}`);
  }
  expect(ran[2]?.stdout).toBe(`${sent}\n`);
  expect(readCsv(ran[3]?.stdout ?? '')[1]?.slice(0, 6)).toEqual(['ord_1', '', '', '100', '', '__proto__']);
});

test('as a column, a profile, a topic or a command such a name is unknown and shown as it is (F66)', async () => {
  await using desk = await startAnswering(pages([paidOrder('ord_1')]));
  using home = newHome();
  for (const name of ['__proto__', 'constructor']) {
    const [column, flag, command, topic, profile, format] = await Promise.all([
      desk.run(['orders', 'list', '--columns', `id,${name}`]),
      desk.run(['orders', 'list', `--${name}`, 'x']),
      desk.run([name]),
      desk.run(['help', name]),
      paydesk(['-p', name, 'orders', 'list'], { home }),
      desk.run(['orders', 'list', '-o', name]),
    ]);
    for (const ran of [column, flag, command, topic, format]) {
      expect(ran, name).toMatchObject({ code: 2, stdout: '' });
    }
    expect([2, 4], name).toContain(profile.code);
    for (const { stderr } of [column, flag, command, topic, profile, format]) {
      expect(stderr).toContain(name);
      expect(stderr).not.toMatch(leaks);
    }
  }
  expect(desk.server.connections).toBe(0);
});

test('numbers that JavaScript cannot hold are shown as they came, in metadata as well (F66)', async () => {
  const sent =
    '{"id":"ord_1","amount":12345678901234567890,"created_at":1e20,"metadata":{"big":12345678901234567890,"in":{"big":98765432109876543210}}}';
  await using desk = await startAnswering(reply(`{"object":"list","has_more":false,"data":[${sent}]}`));
  const lines = [
    ['orders', 'show', 'ord_1'],
    ['orders', 'list'],
    ['orders', 'show', 'ord_1', '--json'],
  ];
  const ran = await each(lines, (line) => desk.run(line));
  for (const { code, stdout, stderr } of ran) {
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('12345678901234567890');
  }
  expect(ran[0]?.stdout).toContain('98765432109876543210');
  expect(ran[2]?.stdout).toBe(`${sent}\n`);
});
