/** What a reply says for itself is kept, whatever becomes of the change: message, code, type, log id and HTTP status. */

import { describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, errorBody, type Json, orderOf, refundedWhole } from '../harness/orders.ts';
import { type Handler, json } from '../harness/server.ts';
import { type Service, startAnswering, startService, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';
import { differences } from '../harness/two-widths.ts';

const order = orderOf('ord_2tQ7zRk9PwE5xNvAm', [chargeOf('656f1c0e9a2b4d0018c3e5a1', 35_000)]);
const bankFailed = errorBody(
  { type: 'internal_error', log_id: '5f2c81' },
  { message: 'The bank did not answer.', code: 'service.errors.internal.bank.no_answer' },
);
const refund = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--yes'];

interface Case {
  readonly what: string;
  readonly answer: Handler;
  readonly said: Json;
  readonly args?: readonly string[];
  readonly orders?: readonly Json[];
}
const none = { http_status: 200, type: null, code: null, log_id: null, message: null };
const cases: readonly Case[] = [
  {
    what: 'a 500 with an error of the service',
    answer: json(bankFailed, 500),
    said: {
      http_status: 500,
      type: 'internal_error',
      code: 'service.errors.internal.bank.no_answer',
      log_id: '5f2c81',
      message: 'The bank did not answer.',
    },
  },
  {
    what: 'a 400 that is JSON of another form',
    answer: json({ statusCode: 400, code: 'FST_ERR', message: 'header x is not allowed', log_id: '77' }, 400),
    said: { ...none, http_status: 400, code: 'FST_ERR', log_id: '77', message: 'header x is not allowed' },
  },
  {
    what: 'another order',
    answer: json({ ...refundedWhole(order), id: 'ord_other', log_id: '88' }),
    said: { ...none, log_id: '88' },
  },
  {
    what: 'an order that shows less than was asked for',
    answer: json({ ...order, log_id: '99' }),
    said: { ...none, log_id: '99' },
  },
  {
    what: 'an error body with a key twice',
    answer: json('{"object":"error","log_id":"66","log_id":"66","type":"t","details":[]}', 422),
    said: { ...none, http_status: 422, type: 't', log_id: '66' },
  },
];

/** A service of this order that answers every change so, and its run with a new home. */
function answering(answer: Handler, orders: readonly Json[] = [order]): Promise<Service> {
  return startService({ orders, onPost: () => answer });
}

test.each(cases)('$what: kept on screen, in --json and in the journal', async ({ answer, said }) => {
  await using service = await answering(answer);
  const onScreen = await service.run(refund);
  const text = onScreen.stderr.replaceAll(/\s+/g, ' ');
  expect(onScreen.code).toBe(7);
  const shown = [`HTTP ${String(said.http_status)}`, said.log_id, said.message, said.code].filter(
    (one) => one !== null,
  );
  for (const word of shown) expect(text).toContain(word);

  const listed = await service.run(['journal', 'list', '--json']);
  const [record] = JSON.parse(listed.stdout).data as [{ readonly change: string }];
  expect(record).toMatchObject(said);
  const kept = await service.run(['journal', 'show', record.change, '--json']);
  expect(JSON.parse(kept.stdout)).toMatchObject({ ...said, history: [said, said] });
  const person = await service.run(['journal', 'show', record.change]);
  for (const word of shown) expect(person.stdout.replaceAll(/\s+/g, ' ')).toContain(word);
  expect(service.posts).toHaveLength(1);
});

test.each(cases)('$what: a script reads it as fields', async ({ answer, said }) => {
  await using service = await answering(answer);
  const { code, stdout, stderr } = await service.run([...refund, '--json']);
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
  const { message, ...fields } = said;
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  expect(JSON.parse(stderr)).toMatchObject({
    ...given,
    details: message === null ? [] : [{ message }],
  });
});

test('a later read that shows the refund keeps what the 500 said, and says both', async () => {
  await using service = await startService({
    orders: [order],
    onPost: (_order, own) => {
      own.orders = [refundedWhole(order)];
      return json(bankFailed, 500);
    },
  });
  const { code, stdout, stderr } = await service.run(refund);
  expect({ code, posts: service.posts.length }).toEqual({ code: 0, posts: 1 });
  expect(stdout).toMatch(/^refunded 35000 MXN/);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'the reply did not confirm it: HTTP 500, service.errors.internal.bank.no_answer, log_id 5f2c81: The bank did not answer.',
  );
  const { stdout: listed } = await service.run(['journal', 'list', '--json']);
  expect(JSON.parse(listed).data).toMatchObject([{ verdict: 'applied', log_id: '5f2c81', http_status: 500 }]);
});

const authorized = orderOf('ord_2tQ7sLf1DtX6kPjQr', [chargeOf('ch_1', 7450, { status: 'pre_authorized' })], {
  payment_status: 'pre_authorized',
  is_refundable: false,
});

describe('a capture that comes back pre_authorized', () => {
  async function screenAt(columns: number): Promise<string> {
    await using service = await startService({
      orders: [authorized],
      onPost: () => json({ ...authorized, log_id: '5f2c81' }),
      sendsDate: false,
    });
    const env = standingAt('2026-11-21T09:31:40Z');
    const args = ['orders', 'capture', 'ord_2tQ7sLf1DtX6kPjQr', '--yes'];
    const { code, stderr } = await service.run(args, { env, columns });
    expect({ code, posts: service.posts.length }).toEqual({ code: 7, posts: 1 });
    return stderr.replaceAll(/i_\w{8}/g, 'i_7f3k2m9q');
  }

  test('says so', async () => {
    const narrow = await screenAt(80);
    expect(narrow).toMatchInlineSnapshot(`
      "CAPTURE AN ORDER                                         sandbox environment
      order   ord_2tQ7sLf1DtX6kPjQr  pre_authorized  21 Sep 14:13
      buyer   Buyer Name  buyer@example.com
      from    charge 1, visa *4242, ch_1
        THIS CAPTURE  7450 MXN   all that was authorized
      will send once: no body
      unconfirmed: the reply shows something else than was asked for: the capture of
               7450 MXN on ord_2tQ7sLf1DtX6kPjQr (HTTP 200, log_id 5f2c81)
      certain: sent once by this machine; HTTP 200, an order that is still
               pre_authorized
      now:     leave this order alone; show your lead:
               paydesk journal show i_7f3k2m9q
      "
    `);
    expect(differences(await screenAt(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 7 to 10:
      unconfirmed: the reply shows something else than was asked for: the capture of 7450 MXN on ord_2tQ7sLf1DtX6kPjQr (HTTP
               200, log_id 5f2c81)
      certain: sent once by this machine; HTTP 200, an order that is still pre_authorized"
    `);
  });
});

describe('a 500 with an error of the service', () => {
  async function screenAt(columns: number): Promise<string> {
    await using service = await startService({
      orders: [order],
      onPost: () => json(bankFailed, 500),
      sendsDate: false,
    });
    const env = standingAt('2026-11-21T09:31:40Z');
    const first = await service.run(refund, { env, columns });
    const [id = ''] = /i_\w{8}/.exec(first.stderr) ?? [];
    const show = await service.run(['journal', 'show', id], { env, columns });
    const [reply = ''] = /^ {2}reply.*?(?=^history)/ms.exec(show.stdout) ?? [];
    return `${first.stderr.slice(first.stderr.indexOf('unconfirmed:'))}\n${reply}`.replaceAll(
      id,
      'i_7f3k2m9q',
    );
  }

  test('its words stand on the screen and in the journal', async () => {
    const narrow = await screenAt(80);
    expect(narrow).toMatchInlineSnapshot(`
      "unconfirmed: no usable answer to the refund of 35000 MXN on
               ord_2tQ7zRk9PwE5xNvAm (HTTP 500, service.errors.internal.bank.no_answer
               (log_id 5f2c81): it does not say whether the change was made). It may
               have been made
               The bank did not answer. (service.errors.internal.bank.no_answer)
      certain: sent once at 09:31:40; looked 4 times until 09:31:40, and it is not
               there yet
      now:     tell the buyer "it is being checked"; do not refund it anywhere else;
               in a few minutes: paydesk journal reconcile i_7f3k2m9q
               blocked until paydesk can confirm it, or until you settle it

        reply          HTTP 500, service.errors.internal.bank.no_answer, log_id
                       5f2c81: The bank did not answer.
        evidence       what was shown, sent and answered:
                       paydesk prove i_7f3k2m9q --to proof.ndjson
      "
    `);
    expect(differences(await screenAt(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 1 to 3:
      unconfirmed: no usable answer to the refund of 35000 MXN on ord_2tQ7zRk9PwE5xNvAm (HTTP 500,
               service.errors.internal.bank.no_answer (log_id 5f2c81): it does not say whether the change was made). It may
      instead of lines 6 to 7:
      certain: sent once at 09:31:40; looked 4 times until 09:31:40, and it is not there yet
      instead of lines 12 to 15:
        reply          HTTP 500, service.errors.internal.bank.no_answer, log_id 5f2c81: The bank did not answer.
        evidence       what was shown, sent and answered: paydesk prove i_7f3k2m9q --to proof.ndjson"
    `);
  });
});

test('a person reads what the service said of a capture that was not made (real terminal)', async () => {
  await using service = await startService({
    orders: [authorized],
    onPost: () => json({ ...authorized, log_id: '5f2c81' }),
  });
  await storeShop(service.home, service, { 'reconcile.after': '0' });
  const terminal = atTerminal(['-p', 'shop', 'orders', 'capture', 'ord_2tQ7sLf1DtX6kPjQr'], {
    home: service.home,
    columns: 120,
  });
  await terminal.answer(/Capture .*\?/, 'y\r');
  await terminal.waitFor('no usable answer; reading the order again (1 of 1)');
  await terminal.waitFor('log_id');
  await terminal.waitFor('an order that is still pre_authorized');
  const { exitCode } = await terminal.end;
  expect({ exitCode, posts: service.posts.length }).toEqual({ exitCode: 7, posts: 1 });
});

describe('a read that is refused in another form than the service documents', () => {
  const answer = json(
    { statusCode: 406, code: 'FST_ERR', message: 'header x is not allowed', log_id: '77' },
    406,
  );

  async function screenAt(columns: number): Promise<string> {
    await using service = await startAnswering(answer);
    const { code, stderr } = await service.run(['orders', 'list'], { columns });
    expect(code).toBe(1);
    return stderr;
  }

  test('shows its text and status, and asks for no base URL', async () => {
    const narrow = await screenAt(80);
    expect(narrow).toMatchInlineSnapshot(`
      "error:   the service refused the request: header x is not allowed (FST_ERR, HTTP
               406, log_id 77)
      certain: nothing was changed by GET /orders?limit=36
      now:     show these lines to whoever runs the service
      "
    `);
    expect(differences(await screenAt(120), narrow)).toMatchInlineSnapshot(`
      "instead of lines 1 to 3:
      error:   the service refused the request: header x is not allowed (FST_ERR, HTTP 406, log_id 77)
      certain: nothing was changed by GET /orders?limit=37"
    `);
  });

  test('a script reads its fields', async () => {
    await using service = await startAnswering(answer);
    const { stderr } = await service.run(['orders', 'list', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'FST_ERR', log_id: '77', http_status: 406 });
  });

  test('a 401 may be about the key', async () => {
    await using service = await startAnswering(json({ error: 'no such key' }, 401));
    const { code, stderr } = await service.run(['orders', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain('no such key (HTTP 401)');
    expect(stderr).toContain('paydesk profile check environment');
  });

  test('a 503 is a service that does not serve now', async () => {
    await using service = await startAnswering(json({ message: 'down' }, 503, { 'retry-after': '3600' }));
    const { code, stderr } = await service.run(['orders', 'list']);
    expect(code).toBe(6);
    expect(stderr).toContain('HTTP 503: down');
  });

  test('a person sees the text and is not asked about the base URL (real terminal)', async () => {
    await using service = await startAnswering(answer);
    const terminal = atTerminal(['orders', 'list'], { home: service.home, env: service.env });
    await terminal.waitFor('header x is not allowed');
    const { exitCode, transcript } = await terminal.end;
    expect(exitCode).toBe(1);
    expect(transcript).not.toContain('is this the base URL');
  });
});
