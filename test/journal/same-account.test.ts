import { describe, expect, it } from 'vitest';
import type { AccountMarks } from '../../src/journal/same-account.ts';
import {
  attemptsOf,
  hasSameLimits,
  isOfLivemode,
  isSameAddress,
  lockName,
  marksOf,
  marksOfService,
  mayBeSameAccount,
} from '../../src/journal/same-account.ts';
import { createMemoryStore } from '../harness/memory-store.ts';
import { profileInUse } from '../harness/profile-in-use.ts';
import { sent } from './rows.ts';

const marks = (origin: string, more: Partial<AccountMarks> = {}): AccountMarks => ({
  origin,
  livemode: false,
  ...more,
});

describe('an address is the same', () => {
  it.each([
    ['in another case', 'https://pay.example', 'HTTPS://Pay.Example'],
    ['with a trailing dot', 'https://pay.example', 'https://pay.example.'],
    ['with the port of its scheme', 'https://pay.example', 'https://pay.example:443'],
    ['with a trailing slash', 'https://pay.example', 'https://pay.example/'],
    ['localhost and 127.0.0.1', 'http://localhost:8080', 'http://127.0.0.1:8080'],
    ['localhost and [::1]', 'http://localhost:8080', 'http://[::1]:8080'],
    ['localhost and another address of this machine', 'http://localhost', 'http://127.12.0.200'],
    [
      'localhost and one of this machine in the form of IPv6',
      'http://localhost',
      'http://[::ffff:127.0.0.1]',
    ],
    [
      'localhost and a short one of it in the form of IPv6',
      'http://localhost',
      'http://[::ffff:127.0.0.200]',
    ],
    ['localhost and a long one of it in the form of IPv6', 'http://localhost', 'http://[::ffff:127.1.2.200]'],
    ['localhost and a name below it', 'http://localhost', 'http://shop.localhost'],
    ['one that is no URL, and itself', 'o', 'o'],
  ])('%s', (_, one, other) => {
    expect(isSameAddress(marks(one), marks(other))).toBe(true);
    expect(mayBeSameAccount(marks(one), marks(other))).toBe(true);
  });

  it.each([
    ['another host', 'https://pay.example', 'https://pay.example.org'],
    ['another port', 'http://localhost:8080', 'http://localhost:8081'],
    ['another scheme', 'https://pay.example', 'http://pay.example'],
    ['a host that begins as this machine', 'http://localhost', 'http://localhost.example'],
    ['a host that ends as this machine', 'http://localhost', 'http://notlocalhost'],
    ['a host that only holds an address of this machine', 'http://localhost', 'http://127.0.0.1.example'],
    ['a host with a name before such an address', 'http://localhost', 'http://x.127.0.0.1.example'],
    ['an address that is not of this machine', 'http://localhost', 'http://128.0.0.1'],
    ['another address in the form of IPv6', 'http://localhost', 'http://[::ffff:8.8.8.8]'],
    ['a dot inside', 'https://pay.example', 'https://p.ay.example'],
    ['two that are no URLs', 'o', 'p'],
  ])('not with %s', (_, one, other) => {
    expect(isSameAddress(marks(one), marks(other))).toBe(false);
    expect(mayBeSameAccount(marks(one), marks(other))).toBe(false);
  });
});

describe('two changes may be of one account', () => {
  const [here, there] = ['https://pay.example', 'https://other.example'];

  it('where the key is the same, whatever the address', () => {
    const keyed = (origin: string, keyFingerprint: string) => marks(origin, { keyFingerprint });
    expect(mayBeSameAccount(keyed(here, 'k1'), keyed(there, 'k1'))).toBe(true);
    expect(mayBeSameAccount(keyed(here, 'k1'), keyed(there, 'k2'))).toBe(false);
    expect(mayBeSameAccount(keyed(here, 'k1'), marks(there))).toBe(false);
  });

  it('where both are real money', () => {
    const real = (origin: string) => marks(origin, { livemode: true });
    expect(mayBeSameAccount(real(here), real(there))).toBe(true);
    expect(mayBeSameAccount(real(here), marks(there))).toBe(false);
    expect(mayBeSameAccount(marks(here), real(there))).toBe(false);
  });

  it('never where one is a demo, but with itself', () => {
    const same = { keyFingerprint: 'k1', livemode: true };
    const [demo, other] = [marks('demo:a', same), marks('demo:b', same)];
    expect(mayBeSameAccount(demo, demo)).toBe(true);
    expect(mayBeSameAccount(demo, other)).toBe(false);
    expect(mayBeSameAccount(demo, marks(here, same))).toBe(false);
    expect(mayBeSameAccount(marks(here, same), demo)).toBe(false);
    expect(mayBeSameAccount(marks('demo:A'), marks('demo:a'))).toBe(false);
  });

  it('by what the journal keeps of them', () => {
    expect(marksOf(sent('i_1', 0, { keyFingerprint: 'k1' }))).toEqual({
      origin: 'https://pay.example',
      livemode: true,
      keyFingerprint: 'k1',
    });
  });

  it('by the profile of a service, and by its key once that is compared', () => {
    let hashed = 0;
    const service = {
      profile: profileInUse('https://pay.example', { mode: 'production' }),
      get keyFingerprint() {
        hashed += 1;
        return 'k1';
      },
    };
    const ofService = marksOfService(service);
    expect(hashed).toBe(0);
    expect(ofService).toMatchObject({ origin: 'https://pay.example', livemode: true, keyFingerprint: 'k1' });
  });
});

describe('limits of one account hold for another', () => {
  const [here, there] = ['https://pay.example', 'https://other.example'];
  const keyed = (origin: string, keyFingerprint: string | undefined, livemode = false) =>
    marks(origin, { keyFingerprint, livemode });

  it.each<[string, AccountMarks, AccountMarks, boolean]>([
    [
      'at the same address, whatever its key and spelling',
      keyed(here, 'k1'),
      keyed(`${here}:443/`, 'k2'),
      true,
    ],
    ['with the same key at another address', keyed(here, 'k1'), keyed(there, 'k1'), true],
    ['not with another key at another address', keyed(here, 'k1'), keyed(there, 'k2'), false],
    ['not where nobody knows the keys of two addresses', marks(here), marks(there), false],
    [
      'not in production at another address with another key',
      keyed(here, 'k1', true),
      keyed(there, 'k2', true),
      false,
    ],
    ['not in the other mode of the same address', keyed(here, 'k1', true), keyed(here, 'k1'), false],
    ['in a demo', keyed('demo:a', 'k1'), keyed('demo:a', 'k2'), true],
    ['not in another demo', keyed('demo:a', 'k1'), keyed('demo:b', 'k1'), false],
    ['not of a demo, with the same key', keyed('demo:a', 'k1'), keyed(here, 'k1'), false],
    ['not for a demo, with the same key', keyed(here, 'k1'), keyed('demo:a', 'k1'), false],
  ])('%s', (_, one, other, same) => {
    expect(hasSameLimits(one, other)).toBe(same);
  });
});

it('a question beside the guards does not count as having seen the rows of an order', async () => {
  const store = createMemoryStore();
  const service = { profile: profileInUse('https://pay.example'), keyFingerprint: undefined };
  const orderId = 'ord_1';
  await store.attempts({ orderId, beforeSending: true });
  const other = sent('i_other', 1);
  await store.append({ ...other, proof: { ...other.proof, orderId } });
  await attemptsOf(store, service, orderId);
  await store.attempts({ orderId });
  const own = sent('i_own', 2);
  await expect(store.append({ ...own, proof: { ...own.proof, orderId } })).rejects.toMatchObject({
    kind: 'refused',
  });
});

it('no spelling of an address escapes the lock on an order, and every demo has its own', () => {
  expect(lockName(marks('https://pay.example'), 'ord_1')).toBe('ord_1');
  expect(lockName(marks('http://mydemo:8080'), 'ord_1')).toBe('ord_1');
  expect(lockName(marks('demo:a'), 'ord_1')).toBe('demo:a ord_1');
});

it('gives the attempts of the account on an order, or on several', async () => {
  const store = createMemoryStore();
  const service = { profile: profileInUse('https://pay.example'), keyFingerprint: undefined };
  const on = (change: string, orderId: string, origin = service.profile.origin) => {
    const row = sent(change, 1, { origin });
    return { ...row, proof: { ...row.proof, orderId, livemode: false } };
  };
  for (const row of [on('i_a', 'ord_1'), on('i_b', 'ord_2'), on('i_c', 'ord_1', 'https://other.example')])
    await store.append(row);
  const of = async (orders: string | ReadonlySet<string>) =>
    (await attemptsOf(store, service, orders)).map((record) => record.sent.change);
  expect(await of('ord_1')).toEqual(['i_a']);
  expect(await of(new Set(['ord_1', 'ord_2']))).toEqual(['i_a', 'i_b']);
  expect(await of(new Set(['ord_3']))).toEqual([]);
});

it('a change is of one mode, and one whose row is lost may be of both', () => {
  const { proof } = sent('i_1', 0);
  const real = { proof: { ...proof, livemode: true } };
  expect([isOfLivemode(real, true), isOfLivemode(real, false)]).toEqual([true, false]);
  const lost = { ...real, lost: 'unknown' } as const;
  expect([isOfLivemode(lost, true), isOfLivemode(lost, false)]).toEqual([true, true]);
});
