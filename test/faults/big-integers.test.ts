/** A reply full of integers that no JavaScript number holds costs no more memory than is promised. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newHome, paydeskProcess } from '../harness/paydesk.ts';
import { reply, startServer } from '../harness/server.ts';

const promisedMiB = 256;
const first = 9_007_199_254_741_000n;

const orderWith = (numbers: string): string =>
  `{"object":"list","has_more":false,"data":[{"id":"ord_1","object":"order","metadata":{"n":[${numbers}]}}]}`;
const big = (count: number): string => Array.from({ length: count }, (_, at) => first + BigInt(at)).join(',');

async function run(body: string, args: readonly string[]) {
  using home = newHome();
  await using server = await startServer(reply(body, 200, { 'content-type': 'application/json' }));
  const peak = join(home.path, 'peak');
  const env = { PAYDESK_BASE_URL: server.url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: crypto.randomUUID() };
  const ran = await paydeskProcess(args, {
    home,
    env: { ...env, PEAK_MEMORY_FILE: peak },
    nodeArgs: ['--import', join(import.meta.dirname, '../find/peak-memory.mjs')],
  });
  return { ...ran, peakMiB: Number(readFileSync(peak, 'utf8')) / 1024 };
}

// A table, JSON, and JSON as it came: all are read by the same parser, before anything is shown.
const commands = ['orders list', 'orders list --json', 'api GET orders'];

describe('a million integers beyond 2^53 in one reply (F59)', () => {
  test.each(commands)('paydesk %s refuses it in one clear line, within the promised memory', async (line) => {
    const ran = await run(orderWith(big(1_000_000)), line.split(' '));
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('more than 100000 numbers too large to keep exactly');
    expect(ran.peakMiB).toBeLessThan(promisedMiB);
  });

  test('up to the limit every integer keeps its digits, beside a million small ones, within the promised memory', async () => {
    const small = Array.from({ length: 1_000_000 }, (_, at) => at).join(',');
    const body = orderWith(`${big(90_000)},${small}`);
    const ran = await run(body, ['orders', 'list', '--ndjson']);
    expect(ran.code).toBe(0);
    expect(ran.stdout === `${body.slice(body.indexOf('[') + 1, -2)}\n`).toBe(true);
    expect(ran.peakMiB).toBeLessThan(promisedMiB);
  });
});
