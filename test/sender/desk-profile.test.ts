/** A profile with a sender: what the profile commands of a desk say of it, and what stays the sender's. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paidOrder } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { startSender, type TestSender, testKey } from '../harness/sender.ts';
import { json, reset } from '../harness/server.ts';
import { type Service, startAnswering, startService } from '../harness/service.ts';
import { startLedger } from './ledger.ts';

const often = { timeout: 12_000, interval: 100 };
let service: Service;
let sender: TestSender;

beforeAll(async () => {
  service = await startService({ orders: [paidOrder('ord_1'), paidOrder('ord_2')] });
  sender = await startSender({ url: service.url, settings: { 'refund.max_amount.MXN': '50000' } });
});

afterAll(async () => {
  await sender[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

describe('profile add --sender', () => {
  it('takes account, mode and settings from the sender, and keeps no key', async () => {
    const desk = await sender.desk('ana');
    const shown = JSON.parse((await desk.run(['profile', 'show', 'shop', '--json'])).stdout);

    expect(shown).toMatchObject({
      mode: 'sandbox',
      origin: service.url,
      sender: sender.url,
      sender_account: 'shop',
      member: 'ana',
      member_role: 'operator',
      desk: 'desk-1',
      'refund.max_amount.MXN': '50000',
    });
  });

  it('names the desk after its machine, or as it is told', async () => {
    using home = newHome();
    const invitation = JSON.stringify(await sender.invite('ben'));
    const ran = await paydesk(
      ['profile', 'add', 'mx', '--sender', '-', '--desk', 'till-7', '--key-store', 'file', '--json'],
      { home, input: invitation },
    );

    expect(JSON.parse(ran.stdout)).toMatchObject({ name: 'mx', member: 'ben', desk: 'till-7' });
  });

  it('prints commands and amounts by its own profile, whatever the sender calls the account', async () => {
    await using own = await startLedger({ orders: [paidOrder('ord_1', { amount: 9000 })] });
    using home = newHome();
    const input = JSON.stringify(await own.sender.invite('ben'));
    const desk = (...words: readonly string[]) => paydesk(words, { home, input });
    await desk('profile', 'add', 'mx', '--sender', '-', '--key-store', 'file');
    await desk('profile', 'set', 'mx', 'amounts.decimals.MXN', '2');
    const refunded = await desk('-p', 'mx', 'orders', 'refund', 'ord_1', '--yes');
    expect(refunded.code, refunded.stderr).toBe(0);

    const shown = await desk('-p', 'mx', 'journal', 'show', 'ord_1');
    expect(shown.stdout).toContain('paydesk -p mx orders show ord_1');
    const undone = await desk('-p', 'mx', 'undo');
    expect(undone.stdout).toContain('paydesk -p mx checkout create');
    const [row] = (await desk('-p', 'mx', 'journal', 'list', '--csv')).stdout.split('\n').slice(1);
    expect(row).toContain(',mx,');
    expect((await desk('-p', 'mx', 'journal', 'list')).stdout).toContain('90.00');
  });

  it('with --dry-run uses nothing up', async () => {
    using home = newHome();
    const invitation = await sender.invite('cid');
    const input = JSON.stringify(invitation);
    const tried = await paydesk(['profile', 'add', 'shop', '--sender', '-', '--dry-run'], { home, input });

    expect(tried.stdout).not.toContain(invitation.invitation);
    expect(tried.code).toBe(0);
    expect((await sender.join(invitation)).ran.code).toBe(0);
  });

  it.each([
    ['a key', ['--key-stdin']],
    ['an address', ['--base-url', 'https://pay.example.com']],
    ["a lead's file", ['--from', 'lead.json']],
  ])('takes no %s beside it', async (_, words) => {
    using home = newHome();

    expect((await paydesk(['profile', 'add', 'shop', '--sender', 'x', ...words], { home })).code).toBe(2);
  });

  it('uses nothing up when the name is taken', async () => {
    const desk = await sender.desk('dan');
    const invitation = await sender.invite('dan');
    const input = JSON.stringify(invitation);
    const again = await desk.run(['profile', 'add', 'shop', '--sender', '-', '--key-store', 'file'], {
      input,
    });

    expect(again.code).toBe(3);
    expect((await sender.join(invitation, 'desk-2')).ran.code).toBe(0);
  });

  it('says that nobody answers, where no sender runs', async () => {
    const invitation = await sender.invite('eve');
    const { ran } = await sender.join({ ...invitation, sender: 'http://127.0.0.1:9' });

    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain('the sender at http://127.0.0.1:9 does not answer');
  });
});

it('profile check says who the desk is at the sender, and takes new settings from it', async () => {
  const desk = await sender.desk('fay');
  await desk.run(['profile', 'set', 'shop', 'time.zone', 'America/Mexico_City']);
  const checked = JSON.parse((await desk.run(['profile', 'check', 'shop', '--json'])).stdout);
  const shown = JSON.parse((await desk.run(['profile', 'show', 'shop', '--json'])).stdout);

  expect(checked).toMatchObject({
    accepted: true,
    sender: sender.url,
    member: 'fay',
    role: 'operator',
    locating: 'works',
  });
  // What the desk has set alone stays.
  expect(shown).toMatchObject({ 'time.zone': 'America/Mexico_City', 'refund.max_amount.MXN': '50000' });
});

it('profile list says whose token it is, and profile key that there is no key to replace', async () => {
  const desk = await sender.desk('gus');
  const key = await desk.run(['profile', 'key', 'shop', '--key-stdin'], { input: testKey });

  expect((await desk.run(['profile', 'list'])).stdout).toContain(`(token of ${sender.url})`);
  expect(key.code).toBe(3);
  expect(key.stderr).toContain('has no key of its own');
});

it('profile remove says who ends the token', async () => {
  const desk = await sender.desk('hal', 'operator', 'desk-8');
  const { stderr } = await desk.run(['profile', 'remove', 'shop', '--yes']);

  expect(stderr).toContain('still takes the token of this desk');
  expect(stderr).toContain('paydesk sender revoke hal --desk desk-8');
});

it('profile remove does not tell anybody to revoke a token that was revoked', async () => {
  const desk = await sender.desk('hugo', 'operator', 'desk-9');
  await sender.run(['sender', 'revoke', 'hugo', '--yes']);
  await expect.poll(async () => (await desk.run(['-p', 'shop', 'orders', 'list'])).code, often).toBe(4);
  const { stderr } = await desk.run(['profile', 'remove', 'shop', '--yes']);

  expect(stderr).toContain('the sender does not take the token of this desk any more');
  expect(stderr).not.toContain('sender revoke');
});

it('profile remove says that nobody knows what becomes of the token, while the sender is away', async () => {
  await using other = await startSender({ url: service.url });
  const desk = await other.desk('iris', 'operator', 'desk-9');
  other.signal('SIGTERM');
  await other.end;
  const { stderr, code } = await desk.run(['profile', 'remove', 'shop', '--yes']);

  expect(code).toBe(0);
  expect(stderr).toContain('the sender did not say whether it still takes the token of this desk');
});

it('while the sender is away, a read says which one does not answer, and blames no base URL', async () => {
  await using other = await startSender({ url: service.url });
  const desk = await other.desk('jo');
  other.signal('SIGTERM');
  await other.end;
  for (const command of [['orders', 'list'], ['orders', 'show', 'ord_1'], ['today'], ['journal', 'list']]) {
    const { code, stderr } = await desk.run(['-p', 'shop', ...command]);

    expect(code).toBe(6);
    expect(stderr).toMatch(new RegExp(`the sender (?:at )?\\S*127.0.0.1:${other.port} does not answer`));
    expect(stderr).toContain('nothing was sent');
    expect(stderr).not.toContain('base URL');
  }
});

it('hints about the journal name the profile that was typed: another one has another journal', async () => {
  await using ledger = await startLedger();
  const desk = await ledger.sender.desk('kai');
  const shop = ['-p', 'shop'];
  const refund = [...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes', '--json'];
  expect((await desk.run(refund)).code).toBe(0);
  const [sent] = JSON.parse((await desk.run([...shop, 'journal', 'list', '--json'])).stdout).data;
  const settle = ['journal', 'settle', sent.change, '--not-applied', '--note', 'seen', '--yes'];
  const { code, stderr } = await desk.run([...shop, ...settle]);

  expect(code).toBe(3);
  expect(stderr).toContain(`paydesk -p shop journal show ${sent.change}`);
});

it('a note about what is unconfirmed names the profile that was typed, and the journal is that of the team', async () => {
  await using ledger = await startLedger({ onPost: () => reset, settings: { 'reconcile.after': '0' } });
  const desk = await ledger.sender.desk('kim');
  const shop = ['-p', 'shop'];
  await desk.run([...shop, 'orders', 'refund', 'ord_A1', '--amount', '300', '--yes', '--json']);
  const { stderr } = await desk.run([...shop, 'orders', 'list']);
  const unknown = await desk.run([...shop, 'journal', 'show', 'i_nobody']);

  expect(stderr).toMatch(/unconfirmed: .*paydesk -p shop journal reconcile/);
  expect(unknown).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('the journal of the team has no i_nobody'),
  });
});

it('a service that refuses the key of the sender is no matter for a new key at the desk', async () => {
  await using refusing = await startAnswering(json({ message: 'no' }, 401));
  await using other = await startSender({ url: refusing.url });
  const { code, stderr } = await (await other.desk('ana')).run(['-p', 'shop', 'orders', 'list']);

  expect(code).toBe(4);
  expect(stderr).toContain('the service did not accept the key of the sender');
  expect(stderr).not.toContain('paydesk profile key shop');
});

it('the desks together keep to the pace of the sender', async () => {
  await using other = await startSender({ url: service.url, config: { max_per_second: 4 } });
  const [ana, ben] = [await other.desk('ana'), await other.desk('ben')];
  const ask = async ({ token }: { readonly token: string }) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${other.url}/v1/service/shop/orders?limit=1`, { headers })).status;
  };
  const began = performance.now();
  const statuses = await Promise.all([ana, ben, ana, ben, ana].map(ask));

  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  // Five requests, a quarter of a second apart.
  expect(performance.now() - began).toBeGreaterThan(900);
});
