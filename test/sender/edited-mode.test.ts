/** A desk whose profile file was edited: it says another mode than the account at the sender has. The sender refuses it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProduction } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import type { TestDesk } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { ordersOf, startLedger } from './ledger.ts';

function writeMode({ home }: TestDesk, mode: string): void {
  const file = join(home.path, '.config/paydesk/profiles.json');
  const text = readFileSync(file, 'utf8');
  const edited = text.replace(/"mode": ?"(sandbox|production)"/, `"mode": "${mode}"`);
  expect(edited).not.toBe(text);
  writeFileSync(file, edited);
}

const linesWith = (yes: (named: string) => readonly string[]): readonly (readonly string[])[] => [
  ['orders', 'refund', 'ord_A1', ...yes('ord_A1')],
  ['orders', 'create', '--currency', 'MXN', '--item', 'Lamp:300:1', '--customer', 'cus_1', ...yes('shop')],
  ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:300:1', '--currency', 'MXN', ...yes('shop')],
  ['api', 'POST', 'webhooks', ...yes('shop')],
  ['orders', 'list'],
  ['journal', 'list'],
  ['profile', 'check', 'shop'],
];

test.each([
  ['sandbox', 'production', linesWith(() => ['--yes'])],
  ['production', 'sandbox', linesWith((named) => ['--confirm', named])],
] as const)(
  'a desk that says %s where its sender says %s does nothing at all (3)',
  async (written, real, lines) => {
    await using ledger = await startLedger({
      mode: real,
      orders: real === 'production' ? ordersOf(3).map((one) => inProduction(one)) : ordersOf(3),
      onPost: () => json({ object: 'order', id: 'ord_new' }),
    });
    const desk = await ledger.sender.desk('ana');
    writeMode(desk, written);
    const ends = [];
    for (const line of lines) {
      const ran = await desk.run(['-p', 'shop', ...line]);
      ends.push({ line: line.join(' '), code: ran.code, said: inOneLine(ran.stderr).slice(0, 300) });
    }
    expect(ledger.service.posts).toEqual([]);
    expect(ends.filter(({ code }) => code !== 3)).toEqual([]);
    for (const { said } of ends)
      expect(said).toContain(
        `the profile of this desk says ${written}, and its account at the sender is ${real}`,
      );
  },
);
