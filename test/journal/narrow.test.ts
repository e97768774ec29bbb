/** `journal list` on a narrow terminal: the outcome always has room, and the kind where kinds differ. */

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

test('OUTCOME and KIND have room at 80 columns, are whole at 120, and LINK gives way to them', async () => {
  using home = newHome();
  const env = { TZ: 'UTC', PAYDESK_OPERATOR: 'op7' };
  const demo = (args: readonly string[], more = {}) =>
    paydesk(['-p', 'demo', ...args], { home, env: { ...env, ...more } });
  const link = ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:30000:1', '--currency', 'MXN'];
  expect((await demo([...link, '--yes'])).code).toBe(0);
  const refund = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '1', '--amount', '700', '--yes'];
  expect((await demo(refund, { PAYDESK_DEMO_FAULT: 'apply-drop' })).code).toBe(0);
  const screen = async (columns: number) =>
    (await onScreen(['-p', 'demo', 'journal', 'list'], { home, env, columns })).screen
      .replaceAll(/i_\w{8}/g, 'i_00000000')
      .replaceAll(/\d\d \w{3} \d\d:\d\d/g, '21 Nov 05:05')
      .replaceAll(/[0-9a-f]{24}/g, '0123456789abcdef01234567');
  expect(await screen(80)).toMatchInlineSnapshot(`
    "INTENT      SENT UTC      ORDER                       MXN  OUTCOME      KIND    
    i_00000000  21 Nov 05:05  0123456789abcdef01234567  30000  made         checkout
    i_00000000  21 Nov 05:05  ord_2tQ7zRk9PwE5xNvAm       700  made, repl…  refund  
    this terminal has no room for LINK: -o list shows every field
    "
  `);
  expect(await screen(120)).toMatchInlineSnapshot(`
    "INTENT      SENT UTC      ORDER                        AMOUNT  OUTCOME           KIND      BY   PROFILE
    i_00000000  21 Nov 05:05  0123456789abcdef01234567  30000 MXN  made              checkout  op7  demo   
    i_00000000  21 Nov 05:05  ord_2tQ7zRk9PwE5xNvAm       700 MXN  made, reply lost  refund    op7  demo   
    this terminal has no room for LINK: -o list shows every field
    "
  `);
  // A list of payment links is read for the links.
  const links = await onScreen(['-p', 'demo', 'journal', 'list', '--kind', 'checkout'], {
    home,
    env,
    columns: 80,
  });
  expect(links.screen).toMatch(
    /^INTENT +AMOUNT +OUTCOME +NAME +LINK *\n\S+ +30000 MXN +made +Lamp +https:\/\/pay\.example\.com\/link\/\w+ *\n/,
  );
  expect(links.screen.replaceAll('\n', ' ')).toContain('no room for SENT');
  // A script and a pipe get all of it.
  const { stdout } = await demo(['journal', 'list']);
  expect(stdout).toContain('made: the reply was lost, the order shows it');
  expect(stdout).toMatch(/https:\/\/pay\.example\.com\/link\/\w+/);
});
