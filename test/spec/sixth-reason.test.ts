/** The service is described once: a sixth refund reason is one line in spec.ts, and everything follows. */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../harness/desk.ts';
import { chargeOf, orderOf, refundedWhole } from '../harness/orders.ts';
import { cleanEnv, newHome, paydeskProcess } from '../harness/paydesk.ts';
import { runInPty } from '../harness/pty.ts';
import { json } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';

const project = join(import.meta.dirname, '../..');
const lastReason = "  other: { words: 'another reason', also: ['otro', 'otra', 'outro'] },\n";

let copy = '';
let bin = '';
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'paydesk-sixth-'));
  for (const name of ['src', 'bin', 'package.json', 'rolldown.config.ts', 'tsconfig.json'])
    cpSync(join(project, name), join(copy, name), { recursive: true });
  symlinkSync(realpathSync(join(project, 'node_modules')), join(copy, 'node_modules'));
  const file = join(copy, 'src/api/spec.ts');
  const spec = readFileSync(file, 'utf8');
  expect(spec).toContain(lastReason);
  writeFileSync(
    file,
    spec.replace(lastReason, `${lastReason}  goodwill: { words: 'a gesture of goodwill' },\n`),
  );
  const rolldown = join(copy, 'node_modules/rolldown/bin/cli.mjs');
  execFileSync(process.execPath, [rolldown, '--config', 'rolldown.config.ts'], {
    cwd: copy,
    stdio: 'ignore',
  });
  bin = join(copy, 'bin/paydesk.js');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const refunding = (): Promise<Service> =>
  startService({
    orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])],
    onPost: (order = {}, service) => {
      service.orders = [refundedWhole(order)];
      return json(refundedWhole(order));
    },
  });

describe('a sixth reason of one line in spec.ts', () => {
  test('stands in the help of orders refund', async () => {
    using home = newHome();
    const { stdout } = await paydeskProcess(['orders', 'refund', '--help'], { home, bin });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('goodwill (a gesture of goodwill)');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/--reason <R> .*other, goodwill/);
  });

  test('is offered to a person, and sent when chosen', async () => {
    await using service = await refunding();
    using home = newHome();
    const env = cleanEnv({ home, env: service.env });
    const person = runInPty(process.execPath, [bin, 'orders', 'refund', 'ord_1'], { env });
    await person.answer('How much?', '\r');
    await person.waitFor('no reason is sent');
    expect(person.transcript).toMatch(/a gesture of goodwill +goodwill/);
    person.type('\x1b[B'.repeat(5));
    await person.answer(/> a gesture of goodwill/, '\r');
    await person.answer('Note', '\r');
    await person.answer(/Send back .*\? \(y\/N\)/, 'y\r');
    expect((await person.end).exitCode).toBe(0);
    expect(service.posts.map(({ body }) => body)).toEqual(['{"reason":"goodwill"}']);
  });

  test('is sent by a script; a value outside the set is refused with all six (2), and nothing is sent', async () => {
    await using service = await refunding();
    using home = newHome();
    const refund = ['orders', 'refund', 'ord_1', '--yes', '--reason'];
    const wrong = await paydeskProcess([...refund, 'regret'], { home, env: service.env, bin });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr.replaceAll(/\s+/g, ' ')).toContain(
      '--reason regret: not one of requested_by_client, cannot_be_fulfilled, duplicated_transaction, suspected_fraud, other, goodwill',
    );
    expect(service.requests).toEqual([]);
    expect(await paydeskProcess([...refund, 'goodwill'], { home, env: service.env, bin })).toMatchObject({
      code: 0,
    });
    expect(service.posts.map(({ body }) => body)).toEqual(['{"reason":"goodwill"}']);
  });

  test('is taken by its simulator, which refuses a seventh; the project’s own refuses the sixth', async () => {
    using home = newHome();
    await using grown = await serve(home, [], bin);
    await using own = await serve(home, []);
    expect(await refundStatuses(grown, 'regret', 'goodwill')).toEqual([422, 200]);
    expect(await refundStatuses(own, 'goodwill', 'other')).toEqual([422, 200]);
  });
});

/** The HTTP statuses of refunds of one paid order, with these reasons one after the other. */
async function refundStatuses(
  { url, key }: { readonly url: string; readonly key: string },
  ...reasons: readonly string[]
): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const page = (await (await fetch(`${url}/orders`, { headers })).json()) as {
    data: { id: string; payment_status?: string; is_refundable: boolean }[];
  };
  const order = page.data.find(({ payment_status: status, is_refundable: yes }) => status === 'paid' && yes);
  const statuses: number[] = [];
  for (const reason of reasons) {
    const body = JSON.stringify({ reason });
    const reply = await fetch(`${url}/orders/${order?.id}/refunds`, { method: 'POST', headers, body });
    statuses.push(reply.status);
  }
  return statuses;
}

test('the values of reasons stand in spec.ts and nowhere else in src', () => {
  const files = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== join('api', 'spec.ts'),
  );
  expect(files.length).toBeGreaterThan(50);
  const values =
    /requested_by_client|cannot_be_fulfilled|duplicated_transaction|suspected_fraud|(['"`])other\1/;
  expect(files.filter((name) => values.test(readFileSync(join(project, 'src', name), 'utf8')))).toEqual([]);
});
