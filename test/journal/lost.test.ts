/** Attempts without an order that only the witness still knows. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settleArgs } from '../atmost/desk.ts';
import { later } from '../harness/clock.ts';
import { type Home, newHome, paydesk } from '../harness/paydesk.ts';

const create = (item: string) => [
  '-p',
  'demo',
  'orders',
  'create',
  '--item',
  item,
  '--currency',
  'MXN',
  '--yes',
];

async function ordersIn(home: Home): Promise<number> {
  const { stdout } = await paydesk(['-p', 'demo', 'orders', 'list', '--all', '--ndjson'], { home });
  return stdout.trim().split('\n').length;
}

it('a creation whose reply was lost, and then its journal, blocks every creation until a person settles it', async () => {
  using home = newHome();
  const lost = await paydesk(create('Lamp:30000:1'), { home, env: { PAYDESK_DEMO_FAULT: 'drop' } });
  expect(lost.code, lost.stderr).toBe(7);
  rmSync(join(home.path, '.local/state/paydesk/journal'), { recursive: true });
  const repaired = await paydesk(['journal', 'verify', '--repair', '--yes', '--json'], { home });
  expect(repaired.code, repaired.stderr).toBe(7);
  const { blocked } = JSON.parse(repaired.stdout) as { blocked: readonly { change: string; order: null }[] };
  expect(blocked).toEqual([{ change: expect.any(String), order: null }]);
  const before = await ordersIn(home);
  for (const words of [
    create('Lamp:30000:1'),
    create('Chair:500:2'),
    [...create('Chair:500:2'), '--idempotency-key', 'T9'],
  ]) {
    const refused = await paydesk(words, { home });
    expect({ code: refused.code, orders: await ordersIn(home) }, refused.stderr).toEqual({
      code: 3,
      orders: before,
    });
  }
  const change = blocked[0]?.change ?? '';
  const settle = settleArgs(change, change);
  const settled = await paydesk(settle, { home, env: later(600_000) });
  expect(settled.code, settled.stderr).toBe(0);
  expect((await paydesk(create('Chair:500:2'), { home })).code).toBe(0);
  expect(await ordersIn(home)).toBe(before + 1);
});
