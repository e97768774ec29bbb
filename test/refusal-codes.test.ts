/** Every refusal of a change has a code for scripts, and every code can happen. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refusalMeanings } from '../src/refusal-codes.ts';
import { chargeOf, listOf, orderOf, refundOf } from './harness/orders.ts';
import { reset } from './harness/server.ts';
import { startService } from './harness/service.ts';

const src = join(import.meta.dirname, '../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));

// The text of a call, from its first parenthesis to the one that closes it.
function callAt(text: string, from: number): string {
  const ends = [...text.slice(from).matchAll(/[()]/g)];
  let depth = 0;
  const last = ends.find(([sign]) => {
    depth += sign === '(' ? 1 : -1;
    return depth === 0;
  });
  return text.slice(from, from + (last?.index ?? 0) + 1);
}

it('every place that refuses a change names one of the codes', () => {
  const isOfChanges = (file: string) => file.startsWith('changes/') || file === 'profiles/account-words.ts';
  const throwing = /(?:(?<![\w.]|function )refused|new CliError)(?=\()/g;
  const without = [...texts]
    .filter(([file]) => isOfChanges(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(throwing)]
        .map(({ index }) => callAt(text, index))
        .filter((call) => call.startsWith('refused') || /^new CliError\(\s*'refused'/.test(call))
        .filter((call) => !/ownCode|'[a-z]+(?:_[a-z]+)*'\s*,?\s*\)$|\.\.\.parts/.test(call))
        .map((call) => `${file}: ${call}`),
    );
  expect(without).toEqual([]);
});

it('every code is named where something is refused', () => {
  const rest = [...texts]
    .filter(([file]) => file !== 'refusal-codes.ts')
    .map(([, text]) => text)
    .join('\n');
  const isNamed = (code: string) => code.startsWith('team_limit_') || rest.includes(`'${code}'`);
  expect(Object.keys(refusalMeanings).filter((code) => !isNamed(code))).toEqual([]);
});

const id = 'ord_2tCodes0000000001';
const at = Date.parse('2026-11-20T18:42:00Z') / 1000;
const two = [chargeOf('ch_1', 700), chargeOf('ch_2', 300, { status: 'declined' })];

async function deskWith(order: ReturnType<typeof orderOf>) {
  return await startService({ orders: [order], onPost: () => reset });
}

it.each([
  ['more_than_left', orderOf(id, two), '--charge 1 --amount 701'],
  ['charge_not_paid', orderOf(id, two), '--charge 2'],
  ['no_such_charge', orderOf(id, two), '--charge 3'],
  ['not_refundable', orderOf(id, two, { is_refundable: false }), '--charge 1'],
  ['not_charged', orderOf(id, two, { payment_status: 'pre_authorized' }), '--charge 1'],
  ['wrong_mode', orderOf(id, two, { livemode: true }), '--charge 1'],
])('a script tells by the code: %s', async (code, order, words) => {
  await using service = await deskWith(order);
  const ran = await service.run(['orders', 'refund', id, ...words.split(' '), '--yes', '--json', '--quiet']);
  expect(JSON.parse(ran.stderr)).toMatchObject({ kind: 'refused', exit_code: 3, code });
  expect(service.posts).toEqual([]);
});

it('a script tells by the code: the charge has the same refund already', async () => {
  const refunds = listOf(refundOf('rf_1', 300, { created_at: at }));
  const charge = chargeOf('ch_1', 700, { status: 'partially_refunded', refunds });
  const order = orderOf(id, [charge], { amount_refunded: 300, payment_status: 'partially_refunded' });
  await using service = await deskWith(order);
  const ran = await service.run([
    'orders',
    'refund',
    id,
    '--charge',
    '1',
    '--amount',
    '300',
    '--yes',
    '--json',
  ]);
  expect(JSON.parse(ran.stderr)).toMatchObject({ kind: 'refused', code: 'repeat' });
});

it('an order that an earlier change blocks: its change, and the key of this one, never that of the other', async () => {
  await using service = await deskWith(orderOf(id, two));
  const env = { PAYDESK_RECONCILE_AFTER: '0' };
  const refund = (amount: string, key: string) => {
    const words = [
      '--charge',
      '1',
      '--amount',
      amount,
      '--idempotency-key',
      key,
      '--yes',
      '--json',
      '--quiet',
    ];
    return service.run(['orders', 'refund', id, ...words], { env });
  };
  const first = JSON.parse((await refund('100', 'k2')).stderr);
  expect(first).toMatchObject({ exit_code: 7, idempotency_key: 'k2' });
  const second = JSON.parse((await refund('200', 'k7')).stderr);
  expect(second).toMatchObject({ kind: 'refused', code: 'earlier_unconfirmed', change: first.change });
  expect(second.idempotency_key).toBe('k7');
});
