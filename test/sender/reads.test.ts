/** Reads through a sender: every reading command shows what it shows with a key of its own. */

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { errorBody, listOf, paidOrder } from '../harness/orders.ts';
import { newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { startSender, type TestDesk, type TestSender, testKey } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, startAnswering, startService } from '../harness/service.ts';

const customer = {
  id: 'cus_1',
  object: 'customer',
  livemode: false,
  name: 'Ana Torres',
  email: 'ana@example.com',
};
const orders = Array.from({ length: 60 }, (_, index) =>
  paidOrder(`ord_${index}`, { amount: 1000 + index, created_at: 1_790_000_000 - index * 3600 }),
);

let service: Service;
let sender: TestSender;
let desk: TestDesk;
const alone = newHome();

beforeAll(async () => {
  service = await startService({ orders, customers: [customer], sendsDate: false });
  sender = await startSender({ url: service.url });
  desk = await sender.desk('ana');
  await storeProfile(alone, { name: 'shop', baseUrl: service.url, mode: 'sandbox' }, testKey);
});

afterAll(async () => {
  await sender[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  alone[Symbol.dispose]();
});

it.each([
  ['orders list'],
  ['orders list --json --limit 7'],
  ['orders list --json --next ord_40'],
  ['orders show ord_33'],
  ['orders show ord_33 --json'],
  ['orders show ord_nowhere'],
  ['orders find 1044'],
  ['orders summary --period 2026-09'],
  ['orders twins --period 2026-09'],
  ['orders waiting'],
  ['orders export --rows charges --csv'],
  ['orders export --limit 9'],
  ['customers list --json'],
  ['customers show cus_1'],
  ['refunds list --period 2026-09'],
  ['api GET orders?limit=2'],
])('%s shows through a sender what it shows with a key', async (line) => {
  const words = ['-p', 'shop', ...line.split(' ')];
  const env = { TZ: 'UTC', ...standingAt('2040-11-21T05:05:12Z') };
  const [direct, through] = [await paydesk(words, { home: alone, env }), await desk.run(words, { env })];

  expect([0, 5]).toContain(direct.code);
  expect(through.stdout).toBe(direct.stdout);
  expect(withoutFolders(through)).toEqual(withoutFolders(direct));
});

// The two runs have homes of their own.
function withoutFolders({ code, stderr }: Ran) {
  return { code, stderr: stderr.replaceAll(/paydesk-test-[A-Za-z0-9]+/g, 'HOME') };
}

it('the sender asks with its own key, and the desk never has it', async () => {
  await desk.run(['-p', 'shop', 'orders', 'list']);

  const asked = service.requests.at(-1);
  expect(asked?.headers.authorization).toBe(`Bearer ${testKey}`);
  expect(JSON.stringify(asked)).not.toContain(desk.token);
});

it('the version and the language of the desk go to the service', async () => {
  await desk.run(['-p', 'shop', 'orders', 'list', '--api-version', '2.1.0', '--lang', 'es']);

  expect(service.requests.at(-1)?.headers).toMatchObject({
    accept: 'application/vnd.service-v2.1.0+json',
    'accept-language': 'es',
  });
});

it('a reply that holds the key comes to the desk without it', async () => {
  await using echo = await startAnswering(
    json(listOf({ ...paidOrder('ord_1'), metadata: { note: testKey } })),
  );
  await using other = await startSender({ url: echo.url });
  const shown = await (await other.desk('ana')).run(['-p', 'shop', 'orders', 'list', '--json']);

  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('ord_1');
  expect(shown.stdout).not.toContain(testKey);
});

it('an error of the service comes to the desk as it is, in the words of the desk', async () => {
  await using broken = await startAnswering(json(errorBody({ type: 'parameter_validation_error' }), 422));
  await using other = await startSender({ url: broken.url });
  const own = newHome();
  await storeProfile(own, { name: 'shop', baseUrl: broken.url, mode: 'sandbox' }, testKey);
  const direct = await paydesk(['-p', 'shop', 'orders', 'list'], { home: own });
  const through = await (await other.desk('ana')).run(['-p', 'shop', 'orders', 'list']);
  own[Symbol.dispose]();

  expect(through).toEqual(direct);
});

it('a service that does not answer is no fault of the desk: it says who did not answer', async () => {
  const gone = await startService({});
  await using other = await startSender({ url: gone.url });
  const somebody = await other.desk('ana');
  await gone[Symbol.asyncDispose]();

  const { code, stderr } = await somebody.run(['-p', 'shop', 'orders', 'list']);

  expect(code).toBe(6);
  expect(stderr).toContain('the sender got no reply from the service');
});

it('a service that sends no Date gets none at the sender', async () => {
  await using dateless = await startService({ orders, sendsDate: false });
  await using other = await startSender({ url: dateless.url });
  const { token } = await other.desk('ana');

  const reply = await raw(other, 'GET /v1/service/shop/orders HTTP/1.1', {
    authorization: `Bearer ${token}`,
  });

  expect(reply).toMatch(/^HTTP\/1\.1 200 /);
  expect(reply).not.toMatch(/^date:/im);
});

// A request byte by byte as it is given, on a connection of its own.
async function raw(
  { port }: TestSender,
  line: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries({ host: 'sender', connection: 'close', ...headers });
  socket.write(`${line}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  return await text(socket);
}
