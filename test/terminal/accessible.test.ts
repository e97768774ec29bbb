/** Languages and zones change nothing for scripts; people who cannot use a redrawn screen get plain lines. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { paidOrder } from '../harness/orders.ts';
import { type Home, newHome, onScreen, paydesk } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';
import { environment } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

let desk: Desk;
// The one whose orders are refunded, beside the one that must answer the same every time.
let changing: Desk;
let orders: readonly Order[];
beforeAll(async () => {
  [desk, changing] = await Promise.all([
    startDesk({ args: ['--orders', '60'] }),
    startDesk({ args: ['--orders', '60'] }),
  ]);
  orders = await desk.orders();
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await changing[Symbol.asyncDispose]();
});

const paidOnce = (index: number): Order => {
  const found = orders.filter(
    ({ payment_status, charges }) => payment_status === 'paid' && charges?.data.length === 1,
  )[index];
  if (found === undefined) throw new Error('the seed has no such order');
  return found;
};

describe.concurrent('language and zone of the machine (L78)', () => {
  const settings = [
    { LANG: 'es_MX.UTF-8', TZ: 'Asia/Tokyo' },
    { LC_ALL: 'C' },
    { TZ: 'America/Mexico_City', LC_ALL: 'tr_TR.UTF-8' },
  ];
  test.each([
    { args: ['orders', 'list', '--all', '--json'], under: settings },
    { args: ['orders', 'list', '--all', '--csv'], under: settings },
    { args: ['customers', 'list', '--all', '--csv'], under: settings.slice(0, 1) },
  ])('change no byte of $args, and its CSV times are ISO 8601 in UTC', async ({ args, under }) => {
    using home = newHome();
    const plain = await paydesk(args, { home, env: desk.env });
    expect(plain.code).toBe(0);
    expect(plain.stdout.length).toBeGreaterThan(5_000);
    for (const env of under) {
      const ran = await paydesk(args, { home, env: { ...desk.env, ...env } });
      expect(ran.stdout === plain.stdout, JSON.stringify(env)).toBe(true);
    }
    if (!args.includes('--csv')) return;
    const [head = '', first = ''] = plain.stdout.split('\n');
    expect(head.split(',')).toContain('created_at');
    expect(first).toMatch(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.000)?Z/);
  });

  test.each([
    { tz: 'Asia/Tokyo', list: 'CREATED +09', show: 'UTC+9' },
    { tz: 'America/Mexico_City', list: 'CREATED -06', show: 'UTC-6' },
    { tz: 'Asia/Kolkata', list: 'CREATED +05:30', show: 'UTC+5:30' },
  ])('times for people say their zone: $tz', async ({ tz, list, show }) => {
    using home = newHome();
    const env = { ...desk.env, TZ: tz };
    expect((await paydesk(['orders', 'list'], { home, env })).stdout).toContain(list);
    const one = await paydesk(['orders', 'show', paidOnce(0).id], { home, env });
    expect(one.stdout).toMatch(new RegExp(`created .*\\d\\d:\\d\\d.* ${show.replace('+', '\\+')}`));
  });

  test('and --utc says that it is UTC', async () => {
    using home = newHome();
    const env = { ...desk.env, TZ: 'Asia/Tokyo' };
    expect((await paydesk(['orders', 'list', '--utc'], { home, env })).stdout).toContain('CREATED UTC');
  });

  test('--lang es asks for Spanish, and what the service says in it is printed', async () => {
    using home = newHome();
    await using server = await startServer((request, response, socket) => {
      const spanish = request.headers['accept-language'] === 'es';
      const message = spanish ? 'La orden no existe, señor Núñez' : 'The order does not exist';
      const details = [{ debug_message: 'order missing', message, param: null, code: 'acme.errors.x' }];
      return json({ object: 'error', type: 'resource_not_found_error', log_id: 'l1', details }, 404)(
        request,
        response,
        socket,
      );
    });
    const env = environment(server.url);
    const spanish = await paydesk(['orders', 'list', '--lang', 'es'], { home, env });
    expect(spanish.stderr).toContain('La orden no existe, señor Núñez');
    const byVariable = await paydesk(['orders', 'list'], { home, env: { ...env, PAYDESK_LANG: 'es' } });
    expect(byVariable.stderr).toContain('La orden no existe, señor Núñez');
    const unasked = await paydesk(['orders', 'list'], { home, env: { ...env, LANG: 'es_MX.UTF-8' } });
    expect(unasked.stderr).toContain('The order does not exist');
  });

  test('names in any script survive from the service to every format and screen', async () => {
    using home = newHome();
    const names = [
      'José Ñandú',
      '王小明',
      'สมชาย ใจดี',
      'דנה כהן',
      'محمد علي',
      'Nguyễn Thị Hồng Ánh',
      '👩‍👩‍👧 Ana',
    ];
    const data = names.map((name, index) =>
      paidOrder(`ord_${index}`, { customer_info: { object: 'customer_info', name } }),
    );
    await using server = await startServer(json({ object: 'list', has_more: false, data }));
    const env = {
      ...environment(server.url),
      LC_ALL: 'C',
    };
    for (const format of ['json', 'ndjson', 'csv', 'list']) {
      const ran = await paydesk(['orders', 'list', '-o', format], { home, env });
      for (const name of names) expect(ran.stdout, format).toContain(name);
    }
    const { screen } = await onScreen(['orders', 'list'], { home, env, columns: 160 });
    for (const name of names) expect(screen).toContain(name);
  });
});

// Anything but a line end, and colour where colour is not ruled out, moves the cursor or hides it.
const movement = /\x1b(?!\[[\d;]*m)|\r(?!\n)|\x08/;

describe.concurrent('line prompts: nothing is redrawn (L79)', () => {
  const styles = [
    { name: 'PAYDESK_ACCESSIBLE=1', env: { PAYDESK_ACCESSIBLE: '1' } },
    { name: 'TERM=dumb', env: { TERM: 'dumb' } },
  ];

  test.each(styles.map((style, index) => ({ ...style, index })))(
    'a whole refund under $name',
    async ({ env, index }) => {
      using home = newHome();
      const target = paidOnce(index);
      const terminal = atTerminal(['orders', 'refund'], { home, env: { ...changing.env, ...env } });
      await terminal.answer('Which order?', '');
      await terminal.answer('type a number, words to search, or Enter for more: ', `${target.id}\r`);
      await terminal.answer(new RegExp(`1  [\\s\\S]*${target.id}[\\s\\S]*Enter for more: `), '1\r');
      await terminal.answer('How much?', '7\r');
      await terminal.answer('Why?', '');
      await terminal.answer('1  the buyer asked for it', '');
      await terminal.answer('type a number, 1 to 6', '5\r');
      await terminal.answer('Note', '\r');
      await terminal.answer(/Send back .*\? \(y\/N\)/, 'maybe\r');
      await terminal.answer('type y for yes', '');
      await terminal.answer(/Send back .*\? \(y\/N\)/, 'y\r');
      const ended = await terminal.end;
      expect(ended.exitCode).toBe(0);
      expect(ended.transcript).not.toMatch(movement);
      expect((await changing.order(target.id)).amount_refunded).toBe(7);
      expect(
        JSON.parse(changing.changes().find(({ url }) => url.includes(target.id))?.body ?? ''),
      ).toMatchObject({
        amount: 7,
        reason: 'other',
      });
    },
  );

  test.each(styles)('a list under $name is Field: value lines', async ({ env }) => {
    using home = newHome();
    const seen = { NO_COLOR: '', ...desk.env, ...env };
    const { code, screen, written } = await onScreen(['orders', 'list', '--all'], {
      home,
      env: seen,
      columns: 80,
    });
    expect(code).toBe(0);
    expect(written).not.toMatch(movement);
    expect(screen).toMatch(/^id: ord_/m);
  });

  // The second page is held back until the screen tells of the wait.
  async function waitingFor(
    home: Home,
    env: Readonly<Record<string, string>>,
    shown: RegExp,
  ): Promise<string> {
    const held = Promise.withResolvers<void>();
    await using server = await startServer(async (request, response, socket) => {
      const first = request.index === 0;
      if (!first) await held.promise;
      const data = [paidOrder(first ? 'ord_1' : 'ord_2')];
      return json({ object: 'list', has_more: first, data })(request, response, socket);
    });
    const service = environment(server.url);
    const terminal = atTerminal(['orders', 'refund'], { home, env: { ...service, ...env } });
    await terminal.waitFor('Which order?');
    await terminal.waitFor(shown);
    held.resolve();
    await terminal.waitFor('all 2 orders');
    terminal.type('\x04');
    return (await terminal.end).transcript;
  }

  test('a long walk tells of itself in a line that is redrawn', async () => {
    using home = newHome();
    expect(await waitingFor(home, {}, /reading on/)).toMatch(movement);
  });

  test('a long walk tells of itself in lines of their own under PAYDESK_ACCESSIBLE=1', async () => {
    using home = newHome();
    const transcript = await waitingFor(
      home,
      { PAYDESK_ACCESSIBLE: '1' },
      /the newest 1 order, back to .*reading on\r\n/,
    );
    expect(transcript).not.toMatch(movement);
  });

  test('under TERM=dumb there is not even colour', async () => {
    using home = newHome();
    const terminal = atTerminal(['orders', 'refund', paidOnce(2).id], {
      home,
      env: { ...desk.env, TERM: 'dumb' },
    });
    await terminal.answer('How much?', '\r');
    await terminal.answer('type a number', '6\r');
    await terminal.answer('Note', '\r');
    await terminal.answer(/Send back .*\?/, '\r');
    const ended = await terminal.end;
    expect(ended.exitCode).toBe(3);
    expect(ended.transcript).not.toContain('\x1b');
  });
});
