/** One order under several addresses, profiles and keys: what is unconfirmed blocks it under every one of them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProduction } from '../harness/orders.ts';
import { cleanEnv, copyOf, type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { inOneLine } from '../harness/ran.ts';
import { startRelay } from '../harness/relay.ts';
import { reset, stall } from '../harness/server.ts';
import { changeArgs, journalRows, story } from './desk.ts';
import { honest, type Ledger, type LedgerOrder, startLedger } from './ledger.ts';
import { namedCertificate } from './named-certificate.ts';
import { start, until } from './running.ts';

const [oneKey, otherKey] = ['key_test_4u9fQ2', 'key_test_8r1kZ7'];
type Environment = Readonly<Record<string, string>>;

/** The runs of these tests go as one of the profiles of a home, or without one. */
function runAs(home: Home, profile: string | undefined, args: readonly string[], env: Environment = {}) {
  const named = profile === undefined ? [] : ['-p', profile];
  return paydesk([...named, ...args], { home, env: { PAYDESK_OPERATOR: 'op7', TZ: 'UTC', ...env } });
}

interface Address {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly mode?: 'sandbox' | 'production';
}

/** A home with these profiles. */
async function homeWith(...addresses: readonly Address[]): Promise<Home> {
  const home = newHome();
  for (const { name, baseUrl, key, mode = 'sandbox' } of addresses) {
    const settings = { 'orders.get': 'direct', ...(mode === 'sandbox' ? { 'reconcile.after': '0,0' } : {}) };
    await storeProfile(home, { name, baseUrl, mode, settings }, key);
  }
  return home;
}

const came = ({ code }: Ran, order: LedgerOrder) => ({ code, posts: order.posts.length });

/** A refund whose reply was lost, and which is not made. */
async function loseOne(
  home: Home,
  profile: string,
  order: LedgerOrder,
  env: Environment = {},
): Promise<void> {
  order.onPost = () => reset;
  const ran = await runAs(home, profile, changeArgs(order), env);
  expect(came(ran, order), ran.stderr).toEqual({ code: 7, posts: 1 });
  order.onPost = honest;
}

/** The same refund of the same order is refused, since one is unconfirmed. */
function expectBlocked(ran: Ran, order: LedgerOrder, posts = 1): void {
  expect(came(ran, order), ran.stderr).toEqual({ code: 3, posts });
  expect(ran.stderr).toContain('is still unconfirmed');
}

describe('one address, spelled in several ways, with another key each time', () => {
  let ledger: Ledger;
  let home: Home;
  let six: AsyncDisposable;
  const spelled = (host: string) => `http://${host}:${ledger.server.port}`;
  const spellings: readonly (readonly [string, (port: number) => string])[] = [
    ['localhost', (port) => `http://localhost:${port}`],
    ['six', (port) => `http://[::1]:${port}`],
    ['upper', (port) => `HTTP://LOCALHOST:${port}`],
    ['slash', (port) => `http://127.0.0.1:${port}/`],
    ['other-name', (port) => `http://127.0.0.1:${port}`],
  ];
  beforeAll(async () => {
    ledger = await startLedger();
    const { port } = ledger.server;
    six = await startRelay(port, { at: { port, host: '::1' } });
    home = await homeWith(
      { name: 't', baseUrl: spelled('127.0.0.1'), key: oneKey },
      ...spellings.map(([name, baseUrl]) => ({ name, baseUrl: baseUrl(port), key: otherKey })),
    );
  });
  afterAll(async () => {
    home[Symbol.dispose]();
    await six[Symbol.asyncDispose]();
    await ledger[Symbol.asyncDispose]();
  });

  test('what is unconfirmed under one is refused (3) under every other, and without a profile', async () => {
    using lost = copyOf(home);
    const order = ledger.add('refund');
    await loseOne(lost, 't', order);
    for (const [name] of spellings) expectBlocked(await runAs(lost, name, changeArgs(order)), order);
    const env = {
      PAYDESK_BASE_URL: spelled('LocalHost'),
      PAYDESK_MODE: 'sandbox',
      PAYDESK_API_KEY: otherKey,
    };
    expectBlocked(await runAs(lost, undefined, changeArgs(order), env), order);
    expect(story(lost)).toBe('sent unknown not_seen');
  });

  test('and the other way round: unconfirmed as `localhost` or without a profile, refused as 127.0.0.1', async () => {
    using lost = copyOf(home);
    const order = ledger.add('refund');
    await loseOne(lost, 'localhost', order);
    expectBlocked(await runAs(lost, 't', changeArgs(order)), order);
  });

  test('a dot behind the host is no address (3): nothing is sent', async () => {
    using empty = newHome();
    const order = ledger.add('refund');
    const env = {
      PAYDESK_BASE_URL: spelled('localhost.'),
      PAYDESK_MODE: 'sandbox',
      PAYDESK_API_KEY: oneKey,
    };
    const ran = await runAs(empty, undefined, changeArgs(order), env);
    expect(came(ran, order), ran.stderr).toEqual({ code: 3, posts: 0 });
  });

  test('--idempotency-key answers under another name; under another spelling it names the profile to use (4); one POST', async () => {
    using own = copyOf(home);
    const order = ledger.add('refund');
    const words = [...changeArgs(order), '--idempotency-key', 'ticket-1'];
    expect(came(await runAs(own, 't', words), order)).toEqual({ code: 0, posts: 1 });
    const same = await runAs(own, 'other-name', words);
    expect(came(same, order), same.stderr).toEqual({ code: 0, posts: 1 });
    expect(same.stdout).toContain('made before: refund of 5000 MXN');
    const elsewhere = await runAs(own, 'localhost', words);
    expect(came(elsewhere, order), elsewhere.stderr).toEqual({ code: 4, posts: 1 });
    expect(inOneLine(elsewhere.stderr)).toContain(
      'it is reached by t, slash, other-name: -p t; to look it up: paydesk -p t journal reconcile',
    );
    const other = await runAs(own, 'localhost', [...words, '--reason', 'other']);
    expect(came(other, order), other.stderr).toEqual({ code: 3, posts: 1 });
    expect(inOneLine(other.stderr)).toContain(
      'the idempotency key ticket-1 (--idempotency-key) was used for another change',
    );
  });

  test('an --again that was used up under one spelling is used up under another (3)', async () => {
    using own = copyOf(home);
    const order = ledger.add('refund');
    await runAs(own, 't', changeArgs(order));
    const again = [...changeArgs(order), '--again', `rf_${order.id}_1`];
    expect(came(await runAs(own, 't', again), order)).toEqual({ code: 0, posts: 2 });
    const ran = await runAs(own, 'localhost', again);
    expect(came(ran, order), ran.stderr).toEqual({ code: 3, posts: 2 });
    expect(inOneLine(ran.stderr)).toMatch(/was used already, at \d\d:\d\d:\d\d/);
  });

  test('two runs at once under two spellings: one POST', async () => {
    using own = copyOf(home);
    const order = ledger.add('refund');
    const ran = await Promise.all(['t', 'localhost'].map((name) => runAs(own, name, changeArgs(order))));
    const codes = ran.map(({ code }) => code).toSorted((one, two) => Number(one) - Number(two));
    expect({ codes, posts: order.posts.length }).toEqual({ codes: [0, 3], posts: 1 });
    expect(story(own)).toBe('sent applied');
  });
});

describe.concurrent('two addresses that may be one account', () => {
  test('the same key at both: refused (3), and both addresses and the profile are named', async () => {
    await using here = await startLedger();
    await using there = await startLedger();
    using home = await homeWith(
      { name: 'here', baseUrl: here.url, key: oneKey },
      { name: 'there', baseUrl: there.url, key: oneKey },
    );
    const [order, same] = [here.add('refund'), there.add('refund')];
    expect(same.id).toBe(order.id);
    await loseOne(home, 'here', order);
    const ran = await runAs(home, 'there', changeArgs(same));
    expectBlocked(ran, same, 0);
    expect(inOneLine(ran.stderr)).toContain(
      `the earlier one went to ${here.url} (profile here), this one would go to ${there.url}`,
    );
    expect(ran.stderr).toMatch(/paydesk journal reconcile i_\w+/);
  });

  test('production at both, with two keys: refused (3), and both addresses are named', async () => {
    await using here = await startLedger();
    await using there = await startLedger();
    using home = await homeWith(
      { name: 't', baseUrl: here.url, key: oneKey, mode: 'production' },
      { name: 'there', baseUrl: there.url, key: otherKey, mode: 'production' },
    );
    const [order, same] = [here.add('refund', () => stall), there.add('refund')];
    for (const one of [order, same]) one.value = inProduction(one.value);
    const words = [...changeArgs(order), '--confirm', order.id];
    const env = () => cleanEnv({ home });
    const sending = start({ env }, home, words);
    await until(() => order.posts.length === 1);
    const meanwhile = await runAs(home, 'there', words);
    expect(came(meanwhile, same), meanwhile.stderr).toEqual({ code: 3, posts: 0 });
    expect(meanwhile.stderr).toContain('is being changed by');
    sending.kill('SIGKILL');
    await sending.end;
    const later = await runAs(home, 'there', words);
    expectBlocked(later, same, 0);
    expect(inOneLine(later.stderr)).toContain(
      `the earlier one went to ${here.url} (profile t), this one would go to ${there.url}`,
    );
    expect(story(home)).toBe('sent');
  });
});

describe.concurrent('what is not one account is not taken for one', () => {
  test('two sandboxes with two keys and the same order id: each is refunded', async () => {
    await using here = await startLedger();
    await using there = await startLedger();
    using home = await homeWith(
      { name: 'here', baseUrl: here.url, key: oneKey },
      { name: 'there', baseUrl: there.url, key: otherKey },
    );
    const [order, same] = [here.add('refund'), there.add('refund')];
    await loseOne(home, 'here', order);
    const ran = await runAs(home, 'there', [...changeArgs(same), '--idempotency-key', 'ticket-1']);
    expect(came(ran, same), ran.stderr).toEqual({ code: 0, posts: 1 });
  });

  test('the demo and a sandbox with an order of the same id: each is refunded', async () => {
    await using ledger = await startLedger();
    using home = await homeWith({ name: 't', baseUrl: ledger.url, key: oneKey });
    const list = await runAs(home, 'demo', ['orders', 'list', '--json', '--limit', '40']);
    const { data } = JSON.parse(list.stdout) as { data: readonly { id: string; payment_status?: string }[] };
    const id = data.find(({ payment_status: status }) => status === 'paid')?.id ?? '';
    const order = ledger.add('refund', honest, id);
    const inTheDemo = ['orders', 'refund', id, '--charge', '1', '--amount', '1', '--yes'];
    const lost = await runAs(home, 'demo', inTheDemo, { PAYDESK_DEMO_FAULT: 'drop' });
    expect(lost.code, lost.stderr).toBe(7);
    const ran = await runAs(home, 't', changeArgs(order));
    expect(came(ran, order), ran.stderr).toEqual({ code: 0, posts: 1 });
    expect((await runAs(home, 'demo', inTheDemo)).code).toBe(3);
  });
});

describe('an https address behind a proxy', () => {
  test('upper case, the default port, a slash and a prefix make no other account: refused (3), one POST', async () => {
    await using ledger = await startLedger(namedCertificate);
    await using relay = await startRelay(ledger.server.port, { tunnel: true });
    using home = await homeWith(
      { name: 't', baseUrl: 'https://pay.example.test', key: oneKey },
      { name: 'upper', baseUrl: 'HTTPS://Pay.Example.TEST', key: otherKey },
      { name: 'port', baseUrl: 'https://pay.example.test:443', key: otherKey },
      { name: 'slash', baseUrl: 'https://pay.example.test/', key: otherKey },
      { name: 'prefix', baseUrl: 'https://pay.example.test/v1', key: otherKey },
    );
    const trusted = join(home.path, 'trusted.pem');
    writeFileSync(trusted, namedCertificate.cert);
    const env = { NODE_EXTRA_CA_CERTS: trusted, HTTPS_PROXY: `http://127.0.0.1:${relay.port}` };
    const order = ledger.add('refund');
    await loseOne(home, 't', order, env);
    for (const name of ['upper', 'port', 'slash', 'prefix'])
      expectBlocked(await runAs(home, name, changeArgs(order), env), order);
    expect(journalRows(home).filter(({ type }) => type === 'sent')).toHaveLength(1);
  });
});
