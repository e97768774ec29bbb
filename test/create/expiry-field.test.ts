/** The expiry of a payment link is expired_at or expires_at: as the profile says, or as a refusal of the service asks. */

import { expect, test } from 'vitest';
import { errorBody } from '../harness/orders.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { lastRecord } from '../harness/ran.ts';
import { json } from '../harness/server.ts';
import { type Service, sentTo, startCreations, storeShop } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const link = ['--name', 'Lamp', '--item', 'Lamp:30000:1', '--currency', 'MXN', '--expires', '1900000000'];
const create = ['-p', 'shop', 'checkout', 'create', ...link, '--yes'];
const body = {
  name: 'Lamp',
  type: 'PaymentLink',
  order_template: { currency: 'MXN', line_items: [{ name: 'Lamp', unit_price: 30_000, quantity: 1 }] },
};

/** The variables of the profile `environment` would contradict `-p shop`. */
const stored = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '', PAYDESK_OPERATOR: 'ana' };

/** Reads only `expires_at`, and says so. */
const strict = () =>
  startCreations({
    onChange: (request, response, socket) => {
      const sent = JSON.parse(request.body) as Readonly<Record<string, unknown>>;
      const answer = Object.hasOwn(sent, 'expired_at')
        ? json(refusal, 422)
        : json({ id: 'chk_1', object: 'checkout', url: 'https://pay.example.com/link/1', livemode: false });
      return answer(request, response, socket);
    },
  });
const refusal = errorBody({
  type: 'parameter_validation_error',
  details: [
    {
      debug_message: 'additionalProperties: expired_at',
      message: 'expires_at is missing',
      param: 'expires_at',
      code: 'service.errors.parameter_validation.expires_at.missing',
    },
  ],
});

async function withShop(service: Service, settings: Readonly<Record<string, string>> = {}): Promise<void> {
  await storeShop(service.home, service, settings);
}

test.each([
  ['without the setting', {}, 'expired_at'],
  ['with checkouts.expiry_field expired_at', { 'checkouts.expiry_field': 'expired_at' }, 'expired_at'],
  ['with checkouts.expiry_field expires_at', { 'checkouts.expiry_field': 'expires_at' }, 'expires_at'],
])('%s --expires is sent as the profile says', async (_how, settings, field) => {
  await using desk = await startCreations();
  await withShop(desk, settings);
  const ran = await desk.run(create, { env: stored });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const [sent] = sentTo(desk);
  expect(sent).toMatchObject({ path: '/checkouts', body: { [field]: 1_900_000_000 } });
  expect(Object.keys(sent?.body ?? {}).filter((name) => name.startsWith('expire'))).toEqual([field]);
});

test.each(['expired_at', 'expires_at'])('--body may say %s, whatever the profile says', async (field) => {
  await using desk = await startCreations();
  await withShop(desk, { 'checkouts.expiry_field': 'expires_at' });
  const input = JSON.stringify({ ...body, [field]: 1_900_000_000 });
  const ran = await desk.run(['-p', 'shop', 'checkout', 'create', '--body', '-', '--yes'], {
    env: stored,
    input,
  });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain('expires 17 Mar 2030');
  expect(sentTo(desk)).toEqual([{ method: 'POST', path: '/checkouts', body: JSON.parse(input) }]);
});

test('--body with both spellings is refused, and nothing is sent', async () => {
  await using desk = await startCreations();
  const input = JSON.stringify({ ...body, expired_at: 1_900_000_000, expires_at: 1_900_000_000 });
  const ran = await desk.run(['checkout', 'create', '--body', '-', '--yes'], { input });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('expires_at: given together with expired_at: give only one of the two');
  expect(sentTo(desk)).toEqual([]);
});

test('a link that would expire in the past is refused in either spelling', async () => {
  await using desk = await startCreations();
  const input = JSON.stringify({ ...body, expires_at: 1_000_000_000 });
  const ran = await desk.run(['checkout', 'create', '--body', '-', '--yes'], { input });
  expect(ran).toMatchObject({ code: 2 });
  expect(ran.stderr).toContain('it would expire in the past');
  expect(sentTo(desk)).toEqual([]);
});

test('a refusal that names the other spelling prints the command that sets it, and that command helps', async () => {
  await using desk = await strict();
  await withShop(desk);
  const refused = await desk.run(create, { env: stored, columns: 80 });
  expect(refused).toMatchObject({ code: 5, stdout: '' });
  expect(shownOf(refused.stderr)).toMatchInlineSnapshot(`
    "refused by the service: the service refused the payment link of 30000 MXN (HTTP
             422, log_id 5f2c81)
             expires_at is missing
             (service.errors.parameter_validation.expires_at.missing, param
             expires_at)
    certain: nothing was created; paydesk cannot confirm this by a read
    now:     the request said expired_at. To send expires_at from now on:
             paydesk profile set shop checkouts.expiry_field expires_at
             then run the command again
    "
  `);
  const wide = await desk.run(create, { env: stored, columns: 120 });
  expect(shownOf(wide.stderr)).toMatchInlineSnapshot(`
    "refused by the service: the service refused the payment link of 30000 MXN (HTTP 422, log_id 5f2c81)
             expires_at is missing (service.errors.parameter_validation.expires_at.missing, param expires_at)
    certain: nothing was created; paydesk cannot confirm this by a read
    now:     the request said expired_at. To send expires_at from now on:
             paydesk profile set shop checkouts.expiry_field expires_at
             then run the command again
    "
  `);
  const command =
    /paydesk (profile set shop checkouts\.expiry_field expires_at)/.exec(refused.stderr)?.[1] ?? '';
  expect((await desk.run(command.split(' '), { env: stored })).code).toBe(0);
  expect((await desk.run(create, { env: stored })).code).toBe(0);
  expect(
    sentTo(desk).map((one) => Object.keys(one.body ?? {}).find((name) => name.startsWith('expire'))),
  ).toEqual(['expired_at', 'expired_at', 'expires_at']);
});

test('a script finds that command among the fields of the error', async () => {
  await using desk = await strict();
  await withShop(desk);
  const { stderr } = await desk.run([...create, '--json'], { env: stored });
  expect(lastRecord(stderr)).toMatchObject({
    kind: 'rejected',
    profile: 'shop',
    now: expect.arrayContaining(['paydesk profile set shop checkouts.expiry_field expires_at']),
  });
});

test('the profile of the environment has no settings, so --body is named instead', async () => {
  await using desk = await strict();
  const ran = await desk.run(['checkout', 'create', ...link, '--yes']);
  expect(ran).toMatchObject({ code: 5 });
  expect(ran.stderr).toContain('--body FILE');
  expect(ran.stderr).not.toContain('paydesk profile set');
});

test('a refusal of a link without an expiry, or of something else, names no spelling', async () => {
  await using desk = await startCreations({ onChange: json(refusal, 422) });
  await withShop(desk);
  const without = ['-p', 'shop', 'checkout', 'create', ...link.slice(0, -2), '--yes'];
  const ran = await desk.run(without, { env: stored });
  expect(ran).toMatchObject({ code: 5 });
  expect(ran.stderr).not.toContain('profile set');
  expect(ran.stderr).toContain('correct what the service names, then run the command again');
});

test('a person reads the same refusal, with the command that sets the field (real terminal)', async () => {
  await using desk = await strict();
  await withShop(desk);
  const ended = await atTerminal(create, { home: desk.home, env: { ...desk.env, ...stored } }).end;
  expect(ended.exitCode).toBe(5);
  expect(withoutEscapes(ended.transcript)).toContain(
    'paydesk profile set shop checkouts.expiry_field expires_at',
  );
});

/** The refusal without the preview above it. */
function shownOf(stderr: string): string {
  return stderr.slice(stderr.indexOf('refused by the service'));
}
