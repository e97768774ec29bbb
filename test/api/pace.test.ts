import { describe, expect, it } from 'vitest';
import { systemClock } from '../../bin/process-io.ts';
import { createPace } from '../../src/api/api.ts';
import { closedPort, json, startServer } from '../harness/server.ts';
import { collect, list, openClient } from './open-client.ts';

const change = { method: 'POST', path: 'orders/ord_1/refunds', body: {} } as const;

/** A pace whose clock only its own sleeps put forward. */
function paced(perSecond?: number) {
  let now = 1_000;
  const slept: number[] = [];
  const clock = {
    ...systemClock,
    now: () => now,
    monotonic: () => now,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
  const pace = createPace(clock);
  if (perSecond !== undefined) pace.limit(perSecond);
  return { clock, pace, slept };
}

/** Clients of one run, for a server that notes what came when. */
async function startRun({ clock, pace }: ReturnType<typeof paced>) {
  const came: [string, number][] = [];
  const reply = json(list([{ id: 'ord_1', object: 'order' }]));
  const server = await startServer((request, response, socket) => {
    came.push([request.method, clock.now()]);
    return reply(request, response, socket);
  });
  const open = () => {
    const client = openClient(server, {}, { clock, pace });
    return {
      read: () => collect(client.service.pages('orders', { limit: 1 })),
      find: () => client.service.locate('orders', 'ord_1'),
      send: () => client.send(change, { timeoutMs: 5_000 }),
    };
  };
  return { came, open, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('the pace of a run', () => {
  it('never delays a change, but counts it: the read after it waits for longer', async () => {
    await using run = await startRun(paced(2));
    const client = run.open();
    await client.read();
    await client.find();
    await client.send();
    await client.read();
    await client.read();
    expect(run.came).toEqual([
      ['GET', 1_000],
      ['GET', 1_500],
      ['POST', 1_500],
      ['GET', 2_500],
      ['GET', 3_000],
    ]);
  });

  it('is one for all clients of the run', async () => {
    await using run = await startRun(paced(10));
    const [one, other] = [run.open(), run.open()];
    await one.read();
    await other.send();
    await one.read();
    await other.read();
    expect(run.came.map(([, at]) => at)).toEqual([1_000, 1_000, 1_200, 1_300]);
  });

  it('does not count a change that never left', async () => {
    const { clock, pace, slept } = paced(10);
    await using closed = await closedPort();
    await pace.next();
    const client = openClient({ url: `http://127.0.0.1:${closed.port}` }, {}, { clock, pace });
    expect(await client.send(change, { timeoutMs: 5_000 })).toMatchObject({ kind: 'not_sent' });
    await pace.next();
    expect(slept).toEqual([100]);
  });

  it('delays nothing until there is a limit', async () => {
    const { pace, slept } = paced();
    await pace.next();
    pace.count();
    await pace.next();
    expect(slept).toEqual([]);
    pace.limit(4);
    await pace.next();
    await pace.next();
    expect(slept).toEqual([250]);
  });

  it('gives each of several who wait at once a place of its own', async () => {
    const slept: number[] = [];
    const clock = { ...systemClock, monotonic: () => 0, sleep: async (ms: number) => void slept.push(ms) };
    const pace = createPace(clock);
    pace.limit(5);
    await Promise.all(Array.from({ length: 4 }, () => pace.next()));
    expect(slept).toEqual([200, 400, 600]);
  });

  it('is left with the reason of the signal', async () => {
    const { pace } = paced(1);
    await pace.next();
    const reason = new Error('Ctrl-C');
    await expect(pace.next(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
