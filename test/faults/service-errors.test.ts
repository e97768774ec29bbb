/** Errors of the service, and exit codes. */

import { expect, test } from 'vitest';
import { each } from '../harness/each.ts';
import { errorBody, listBeforeMore, listOf, paidOrder } from '../harness/orders.ts';
import { bin, cleanEnv, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { storeProfile } from '../harness/profile.ts';
import { runInPty } from '../harness/pty.ts';
import { closedPort, type Handler, inTurn, json, reply, stall } from '../harness/server.ts';
import { environment, pages, startAnswering, testKey } from '../harness/service.ts';

/** What no message for people may hold. */
const leaks = /\[object |undefined|\bnull\b|NaN|^\s+at |SyntaxError|TypeError|node:internal|\{"/m;

const page = json(listBeforeMore(paidOrder('ord_1')));

interface Ending {
  readonly code: number;
  readonly how: string;
  readonly line: readonly string[];
  readonly handler: () => Handler;
}

const show = ['orders', 'show', 'ord_1'];
const list = ['orders', 'list'];
const refund = ['orders', 'refund', 'ord_1'];

// Exit 4 and the service's own error are below with C35 and C36; more of exit 6 with C40 and C42.
const endings: readonly Ending[] = [
  { code: 0, how: '--max that is reached', line: [...list, '--max', '1'], handler: () => page },
  { code: 1, how: 'an HTML page with 200', line: list, handler: () => reply('<!doctype html><html>') },
  { code: 2, how: 'a bad value', line: [...list, '--limit', 'x'], handler: () => page },
  { code: 2, how: 'a missing --yes', line: refund, handler: () => pages([paidOrder('ord_1')]) },
  {
    code: 3,
    how: 'money of the other mode',
    line: [...refund, '--yes'],
    handler: () => pages([paidOrder('ord_1', { livemode: true })]),
  },
  {
    code: 3,
    how: 'a --confirm of another order',
    line: [...refund, '--confirm', 'ord_2'],
    handler: () => pages([paidOrder('ord_1')]),
  },
  {
    code: 3,
    how: 'an order refunded already',
    line: [...refund, '--yes'],
    handler: () => pages([paidOrder('ord_1', { payment_status: 'refunded', is_refundable: false })]),
  },
  {
    code: 5,
    how: 'an order that a complete walk does not show',
    line: show,
    handler: () => pages([paidOrder('ord_2')]),
  },
  {
    code: 5,
    how: "the service's own not found",
    line: ['customers', 'show', 'cus_1'],
    handler: () => inTurn(json(errorBody(), 404), json(listOf())),
  },
  {
    code: 6,
    how: 'a failing service',
    line: list,
    handler: () => json(errorBody(), 500, { 'retry-after': '0' }),
  },
  { code: 9, how: 'paging that goes in a circle', line: [...list, '--all'], handler: () => page },
];

test.each(endings)('exit $code: $how (C34)', async ({ code, line, handler }) => {
  await using desk = await startAnswering(handler());
  const ran = await desk.run(line);
  expect(ran.code, ran.stderr).toBe(code);
  expect(ran.stderr).not.toMatch(leaks);
  expect(desk.posts.length).toBe(0);
});

test('exit 6: a port that nobody listens on, and a name that nobody knows (C34)', async () => {
  using home = newHome();
  await using closed = await closedPort();
  const urls = [`http://127.0.0.1:${closed.port}`, 'https://service.invalid'];
  for (const ran of await each(urls, (url) => paydesk(list, { home, env: environment(url) }))) {
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).not.toMatch(leaks);
    expect(ran.stderr).toContain('certain: nothing was changed');
  }
});

test('exit 9: stdout that is full (C34)', async () => {
  await using desk = await startAnswering(page);
  const pty = runInPty('/bin/sh', ['-c', `'${process.execPath}' '${bin}' orders list > /dev/full`], {
    env: cleanEnv({ home: desk.home, env: desk.env }),
  });
  const { exitCode, transcript } = await pty.end;
  expect(exitCode).toBe(9);
  expect(transcript).toContain('ENOSPC');
});

test.each([
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGHUP', code: 129 },
])('exit $code: $signal during a read (C34)', async ({ signal, code }) => {
  await using desk = await startAnswering(stall);
  const pty = runInPty(process.execPath, [bin, ...list], {
    env: cleanEnv({ home: desk.home, env: desk.env }),
  });
  await desk.server.waitFor(1);
  pty.kill(signal);
  const { exitCode, transcript } = await pty.end;
  expect(exitCode, transcript).toBe(code);
  await desk.server.waitForAborted(1);
});

test('exit 5: an error of the service is shown with all it says, and what to do, and nothing else (C34, C35)', async () => {
  const body = errorBody(
    { type: 'parameter_validation_error', log_id: '65f2c81a' },
    {
      message: 'El límite no es válido',
      param: 'limit',
      code: 'service.errors.parameter_validation.limit.invalid',
    },
  );
  await using desk = await startAnswering(json(body, 422));
  const ran = await desk.run(['orders', 'list', '--limit', '999']);
  expect(ran).toMatchObject({ code: 5, stdout: '' });
  expect(ran.stderr).toMatch(/^refused by the service: /);
  for (const words of [
    'GET /orders?limit=999',
    'El límite no es válido',
    'service.errors.parameter_validation.limit.invalid',
    'limit',
    '65f2c81a',
    'HTTP 422',
    'certain: nothing was changed',
    'now: ',
  ]) {
    expect(ran.stderr).toContain(words);
  }
  expect(ran.stderr).not.toMatch(leaks);
});

test('several details are all shown, and a body with hardly anything in it is shown as far as it goes (C35)', async () => {
  const details = ['first', 'second'].map((name) => ({
    debug_message: null,
    message: `the ${name} message`,
    param: null,
    code: `service.errors.${name}`,
  }));
  const bodies = [
    { ...errorBody(), details },
    { object: 'error' },
    { object: 'error', type: null, log_id: null, details: [{}] },
    { object: 'error', details: 'text', data: [] },
  ];
  const ran = await each(bodies, async (body) => {
    await using desk = await startAnswering(json(body, 400));
    return await desk.run(list);
  });
  for (const word of [
    'the first message',
    'service.errors.first',
    'the second message',
    '5f2c81',
    'HTTP 400',
  ]) {
    expect(ran[0]?.stderr).toContain(word);
  }
  for (const { code, stdout, stderr } of ran) {
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).not.toMatch(leaks);
    expect(stderr).toContain('HTTP 400');
  }
});

test('without a profile, a mode or a key: exit 4, and the command or variable that helps (C34, C36)', async () => {
  using home = newHome();
  const env = environment('http://127.0.0.1:9');
  const cases = [
    { env: {}, says: ['-p demo', 'paydesk profile add'] },
    { env: { ...env, PAYDESK_API_KEY: '' }, says: ['PAYDESK_API_KEY', 'PAYDESK_KEY_FILE'] },
    { env: { ...env, PAYDESK_MODE: '' }, says: ['PAYDESK_MODE'] },
    { env: { PAYDESK_PROFILE: 'shop' }, says: ['shop', 'paydesk profile add shop'] },
  ];
  const ran = await each(cases, ({ env: own }) => paydesk(list, { home, env: own }));
  for (const [index, { says }] of cases.entries()) {
    expect(ran[index]).toMatchObject({ code: 4, stdout: '' });
    for (const words of says) expect(ran[index]?.stderr).toContain(words);
    expect(ran[index]?.stderr).not.toMatch(leaks);
  }
});

test.each([401, 403])(
  'a key refused with %i: exit 4, the profile and how to set its key, never the key (C34, C36)',
  async (status) => {
    await using desk = await startAnswering(json(errorBody({ type: 'authentication_error' }), status));
    const ran = await desk.run(list);
    expect(ran).toMatchObject({ code: 4, stdout: '' });
    expect(ran.stderr).toContain(`did not accept the key of profile environment (HTTP ${status})`);
    expect(ran.stderr).toContain('PAYDESK_API_KEY');
    expect(ran.stderr).toContain('5f2c81');
    expect(ran.stderr).not.toMatch(leaks);
    expect(ran.stderr).not.toContain(testKey);
  },
);

test('a key that is refused to a change: what to do now is what a read says (C36)', async () => {
  const refusal = json(errorBody({ type: 'authentication_error' }), 401);
  const shown = pages([paidOrder('ord_1')]);
  await using desk = await startAnswering((request, response, body) =>
    (request.method === 'POST' ? refusal : shown)(request, response, body),
  );
  const ran = await desk.run([...refund, '--yes']);
  expect(ran.code).toBe(4);
  expect(ran.stderr).toContain('now:     set PAYDESK_API_KEY or PAYDESK_KEY_FILE to a key of this account');
});

test('a key that a stored profile holds and the service refuses: exit 4 and the command that replaces it (C36)', async () => {
  await using desk = await startAnswering(json(errorBody({ type: 'authentication_error' }), 401));
  await storeProfile(
    desk.home,
    { name: 'shop', baseUrl: desk.server.url, mode: 'sandbox', settings: {} },
    testKey,
  );
  const ran = await paydesk(['-p', 'shop', ...list], { home: desk.home });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain('did not accept the key of profile shop (HTTP 401)');
  expect(ran.stderr).toContain('paydesk profile key shop');
  expect(ran.stderr).not.toContain(testKey);
});

/** Makes one function of the platform throw, as a bug of ours would. */
const bug =
  "data:text/javascript,URLSearchParams.prototype.set=()=>{throw new TypeError('cannot read properties of nothing')}";

test('an unexpected error is one line, how to see more and where to report; the stack only with --debug (C43)', async () => {
  await using desk = await startAnswering(page);
  const run = (more: readonly string[]) =>
    paydeskProcess([...list, '--limit', '1', ...more], {
      home: desk.home,
      env: desk.env,
      nodeArgs: ['--import', bug],
    });
  const [plain, debug, asJson] = await each([[], ['--debug'], ['--json']], run);
  expect(plain).toMatchObject({ code: 1, stdout: '' });
  expect(plain?.stderr).toMatch(/^error: .*cannot read properties of nothing$/m);
  expect(plain?.stderr).toContain('--debug');
  expect(plain?.stderr).toContain('report it to whoever gave you paydesk');
  expect(plain?.stderr).not.toMatch(/^\s+at /m);
  expect(plain?.stderr.trimEnd().split('\n').length).toBeLessThan(5);
  expect(debug).toMatchObject({ code: 1, stdout: '' });
  expect(debug?.stderr).toMatch(/^\s*at /m);
  expect(JSON.parse(asJson?.stderr ?? '')).toMatchObject({ object: 'error', exit_code: 1 });
});

test('--debug shows method, URL, status and ms of each request on stderr and leaves stdout as it is (C43)', async () => {
  await using desk = await startAnswering(pages([paidOrder('ord_1')]));
  const [plain, debug] = await each([[], ['--debug']], (more) => desk.run([...show, ...more, '--json']));
  expect(debug?.stdout).toBe(plain?.stdout);
  expect(plain?.stderr).not.toContain('http://');
  expect(debug?.stderr).toMatch(
    new RegExp(`GET ${desk.server.url}/orders\\?limit=1&previous=ord_1 +HTTP 200 +\\d+ ms`),
  );
  expect(debug?.stderr).not.toContain(testKey);
});
