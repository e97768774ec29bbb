/** `journal list` on a narrow terminal: the outcome always has room. */

import { expect, test } from 'vitest';
import { newHome, onScreen, paydesk } from '../harness/paydesk.ts';

test('OUTCOME stays beside INTENT, and what has no room is named once', async () => {
  using home = newHome();
  const args = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '1', '--amount', '700', '--yes'];
  expect((await paydesk(['-p', 'demo', ...args], { home })).code).toBe(0);
  const screens: string[] = [];
  for (const columns of [30, 40, 60]) {
    const { screen } = await onScreen(['journal', 'list'], { home, columns });
    screens.push(screen.replace(/i_\w{8}/, 'i_00000000'));
  }
  const titles = screens.map((screen) =>
    screen
      .split('\n', 1)[0]
      ?.split(/\s{2,}/)
      .map((title) => title.trim()),
  );
  expect(titles).toEqual([
    ['INTENT', 'AMOUNT', 'OUTCOME'],
    ['INTENT', 'SENT UTC', 'MXN', 'OUTCOME'],
    ['INTENT', 'ORDER', 'AMOUNT', 'OUTCOME'],
  ]);
  expect(screens.map((screen) => screen.match(/has no room for/g)?.length)).toEqual([1, 1, 1]);
  expect(screens[2]?.replaceAll('\n', ' ')).toContain('no room for SENT: -o list shows every field');
});
