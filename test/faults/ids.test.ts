/** F49: ids are checked before anything leaves: no path, query or look-alike reaches the service. */

import { describe, expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';

const hostile: readonly { readonly name: string; readonly id: string }[] = [
  { name: '..', id: '..' },
  { name: 'the parent folder, percent-encoded', id: '%2e%2e' },
  { name: 'a path out of orders', id: '../customers' },
  { name: 'a path below the order', id: 'ord_1/capture' },
  { name: 'a query', id: 'ord_1?x' },
  { name: 'a fragment', id: 'ord_1#' },
  { name: 'a backslash', id: 'ord_1\\capture' },
  { name: 'a space', id: 'ord_1 ' },
  { name: 'a space before it', id: ' ord_1' },
  { name: 'a line break', id: 'ord_1\r\nX-Other: 1' },
  { name: 'a line break at its end', id: 'ord_1\n' },
  { name: '10 kB', id: `ord_${'a'.repeat(10_000)}` },
  { name: 'one letter too many', id: `ord_${'a'.repeat(65)}` },
  { name: 'nothing after its prefix', id: 'ord_' },
  { name: 'a Cyrillic look-alike', id: 'оrd_1' },
  { name: 'full-width digits', id: 'ord_１' },
  { name: 'an invisible character', id: 'ord_1\u200b' },
  { name: 'the id of a customer', id: 'cus_1' },
  { name: 'another case', id: 'ORD_1' },
  { name: 'a percent-encoded slash', id: 'ord_1%2fcapture' },
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

describe.concurrent('F49 a malformed id exits 2 with 0 requests', () => {
  test.each(hostile)('orders refund: $name', async ({ id }) => {
    using home = newHome();
    await using server = await startServer(json({ object: 'list', has_more: false, data: [] }));
    const ran = await paydesk(['orders', 'refund', id, '--yes'], { home, env: environment(server.url) });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('nothing was sent');
    expect(ran.stderr.length).toBeLessThan(2_000);
    expect(server.connections).toBe(0);
  });

  test.each(commands)('%s %s %s %s %s', async (...words) => {
    using home = newHome();
    await using server = await startServer(json({ object: 'list', has_more: false, data: [] }));
    const args = words.map((word) => word.replace('ID', '../../customers'));
    expect((await paydesk(args, { home, env: environment(server.url) })).code).toBe(2);
    expect(server.connections).toBe(0);
  });

  test.each(['../../customers', 'cus_1/x', 'ord_1', 'cus_é'])('customers show %s', async (id) => {
    using home = newHome();
    await using server = await startServer(json({ object: 'list', has_more: false, data: [] }));
    const env = environment(server.url);
    expect((await paydesk(['customers', 'show', id], { home, env })).code).toBe(2);
    expect(server.connections).toBe(0);
  });

  test.each(['ch/1', 'ch?1', 'ch#1', 'ch%2f', 'ch 1', 'ch\n1', ''])('--charge %j', async (charge) => {
    using home = newHome();
    await using server = await startServer(json({ object: 'list', has_more: false, data: [] }));
    const env = environment(server.url);
    const ran = await paydesk(['orders', 'refund', 'ord_1', '--yes', '--charge', charge], { home, env });
    expect(ran.code).toBe(2);
    expect(server.connections).toBe(0);
  });
});
