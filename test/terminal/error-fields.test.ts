/** Errors for scripts have fields for what people read in their texts: ids, the profile, and commands as lists of words. */

import { expect, test } from 'vitest';
import { readyCommands } from '../../src/cli/ready-commands.ts';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, errorBody, orderOf } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { json, reply, reset } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35000)]);
const refund = ['-p', 'shop', 'orders', 'refund', 'ord_1', '--charge', '1', '--amount', '300', '--yes'];
const scripted = [...refund, '--idempotency-key', 'ticket-8840', '--json'];

test('a lost reply names the change, the idempotency key, the order, the profile and the commands; so does what comes after', async () => {
  const onPost = () => reply('<h1>Bad Gateway</h1>', 502, { 'content-type': 'text/html' });
  await using service = await startService({ orders: [order], onPost });
  await storeShop(service.home, service, { 'reconcile.after': '0' });
  const run = (...args: string[]) => paydesk(args, { home: service.home });
  const lost = JSON.parse((await run(...scripted)).stderr);
  const { change } = lost;
  expect(change).toMatch(/^i_[0-9a-f]{8}$/);
  const subject = { change, idempotency_key: 'ticket-8840', order_id: 'ord_1', profile: 'shop' };
  expect(lost).toMatchObject({
    ...subject,
    exit_code: 7,
    commands: [['paydesk', 'journal', 'reconcile', change]],
  });
  const blocked = JSON.parse((await run(...refund, '--json')).stderr);
  // The key is that of the other change, so it is left out.
  expect(blocked).not.toHaveProperty('idempotency_key');
  expect(blocked).toMatchObject({
    change,
    order_id: 'ord_1',
    profile: 'shop',
    exit_code: 3,
    code: 'earlier_unconfirmed',
    commands: [['paydesk', 'journal', 'reconcile', change]],
  });
  const settle = ['journal', 'settle', 'ticket-8840', '--applied', '--note', 'seen at the bank', '--json'];
  expect(JSON.parse((await run(...settle, '--confirm', 'ord_2')).stderr)).toMatchObject(subject);
  const contradiction = await run('journal', 'acknowledge', change, '--note', 'n', '--json');
  expect(JSON.parse(contradiction.stderr)).toMatchObject(subject);
  expect(service.posts).toHaveLength(1);
});

test('journal show finds a change by its idempotency key, and shows its id and the key', async () => {
  const screenAt = async (columns: number) => {
    await using service = await startService({ orders: [order], onPost: () => reset, sendsDate: false });
    await storeShop(service.home, service, { 'reconcile.after': '0' });
    const env = { ...standingAt('2040-11-21T05:05:12Z'), TZ: 'UTC', PAYDESK_OPERATOR: 'op7' };
    const { home } = service;
    expect((await paydesk(scripted, { home, env })).code).toBe(7);
    const { code, stdout } = await paydesk(['journal', 'show', 'ticket-8840'], { home, env, columns });
    expect(code).toBe(0);
    return stdout.replaceAll(/i_[0-9a-f]{8}/g, 'i_7f3k2m9q').replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
  };
  const narrow = await screenAt(80);
  expect(narrow).toMatchInlineSnapshot(`
    "refund of 300 MXN: unconfirmed: the order does not show it
      change           i_7f3k2m9q, attempt 1
      idempotency key  ticket-8840
      order            ord_1
      account          shop, http://127.0.0.1:1 service sandbox
      sent             21 Nov 2040 05:05:12 UTC by op7
      asked by         op7
      could be sent    until 21 Nov 2040 05:05:22 UTC
      request          POST /orders/ord_1/refunds {"charge_id":"ch_1","amount":300}
      asked for        a refund of 300 MXN on charge ch_1
      evidence         what was shown, sent and answered:
                       paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
    history
      21 Nov 2040 05:05:12 UTC  unconfirmed  the connection to 127.0.0.1:1 was
                                             closed before a reply came (ECONNRESET)
      21 Nov 2040 05:05:12 UTC  unconfirmed  the order did not show it yet
    now:  tell the buyer "it is being checked"; do not send it again anywhere else
          paydesk journal reconcile i_7f3k2m9q
          blocked until 22 Nov 2040 05:05:12 UTC at the latest, or until you settle
          it
          when you know whether it was made, one of:
          paydesk journal settle i_7f3k2m9q --applied --note TEXT --confirm ORDER
          from 05:07:22 on:
          paydesk journal settle i_7f3k2m9q --not-applied --note TEXT --confirm
          ORDER
    "
  `);
  expect(differences(await screenAt(120), narrow)).toMatchInlineSnapshot(`
    "instead of lines 11 to 12:
      evidence         what was shown, sent and answered: paydesk -p shop prove i_7f3k2m9q --to proof.ndjson
    instead of lines 14 to 15:
      21 Nov 2040 05:05:12 UTC  unconfirmed  the connection to 127.0.0.1:1 was closed before a reply came (ECONNRESET)
    instead of lines 19 to 20:
          blocked until 22 Nov 2040 05:05:12 UTC at the latest, or until you settle it
    instead of lines 24 to 25:
          paydesk journal settle i_7f3k2m9q --not-applied --note TEXT --confirm ORDER"
  `);
});

test('a refusal by the service has its type and code', async () => {
  const type = 'parameter_validation_error';
  const onPost = () => json(errorBody({ type }), 422);
  await using service = await startService({ orders: [order], onPost });
  await storeShop(service.home, service, { 'reconcile.after': '0' });
  const refused = JSON.parse((await paydesk(scripted, { home: service.home })).stderr);
  expect(refused).toMatchObject({
    exit_code: 5,
    type,
    change: expect.stringMatching(/^i_/),
    idempotency_key: 'ticket-8840',
    order_id: 'ord_1',
    profile: 'shop',
    commands: [['paydesk', '-p', 'shop', 'orders', 'show', 'ord_1']],
  });
});

test('a person who adds --json sees the same object (real terminal)', async () => {
  using home = newHome();
  const words = ['-p', 'demo', 'orders', 'show', 'ord_none', '--json'];
  const { exitCode, transcript } = await atTerminal(words, { home }).end;
  expect(exitCode).toBe(5);
  expect(JSON.parse(withoutEscapes(transcript).replaceAll('\r\n', ''))).toMatchObject({
    order_id: 'ord_none',
    profile: 'demo',
    commands: [['paydesk', '-p', 'demo', 'orders', 'list']],
  });
});

test('an order that does not exist is named, and an id that the journal does not have', async () => {
  using home = newHome();
  const run = async (...args: string[]) => JSON.parse((await paydesk([...args, '--json'], { home })).stderr);
  expect(await run('-p', 'demo', 'orders', 'show', 'ord_none')).toMatchObject({
    exit_code: 5,
    order_id: 'ord_none',
    profile: 'demo',
    commands: [['paydesk', '-p', 'demo', 'orders', 'list']],
  });
  expect(await run('journal', 'show', 'i_none')).toMatchObject({ exit_code: 5, change: 'i_none' });
  expect(await run('journal', 'show', 'cart-1')).toMatchObject({ exit_code: 5, idempotency_key: 'cart-1' });
});

test.each<[string, readonly (readonly string[])[]]>([
  ['paydesk journal show i_1', [['paydesk', 'journal', 'show', 'i_1']]],
  ['in a few minutes: paydesk journal reconcile i_1', [['paydesk', 'journal', 'reconcile', 'i_1']]],
  ['paydesk journal verify --repair   (keeps a copy)', [['paydesk', 'journal', 'verify', '--repair']]],
  ['check the state folder (paydesk help environment)', [['paydesk', 'help', 'environment']]],
  ['check with paydesk -p shop orders show ord_1', [['paydesk', '-p', 'shop', 'orders', 'show', 'ord_1']]],
  ["paydesk orders find 'Ana D'\\''Or'", [['paydesk', 'orders', 'find', "Ana D'Or"]]],
  ['paydesk orders refund --help', [['paydesk', 'orders', 'refund', '--help']]],
  // A person must replace a word of these.
  ['paydesk journal settle i_1 --applied --note TEXT', []],
  ['paydesk profile add NAME', []],
  // Prose.
  ['paydesk cannot look this up: look for it at the service yourself', []],
  ['paydesk', []],
  ["paydesk orders find 'Ana", []],
  ['run the command again', []],
])('of the advice "%s" a script can run %j', async (line, commands) => {
  expect(await readyCommands([line])).toEqual(commands);
});
