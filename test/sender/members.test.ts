/** Members of a sender: invitations, tokens and roles, and what somebody gets who has none of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBody, paidOrder } from '../harness/orders.ts';
import { startSender, type TestDesk, type TestSender, testKey } from '../harness/sender.ts';
import { json } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';

const day = 24 * 60 * 60_000;
let service: Service;
let sender: TestSender;

beforeAll(async () => {
  service = await startService({ orders: [paidOrder('ord_1')] });
  sender = await startSender({ url: service.url });
});

afterAll(async () => {
  await sender[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const often = { timeout: 12_000, interval: 100 };
const list = ['-p', 'shop', 'orders', 'list'];

describe('an invitation', () => {
  it('works once', async () => {
    const invitation = await sender.invite('ana');
    const first = await sender.join(invitation);
    const second = await sender.join(invitation);

    expect(first.ran.code).toBe(0);
    expect(second.ran).toMatchObject({ code: 4, stdout: '' });
    expect(second.ran.stderr).toContain('does not accept this invitation: it was already used');
    expect((await second.desk.run(['profile', 'list'])).stdout).not.toContain('shop');
  });

  it('is not taken after a day', async () => {
    const made = await sender.invite('ben', 'operator', {
      env: { TEST_WALL_CLOCK_AHEAD_MS: `${-day - 1000}` },
    });
    // The desk would see itself that it is too old.
    const { ran } = await sender.join({ ...made, until: Date.now() + day });

    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('more than a day old');
  });

  it('is not taken when a newer one replaced it', async () => {
    const old = await sender.invite('cid');
    const newer = await sender.invite('cid');

    expect((await sender.join(old)).ran.code).toBe(4);
    expect((await sender.join(newer)).ran.code).toBe(0);
  });

  it.each([
    ['with another secret', 'dan', (text: string) => text.replace(/.{5}$/, 'AAAAA')],
    ['with another id', 'don', (text: string) => text.replace(/^pdi_.{10}/, 'pdi_aaaaaaaaaa')],
  ])('%s is not taken', async (_, name, forge) => {
    const invitation = await sender.invite(name);

    const { ran } = await sender.join({ ...invitation, invitation: forge(invitation.invitation) });

    expect(ran.code).toBe(4);
    expect((await sender.join(invitation)).ran.code).toBe(0);
  });

  it('gives no second desk the name of one that the member has: nobody could tell them apart', async () => {
    const first = await sender.desk('ned', 'operator', 'desk-4');
    const invitation = await sender.invite('ned');
    const { ran } = await sender.join(invitation, 'desk-4');

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('ned has a desk called desk-4 already');
    expect(ran.stderr).toContain('paydesk sender revoke ned --desk desk-4');
    expect((await first.run(list)).code).toBe(0);
    // The name is free again once that token ended, and the invitation was not used up.
    await sender.run(['sender', 'revoke', 'ned', '--desk', 'desk-4', '--yes']);
    expect((await sender.join(invitation, 'desk-4')).ran.code).toBe(0);
    const { stdout } = await sender.run(['sender', 'members', '--json']);
    const { data } = JSON.parse(stdout) as { data: readonly { name: string; desk?: string }[] };
    expect(data.filter(({ name }) => name === 'ned')).toHaveLength(1);
  });

  it('that is none is refused before anything is asked', async () => {
    const { ran } = await sender.join({ ...(await sender.invite('eve')), invitation: testKey });

    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('standard input is not an invitation from a sender');
    expect(ran.stderr).not.toContain(testKey);
  });

  it('that was used is not shown by the journal, nor is a token: of both it has the hash only', async () => {
    const invitation = await sender.invite('fay');
    const { desk } = await sender.join(invitation);
    const rows = await sender.run(['journal', 'list', '--kind', 'setting', '--json']);

    expect(JSON.parse(rows.stdout).data).toContainEqual(
      expect.objectContaining({ setting: 'member fay', from: 'operator, invited', to: 'operator at desk-1' }),
    );
    expect(rows.stdout).not.toContain(invitation.invitation.slice(-20));
    expect(rows.stdout).not.toContain(desk.token.slice(-20));
  });
});

describe('a token', () => {
  it('is kept like a key, and is all that a desk has: the key of the service is nowhere there', async () => {
    const desk = await sender.desk('gus');
    await desk.run(list);
    const files = readdirSync(desk.home.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));

    expect(files.some((text) => text.includes(desk.token))).toBe(true);
    expect(files.filter((text) => text.includes(testKey))).toEqual([]);
  });

  it('no longer works a second after it was revoked, and says where a new one comes from', async () => {
    const desk = await sender.desk('hal');
    await sender.run(['sender', 'revoke', 'hal', '--yes']);
    const refused = await until(desk, 4);

    expect(refused).toContain('does not take the token of this desk');
    expect(refused).toContain('paydesk sender invite');
  });

  it('of one desk is revoked alone', async () => {
    const [one, other] = [
      await sender.desk('ivy', 'operator', 'desk-1'),
      await sender.desk('ivy', 'operator', 'desk-2'),
    ];
    await sender.run(['sender', 'revoke', 'ivy', '--desk', 'desk-1', '--yes']);

    expect(await until(one, 4)).toContain('does not take the token');
    expect((await other.run(list)).code).toBe(0);
  });

  it('is over after half a year', async () => {
    const longAgo = { TEST_WALL_CLOCK_AHEAD_MS: `${-181 * day}` };
    await using then = await startSender({ url: service.url, env: longAgo });
    const invitation = await then.invite('jan', 'operator', { env: longAgo });
    const { desk } = await then.join({ ...invitation, until: Date.now() + day });
    await using now = await startSender({ url: service.url, home: then.home });
    const ask = ({ url }: TestSender) =>
      fetch(`${url}/v1/account/shop`, { headers: { authorization: `Bearer ${desk.token}` } });

    expect((await ask(then)).status).toBe(200);
    expect((await ask(now)).status).toBe(401);
  });

  it('that was copied shows as two machines', async () => {
    const desk = await sender.desk('kim', 'operator', 'desk-4');
    await desk.run(list);
    await desk.run(list, { machineName: 'laptop-9' });
    const seen = await untilShown(() => sender.run(['sender', 'members']), /kim.*laptop-9/);

    expect(seen).toMatch(/kim .*desk-4 .* and laptop-9 .*SEVERAL MACHINES/);
  });

  it('shows its role at once when that changes', async () => {
    const desk = await sender.desk('lea', 'viewer');
    await sender.invite('lea', 'lead');
    await untilShown(() => desk.run(['profile', 'check', 'shop', '--json']), /"role":\s*"lead"/);

    expect(JSON.parse((await desk.run(['profile', 'show', 'shop', '--json'])).stdout)).toMatchObject({
      sender: sender.url,
      member: 'lea',
      member_role: 'lead',
      desk: 'desk-1',
    });
  });
});

describe('wrong tokens', () => {
  it('are answered slower and slower after five, and do not keep others waiting', async () => {
    await using other = await startSender({ url: service.url });
    const desk = await other.desk('ana');
    const wrong = `pdt_abcdefghij_${'A'.repeat(43)}`;
    const ask = (token: string) =>
      fetch(`${other.url}/v1/account/shop`, { headers: { authorization: `Bearer ${token}` } });
    for (let count = 0; count < 5; count += 1) expect((await ask(wrong)).status).toBe(401);
    let isAnswered = false;
    const sixth = ask(wrong).then((reply) => {
      isAnswered = true;
      return reply.status;
    });

    expect((await ask(desk.token)).status).toBe(200);
    expect(isAnswered).toBe(false);
    expect(await sixth).toBe(401);
  });
});

it('a token of one account is none for another, and does not tell whether there is one', async () => {
  const { token } = await sender.desk('max');
  const headers = { authorization: `Bearer ${token}` };
  const replies = await Promise.all(
    ['other', 'shop2'].map(async (account) => {
      const reply = await fetch(`${sender.url}/v1/service/${account}/orders`, { headers });
      return { status: reply.status, text: await reply.text() };
    }),
  );

  expect(replies[0]?.status).toBe(403);
  expect(replies[1]).toEqual(replies[0]);
});

// The sender reads its members again every second.
async function until(desk: TestDesk, code: number): Promise<string> {
  let stderr = '';
  await expect
    .poll(async () => {
      const ran = await desk.run(list);
      stderr = ran.stderr;
      return ran.code;
    }, often)
    .toBe(code);
  return stderr;
}

async function untilShown(run: () => Promise<{ readonly stdout: string }>, shown: RegExp): Promise<string> {
  let stdout = '';
  await expect
    .poll(async () => {
      ({ stdout } = await run());
      return stdout;
    }, often)
    .toMatch(shown);
  return stdout;
}

it('a new key of an account is tried before it replaces the old one, and whoever has a sender is told to start it again', async () => {
  await using careful = await startService({
    orders: [paidOrder('ord_1')],
    onPage: ({ headers }) =>
      String(headers.authorization).includes(testKey)
        ? undefined
        : json(errorBody({ type: 'authentication_error' }), 401),
  });
  await using own = await startSender({ url: careful.url });
  const key = ['profile', 'key', 'shop', '--key-stdin', '--key-store', 'file'];
  const wrong = await own.run(key, { input: 'key_of_nobody_4711' });
  expect(wrong, wrong.stderr).toMatchObject({ code: 4 });
  expect(wrong.stderr).toContain('the old key of profile shop is kept');
  const right = await own.run(key, { input: testKey });
  expect(right, right.stderr).toMatchObject({ code: 0 });
  expect(right.stderr).toContain('a sender that runs still uses the old key: start it again');
});
