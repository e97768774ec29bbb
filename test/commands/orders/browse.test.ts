/** `orders browse`: what its keys do, what they do not do, and what is left on the terminal. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { chargeOf, listOf, orderOf, refundedWhole, refundOf } from '../../harness/orders.ts';
import { newHome, paydesk } from '../../harness/paydesk.ts';
import { sit } from '../../harness/person.ts';
import { inOneLine } from '../../harness/ran.ts';
import { startSender } from '../../harness/sender.ts';
import { json } from '../../harness/server.ts';
import { type Service, type ServiceOptions, startService, storeShop } from '../../harness/service.ts';
import { atTerminal } from '../../harness/terminal.ts';

const paid = orderOf('ord_a1', [chargeOf('ch_1', 20_000)]);
const other = orderOf('ord_b2', [chargeOf('ch_2', 30_000)]);
const waiting = { ...orderOf('ord_c3', [chargeOf('ch_3', 40_000)]), payment_status: 'pre_authorized' };

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service[Symbol.asyncDispose]();
});

async function shop(
  options: ServiceOptions = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const service = await startService({ orders: [paid, other, waiting], mode: 'sandbox', ...options });
  open.push(service);
  await storeShop(service.home, service, settings);
  return service;
}

const browse = (service: Service, ...words: readonly string[]) =>
  sit(['-p', 'shop', 'orders', 'browse', ...words], { home: service.home, env: {} });

const down = '\x1b[B';

describe('orders browse', () => {
  test('shows an order with the command that is printed, comes back and leaves', async () => {
    const service = await shop();
    const person = browse(service);
    await person.answer('q leave', down);
    await person.answer('ord_b2', '\r');
    await person.waitFor('paydesk -p shop orders show ord_b2');
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer('q leave', 'q');
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(service.posts).toEqual([]);
  });

  test('a refund asks as orders refund does, is in the journal, and the row shows it then', async () => {
    const service = await shop({
      onPost: (order = {}, at) => {
        const refunded = refundedWhole(order);
        at.orders = at.orders.map((one) => (one.id === refunded.id ? refunded : one));
        return json(refunded);
      },
    });
    const person = browse(service);
    await person.answer('q leave', 'r');
    await person.waitFor('paydesk -p shop orders refund ord_a1');
    await person.answer('How much? (Enter: all 20000)', '\r');
    await person.answer('Why?', '\r');
    await person.answer(/note/i, '\r');
    await person.answer('(y/N)', 'y\r');
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer(/ord_a1[\s\S]*refunds: made[\s\S]*q leave/, 'q');
    expect((await person.leaves).code).toBe(0);
    expect(service.posts).toHaveLength(1);
    const { stdout } = await paydesk(['journal', 'list', '--json'], { home: service.home });
    expect(JSON.parse(stdout).data).toHaveLength(1);
  });

  test('r reaches a part of an order; a No sends nothing, and a capture of a paid order is not begun', async () => {
    const service = await shop();
    const person = browse(service);
    await person.answer('q leave', 'c');
    await person.answer('only an order that is pre_authorized can be captured', 'r');
    await person.answer('How much?', '500\r');
    await person.answer('Why?', '\r');
    await person.answer(/note/i, '\r');
    await person.waitFor('REFUND PART OF AN ORDER');
    await person.answer('(y/N)', '\r');
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer('q leave', 'q');
    expect((await person.leaves).code).toBe(0);
    expect(service.posts).toEqual([]);
  });

  test.each([
    { name: 'Esc at the first question of a refund', key: 'r', at: 'How much?', back: '\x1b' },
    { name: '< at the first question of a refund', key: 'r', at: 'How much?', back: '<\r' },
    { name: 'Esc at the yes of a capture', key: 'c', at: '(y/N)', back: '\x1b' },
    { name: '< at the yes of a capture', key: 'c', at: '(y/N)', back: '<' },
  ])('$name goes back to the list and sends nothing', async ({ key, at, back }) => {
    const service = await shop({ orders: [key === 'r' ? paid : waiting] });
    const person = browse(service);
    await person.answer('q leave', key);
    await person.waitFor(at);
    await person.answer('(Esc: back)', back);
    await person.answer('q leave', 'q');
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(screen).not.toContain('Enter goes back to the orders');
    expect(service.posts).toEqual([]);
  });

  test('Esc after the result of a command goes back to the list, as Enter does', async () => {
    const service = await shop();
    const person = browse(service);
    await person.answer('q leave', '\r');
    await person.waitFor('Enter goes back to the orders');
    await person.answer('(Esc: back)', '\x1b');
    await person.answer('q leave', ' ');
    await person.answer('1 order marked', 'p');
    await person.answer(/Why [\s\S]*Esc to go back/, '\x1b');
    await person.answer('q leave', 'q');
    expect((await person.leaves).code).toBe(0);
  });

  test('Enter takes the name that was meant into the search for an order, and chooses none', async () => {
    const named = { ...other, customer_info: { name: 'María Íñiguez', email: 'm@example.com' } };
    const service = await shop({ orders: [paid, named] });
    const person = sit(['-p', 'shop', 'orders', 'refund'], { home: service.home, env: {} });
    await person.answer('Which order?', 'Inigues');
    await person.waitFor('did you mean María Íñiguez (1 order)?');
    person.type('\r');
    await person.answer(/ord_b2[\s\S]*1 found/, '\x03');
    expect((await person.leaves).code).toBe(130);
    expect(service.posts).toEqual([]);
  });

  test('Enter takes the name that was meant where the questions are lines', async () => {
    const named = { ...other, customer_info: { name: 'María Íñiguez', email: 'm@example.com' } };
    const service = await shop({ orders: [paid, named] });
    const env = { PAYDESK_ACCESSIBLE: '1' };
    const person = sit(['-p', 'shop', 'orders', 'refund', '--only-confirm'], { home: service.home, env });
    await person.answer('Enter for more: ', 'Inigues\r');
    await person.waitFor('did you mean María Íñiguez (1 order)?');
    await person.answer('Enter for more: ', '\r');
    await person.waitFor('1 found');
    await person.answer('Enter for more: ', '1\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'n\r');
    expect((await person.leaves).code).toBe(3);
    expect(service.posts).toEqual([]);
  });

  test('Enter takes the name that was meant into the search of the screen', async () => {
    const named = { ...other, customer_info: { name: 'María Íñiguez', email: 'm@example.com' } };
    const service = await shop({ orders: [paid, named] });
    const person = browse(service);
    await person.answer('q leave', '/');
    await person.answer('search:', 'Inigues');
    await person.answer(/did you mean María Íñiguez/, '\r');
    await person.answer(/ord_b2[\s\S]*1 found/, '\r');
    await person.answer('q leave', 'q');
    expect((await person.leaves).code).toBe(0);
  });

  test('p makes a plan of the marked orders and sends nothing', async () => {
    const service = await shop();
    const person = browse(service);
    await person.answer('q leave', 'p');
    await person.answer('no order is marked', ' ');
    await person.answer('1 order marked', down);
    await person.answer(/ord_b2/, ' ');
    await person.answer('2 orders marked, 50000 MXN', down);
    await person.answer(/ord_c3/, ' ');
    await person.answer(/not marked: .*pre_authorized/, 'p');
    await person.answer('Why are 2 orders to be refunded?', '\r');
    await person.waitFor(/paydesk -p shop refunds plan marked-[-\d]+\.csv --to marked-[-\d]+\.plan/);
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer('q leave', 'q');
    const { screen } = await person.leaves;
    expect(inOneLine(screen)).toContain(
      'nothing was sent; to send the plan: paydesk -p shop refunds apply marked-',
    );
    const [name = ''] = /marked-[-\d]+(?=\.csv)/.exec(screen) ?? [];
    const rows = readFileSync(join(service.home.path, `${name}.csv`), 'utf8');
    expect(rows).toBe('order_id,amount,reason,note\nord_a1,full,,\nord_b2,full,,\n');
    const status = await paydesk(['-p', 'shop', 'refunds', 'status', `${name}.plan`, '--json'], {
      home: service.home,
      cwd: service.home.path,
    });
    expect(JSON.parse(status.stdout).data).toMatchObject([{ order_id: 'ord_a1' }, { order_id: 'ord_b2' }]);
    expect(service.posts).toEqual([]);
  });

  test('? lists every key on 20 lines of 60 characters', async () => {
    const service = await shop();
    const terminal = atTerminal(['-p', 'shop', 'browse'], { home: service.home, columns: 60, rows: 20 });
    await terminal.waitFor('q leave');
    terminal.type('?');
    await terminal.waitFor(/Space +mark[\s\S]*\/ +search[\s\S]*\? +these keys/);
    terminal.type('q');
    expect((await terminal.end).exitCode).toBe(0);
  });

  test('searches as orders find does', async () => {
    const service = await shop();
    const person = browse(service, 'ord_b2');
    await person.answer(/search: ord_b2[\s\S]*1 found/, 'q');
    expect((await person.leaves).code).toBe(0);
  });

  test('Esc goes back to where the search began, and then to all orders', async () => {
    const service = await shop();
    const person = browse(service);
    await person.answer('q leave', down);
    await person.answer('ord_b2', '/zzz');
    await person.answer(/search: zzz[\s\S]*0 found/, '\x1b');
    await person.answer(/> .*30000[\s\S]*ord_b2[\s\S]*q leave/, '/ord_c3\r');
    await person.answer(/search: ord_c3[\s\S]*1 found[\s\S]*q leave/, '/x');
    await person.answer(/search: ord_c3x[\s\S]*not among/, '\x1b');
    await person.answer(/search: ord_c3[\s\S]*1 found[\s\S]*q leave/, '\x1b');
    await person.answer(/\D all 3 orders|\nall 3 orders/, 'q');
    expect((await person.leaves).code).toBe(0);
  });

  test('an order of which only one charge after the other can go back is not marked, and it says why', async () => {
    const first = chargeOf('ch_1', 20_000, { refunds: listOf(refundOf('rf_1', 500)) });
    const split = orderOf('ord_a1', [first, chargeOf('ch_2', 9000)], { amount_refunded: 500 });
    const service = await shop({ orders: [split] });
    const person = browse(service);
    await person.answer('q leave', ' ');
    await person.answer(/not marked: the rest of several charges goes back one by one/, 'p');
    await person.answer('no order is marked', 'q');
    expect((await person.leaves).code).toBe(0);
  });

  test('a command that is pasted and sent with Enter makes no plan', async () => {
    const service = await shop();
    const person = browse(service);
    await person.answer('q leave', ' ');
    await person.answer('1 order marked', 'paydesk -p demo orders browse');
    await person.answer(/Why [\s\S]*Enter is off[\s\S]*Esc to go back/, `\r${down}\r`);
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer('q leave', 'q');
    const { screen } = await person.leaves;
    const [file = ''] = /marked-\S+\.csv/.exec(screen) ?? [];
    expect(readFileSync(join(service.home.path, file), 'utf8')).toContain('requested_by_client');
  });

  test('offers no change to a role that may make none', async () => {
    const service = await shop();
    await paydesk(['profile', 'set', 'shop', 'role', 'viewer'], { home: service.home });
    const person = browse(service);
    await person.answer('Enter show, Space mark', 'r');
    await person.answer('r does nothing here', 'q');
    expect((await person.leaves).code).toBe(0);
  });

  test('asks in lines for a screen reader', async () => {
    const service = await shop();
    const person = sit(['-p', 'shop', 'browse'], {
      home: service.home,
      env: { PAYDESK_ACCESSIBLE: '1' },
    });
    await person.answer('type a number, words to search', '1\n');
    await person.answer(/1 {2}show[\s\S]*type a number, 1 to/, '1\n');
    await person.waitFor('paydesk -p shop orders show ord_a1');
    await person.answer('Enter goes back to the orders', '\n');
    await person.answer('type a number, words to search', '2\n');
    await person.answer('or < to go back', '<\n');
    await person.answer('? for the keys', 'p\n');
    await person.waitFor('no order is marked');
    await person.answer('? for the keys', '?\n');
    await person.waitFor(/q: leave/);
    await person.answer('q to leave', 'q\n');
    const { code, screen } = await person.leaves;
    expect(code, screen).toBe(0);
    expect(screen).not.toMatch(/\x1b\[\?1049h|0 found/);
  });

  test('at a desk of a team it is the same screen: an operator refunds, a viewer is offered no change', async () => {
    const service = await shop({
      onPost: (order = {}, at) => {
        const refunded = refundedWhole(order);
        at.orders = at.orders.map((one) => (one.id === refunded.id ? refunded : one));
        return json(refunded);
      },
    });
    await using sender = await startSender({ url: service.url });
    const [ana, vic] = [await sender.desk('ana'), await sender.desk('vic', 'viewer')];

    const reader = sit(['-p', 'shop', 'orders', 'browse'], { home: vic.home, env: {} });
    await reader.answer('q leave', 'r');
    await reader.waitFor('r does nothing here');
    await reader.answer('q leave', 'q');
    const looked = await reader.leaves;
    const person = sit(['-p', 'shop', 'orders', 'browse'], { home: ana.home, env: {} });
    await person.answer('q leave', 'r');
    await person.answer('How much?', '\r');
    await person.answer('Why?', '\r');
    await person.answer('journal of the team', '\r');
    await person.answer(/Send back .*\?/, 'y\r');
    await person.answer('Enter goes back to the orders', '\r');
    await person.answer('q leave', 'q');
    const { code, screen } = await person.leaves;
    const listed = await vic.run(['-p', 'shop', 'journal', 'list', '--json']);
    writeFileSync(join(vic.home.path, 'one.csv'), 'order_id,charge_id,amount\nord_b2,any,500\n');
    const planned = await vic.run(['-p', 'shop', 'refunds', 'plan', 'one.csv']);

    expect([code, looked.code], screen).toEqual([0, 0]);
    expect(inOneLine(looked.screen)).not.toMatch(/r refund|p plan/);
    expect(service.posts).toHaveLength(1);
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: [{ order: 'ord_a1', outcome: 'made' }] });
    expect(planned.stderr).toContain('your role in this team is viewer');
    expect(planned.stderr).not.toContain('refunds apply');
  });

  test.each([
    ['without a terminal', []],
    ['with --yes', ['--yes']],
    ['as JSON', ['--json']],
  ])('%s is a usage error', async (_, more) => {
    using home = newHome();
    const { code, stderr } = await paydesk(['-p', 'demo', 'orders', 'browse', ...more], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('orders list');
  });

  // In production only the typed amount is a yes, which no keys in random order are.
  test('60 keys in random order, 20 sizes and a failing network end in no crash and no change', async () => {
    let reads = 0;
    const service = await shop({
      mode: 'production',
      onPage: () => {
        reads += 1;
        return reads > 3 && reads % 3 === 0 ? (_, response) => void response.destroy() : undefined;
      },
    });
    const terminal = atTerminal(['-p', 'shop', 'orders', 'browse'], {
      home: service.home,
      columns: 80,
      rows: 24,
    });
    await terminal.waitFor('q leave');
    const keys = ['\r', 'r', 'c', ' ', 'p', 'y', 'n', '/', 'x', '1', down, '\x1b[A', '\x1b[6~', '\x1b', '\t'];
    let seed = 20_261_128;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 60; round += 1) {
      // Behind a key comes one that every question answers with something on the screen.
      terminal.type(`${keys[next(keys.length)] ?? ''}?`);
      if (round % 3 === 0) terminal.resize(60 + next(80), 8 + next(40));
      await terminal.waitFor(/\S/);
    }
    terminal.signal('SIGTERM');
    const { exitCode, transcript, sameTerminal, cursorShown } = await terminal.end;
    expect(exitCode, transcript.slice(-2_000)).toBe(143);
    expect(transcript).not.toContain('should not have happened');
    expect(transcript.lastIndexOf('\x1b[?1049l')).toBeGreaterThan(transcript.lastIndexOf('\x1b[?1049h'));
    expect({ sameTerminal, cursorShown }).toEqual({ sameTerminal: true, cursorShown: true });
    expect(service.posts).toEqual([]);
  });
});
