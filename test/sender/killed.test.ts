import { expect, test } from 'vitest';
import { isLong } from '../harness/long.ts';
import type { Handler } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';
import { ordersOf, refunding } from './ledger.ts';
import { type SenderProcess, startDeskProcess, startSenderProcess } from './processes.ts';

const refund = ['orders', 'refund', 'ord_A1', '--amount', '300', '--yes'];

interface Moments {
  /** Called with the final read of the sender, before it is answered. */
  beforeSending?: (() => void) | undefined;
  /** Called when the refund has arrived at the service: before it is made, and once its reply has left. */
  arrived?: (() => void) | undefined;
  replied?: (() => void) | undefined;
  /** The service makes it, and the reply is lost. */
  isReplyLost?: boolean;
}

// A service that calls back at the moments of a refund.
function startMoments(moments: Moments): Promise<Service> {
  const make = refunding();
  let reads = 0;
  return startService({
    orders: ordersOf(1),
    onGet: (_service, { url }) => {
      // The desk finds the order with two of these, and then the sender.
      if (!/[?&]limit=1(&|$)/.test(url)) return;
      reads += 1;
      if (reads === 4) moments.beforeSending?.();
    },
    onPost: (order, service, request) => {
      moments.arrived?.();
      const answer = make(order, service, request);
      const held: Handler = (seen, response, socket) => {
        if (moments.isReplyLost === true) return void socket.destroy();
        response.on('finish', () => moments.replied?.());
        return answer(seen, response, socket);
      };
      return held;
    },
  });
}

// Lets a desk refund while something happens to the sender. The sender is started again a moment later.
async function refundWhile(moments: Moments, arm: (sender: SenderProcess) => void) {
  await using service = await startMoments(moments);
  await using sender = await startSenderProcess({ url: service.url });
  const home = await sender.desk('ana');
  arm(sender);
  const ran = await startDeskProcess(home, refund).end;
  moments.arrived = moments.beforeSending = moments.replied = undefined;
  const again = await startDeskProcess(home, refund).end;
  const posts = service.posts.length;
  const made = JSON.stringify(service.orders).includes('rf_1');
  const list = await startDeskProcess(home, ['journal', 'list', '--json']).end;
  return { ran, again, posts, made, list: list.stdout };
}

// The sender is killed now, and started again.
function killAndStart(sender: SenderProcess): () => void {
  return () => {
    sender.signal('SIGKILL');
    void sender.start();
  };
}

test('a sender that is killed before it sends is asked again once it is back, and sends once', {
  timeout: 120_000,
}, async () => {
  const moments: Moments = {};
  const { ran, posts } = await refundWhile(moments, (sender) => {
    moments.beforeSending = () => {
      moments.beforeSending = undefined;
      killAndStart(sender)();
    };
  });
  expect(ran.stderr).not.toContain('error');
  expect(ran.code).toBe(0);
  expect(posts).toBe(1);
});

test('a sender that is killed while the service makes the refund never sends it again, and no desk says anything false', {
  timeout: 120_000,
}, async () => {
  const moments: Moments = {};
  const { ran, again, posts } = await refundWhile(moments, (sender) => {
    moments.arrived = () => killAndStart(sender)();
  });
  expect(posts).toBe(1);
  expect([0, 7]).toContain(ran.code);
  // It was made: nobody says that nothing was sent but of the second run.
  expect([3, 7]).toContain(again.code);
});

test('a sender that is killed when the reply has left never sends again', { timeout: 120_000 }, async () => {
  const moments: Moments = {};
  const { ran, posts } = await refundWhile(moments, (sender) => {
    moments.replied = () => killAndStart(sender)();
  });
  expect(posts).toBe(1);
  expect([0, 7]).toContain(ran.code);
});

test('a sender that was frozen past its time to send sends nothing, and says so', {
  timeout: 120_000,
}, async () => {
  const moments: Moments = {};
  await using service = await startMoments(moments);
  await using sender = await startSenderProcess({
    url: service.url,
    settings: { 'refund.send_within': '1s' },
  });
  const home = await sender.desk('ana');
  moments.beforeSending = () => {
    moments.beforeSending = undefined;
    // Once the final read is answered.
    setTimeout(() => sender.signal('SIGSTOP'), 0);
    setTimeout(() => sender.signal('SIGCONT'), 4_000);
  };
  const ran = await startDeskProcess(home, refund).end;
  expect([0, 6]).toContain(ran.code);
  expect(service.posts.length).toBe(ran.code === 0 ? 1 : 0);
});

// From before the hand-over to after the result.
const moments = Array.from({ length: isLong ? 60 : 3 }, (_, at) => 150 + at * (isLong ? 20 : 350));

test('a desk that is killed at any moment, and then the same command: one refund, and its result is shown', {
  timeout: 1_200_000,
}, async () => {
  await using service = await startService({ orders: ordersOf(moments.length), onPost: refunding() });
  await using sender = await startSenderProcess({ url: service.url });
  const home = await sender.desk('ana');
  const seen: string[] = [];
  for (const [at, ms] of moments.entries()) {
    const order = `ord_A${at + 1}`;
    const args = ['orders', 'refund', order, '--amount', '300', '--yes'];
    const first = startDeskProcess(home, args);
    setTimeout(() => first.kill(), ms);
    const { code, stdout } = await first.end;
    const again = await startDeskProcess(home, args).end;
    const posts = service.posts.filter(({ url }) => url.includes(`/${order}/`)).length;
    // Whoever has seen the result once is told that there is such a refund.
    const isRight = posts === 1 && (again.code === 0 || (stdout !== '' && again.code === 3));
    if (!isRight) seen.push(`${ms} ms: ${code} ${stdout}, then ${again.code} ${again.stderr}, ${posts} POST`);
  }
  expect(seen).toEqual([]);
});
