import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newRefundOf, paidOrder, withRefund } from '../harness/orders.ts';
import { newHome, paydesk, startInMemory } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { initSender, invited, startSender, testKey } from '../harness/sender.ts';
import type { Handler } from '../harness/server.ts';
import { startService } from '../harness/service.ts';
import { type Ledger, ordersOf, refunding, startLedger } from './ledger.ts';

const shop = ['-p', 'shop'];
const refund = [...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes'];

const lost: Handler = (_request, _response, socket) => void socket.destroy();

// The reply to every refund is lost.
function startLosing(isMade: boolean): Promise<Ledger> {
  const make = refunding();
  return startLedger({
    settings: { 'reconcile.after': '0' },
    onPost: (...asked) => {
      if (isMade) make(...asked);
      return lost;
    },
  });
}

test('a refund whose reply was lost is found by the sender, and the desk shows it', async () => {
  await using ledger = await startLosing(true);
  const ana = await ledger.sender.desk('ana');
  const ran = await ana.run(refund);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('the order now shows');
  expect(ledger.posts('ord_A1')).toBe(1);
});

test('one that no read shows is unconfirmed, blocks its order for every desk, and is looked up again through the sender', async () => {
  await using ledger = await startLosing(false);
  const [ana, ben] = [await ledger.sender.desk('ana'), await ledger.sender.desk('ben', 'operator', 'desk-5')];
  const ran = await ana.run([...refund, '--json']);
  expect(ran.code).toBe(7);
  const { change } = JSON.parse(ran.stderr) as { readonly change: string };

  expect((await ben.run(refund)).code).toBe(3);
  const looked = await ben.run([...shop, 'journal', 'reconcile', change]);
  expect(looked.stdout + looked.stderr).toContain(change);
  expect(ledger.posts('ord_A1')).toBe(1);
});

test('what a person records through the sender has their name, others see it, and it is read again', async () => {
  await using ledger = await startLosing(false);
  const [ana, ben] = [await ledger.sender.desk('ana'), await ledger.sender.desk('ben', 'operator', 'desk-5')];
  const ran = await ana.run([...refund, '--json']);
  const { change } = JSON.parse(ran.stderr) as { readonly change: string };
  const settled = await ben.run([
    ...shop,
    'journal',
    'settle',
    change,
    '--applied',
    '--note',
    'seen at the bank',
    '--confirm',
    'ord_A1',
  ]);
  expect(settled.stderr).not.toContain('error');
  const shown = await ana.run([...shop, 'journal', 'show', change]);
  expect(shown.stdout).toContain('ben');
  expect(shown.stdout).toContain('seen at the bank');
  const due = await ana.run([...shop, 'journal', 'reconcile', '--dry-run']);
  expect(due.stdout + due.stderr).toContain(change);
});

test('a token for production records nothing about the sandbox at the same address', async () => {
  await using service = await startService({ orders: ordersOf(1), onPost: () => lost });
  using home = newHome();
  const live = { name: 'live', baseUrl: service.url, mode: 'production', settings: {} } as const;
  await storeProfile(home, live, testKey);
  await initSender(home, { url: service.url, settings: { 'reconcile.after': '0' } });
  await using sender = await startSender({ url: service.url, home });
  const deskOf = async (name: string, account: string) => {
    const invite = [name, '--role', 'operator', '--account', account];
    const { stdout } = await sender.run(['sender', 'invite', ...invite, '--allow-root']);
    const invitation = account === 'live' ? await invited(home, invite) : JSON.parse(stdout);
    return (await sender.join({ ...invitation, sender: sender.url })).desk;
  };
  const [ana, olga] = [await deskOf('ana', 'shop'), await deskOf('olga', 'live')];
  const ran = await ana.run([...refund, '--json']);
  const { change } = JSON.parse(ran.stderr) as { readonly change: string };
  const reply = await fetch(`${sender.url}/v1/changes/live/${change}/resolve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${olga.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ profile: 'shop', attempt: 1, statement: { applied: true, note: 'x' } }),
  });
  expect(reply.status).toBe(404);
  expect(await reply.text()).toContain(`the journal of this account has no change ${change}`);
});

test('a row of a plan is unconfirmed at a desk too while the figures of its order contradict each other', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  writeFileSync(join(ana.home.path, 'rows.csv'), 'order_id,amount\nord_A1,300\n');
  const run = async (...words: readonly string[]) => await ana.run([...shop, ...words]);
  await run('refunds', 'plan', 'rows.csv', '--to', 'rows.plan');
  expect((await run('refunds', 'apply', 'rows.plan', '--yes')).code).toBe(0);
  const failed = withRefund(paidOrder('ord_A1'), newRefundOf('rf_1', 300, { status: 'failed' }), 0);
  ledger.service.orders = [failed];
  expect((await run('journal', 'reconcile', '--all')).code).toBe(7);
  expect((await run('refunds', 'status', 'rows.plan')).code).toBe(8);
  ledger.service.orders = [{ ...failed, amount_refunded: 40 }];
  const status = await run('refunds', 'status', 'rows.plan', '--json');
  expect(status.code).toBe(7);
  expect(JSON.parse(status.stdout).data).toMatchObject([
    { verdict: 'unconfirmed', why: 'amount_refunded is 40, and its refunds add up to 0' },
  ]);
});

test('a viewer records nothing', async () => {
  await using ledger = await startLosing(false);
  const [ana, vic] = [await ledger.sender.desk('ana'), await ledger.sender.desk('vic', 'viewer')];
  const ran = await ana.run([...refund, '--json']);
  const { change } = JSON.parse(ran.stderr) as { readonly change: string };
  const refused = await vic.run([...shop, 'journal', 'settle', change, '--applied', '--note', 'x', '--yes']);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('vic is a viewer');
});

test('Ctrl-C before the sending takes the change back: nothing is sent, also later', async () => {
  let stop = (): void => undefined;
  let reads = 0;
  await using ledger = await startLedger({
    onGet: (_service, { url }) => {
      if (!/[?&]limit=1(&|$)/.test(url)) return;
      reads += 1;
      // The final read of the sender.
      if (reads === 3) stop();
    },
  });
  const ana = await ledger.sender.desk('ana');
  const running = startInMemory(refund, { home: ana.home, machineName: 'desk-1' });
  stop = () => running.signal('SIGINT');
  const { code, stderr } = await running.end;
  // Where it was sent before the sender heard of it, its result is shown.
  expect([0, 130], stderr).toContain(code);
  expect(ledger.posts('ord_A1')).toBe(code === 0 ? 1 : 0);
});

test('what a machine sent before there was a team is in the journal of the sender, and is not sent again', async () => {
  await using service = await startService({ orders: ordersOf(2), onPost: refunding() });
  using alone = newHome();
  await storeProfile(alone, { name: 'shop', baseUrl: service.url, mode: 'sandbox', settings: {} }, testKey);
  expect((await paydesk(refund, { home: alone })).code).toBe(0);
  const file = join(alone.path, 'history.paydesk');
  await paydesk(['journal', 'export', '--to', file], { home: alone });
  using home = newHome();
  await initSender(home, { url: service.url });
  expect((await paydesk(['journal', 'import', file, '--yes'], { home })).code).toBe(0);
  await using sender = await startSender({ url: service.url, home });
  const desk = await sender.desk('ana');
  const again = await desk.run(refund);
  const listed = await desk.run(['-p', 'shop', 'journal', 'list', '--json']);

  expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('--again') });
  expect(service.posts).toHaveLength(1);
  expect(JSON.parse(listed.stdout).data).toMatchObject([{ order: 'ord_A1', verdict: 'applied' }]);
});
