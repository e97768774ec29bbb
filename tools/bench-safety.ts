// What safety costs: `orders refund` with its journal on disk, beside the same program with a journal in memory.
//   node tools/bench-safety.ts [ROUNDS] [FOLDER]     FOLDER: on the disk to be measured, default that of temporary files
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import config from '../rolldown.config.ts';

/** A row of the bench: milliseconds of each round, with the journal (A) and without (B), and the goal for A to B. */
export interface SafetyRow {
  readonly name: string;
  readonly goal: number;
  readonly samplesA: readonly number[];
  readonly samplesB: readonly number[];
}

const root = join(import.meta.dirname, '..');

/** Measures so many rounds; both programs run in each, in turns first. */
export async function costOfSafety(rounds: number, parent = tmpdir()): Promise<SafetyRow> {
  const folder = mkdtempSync(join(parent, 'paydesk-safety-'));
  const service = await startService();
  try {
    const onDisk = await programIn(join(folder, 'disk'), []);
    const inMemory = await programIn(join(folder, 'memory'), [memoryJournal]);
    const samples = { onDisk: [] as number[], inMemory: [] as number[] };
    const take = async (name: keyof typeof samples, program: string, kept: boolean) => {
      const ms = await refundTime(program, folder, service.url, service.addOrder());
      if (kept) samples[name].push(ms);
    };
    // The first rounds warm disk and caches.
    for (let round = -2; round < rounds; round += 1) {
      const pair = [() => take('onDisk', onDisk, round >= 0), () => take('inMemory', inMemory, round >= 0)];
      for (const one of round % 2 === 0 ? pair : pair.toReversed()) await one();
    }
    const name = 'orders refund: journal on disk ÷ journal in memory';
    return { name, goal: 1.15, samplesA: samples.onDisk, samplesB: samples.inMemory };
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
}

// ── The two programs ────────────────────────────────────────────────────────────────────────────

type Plugin = NonNullable<(typeof config)[number]['plugins']>;

/** Puts the journal's store in memory, behind the same interface: everything else stays as it is. */
const memoryJournal = {
  name: 'memory-journal',
  load(id: string) {
    if (id !== join(root, 'src/journal/sqlite/sqlite-store.ts')) return undefined;
    return `
      import { createMemoryStore } from ${JSON.stringify(join(root, 'test/harness/memory-store.ts'))};
      export const createSqliteStore = () => createMemoryStore();`;
  },
} satisfies Plugin;

async function programIn(folder: string, plugins: readonly Plugin[]): Promise<string> {
  mkdirSync(folder);
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const { output, ...input } of config) {
    const settings = Array.isArray(output) ? output[0] : output;
    await build({
      ...input,
      cwd: root,
      plugins: [input.plugins, ...plugins],
      logLevel: 'silent',
      output: { ...settings, dir: join(folder, 'dist') },
    });
  }
  return join(folder, 'bin/paydesk.js');
}

/** Milliseconds from start to exit of one refund that is made. */
async function refundTime(program: string, home: string, url: string, order: string): Promise<number> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TERM: 'dumb',
    PAYDESK_BASE_URL: url,
    PAYDESK_MODE: 'sandbox',
    PAYDESK_API_KEY: 'key_bench_2tQ7zRk9PwE5xNvAm',
  };
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'orders', 'refund', order, '--yes', '--json'], {
    env,
    stdio: 'ignore',
  });
  const [code]: unknown[] = await once(child, 'exit');
  const ms = performance.now() - started;
  if (code !== 0) throw new Error(`orders refund ended with ${String(code)}`);
  return ms;
}

// ── The service ─────────────────────────────────────────────────────────────────────────────────

/** A service of one order at a time: the first and only one of its list, so that finding it takes two requests. */
async function startService() {
  let number = 0;
  let refunded = false;
  const order = () => ({
    id: `ord_B${number}`,
    object: 'order',
    livemode: false,
    amount: 35_000,
    amount_refunded: refunded ? 35_000 : 0,
    currency: 'MXN',
    payment_status: refunded ? 'refunded' : 'paid',
    is_refundable: !refunded,
    charges: listOf({
      id: `ch_B${number}`,
      object: 'charge',
      livemode: false,
      amount: 35_000,
      currency: 'MXN',
      status: refunded ? 'refunded' : 'paid',
      is_refundable: !refunded,
      refunds: refunded ? listOf({ id: `rf_B${number}`, object: 'refund', amount: -35_000 }) : null,
    }),
  });
  const listOf = (...data: readonly object[]) => ({
    object: 'list',
    has_more: false,
    total: data.length,
    data,
  });
  const server = createServer((request, response) => {
    const isChange = request.method === 'POST';
    if (isChange) refunded = true;
    const before = request.url?.includes('previous=') === true;
    const body = JSON.stringify(isChange ? order() : before ? listOf() : listOf(order()));
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    addOrder() {
      number += 1;
      refunded = false;
      return `ord_B${number}`;
    },
    stop: () => server.close(),
  };
}

// ── Alone ───────────────────────────────────────────────────────────────────────────────────────

const median = (samples: readonly number[]) =>
  samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;

if (import.meta.main) {
  const { name, goal, samplesA, samplesB } = await costOfSafety(
    Number(process.argv[2] ?? 40),
    process.argv[3],
  );
  const ratios = samplesA.map((ms, round) => ms / (samplesB[round] ?? Number.NaN));
  const [a, b] = [median(samplesA), median(samplesB)];
  console.log(
    `${name}: ${(a / b).toFixed(3)} (rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), ` +
      `${a.toFixed(0)} ms ÷ ${b.toFixed(0)} ms, ${samplesA.length} rounds, goal ${goal}: ${a / b <= goal ? 'met' : 'missed'}`,
  );
}
