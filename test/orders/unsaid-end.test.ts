/** A list whose end is not stated is never called complete: by lists, searches and a look for one order. */

import { expect, test } from 'vitest';
import { newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { json, startServer } from '../harness/server.ts';
import { chargeOf, orderOf, testKey } from './service.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35000)]);

async function ask(reply: object, ...args: readonly string[]): Promise<Ran> {
  await using server = await startServer(json(reply));
  using home = newHome();
  const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: testKey };
  return await paydesk(['orders', ...args], { home, env });
}

test.each([undefined, 'true', 'false', 1, null])(
  'has_more %s: --all, find and show exit 9',
  async (has_more) => {
    const page = { object: 'list', data: [order], has_more };
    const one = await ask(page, 'list');
    expect(one.code, one.stderr).toBe(0);
    expect(one.stderr).toContain('The service does not say whether more follow');
    for (const args of [
      ['list', '--all', '--csv'],
      ['find', 'nobody'],
      ['show', 'ord_other'],
    ]) {
      const ran = await ask(page, ...args);
      expect(ran.code, `${args.join(' ')}: ${ran.stderr}`).toBe(9);
      expect(ran.stderr).toContain('the service does not say whether more follow');
    }
  },
);

test('F57 an empty page that says more follow exits 9, and JSON says has_more', async () => {
  const ran = await ask({ object: 'list', data: [], has_more: true }, 'list', '--json');
  expect(ran.code, ran.stderr).toBe(9);
  expect(JSON.parse(ran.stdout)).toEqual({ object: 'list', data: [], has_more: true });
});
