/** Ids are checked before anything leaves: no path, query or look-alike reaches the service. */

import { describe, expect, test } from 'vitest';
import { chargeIdPattern, orderIdPattern } from '../../src/api/spec.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { startServer } from '../harness/server.ts';
import { emptyList } from '../harness/service.ts';

interface Hostile {
  readonly name: string;
  readonly id: string;
}

// Each is typed at the program: what trimming, decoding or folding would make an order's id of, and one of each kind.
const typed: readonly Hostile[] = [
  { name: 'the parent folder, percent-encoded', id: '%2e%2e' },
  { name: 'a path out of orders', id: '../customers' },
  { name: 'a query', id: 'ord_1?x' },
  { name: 'a line break', id: 'ord_1\r\nX-Other: 1' },
  { name: 'an amount behind it', id: 'ord_1 500' },
  { name: '10 kB', id: `ord_${'a'.repeat(10_000)}` },
  { name: 'full-width digits', id: 'ord_１' },
  { name: 'an invisible character', id: 'ord_\u200b1' },
  { name: 'another case', id: 'ORD_1' },
  { name: 'a percent-encoded slash', id: 'ord_1%2fcapture' },
];

// Like these for the pattern that they all meet.
const alike: readonly Hostile[] = [
  { name: '..', id: '..' },
  { name: 'a path below the order', id: 'ord_1/capture' },
  { name: 'a fragment', id: 'ord_1#' },
  { name: 'a backslash', id: 'ord_1\\capture' },
  { name: 'one letter too many', id: `ord_${'a'.repeat(65)}` },
  { name: 'nothing after its prefix', id: 'ord_' },
  { name: 'a Cyrillic look-alike', id: 'оrd_1' },
  { name: 'the id of a customer', id: 'cus_1' },
];

// `ID` stands for what is typed; where an order is named right, the flag's id is wrong.
const commands = [
  ['orders', 'show', 'ID'],
  ['orders', 'capture', 'ID', '--yes'],
  ['orders', 'list', '--next', 'ID'],
  ['orders', 'list', '--previous=ID'],
  ['orders', 'refund', 'ord_1', '--confirm', 'ID'],
];

function environment(url: string): Record<string, string> {
  return { PAYDESK_BASE_URL: url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: crypto.randomUUID() };
}

describe.concurrent('a malformed id exits 2 with 0 requests (F49)', () => {
  test.each(typed)('orders refund: $name', async ({ id }) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const ran = await paydesk(['orders', 'refund', id, '--yes'], { home, env: environment(server.url) });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('nothing was sent');
    expect(ran.stderr.length).toBeLessThan(2_000);
    expect(server.connections).toBe(0);
  });

  test.each([...typed, ...alike])('the pattern of ids refuses $name', ({ id }) => {
    expect(orderIdPattern.test(id)).toBe(false);
    expect(orderIdPattern.test(`ord_${'a'.repeat(64)}`)).toBe(true);
  });

  test.each(commands)('%s %s %s %s %s', async (...words) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const args = words.map((word) => word.replace('ID', '../../customers'));
    expect((await paydesk(args, { home, env: environment(server.url) })).code).toBe(2);
    expect(server.connections).toBe(0);
  });

  test.each(['../../customers', 'ord_1', 'cus_é'])('customers show %s', async (id) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const env = environment(server.url);
    expect((await paydesk(['customers', 'show', id], { home, env })).code).toBe(2);
    expect(server.connections).toBe(0);
  });

  test.each(['ch/1', 'ch?1', 'ch#1', 'ch%2f', 'ch 1', 'ch\n1', ''])(
    'the pattern of charge ids refuses %j',
    (charge) => {
      expect(chargeIdPattern.test(charge)).toBe(false);
      expect(chargeIdPattern.test('ch_1')).toBe(true);
    },
  );

  test.each(['ch/1', 'ch\n1', ''])('--charge %j', async (charge) => {
    using home = newHome();
    await using server = await startServer(emptyList);
    const env = environment(server.url);
    const ran = await paydesk(['orders', 'refund', 'ord_1', '--yes', '--charge', charge], { home, env });
    expect(ran.code).toBe(2);
    expect(server.connections).toBe(0);
  });
});
