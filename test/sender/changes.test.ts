import { expect, test } from 'vitest';
import { captured, chargeOf, type Json, orderOf, paidOrder } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { startSender } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, startCreations, startService, storeShop } from '../harness/service.ts';
import { refunding, startLedger } from './ledger.ts';

const shop = ['-p', 'shop'];

// What differs between two runs of the same: ids and times.
function plain(text: string): string {
  return text
    .replaceAll(/i_[0-9a-f]{8}/g, 'i_ID')
    .replaceAll(/\d\d Nov 2026 \d\d:\d\d:\d\d|\d\d:\d\d:\d\d/g, 'TIME');
}

// Runs a command through a sender, and another time with a key of its own against a service that is the same.
async function inBothWays(startService: () => Promise<Service>, args: readonly string[]) {
  await using through = await startService();
  await using sender = await startSender({ url: through.url });
  const ana = await sender.desk('ana', 'operator', 'desk-4');
  const shared = await ana.run([...shop, ...args]);
  await using alone = await startService();
  using home = newHome();
  await storeShop(home, alone);
  const own = await paydesk([...shop, ...args], { home });
  const sent = ({ posts }: Service) => posts.map(({ method, url, body }) => ({ method, url, body }));
  return { shared, own, sentThrough: sent(through), sentAlone: sent(alone) };
}

const preAuthorized = orderOf('ord_A1', [chargeOf('ch_ord_A1', 35_000, { status: 'pre_authorized' })], {
  payment_status: 'pre_authorized',
});

const capturing = () =>
  startService({ orders: [preAuthorized], onPost: (order) => json(captured(order as Json)) });
const refundingOne = () => startService({ orders: [paidOrder('ord_A1')], onPost: refunding() });

const sale = ['--item', 'Lamp:30000:1', '--currency', 'MXN', '--yes'];

const commands: readonly [string, () => Promise<Service>, readonly string[]][] = [
  ['a refund of a part', refundingOne, ['orders', 'refund', 'ord_A1', '--amount', '300', '--yes']],
  [
    'a refund of all',
    refundingOne,
    ['orders', 'refund', 'ord_A1', '--yes', '--reason', 'requested_by_client'],
  ],
  ['a capture', capturing, ['orders', 'capture', 'ord_A1', '--yes']],
  ['a new order', startCreations, ['orders', 'create', ...sale]],
  ['a payment link', startCreations, ['checkout', 'create', '--name', 'Lamp', ...sale]],
  ['a request of its own', startCreations, ['api', 'POST', 'charges', '--field', 'amount=300', '--yes']],
  ['a dry run', refundingOne, ['orders', 'refund', 'ord_A1', '--amount', '300', '--dry-run']],
  [
    'a refund with an idempotency key',
    refundingOne,
    ['orders', 'refund', 'ord_A1', '--amount', '300', '--yes', '--idempotency-key', 's-1'],
  ],
];

test.for(commands)(
  "%s through the sender is sent once, with the screens of a key of one's own",
  async ([, service, args]) => {
    const { shared, own, sentThrough, sentAlone } = await inBothWays(service, args);
    expect(sentThrough).toEqual(sentAlone);
    expect(plain(shared.stdout)).toBe(plain(own.stdout));
    expect(plain(shared.stderr)).toBe(plain(own.stderr));
    expect(shared.code).toBe(own.code);
  },
);

test('every screen says who refunded it, and at which desk', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana', 'operator', 'desk-4');
  await ana.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  const ben = await ledger.sender.desk('ben', 'operator', 'desk-5');
  const list = await ben.run([...shop, 'journal', 'list', '--json']);
  expect(JSON.parse(list.stdout).data).toMatchObject([{ order: 'ord_A1', operator: 'ana', desk: 'desk-4' }]);
  const { stdout } = await ben.run([...shop, 'orders', 'show', 'ord_A1']);
  expect(stdout).toContain('ana on desk-4');
  const day = await ben.run([...shop, 'today']);
  expect(day.stdout).toMatch(/refunded by +1 refund +300 MXN +ana/);
  expect((await ledger.sender.run([...shop, 'help', 'team'])).stdout).toContain('one sender');
});

test('with the same --idempotency-key again nothing is sent, and the result is shown', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  const args = [
    ...shop,
    'orders',
    'refund',
    'ord_A1',
    '--amount',
    '300',
    '--yes',
    '--idempotency-key',
    's-1',
  ];
  await ana.run(args);
  const again = await ana.run(args);
  expect(again.code).toBe(0);
  expect(again.stderr).toContain('s-1 was made before');
  expect(ledger.posts('ord_A1')).toBe(1);
});

test('an equal refund is refused, and is sent with --again', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  const args = [...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes'];
  await ana.run(args);
  const refused = await ana.run(args);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('has a refund of 300 already');
  const again = await ana.run([...args, '--again', 'rf_1']);
  expect(again.code).toBe(0);
  expect(ledger.posts('ord_A1')).toBe(2);
  expect((await ana.run([...args, '--again', 'rf_1'])).code).toBe(3);
  expect(ledger.posts('ord_A1')).toBe(2);
});

test('money that changed between the preview and the sending stops the refund', async () => {
  let reads = 0;
  await using ledger = await startLedger({
    onGet: (service, { url }) => {
      if (!url.includes('ord_A') && !url.startsWith('/orders')) return;
      reads += 1;
      // The sender reads last.
      if (reads === 3)
        service.orders = service.orders.map((one) =>
          one.id === 'ord_A1' ? { ...one, amount_refunded: 100 } : one,
        );
    },
  });
  const ana = await ledger.sender.desk('ana');
  const ran = await ana.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  expect(ran.code).toBe(3);
  expect(ledger.posts('ord_A1')).toBe(0);
});

test('where another field changed, the person is told, and with --yes it is sent', async () => {
  let reads = 0;
  await using ledger = await startLedger({
    onGet: (service) => {
      reads += 1;
      service.orders = service.orders.map((one) => ({
        ...one,
        updated_at: Number(one.updated_at ?? 0) + (reads < 6 ? 1 : 0),
      }));
    },
  });
  const ana = await ledger.sender.desk('ana');
  const ran = await ana.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  expect(ran.stderr).toContain('changed since it was shown, but its money has not: updated_at');
  expect(ran.code).toBe(0);
  expect(ledger.posts('ord_A1')).toBe(1);
});

test('a viewer sees the journal and sends nothing', async () => {
  await using ledger = await startLedger();
  const vic = await ledger.sender.desk('vic', 'viewer');
  const ran = await vic.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('vic is a viewer and may not send changes');
  expect(ledger.posts('ord_A1')).toBe(0);
});

test('without the sender nothing is handed over, and the exit code says so', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  ledger.sender.signal('SIGTERM');
  await ledger.sender.end;
  const ran = await ana.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes']);
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain(`the sender ${new URL(ledger.sender.url).host} does not answer`);
  expect(ran.stderr).toContain('nothing was sent');
  expect(ran.stderr).not.toContain('base URL');
  expect(ledger.posts('ord_A1')).toBe(0);
});
