/** What a screen says to do next: after a No, a missing value, a mistyped name, or a setting that does not exist. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chargeOf, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { startCreations, startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

describe('profile add', () => {
  test('after a No to a file for the key says with which command the key goes there', async () => {
    using home = newHome();
    const words = ['profile', 'add', 'shop', '--base-url', 'https://pay.example.com', '--mode', 'sandbox'];
    const terminal = atTerminal(words, { home, columns: 160 });
    await terminal.answer('keep the key in a file that only you can read?', '\r');
    const { exitCode, transcript } = await terminal.end;
    expect(exitCode).toBe(3);
    expect(inOneLine(transcript)).toContain(
      'paydesk profile add shop --base-url https://pay.example.com --mode sandbox --key-store file',
    );
  });

  const lead = { base_url: 'https://pay.example.com', mode: 'sandbox' };
  const addFrom = async (settings: Readonly<Record<string, string>>, ...more: readonly string[]) => {
    using home = newHome();
    writeFileSync(join(home.path, 'lead.json'), JSON.stringify({ ...lead, settings }));
    const words = ['profile', 'add', 'shop', '--from', 'lead.json', '--key-stdin', '--key-store', 'file'];
    return await paydesk([...words, '--no-check', ...more], { home, input: 'key_A1b2C3d4E5f6G7h8' });
  };

  test('--from shows the settings that it took', async () => {
    const ran = await addFrom({ 'refund.require': 'reason', 'amounts.decimals.MXN': '2' });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/refund\.require +reason\n/);
    expect(ran.stdout).toMatch(/amounts\.decimals\.MXN +2\n/);
    const { stdout } = await addFrom({ 'refund.require': 'reason' }, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ settings: { 'refund.require': 'reason' } });
    expect((await addFrom({})).stdout).not.toContain('settings');
  });

  test('--from with a setting that does not exist names the file, and invents no currency', async () => {
    const { code, stderr } = await addFrom({ 'refund.max_amoun': '100' });
    expect(code).toBe(2);
    expect(stderr).toContain('--from lead.json: there is no setting refund.max_amoun\n');
    expect(stderr).toContain('did you mean refund.max_amount.CUR');
    expect(stderr).not.toContain('.MAX');
  });

  const addText = async (text: string) => {
    using home = newHome();
    writeFileSync(join(home.path, 'lead.json'), text);
    return await paydesk(['profile', 'add', 'shop', '--from', 'lead.json'], { home });
  };
  const withSetting = (name: string, value: unknown) =>
    JSON.stringify({ ...lead, settings: { [name]: value } });

  test.each([
    ['amounts.grouping', true, 'must be text in double quotes: on or off'],
    ['refund.require', ['note'], 'must be text in double quotes: one of: reason / note / reason,note / none'],
    ['refund.max_amount.MXN', true, 'must be text or a number, for example "50000"'],
  ])('--from with a value of another kind for %s says what it may be', async (name, value, says) => {
    const { code, stderr } = await addText(withSetting(name, value));
    expect(code).toBe(2);
    expect(stderr).toContain(`--from lead.json: settings.${name} ${says}\n`);
    expect(stderr).toContain(
      `now:     correct ${name} in the file of --from, then run the same command again\n`,
    );
  });

  test('--from with a mistyped name and a value of another kind says that there is no such setting', async () => {
    const { code, stderr } = await addText(withSetting('amounts.grupping', true));
    expect(code).toBe(2);
    expect(stderr).toContain('--from lead.json: there is no setting amounts.grupping\n');
    expect(stderr).toContain('did you mean amounts.grouping?\n');
  });

  test.each([
    ['a comma is missing', '{\n"mode": "sandbox"\n"lang": "es"\n}\n', 3],
    ['a comma is too much', '{\n"mode": "sandbox",\n}\n', 3],
    ['a text has no quotes', '{\n"mode": sEcReT,\n"lang": "es"\n}\n', 2],
    ['a word is no word of JSON', '{\n"mode": tru\n}\n', 2],
    ['its end is missing', '{\n"mode": "sandbox",\n', 2],
    ['it is empty', '', 1],
    ['it is a text', 'sEcReT\n', 1],
  ])('--from with a file that is not JSON names the line: %s', async (_, text, line) => {
    const { code, stderr } = await addText(text);
    expect(code).toBe(2);
    expect(stderr).toContain(`--from lead.json: it is not JSON (line ${line})\n`);
    expect(stderr).toContain('now:     look there for a missing comma');
    expect(stderr).not.toContain('sEcReT');
  });
});

test('profile set of the demo says what to change instead', async () => {
  using home = newHome();
  const { code, stderr } = await paydesk(['profile', 'set', 'demo', 'refund.require', 'reason'], { home });
  expect(code).toBe(3);
  expect(stderr).toContain(
    'now:     add an account of your own, which has settings: paydesk profile add NAME',
  );
});

test('the shop’s number in place of an id leads to the id of that order', async () => {
  using home = newHome();
  const { code, stderr } = await paydesk(['-p', 'demo', 'orders', 'refund', 'A-99998', '--yes'], { home });
  expect(code).toBe(2);
  expect(stderr).toContain('paydesk -p demo orders refund ord_2tQ7zRk9PwE5xNvAm --yes');
});

describe('orders refund', () => {
  const charge = chargeOf('ch_1', 20_000);

  test('in production without what the profile requires prints a whole line', async () => {
    await using service = await startService({ orders: [orderOf('ord_1', [charge])], mode: 'production' });
    await storeShop(service.home, service, { 'refund.require': 'reason,note' });
    const words = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--charge', '1', '--amount', '300', '--yes'];
    const { code, stderr } = await paydesk(words, { home: service.home });
    expect(code).toBe(2);
    expect(inOneLine(stderr)).toContain(
      'paydesk -p shop orders refund ord_1 --charge 1 --amount 300 --reason REASON --note TEXT --confirm ord_1',
    );
    expect(service.posts).toEqual([]);
    const script = await paydesk([...words, '--json'], { home: service.home });
    expect(JSON.parse(script.stderr).commands).toEqual([['paydesk', 'orders', 'refund', '--help']]);
  });

  test('calls a refund of this minute one of just now', async () => {
    const refund = newRefundOf('rf_1', 300, { created_at: Math.floor(Date.now() / 1000) });
    await using service = await startService({
      orders: [withRefund(orderOf('ord_1', [charge]), refund, 300)],
    });
    const words = ['orders', 'refund', 'ord_1', '--charge', '1', '--amount', '5', '--dry-run'];
    const { stderr, stdout } = await service.run(words);
    expect(inOneLine(stderr)).toContain('rf_1 refunded 300 of charge 1 just now:');
    expect(stderr).not.toContain('will send once');
    expect(await service.run([...words, '--quiet'])).toEqual({ code: 0, signal: null, stdout, stderr: '' });
    expect(stdout).toBe(`would send: POST /orders/ord_1/refunds
body: {"charge_id":"ch_1", "amount":5}
nothing was sent (--dry-run)
`);
  });
});

test('what was picked stays on the screen with the name of its buyer', async () => {
  const order = orderOf('ord_1', [chargeOf('ch_1', 20_000)], { customer_info: { name: 'Ana Torres' } });
  await using service = await startService({ orders: [order] });
  const person = sit(['orders', 'refund'], { home: service.home, env: service.env }, 120);
  await person.answer('Ana Torres', '\r');
  await person.answer('How much?', '\x03');
  expect((await person.leaves).screen).toMatch(/Which order\? Ana Torres {2}\*4242 {2}20000 MXN {2}ord_1/);
});

test('Esc at the yes of a capture leads back to the question which order', async () => {
  const waits = (id: string) =>
    orderOf(id, [chargeOf(`ch_${id}`, 20_000, { status: 'pre_authorized' })], {
      payment_status: 'pre_authorized',
    });
  await using service = await startService({ orders: [waits('ord_1'), waits('ord_2')] });
  const person = sit(['orders', 'capture'], { home: service.home, env: service.env }, 120);
  await person.waitFor('Which order?');
  await person.answer('ord_1', '\r');
  await person.answer('Capture 20000 MXN?', '\x1b');
  await person.answer('Which order?', '\x03');
  expect((await person.leaves).code).toBe(130);
  expect(service.posts).toEqual([]);
});

test('the preview of a capture has the shop’s number', async () => {
  const order = orderOf('ord_1', [chargeOf('ch_1', 20_000, { status: 'pre_authorized' })], {
    payment_status: 'pre_authorized',
    metadata: { shop_order: 'A-77' },
  });
  await using service = await startService({ orders: [order] });
  const person = sit(['orders', 'capture', 'ord_1'], { home: service.home, env: service.env });
  await person.answer('Capture 20000 MXN?', '\r');
  expect((await person.leaves).screen).toMatch(/^buyer .* shop_order=A-77 *$/m);
});

describe('orders create', () => {
  test('says in every question whose money it is, and after a No the command for later, which works', async () => {
    await using service = await startCreations();
    const person = sit(['orders', 'create'], { home: service.home, env: service.env }, 200);
    await person.answer(/\[sandbox\] currency/i, 'MXN\r');
    await person.answer('[sandbox] Item: its name, or NAME:PRICE:QTY', 'Wool blanket:300:2\r');
    await person.answer('[sandbox] Another item', '\r');
    await person.answer('[sandbox] Id of the customer', '\r');
    await person.answer('[sandbox] Add a checkout?', '\r');
    await person.answer('[sandbox] Add item details, shipping or metadata?', '\r');
    await person.answer('[sandbox] Send it?', '\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    const command = "paydesk orders create --item 'Wool blanket:300:2' --currency MXN";
    expect(screen).toContain(command);
    expect(service.posts).toEqual([]);
    const words = ['orders', 'create', '--item', 'Wool blanket:300:2', '--currency', 'MXN', '--yes'];
    expect((await service.run(words)).code).toBe(0);
    expect(service.posts).toHaveLength(1);
  });

  test('the command for later holds every flag as it was typed', async () => {
    await using service = await startCreations();
    const typed =
      '--item Lamp:300:1 --currency MXN --metadata shop_order=A-1 --shipping 20 --item-sku 1=L-1 --checkout HostedPayment --name Lamp --method cash --method card --expires 7d --installments 3,6 --needs-shipping';
    const flags = typed.split(' ');
    const person = sit(['orders', 'create', ...flags], { home: service.home, env: service.env }, 900);
    await person.answer('Send it?', '\r');
    const { screen } = await person.leaves;
    const [, printed = ''] = /^ *(?:now: +)?(paydesk orders create .*)$/m.exec(screen) ?? [];
    expect(printed.split(' ').slice(3).toSorted()).toEqual(flags.toSorted());
  });
});

describe('orders export --tz', () => {
  test('says which columns have the local time, where columns were chosen', async () => {
    await using service = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 20_000)])] });
    const words = ['orders', 'export', '--csv', '--tz', 'America/Mexico_City'];
    const { stderr } = await service.run([...words, '--columns', 'id,created_at']);
    expect(stderr).toContain(
      'created_at stays in UTC; for times in America/Mexico_City add created_at_local to --columns\n',
    );
    for (const more of [[], ['--columns', 'id,created_at,created_at_local'], ['--columns', 'id']])
      expect((await service.run([...words, ...more])).stderr).not.toContain('in UTC');
  });
});
