/** `journal list` on a narrow terminal: the outcome always has room, and the kind where kinds differ. */

import { expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { newHome, onScreen, paydesk } from '../harness/paydesk.ts';
import { json, reset } from '../harness/server.ts';
import { type Service, startService, storeShop } from '../harness/service.ts';

// A day of two digits: what a row has room for must not depend on the day of the month on which the tests run.
const start = '2040-11-21T05:05:12Z';
const after = (seconds: number) => standingAt(new Date(Date.parse(start) + seconds * 1000).toISOString());

test('OUTCOME stays beside CHANGE, and what has no room in the row stands below it', async () => {
  using home = newHome();
  const args = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '1', '--amount', '700', '--yes'];
  const env = after(0);
  expect((await paydesk(['-p', 'demo', ...args], { home, env })).code).toBe(0);
  const screens: string[] = [];
  for (const columns of [30, 40, 60]) {
    const { screen } = await onScreen(['journal', 'list'], { home, env, columns });
    screens.push(screen.replace(/i_\w{8}/, 'i_00000000'));
  }
  const titles = screens.map((screen) =>
    screen
      .split('\n', 1)[0]
      ?.split(/\s{2,}/)
      .map((title) => title.trim()),
  );
  expect(titles).toEqual([
    ['CHANGE', 'AMOUNT', 'OUTCOME'],
    ['CHANGE', 'SENT UTC', 'MXN', 'OUTCOME'],
    ['CHANGE', 'ORDER', 'AMOUNT', 'OUTCOME'],
  ]);
  for (const screen of screens) {
    expect(screen).toMatch(/ord_2tQ7zRk9PwE5xNvAm\n|ord_2tQ7zRk9PwE5xNvAm {2}700 MXN/);
    expect(screen).toMatch(/\d\d \w{3} \d\d:\d\d/);
    expect(screen).toMatch(/^i_0{8} .* 700 MXN +made|^i_0{8} .* 700 +made/m);
    expect(screen.replaceAll('\n', ' ')).toContain('no room for KIND, BY: -o list shows every field');
  }
});

test('OUTCOME is whole at 80 and 120 columns and tells the kind; the link stands below its row', async () => {
  using home = newHome();
  const env = { ...after(0), TZ: 'UTC', PAYDESK_OPERATOR: 'op7' };
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
      .replaceAll(/[0-9a-f]{24}/g, '0123456789abcdef01234567')
      .replaceAll(/link\/[0-9a-f]{12}\b/g, 'link/72aeeb95b1de');
  expect(await screen(80)).toMatchInlineSnapshot(`
    "CHANGE      SENT UTC      ORDER                       MXN  OUTCOME       KIND   
    i_00000000  21 Nov 05:05  0123456789abcdef01234567  30000  link created  checko…
                link https://pay.example.com/link/72aeeb95b1de
    i_00000000  21 Nov 05:05  ord_2tQ7zRk9PwE5xNvAm       700  made          refund 
    this terminal has no room for BY: -o list shows every field
    "
  `);
  expect(await screen(120)).toMatchInlineSnapshot(`
    "CHANGE      SENT UTC      ORDER                       MXN  OUTCOME       BY   LINK                                     
    i_00000000  21 Nov 05:05  0123456789abcdef01234567  30000  link created  op7  https://pay.example.com/link/72aeeb95b1de
    i_00000000  21 Nov 05:05  ord_2tQ7zRk9PwE5xNvAm       700  made          op7  -                                        
    this terminal has no room for KIND, PROFILE: -o list shows every field
    "
  `);
  // A list of payment links is read for the links.
  const links = await onScreen(['-p', 'demo', 'journal', 'list', '--kind', 'checkout'], {
    home,
    env,
    columns: 80,
  });
  expect(links.screen).toMatch(
    /^CHANGE +SENT UTC +AMOUNT +OUTCOME +NAME *\n\S+ .* 30000 MXN +made +Lamp *\n +link https:\/\/pay\.example\.com\/link\/\w+\n/,
  );
  // A script and a pipe get all of it.
  const { stdout } = await demo(['journal', 'list']);
  expect(stdout).toContain('made: the reply was lost, the order shows such a refund');
  expect(stdout).toMatch(/https:\/\/pay\.example\.com\/link\/\w+/);
});

const link = ['checkout', 'create', '--name', 'Desk lamp', '--item', 'Lamp:30000:1', '--currency', 'MXN'];
const lost = 'ord_2tQ8mVxK4nRz7LcWp';

/** Sends a refund whose reply is lost, a capture, a refund that is recorded by hand, and two links, with two profiles. */
async function sendWithTwoProfiles({ home }: Service): Promise<void> {
  let seconds = 0;
  // Each a little later: what was sent at one moment is in no certain order.
  const moment = () => {
    seconds += 10;
    return after(seconds);
  };
  const run = async (line: string, env = {}) => {
    const ran = await paydesk(line.split(' '), {
      home,
      env: { ...moment(), PAYDESK_OPERATOR: 'op7', ...env },
    });
    return `${ran.stdout}${ran.stderr}`;
  };
  const refund = '-p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 700 --yes';
  await run(refund, { PAYDESK_DEMO_FAULT: 'apply-drop' });
  const [held = ''] = /ord_\w+/.exec(await run('-p demo orders list --status pre_authorized')) ?? [];
  await run(`-p demo orders capture ${held} --yes`);
  const [change = ''] = /i_\w+/.exec(await run(`-p shop orders refund ${lost} --yes`)) ?? [];
  await run(`-p shop journal settle ${change} --applied --note bank-file --confirm ${lost}`);
  for (const name of ['demo', 'shop'])
    await paydesk(['-p', name, ...link, '--yes'], {
      home,
      env: { ...moment(), PAYDESK_OPERATOR: 'op7' },
    });
}

test('over several profiles and kinds nothing is lost at 80 columns: whose money, how much, what became of it, of what', async () => {
  const made = { id: '656f1c0e9a2b4d0018c3e5a1', url: 'https://pay.example.com/link/656f1c0e9a2b4d' };
  await using service = await startService({
    sendsDate: false,
    orders: [orderOf(lost, [chargeOf('ch_1', 35_000)])],
    onPost: (_, __, { url }) =>
      url.includes('checkout')
        ? json({ ...made, object: 'checkout', livemode: false, name: 'Desk lamp' })
        : reset,
  });
  await storeShop(service.home, service, {});
  await sendWithTwoProfiles(service);
  const env = { ...after(100), TZ: 'UTC', PAYDESK_OPERATOR: 'op7' };
  const seat = { home: service.home, env, columns: 80 };
  const list = async (...more: readonly string[]) =>
    (await onScreen(['journal', 'list', '--all-profiles', ...more], seat)).screen
      .replaceAll(/i_\w{8}/g, 'i_00000000')
      .replaceAll(/\d\d \w{3} \d\d:\d\d/g, '21 Nov 05:05')
      .replaceAll(/ord_\w{17}/g, 'ord_2tQ7zRk9PwE5xNvAm')
      .replaceAll(/\b[0-9a-f]{24}/g, '0123456789abcdef01234567')
      .replaceAll(/link\/[0-9a-f]{12}\b/g, 'link/72aeeb95b1de');
  expect(await list()).toMatchInlineSnapshot(`
    "CHANGE      SENT UTC         AMOUNT  OUTCOME        PROFILE
    i_00000000  21 Nov 05:05    700 MXN  made           demo   
                order ord_2tQ7zRk9PwE5xNvAm
    i_00000000  21 Nov 05:05   7450 MXN  captured       demo   
                order ord_2tQ7zRk9PwE5xNvAm
    i_00000000  21 Nov 05:05  35000 MXN  recorded made  shop   
                order ord_2tQ7zRk9PwE5xNvAm
    i_00000000  21 Nov 05:05  30000 MXN  link created   demo   
                created 0123456789abcdef01234567
                link https://pay.example.com/link/72aeeb95b1de
    i_00000000  21 Nov 05:05  30000 MXN  link created   shop   
                created 0123456789abcdef01234567
                link https://pay.example.com/link/656f1c0e9a2b4d
    this terminal has no room for KIND, BY: -o list shows every field
    these changes were sent with demo, shop; for only one of them: -p demo
    "
  `);
  const links = await list('--kind', 'checkout');
  expect(links).toMatchInlineSnapshot(`
    "CHANGE      SENT UTC         AMOUNT  OUTCOME  PROFILE  NAME     
    i_00000000  21 Nov 05:05  30000 MXN  made     demo     Desk lamp
                link https://pay.example.com/link/72aeeb95b1de
    i_00000000  21 Nov 05:05  30000 MXN  made     shop     Desk lamp
                link https://pay.example.com/link/656f1c0e9a2b4d
    this terminal has no room for KIND, BY: -o list shows every field
    these changes were sent with demo, shop; for only one of them: -p demo
    "
  `);
});
