/** A name in --columns that is no column: found before anything is sent, never after. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeArgs, journalRows, ledgerAndDesk, story } from '../atmost/desk.ts';
import { reset } from '../harness/server.ts';
import { type Service, sentTo, startCreations } from '../harness/service.ts';

const { ledger, desk } = await ledgerAndDesk();
let service: Service;
beforeAll(async () => {
  service = await startCreations();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const refused = {
  code: 2,
  stdout: '',
  stderr: expect.stringMatching(
    /^error: +--columns nope: there is no such column\ncertain: nothing was changed/,
  ),
};
const nope = ['--columns', 'id,nope'];
const lamp = ['--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];

describe('a wrong name in --columns of a change is refused (2), and nothing is sent', () => {
  test.each(['refund', 'capture'] as const)('orders %s', async (kind) => {
    using home = desk.newHome();
    const order = ledger.add(kind);
    expect(await desk.run(home, [...changeArgs(order), ...nope])).toMatchObject(refused);
    expect({ posts: order.posts.length, story: story(home) }).toEqual({ posts: 0, story: '' });
  });

  test.each([
    ['orders create', ['orders', 'create', ...lamp]],
    ['checkout create', ['checkout', 'create', '--name', 'Lamp', ...lamp]],
  ])('%s', async (_name, words) => {
    const sent = sentTo(service).length;
    expect(await service.run([...words, ...nope])).toMatchObject(refused);
    expect(sentTo(service)).toHaveLength(sent);
  });
});

test('a column that the reply to an `api` change turns out not to have is empty: what was done is told', async () => {
  const sent = sentTo(service).length;
  const words = ['api', 'POST', 'things', '--field', 'a=1', '--yes', '--csv'];
  expect(await service.run([...words, ...nope])).toMatchObject({ code: 0, stdout: 'id,nope\nchk_1,\n' });
  const included = await service.run([...words, ...nope, '--include']);
  expect(included.code).toBe(2);
  expect(sentTo(service)).toHaveLength(sent + 1);
});

test('a column that the result of a local command does not have is empty: what was done is told, and is no usage error', async () => {
  using home = desk.newHome();
  const used = await desk.run(home, ['profile', 'use', 't', '--csv', '--columns', 'name,nope']);
  expect(used).toMatchObject({ code: 0, stdout: 'name,nope\nt,\n' });
});

test.each([
  ['journal list', ['list']],
  ['journal reconcile', ['reconcile', '--all']],
  ['journal reconcile CHANGE', ['reconcile', 'CHANGE']],
  ['journal settle', ['settle', 'CHANGE', '--applied', '--note', 'n', '--confirm', 'ORDER']],
])('%s writes nothing down under a wrong name in --columns (2)', async (_name, words) => {
  using home = desk.newHome();
  const order = ledger.add('refund', () => reset);
  expect((await desk.run(home, changeArgs(order))).code).toBe(7);
  const before = story(home);
  order.apply(order.posts[0]?.body ?? '');
  const { change = '' } = journalRows(home)[0] ?? {};
  const named = words.map((word) => (word === 'CHANGE' ? change : word === 'ORDER' ? order.id : word));
  expect(await desk.run(home, ['journal', ...named, '--columns', 'nope'])).toMatchObject(refused);
  expect(story(home)).toBe(before);
});

test('columns of what a change makes do not stop its dry run, as flag or as variable', async () => {
  using home = desk.newHome();
  const order = ledger.add('refund');
  const words = [...changeArgs(order), '--dry-run'];
  const byFlag = await desk.run(home, [...words, '--columns', 'id,amount']);
  expect(byFlag).toMatchObject({ code: 0, stdout: expect.stringContaining('would send: POST') });
  const byVariable = await desk.run(home, [...words, '--ndjson'], { PAYDESK_COLUMNS: 'id,amount' });
  expect(byVariable.code, byVariable.stderr).toBe(0);
  expect(JSON.parse(byVariable.stdout)).toMatchObject({ object: 'dry_run', method: 'POST' });
  expect(order.posts).toHaveLength(0);
});

test('PAYDESK_COLUMNS are those of every list that it has, and stop nothing: neither other lists nor receipts', async () => {
  using home = desk.newHome();
  const order = ledger.add('refund');
  const env = { PAYDESK_COLUMNS: 'id,amount,payment_status' };
  const refunded = await desk.run(home, changeArgs(order), env);
  expect(refunded, refunded.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('refunded 5000 MXN'),
  });
  const orders = await desk.run(home, ['orders', 'list', '--limit', '1', '--csv'], env);
  expect(orders.stdout).toMatch(/^id,amount,payment_status\n/);
  const lists = [
    ['profile', 'list'],
    ['journal', 'list'],
    ['journal', 'reconcile', '--all'],
  ];
  for (const words of lists) expect((await desk.run(home, words, env)).code, words.join(' ')).toBe(0);
});
