/** What became of a creation: a lost answer leaves it open, an equal one is blocked, and minimal answers do no harm. */

import { describe, expect, test } from 'vitest';
import { later, standingAt } from '../harness/clock.ts';
import { startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { cutBody, type Handler, hangUp, json, reply, startServer } from '../harness/server.ts';
import { type Service, sentTo, startCreations } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const order = ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];

const linkOf = (price: number) => {
  const item = ['--item', `Lamp:${price}:1`, '--currency', 'MXN'];
  return ['checkout', 'create', '--name', 'Lamp', ...item, '--yes'];
};
const link = linkOf(300);
const anyOf = (amount: number) => ['api', 'POST', 'charges', '--field', `amount=${amount}`, '--yes'];

const storeShop = (home: Home, baseUrl: string): Promise<void> => {
  const settings = { 'reconcile.after': '0' };
  return storeProfile(home, { name: 'shop', baseUrl, mode: 'sandbox', settings }, 'key_test_4u9fQ2');
};

interface Listed {
  readonly change: string;
  readonly kind: string;
  readonly verdict: string;
}

async function openOnes(desk: Service): Promise<readonly Listed[]> {
  const ran = await desk.run(['journal', 'list', '--open', '--json']);
  return (JSON.parse(ran.stdout) as { data: readonly Listed[] }).data;
}

const lost: readonly (readonly [string, Handler])[] = [
  ['the connection ends', hangUp],
  ['an HTML page', reply('<html>', 502, { 'content-type': 'text/html' })],
  ['an empty 200', reply('', 200)],
  ['half an answer', cutBody('{"id":')],
  ['a list', json([])],
  ['a throttle', json({ object: 'error', type: 'too_many', details: [] }, 429)],
];

// One journal takes them all: each answer is lost to a creation of its own.
test.concurrent.each([
  ['checkout', 'payment link of ', linkOf],
  ['api', 'POST /charges', anyOf],
] as const)(
  'a lost answer to %s: exit 7, sent once, the same again is blocked, each is listed as open, and called by its name',
  async (kind, words, creation) => {
    let onChange: Handler = hangUp;
    await using desk = await startCreations({ onChange: (...exchange) => onChange(...exchange) });
    const settles: string[] = [];
    for (const [index, [name, answer]] of lost.entries()) {
      onChange = answer;
      const ran = await desk.run(creation(300 + index));
      expect(ran, name).toMatchObject({ code: 7, stdout: '' });
      expect(sentTo(desk), name).toHaveLength(index + 1);
      if (answer === hangUp)
        expect(ran.stderr).toMatch(
          kind === 'checkout' ? /no usable answer \(.*\): the payment link of \d+ MXN may exist\n/ : words,
        );
      settles.push(...(/paydesk journal settle i_\w+ --applied --note TEXT/.exec(ran.stderr) ?? []));
      const again = await desk.run(creation(300 + index));
      expect(again.code, name).toBe(3);
      expect(again.stderr.replace(/\s+/g, ' '), name).toMatch(
        new RegExp(`an earlier ${words}.* is still unconfirmed .* paydesk journal show i_\\w+`),
      );
      expect(sentTo(desk), name).toHaveLength(index + 1);
    }
    const open = await openOnes(desk);
    expect(open).toHaveLength(lost.length);
    for (const one of open) expect(one).toMatchObject({ kind, verdict: 'unknown' });
    expect(open.map(({ change }) => `paydesk journal settle ${change} --applied --note TEXT`).sort()).toEqual(
      settles.sort(),
    );
    expect((await desk.run(['journal', 'show', open[0]?.change ?? ''])).stdout).toContain(words);
  },
);

test('a settled creation can be sent again, another one at any time', async () => {
  let answers = 0;
  const made = json({ id: 'chk_2', object: 'checkout' });
  await using desk = await startCreations({
    onChange: (...parts) => {
      answers += 1;
      return (answers === 1 ? hangUp : made)(...parts);
    },
  });
  await desk.run(link);
  const other = await desk.run([...link, '--plan', 'plan_2']);
  expect(other.code, other.stderr).toBe(0);
  const [{ change } = { change: '' }] = await openOnes(desk);
  const words = ['--not-applied', '--note', 'asked the service', '--confirm', change];
  const settle = ['journal', 'settle', change, ...words];
  // It may still be on its way.
  const early = await desk.run(settle);
  expect(early).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing was recorded') });
  const tenMinutes = { ...desk.env, ...later(600_000) };
  expect((await paydesk(settle, { home: desk.home, env: tenMinutes })).code).toBe(0);
  const again = await desk.run(link);
  expect(again.code, again.stderr).toBe(0);
  expect(sentTo(desk)).toHaveLength(3);
});

describe('an order whose answer is lost', () => {
  test('is found among the newest orders, and shown', async () => {
    using home = newHome();
    await using desk = await startDesk({ args: ['--fault', 'apply-drop:1'] });
    const before = await desk.orders();
    const ran = await paydesk([...order, '--json'], { home, env: desk.env });
    expect(ran.code, ran.stderr).toBe(0);
    const after = await desk.orders();
    expect(desk.changes()).toHaveLength(1);
    expect(before.map(({ id }) => id)).not.toContain(after[0]?.id);
    expect(JSON.parse(ran.stdout)).toMatchObject({ object: 'order', id: after[0]?.id, amount: 300 });
  });

  test('and is not found: exit 7, and it is listed as open', async () => {
    await using desk = await startCreations({ onChange: hangUp });
    const { home } = desk;
    await storeShop(home, desk.server.url);
    const ran = await paydesk(['-p', 'shop', ...order], { home });
    expect(ran.code, ran.stderr).toBe(7);
    expect(ran.stderr).toMatch(/paydesk journal reconcile i_/);
    const list = await paydesk(['-p', 'shop', 'journal', 'list', '--open', '--json'], { home });
    expect(JSON.parse(list.stdout)).toMatchObject({ data: [{ kind: 'order', verdict: 'not_seen' }] });
    const again = await paydesk(['-p', 'shop', ...order], { home });
    expect(again.code).toBe(3);
    expect(sentTo(desk)).toHaveLength(1);
  });
});

test('of two equal orders at once, the one whose answer is lost does not take the other one for its own', async () => {
  using home = newHome();
  const sold = {
    id: 'ord_new1',
    object: 'order',
    amount: 300,
    currency: 'MXN',
    line_items: { object: 'list', has_more: false, data: [{ name: 'Lamp', unit_price: 300, quantity: 1 }] },
  };
  const firstEnded = Promise.withResolvers<void>();
  const sent = () => server.requests.filter(({ method }) => method === 'POST');
  const answer: Handler = async (...exchange) => {
    const [{ method, index }] = exchange;
    // Each reads for the preview and right before it sends: both have looked at journal and service before either
    // sends, and both have sent before one is cut off.
    await server.waitFor(method === 'POST' ? 6 : index < 2 ? 2 : 4);
    if (method === 'GET')
      return json({ object: 'list', has_more: false, data: sent().length < 2 ? [] : [sold] })(...exchange);
    if (index === sent()[0]?.index) return hangUp(...exchange);
    await firstEnded.promise;
    return json(sold)(...exchange);
  };
  await using server = await startServer((...exchange) => answer(...exchange));
  await storeShop(home, server.url);
  const run = (...args: string[]) => paydesk(['-p', 'shop', ...args], { home });

  // Without an id of its own, each takes a lock by chance, and once in 64 times both take the same.
  const runs = [run(...order, '--idempotency-key', 'one'), run(...order, '--idempotency-key', 'two')];
  const lostOne = await Promise.race(runs);
  expect(lostOne.code, lostOne.stderr).toBe(7);
  firstEnded.resolve();
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([0, 7]));
  expect((await run('journal', 'reconcile', '--all')).code).toBe(7);
  const { data } = JSON.parse((await run('journal', 'list', '--json')).stdout);
  const verdicts = data.map(({ verdict }: Listed) => verdict);
  expect(verdicts.toSorted()).toEqual(['applied', 'not_seen']);
  expect(sent()).toHaveLength(2);
});

test('a refusal by the service is shown with its faults, exit 5', async () => {
  using home = newHome();
  await using desk = await startDesk();
  const customer = ['--customer', 'cus_nobody'];
  const ran = await paydesk([...order, ...customer], { home, env: desk.env });
  expect(ran.code).toBe(5);
  expect(ran.stderr).toContain('param customer_info[customer_id]');
  expect(ran.stderr).toContain('nothing was created');
});

test.each([
  ['an id and nothing else', { id: 'ord_new1', object: 'order' }, ['created an order', 'ord_new1']],
  [
    'a checkout with a link',
    {
      id: 'ord_new1',
      object: 'order',
      amount: 300,
      currency: 'MXN',
      checkout: { url: 'https://pay.example.com/1', expires_at: 1_900_000_000 },
    },
    ['created an order of 300 MXN', 'https://pay.example.com/1', 'expires  17 Mar 2030 17:46:40 UTC'],
  ],
  [
    'nulls',
    { id: 'ord_new1', object: 'order', amount: null, payment_status: null, checkout: null },
    ['ord_new1', 'no status yet'],
  ],
])('an order answered with %s is shown as far as it goes', async (_name, body, says) => {
  await using desk = await startCreations({ onChange: json(body) });
  const ran = await desk.run(order);
  expect(ran.code, ran.stderr).toBe(0);
  for (const words of says) expect(ran.stdout).toContain(words);
  expect(ran.stdout).not.toMatch(/undefined|null/);
});

test.each([
  [
    'expired_at',
    { id: 'chk_1', url: 'https://pay.example.com/1', expired_at: 1_900_000_000 },
    'expires  17 Mar 2030 17:46:40 UTC',
  ],
  ['no link', { id: 'chk_1' }, 'the reply shows no link'],
  ['an empty object', {}, 'id not shown'],
])('a payment link answered with %s is shown as far as it goes', async (_name, body, says) => {
  await using desk = await startCreations({ onChange: json(body) });
  const ran = await desk.run(link);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toContain('created a payment link of 300 MXN    sandbox environment');
  expect(ran.stdout).toContain(says);
});

test('the same --idempotency-key again gives the recorded outcome and sends nothing', async () => {
  await using desk = await startCreations();
  const first = await desk.run([...link, '--idempotency-key', 'cart-1', '--expires', '7d']);
  expect(first.code, first.stderr).toBe(0);
  const second = await desk.run([...link, '--idempotency-key', 'cart-1', '--expires', '7d']);
  expect(second.code, second.stderr).toBe(0);
  const other = await desk.run([...link, '--idempotency-key', 'cart-1', '--expires', '8d']);
  expect(other.code).toBe(3);
  expect(sentTo(desk)).toHaveLength(1);
});

test('a link whose time is given as a span is the same wish a second later: while it is open, it is refused (3)', async () => {
  await using desk = await startCreations({ onChange: hangUp });
  const week = [...link, '--expires', '7d'];
  expect((await desk.run(week)).code).toBe(7);
  const second = () => Math.floor(Date.now() / 1000);
  const ended = second();
  // The span ends at another second by then.
  while (second() === ended) await desk.run(['--version']);
  const again = await desk.run(week);
  expect({ code: again.code, posts: sentTo(desk).length }, again.stderr).toEqual({ code: 3, posts: 1 });
  // No read can tell of it, and it is open all the same.
  const left = await desk.run(['journal', 'reconcile', '--all', '--json']);
  expect(left.code).toBe(7);
  expect(JSON.parse(left.stdout)).toMatchObject({ data: [{ kind: 'checkout', verdict: 'unknown' }] });
});

test.each([
  { what: 'an order', words: order, id: 'ord_new1', url: 'https://pay.example.com/9' },
  { what: 'a payment link', words: link, id: 'chk_1', url: 'https://pay.example.com/link/1' },
])(
  'the journal keeps id and link of $what: list, show and a repeat show both, and forget takes the link',
  async (made) => {
    const { words, id, url } = made;
    await using desk = await startCreations({
      onChange: json({ id, object: id.startsWith('ord') ? 'order' : 'checkout', livemode: false, url }),
    });
    const scripted = [...words, '--idempotency-key', 'cart-1'];
    expect((await desk.run(scripted)).code).toBe(0);
    const both = { change: expect.stringMatching(/^i_/), idempotency_key: 'cart-1', created: id, link: url };
    const list = JSON.parse((await desk.run(['journal', 'list', '--json'])).stdout);
    expect(list.data).toMatchObject([both]);
    const table = await desk.run(['journal', 'list'], { columns: 160 });
    expect(table.stdout).toMatch(new RegExp(`${id} .*${url}`));
    const shown = await desk.run(['journal', 'show', 'cart-1']);
    expect(shown.stdout).toMatch(new RegExp(`created +${id}\n +link +${url}\n`));
    expect(JSON.parse((await desk.run(['journal', 'show', 'cart-1', '--json'])).stdout)).toMatchObject(both);
    const again = await desk.run(scripted);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id}\n${url}\n`) });
    const data = JSON.parse((await desk.run([...scripted, '--json'])).stdout);
    expect(data).toMatchObject({ object: 'change', change: list.data[0].change, created: id, link: url });
    expect(sentTo(desk)).toHaveLength(1);

    expect((await desk.run(['journal', 'forget', '--before', '2100-01-01', '--yes'])).code).toBe(0);
    expect(await desk.run(['journal', 'verify'])).toMatchObject({ code: 0 });
    const left = JSON.parse((await desk.run(['journal', 'show', 'cart-1', '--json'])).stdout);
    expect(left).toMatchObject({ created: id, link: null });
  },
);

test('a person who repeats the line of a script is given the link again (real terminal)', async () => {
  await using desk = await startCreations();
  const { home, env } = desk;
  const scripted = [...link, '--idempotency-key', 'cart-1', '--no-qr'];
  expect((await desk.run(scripted)).code).toBe(0);
  const { exitCode, transcript } = await atTerminal(scripted, { home, env }).end;
  expect({ exitCode, transcript }).toEqual({
    exitCode: 0,
    transcript: expect.stringContaining('checkout chk_1\r\nhttps://pay.example.com/link/1\r\n'),
  });
  expect(sentTo(desk)).toHaveLength(1);
});

test('a payment link is found again by its id, its link, or among all payment links', async () => {
  await using desk = await startCreations();
  expect((await desk.run(link)).code).toBe(0);
  expect((await desk.run(order)).code).toBe(0);
  const first = 'https://pay.example.com/link/1';
  for (const what of ['chk_1', first]) {
    const shown = await desk.run(['journal', 'show', what]);
    expect(shown, what).toMatchObject({ code: 0, stdout: expect.stringContaining(first) });
    const record = JSON.parse((await desk.run(['journal', 'show', what, '--json'])).stdout);
    expect(record, what).toMatchObject({ created: 'chk_1', link: first, name: 'Lamp' });
  }
  const listed = async (...words: string[]): Promise<readonly string[]> => {
    const ran = await desk.run(['journal', 'list', ...words, '--json']);
    return (JSON.parse(ran.stdout) as { data: readonly Listed[] }).data.map(({ kind }) => kind);
  };
  expect(await listed()).toEqual(['checkout', 'order']);
  expect(await listed('--kind', 'checkout')).toEqual(['checkout']);
  expect(await desk.run(['journal', 'show', 'chk_9'])).toMatchObject({ code: 5 });
  expect(await desk.run(['journal', 'list', '--kind', 'link'])).toMatchObject({ code: 2 });
});

test('a created payment link on screens of 80 and 120 columns', async () => {
  await using desk = await startCreations({ sendsDate: false });
  const env = { ...desk.env, TZ: 'UTC', PAYDESK_OPERATOR: 'op7', ...standingAt('2040-11-21T05:05:12Z') };
  const screen = async (args: readonly string[], columns: number) => {
    const { stdout, stderr } = await paydesk(args, { home: desk.home, env, columns });
    const named = `${stderr}${stdout}`.replaceAll(/\bi_[0-9a-f]{8}\b/g, 'i_7f3k2m9q');
    return named.replaceAll(desk.url, 'http://127.0.0.1:1');
  };
  expect((await paydesk([...link, '--idempotency-key', 'cart-1'], { home: desk.home, env })).code).toBe(0);
  expect(await screen(['journal', 'show', 'cart-1'], 80)).toMatchInlineSnapshot(`
    "payment link of 300 MXN: made
      change           i_7f3k2m9q, attempt 1
      idempotency key  cart-1
      created          chk_1
      link             https://pay.example.com/link/1
      account          environment, http://127.0.0.1:1 service sandbox
      sent             21 Nov 2040 05:05:12 UTC by op7
      could be sent    until 21 Nov 2040 05:05:22 UTC
      request          POST /checkouts
                       {"name":"Lamp","type":"PaymentLink","recurrent":false,"needs_shipping_contact":false,"monthly_installments_enabled":false,"order_template":{"line_items":[{"name":"Lamp","unit_price":300,"quantity":1}],"currency":"MXN"}}
      reply            HTTP 200
    history
      21 Nov 2040 05:05:12 UTC  made  the reply confirms it
    "
  `);
  expect(await screen(['journal', 'list'], 80)).toMatchInlineSnapshot(`
    "this terminal has no room for KIND, BY: -o list shows every field
    CHANGE      SENT UTC       AMOUNT  OUTCOME  NAME  LINK                          
    i_7f3k2m9q  21 Nov 05:05  300 MXN  made     Lamp  https://pay.example.com/link/1
    "
  `);
  expect(await screen(['journal', 'list'], 120)).toMatchInlineSnapshot(`
    "this terminal has no room for KIND, BY: -o list shows every field
    CHANGE      SENT UTC      CREATED   AMOUNT  OUTCOME  NAME  LINK                          
    i_7f3k2m9q  21 Nov 05:05  chk_1    300 MXN  made     Lamp  https://pay.example.com/link/1
    "
  `);
  expect(await screen([...link, '--idempotency-key', 'cart-1', '--no-qr'], 80)).toMatchInlineSnapshot(`
    "cart-1 was made before, journal i_7f3k2m9q; nothing was sent now
    made before: payment link of 300 MXN   sandbox environment
    checkout chk_1
    https://pay.example.com/link/1
    "
  `);
});

describe('a payment link whose reply was lost', () => {
  const envAt = (time: string) => ({ ...standingAt(`2040-11-21T${time}Z`), PAYDESK_OPERATOR: 'op7' });

  async function startLost() {
    const desk = await startCreations({ onChange: hangUp, sendsDate: false });
    const at = async (time: string, words: readonly string[], columns = 80) => {
      const ran = await desk.run(words, { env: envAt(time), columns });
      return { ...ran, seen: `${ran.stdout}${ran.stderr}`.replaceAll(/\bi_[0-9a-z]{8}\b/g, 'i_7f3k2m9q') };
    };
    const { code, stderr } = await at('05:05:12', link);
    expect(code, stderr).toBe(7);
    return { desk, at, change: /\bi_\w+/.exec(stderr)?.[0] ?? '' };
  }

  test('is settled by a person: no line sends somebody to reconcile it, and its history says it once', async () => {
    const { desk, at, change } = await startLost();
    await using _ = desk;
    expect(
      (await at('05:10:00', ['orders', 'list'])).stderr.replaceAll(change, 'i_7f3k2m9q'),
    ).toMatchInlineSnapshot(`
      "1 payment link unconfirmed: i_7f3k2m9q: look on the service's own screen, then:
      paydesk journal show i_7f3k2m9q
      No orders here, sandbox environment
      "
    `);
    const { seen, code } = await at('05:10:00', ['journal', 'settle', change]);
    expect({ code, seen }).toMatchInlineSnapshot(`
      {
        "code": 2,
        "seen": "error:   say --applied or --not-applied: was it made?
      certain: nothing was recorded
      now:     first look on the service's own screen: paydesk cannot look it up
               then one of:
               paydesk journal settle i_7f3k2m9q --applied --note TEXT --confirm i_7f3k2m9q
               paydesk journal settle i_7f3k2m9q --not-applied --note TEXT --confirm i_7f3k2m9q
      ",
      }
    `);
    const shown = await at('05:10:00', ['journal', 'show', change]);
    expect(shown.seen.match(/^ .* unconfirmed /gm)).toHaveLength(1);
  });

  test('and settled as not made: the same command says who did that, and what follows if it was wrong', async () => {
    const { desk, at, change } = await startLost();
    await using _ = desk;
    const note = ['--note', 'not in the list of links', '--confirm', change];
    const settled = await at('05:20:00', ['journal', 'settle', change, '--not-applied', ...note]);
    expect(settled.code, settled.stderr).toBe(0);
    const again = await at('05:30:00', [...link, '--quiet']);
    expect(again.seen.split('\nunconfirmed:')[0]).toMatchInlineSnapshot(`
      "settled by hand: op7 recorded on 21 Nov 2040 05:20:00 UTC that the payment link
      of 300 MXN of 21 Nov 2040 05:05:12 UTC, sent by op7, was NOT made (op7's note:
      not in the list of links). If it was made after all, there are two links, and
      both can be paid"
    `);
    expect(sentTo(desk)).toHaveLength(2);
    expect((await at('05:30:00', linkOf(301))).stderr).not.toContain('settled by hand');
  });
});

test('a second link of the same amount for the same buyer, or for none, is warned of before it is sent', async () => {
  await using desk = await startCreations();
  const warning = async (words: readonly string[]) => {
    const { code, stderr } = await desk.run(words);
    expect(code, stderr).toBe(0);
    const [, said] = /WARNING: (payment link of .*?) if this is the same sale/s.exec(stderr) ?? [];
    return said?.replaceAll(/\s+/g, ' ').replace(/i_\w+/, 'CHANGE');
  };
  expect(await warning(link)).toBeUndefined();
  expect(await warning([...link, '--customer-email', 'ana@example.com'])).toBeUndefined();
  expect(await warning(linkOf(301))).toBeUndefined();
  expect(await warning(link)).toMatch(
    /^payment link of 300 MXN, without a buyer too, sent less than a minute ago by .*: made \(paydesk journal show CHANGE\);$/,
  );
  expect(await warning([...link, '--customer-email', 'ana@example.com'])).toMatch(/for the same buyer, sent/);
});
