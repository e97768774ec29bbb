/** What a run tells that sends nothing, since another one under the same `--idempotency-key` did: in every format, and under --dry-run. */

import { describe, expect, test } from 'vitest';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { json, reset, startServer } from '../harness/server.ts';
import { emptyList, environment, sentTo, startCreations } from '../harness/service.ts';
import { changeArgs, ledgerAndDesk, refundAmount, story } from './desk.ts';

const { ledger, desk } = await ledgerAndDesk();

const lamp = [
  'orders',
  'create',
  '--item',
  'Lamp:300:1',
  '--currency',
  'MXN',
  '--yes',
  '--idempotency-key',
  'X1',
];

describe('--dry-run under an --idempotency-key that was answered', () => {
  test('claims nothing as made now: it says what was made before, and that nothing would be sent', async () => {
    await using service = await startCreations();
    expect((await service.run(lamp)).stdout).toContain('created an order of 300 MXN');
    const ran = await service.run([...lamp, '--dry-run']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout.replaceAll(/i_\w+/g, 'i_1')).toBe(
      [
        'would send nothing: X1 was made before, journal i_1',
        'made before: order creation of 300 MXN   sandbox environment',
        'order    ord_new1',
        'nothing was sent (--dry-run)',
        '',
      ].join('\n'),
    );
    const script = await service.run([...lamp, '--dry-run', '--json']);
    expect(JSON.parse(script.stdout)).toEqual({
      object: 'dry_run',
      method: null,
      path: null,
      body: null,
      checks: [expect.stringMatching(/^X1 was made before, journal i_\w+: nothing would be sent$/)],
      change: expect.stringMatching(/^i_/),
      verdict: 'applied',
    });
    const other = await service.run([...lamp.map((word) => word.replace('300', '301')), '--dry-run']);
    expect(other).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('X1 (--idempotency-key) was used for another change'),
    });
    expect(sentTo(service)).toHaveLength(1);
  });

  test('reads an open outcome, tells what that shows, and writes nothing down', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund', (_, apply) => {
      apply();
      return reset;
    });
    const old = order.value;
    order.onRead = () => json(old);
    const words = [...changeArgs(order), '--idempotency-key', 'open-1'];
    expect((await desk.run(home, words)).code).toBe(7);
    const before = story(home);
    const open = await desk.run(home, [...words, '--dry-run']);
    expect(open.code).toBe(7);
    expect(open.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /^open-1 was sent before, journal i_\w+; nothing was sent now unconfirmed: no usable answer to the refund/,
    );
    order.onRead = undefined;
    const shown = await desk.run(home, [...words, '--dry-run']);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toMatch(/^would send nothing: open-1 was made before, journal i_/);
    expect(shown.stdout).toContain(`made before: refund of ${refundAmount} MXN on ${order.id}`);
    expect({ story: story(home), posts: order.posts.length }).toEqual({ story: before, posts: 1 });
  });
});

describe('a run that another one under its --idempotency-key overtakes', () => {
  test('says of a refund that it was made before, not that it refunded', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const old = order.value;
    const waiting = Promise.withResolvers<void>();
    const overtaken = Promise.withResolvers<void>();
    order.onRead = async (read) => {
      if (read !== 1) return undefined;
      waiting.resolve();
      await overtaken.promise;
      return json(old);
    };
    const words = [...changeArgs(order), '--idempotency-key', 'race-1'];
    const slow = desk.run(home, words);
    await waiting.promise;
    const fast = await desk.run(home, words);
    overtaken.resolve();
    expect(fast.stdout).toContain(`refunded ${refundAmount} MXN to`);
    const told = await slow;
    expect(told.code, told.stderr).toBe(0);
    expect(told.stdout).toContain(`made before: refund of ${refundAmount} MXN on ${order.id}`);
    expect(told.stdout).not.toContain('refunded 5000 MXN to');
    expect(told.stderr).toMatch(/race-1 was made before, journal i_\w+; nothing was sent now/);
    expect(order.posts).toHaveLength(1);
  });

  test('says of an order that it was made before, not that it created one', async () => {
    using home = newHome();
    const waiting = Promise.withResolvers<void>();
    const overtaken = Promise.withResolvers<void>();
    let reads = 0;
    await using server = await startServer(async (request, response, socket) => {
      const made = { id: 'ord_new1', object: 'order', livemode: false, amount: 300, currency: 'MXN' };
      if (request.method !== 'GET') return json(made)(request, response, socket);
      reads += 1;
      if (reads === 1) {
        waiting.resolve();
        await overtaken.promise;
      }
      return emptyList(request, response, socket);
    });
    const env = environment(server.url);
    const slow = paydesk(lamp, { home, env });
    await waiting.promise;
    const fast = await paydesk(lamp, { home, env });
    overtaken.resolve();
    expect(fast.stdout).toContain('created an order of 300 MXN');
    const told = await slow;
    expect(told.code, told.stderr).toBe(0);
    expect(told.stdout).toContain('made before: order creation of 300 MXN');
    expect(told.stdout).not.toContain('created an order');
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe.concurrent('a repeat under --idempotency-key prints what the first run printed', () => {
  test('its bytes as CSV, and the columns that are named', async () => {
    using home = desk.newHome();
    const order = ledger.add('refund');
    const args = [...changeArgs(order), '--idempotency-key', 'same-1'];
    const first = await desk.run(home, [...args, '--csv']);
    const second = await desk.run(home, [...args, '--csv']);
    expect([first.code, second.code], second.stderr).toEqual([0, 0]);
    expect(first.stdout).toContain(order.id);
    expect(second.stdout).toBe(first.stdout);
    const named = await desk.run(home, [...args, '--csv'], { PAYDESK_COLUMNS: 'id,amount_refunded' });
    expect(named).toMatchObject({ code: 0, stdout: `id,amount_refunded\n${order.id},${refundAmount}\n` });
    const list = await desk.run(home, [...args, '-o', 'list', '--columns', 'amount_refunded']);
    expect(list).toMatchObject({ code: 0, stdout: `amount_refunded: ${refundAmount}\n` });
    expect(order.posts).toHaveLength(1);
  });

  test('as far as is known where the order cannot be read again: its columns, and its own id', async () => {
    await using service = await startCreations();
    const csv = [...lamp, '--csv', '--columns', 'id,amount'];
    expect((await service.run(csv)).stdout).toBe('id,amount\nord_new1,300\n');
    expect(await service.run(csv)).toMatchObject({ code: 0, stdout: 'id,amount\nord_new1,\n' });
    expect(sentTo(service)).toHaveLength(1);
  });

  test('with columns of an `api` reply that the journal does not hold: empty, and no error', async () => {
    await using service = await startCreations();
    const words = ['api', 'POST', 'things', '--field', 'a=1', '--idempotency-key', 'A1', '--yes', '--csv'];
    const columns = ['--columns', 'id,url'];
    const first = await service.run([...words, ...columns]);
    expect(first.stdout).toBe('id,url\nchk_1,https://pay.example.com/link/1\n');
    const second = await service.run([...words, ...columns]);
    expect(second).toMatchObject({ code: 0, stdout: 'id,url\n,\n' });
    expect(sentTo(service)).toHaveLength(1);
  });

  test('and its link, with the code that --qr asks for', async () => {
    const checkout = { object: 'checkout', url: 'https://pay.example.com/link/1' };
    const order = {
      id: 'ord_new1',
      object: 'order',
      livemode: false,
      amount: 300,
      currency: 'MXN',
      checkout,
    };
    let made: readonly object[] = [];
    await using service = await startCreations({
      newest: () => made,
      onChange: (request, response, socket) => {
        made = [order];
        return json(order)(request, response, socket);
      },
    });
    expect((await service.run([...lamp, '--qr'])).code).toBe(0);
    const { stdout } = await service.run([...lamp, '--qr']);
    expect(stdout).toContain('\norder    ord_new1\nhttps://pay.example.com/link/1\n');
    expect(stdout.split('\n').length).toBeGreaterThan(10);
    expect((await service.run([...lamp, '--qr', '--dry-run'])).stdout).toMatch(
      /nothing was sent \(--dry-run\)\n$/,
    );
    expect(sentTo(service)).toHaveLength(1);
  });
});
