import { expect, test } from 'vitest';
import { startInMemory } from '../harness/paydesk.ts';
import type { Handler } from '../harness/server.ts';
import { type Ledger, refunding, startLedger } from './ledger.ts';

const shop = ['-p', 'shop'];
const refund = [...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes'];

// The reply to every refund is lost.
function startLosing(isMade: boolean): Promise<Ledger> {
  const make = refunding();
  return startLedger({
    settings: { 'reconcile.after': '0' },
    onPost: (...asked) => {
      if (isMade) make(...asked);
      const lost: Handler = (_request, _response, socket) => void socket.destroy();
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
  const { intent } = JSON.parse(ran.stderr) as { readonly intent: string };

  expect((await ben.run(refund)).code).toBe(3);
  const looked = await ben.run([...shop, 'journal', 'reconcile', intent]);
  expect(looked.stdout + looked.stderr).toContain(intent);
  expect(ledger.posts('ord_A1')).toBe(1);
});

test('what a person records through the sender has their name, and others see it', async () => {
  await using ledger = await startLosing(false);
  const [ana, ben] = [await ledger.sender.desk('ana'), await ledger.sender.desk('ben', 'operator', 'desk-5')];
  const ran = await ana.run([...refund, '--json']);
  const { intent } = JSON.parse(ran.stderr) as { readonly intent: string };
  const settled = await ben.run([
    ...shop,
    'journal',
    'settle',
    intent,
    '--applied',
    '--note',
    'seen at the bank',
    '--confirm',
    'ord_A1',
  ]);
  expect(settled.stderr).not.toContain('error');
  const shown = await ana.run([...shop, 'journal', 'show', intent]);
  expect(shown.stdout).toContain('ben');
  expect(shown.stdout).toContain('seen at the bank');
});

test('a viewer records nothing', async () => {
  await using ledger = await startLosing(false);
  const [ana, vic] = [await ledger.sender.desk('ana'), await ledger.sender.desk('vic', 'viewer')];
  const ran = await ana.run([...refund, '--json']);
  const { intent } = JSON.parse(ran.stderr) as { readonly intent: string };
  const refused = await vic.run([...shop, 'journal', 'settle', intent, '--applied', '--note', 'x', '--yes']);
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
