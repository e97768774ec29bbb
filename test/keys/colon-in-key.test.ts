/** A key that holds a colon: another key for paydesk, and the same user for a service with Basic authorization. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paydesk } from '../harness/paydesk.ts';
import { startService, storeShop } from '../harness/service.ts';

test('a key that holds a colon is refused (2) wherever it is read, and never shown', async () => {
  await using service = await startService({ orders: [] });
  const { home } = service;
  await storeShop(home, service);
  const key = 'key_CANARYxyz0123456789:pass';
  const inEnv = { PAYDESK_BASE_URL: service.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: key };
  const add = ['profile', 'add', 'b', '--base-url', service.url, '--mode', 'sandbox', '--key-stdin'];
  const ofEnv = await paydesk(['orders', 'list'], { home, env: inEnv });
  const added = await paydesk([...add, '--key-store', 'file'], { home, input: key });
  const file = join(home.path, '.config/paydesk/keys.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"key_?[^"]{12,}"/, JSON.stringify(key)));
  const stored = await paydesk(['-p', 'shop', 'orders', 'list'], { home });
  for (const { code, stdout, stderr } of [ofEnv, added, stored]) {
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('it holds a colon');
    expect(stdout + stderr).not.toContain('CANARY');
  }
  expect(service.requests).toEqual([]);
});
