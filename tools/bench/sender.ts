/** Rows of a team's sender: a refund through it beside one of a desk that has the key, and fifty desks at the same moment. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type DirectDesk, directDesk, quickClock } from '../../test/sender/direct-desk.ts';
import { startSenderProcess } from '../../test/sender/processes.ts';
import { type Desk, type Service, startBulkService, startRelay } from './desk.ts';
import { type Place, run, timesOf } from './measure.ts';
import { median, type Row, timesRow } from './row.ts';

const desks = 50;
const eachWayMs = 25;
// The most that fifty desks should wait, and the one that waits longest, and whoever asks for /health meanwhile.
const goals = { median: 1500, last: 3000, health: 50 };

export async function senderRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startBulkService(20_000, 0);
  const far = await startRelay(portOf(service.baseUrl), eachWayMs);
  try {
    return [...(await alone(desk, place, service, far)), ...(await atOnce(place, service))];
  } finally {
    await far.stop();
    await service.stop();
  }
}

// One refund, with the whole start of the program.
async function alone(desk: Desk, place: Place, service: Service, farService: Service): Promise<Row[]> {
  await using sender = await startSenderProcess({ url: service.baseUrl });
  const far = await startRelay(portOf(sender.url), eachWayMs);
  try {
    let orders = 0;
    // Not among the newest, whose twins would be looked at.
    const refund = () => ['orders', 'refund', idOf(++orders * 50), '--amount', '300', '--yes'];
    const through = (home: { readonly path: string }) => ({
      file: process.execPath,
      args: () => [join(import.meta.dirname, '../../bin/paydesk.js'), '-p', 'shop', ...refund()],
      env: { ...desk.paydesk(undefined, []).env, HOME: home.path, TMPDIR: home.path },
    });
    const programs = {
      own: desk.paydesk(service, refund),
      ownFar: desk.paydesk(farService, refund),
      near: through(await sender.desk('ana')),
      far: through(await sender.desk('ben', far.baseUrl)),
    };
    for (const program of Object.values(programs)) run(program, place);
    const { own, ownFar, near, far: fromFar } = timesOf(place, programs);
    const name = '`orders refund --yes` through a sender';
    return [
      timesRow(`${name} ÷ with a key of one's own, both on loopback`, { wall: 1.2 }, near, own),
      timesRow(
        `${name} that is 50 ms away ÷ with a key of one's own, on loopback`,
        { wall: 2 },
        fromFar,
        own,
      ),
      timesRow(
        `${name} that is 50 ms away ÷ with a key of one's own, 50 ms from the service`,
        {},
        fromFar,
        ownFar,
      ),
    ];
  } finally {
    await far.stop();
  }
}

// From the yes to the result, in one process, since fifty programs at once would measure the processor.
async function atOnce(place: Place, service: Service): Promise<Row[]> {
  await using sender = await startSenderProcess({ url: service.baseUrl });
  const members: DirectDesk[] = [];
  for (let at = 0; at < desks; at += 1) {
    const home = await sender.desk(`m${at}`);
    const token = tokenIn(join(home.path, '.config/paydesk/keys.json'));
    members.push(directDesk({ url: sender.url, token, folder: home.path, clock: quickClock(1) }));
  }
  const health = new Worker(askingHealth, { eval: true, workerData: `${sender.url}/health` });
  const waited = { median: [] as number[], last: [] as number[], health: [] as number[] };
  const slowest = () => new Promise<number>((resolve) => health.once('message', resolve).postMessage(''));
  for (let round = -1; round < place.rounds; round += 1) {
    const orders = await ordersFrom(service, 15_000 + (round + 1) * desks);
    await slowest();
    const times = await Promise.all(
      members.map(async (member, at) => {
        const began = performance.now();
        const { said } = await member.refund(orders[at] ?? {}, `i_bench${round + 1}x${at}`);
        if (said !== 'made') throw new Error(`a refund of the bench is ${said}`);
        return performance.now() - began;
      }),
    );
    const slow = await slowest();
    if (round < 0) continue;
    waited.median.push(median(times));
    waited.last.push(Math.max(...times));
    waited.health.push(slow);
  }
  for (const member of members) member.close();
  await health.terminate();
  const row = (name: string, of: keyof typeof goals): Row => ({
    name: `${desks} desks at once: ${name} ÷ ${goals[of]} ms`,
    goal: 1,
    samplesA: waited[of],
    samplesB: waited[of].map(() => goals[of]),
  });
  return [
    row('the one in the middle', 'median'),
    row('the last one', 'last'),
    row('the slowest /health meanwhile', 'health'),
  ];
}

// Answers each message with the slowest answer since the one before.
const askingHealth = `
  const { parentPort, workerData } = require('node:worker_threads');
  let slowest = 0;
  parentPort.on('message', () => { parentPort.postMessage(slowest); slowest = 0; });
  const ask = async () => {
    const began = performance.now();
    await (await fetch(workerData)).text();
    slowest = Math.max(slowest, performance.now() - began);
    setTimeout(ask, 5);
  };
  ask();`;

async function ordersFrom({ baseUrl }: Service, first: number) {
  const reply = await fetch(`${baseUrl}/orders?limit=${desks}&next=${idOf(first - 1)}`);
  return ((await reply.json()) as { readonly data: readonly Record<string, unknown>[] }).data;
}

function tokenIn(file: string): string {
  const { keys } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly keys: readonly [name: string, stored: { readonly key: string }][];
  };
  return keys[0]?.[1].key ?? '';
}

function portOf(url: string): string {
  return new URL(url).port;
}

function idOf(index: number): string {
  return `ord_${String(index).padStart(17, '0')}`;
}
