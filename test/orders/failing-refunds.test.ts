/** Refunds that the service takes up and that fail, at once or later, are pending, or have a status that nobody knows. */

import { expect, onTestFinished, test } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, listOf, orderOf, withCharge } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset } from '../harness/server.ts';
import { startService } from '../harness/service.ts';

const id = 'ord_2tQ8mVxK4nRz7LcWp';
const created = Date.parse('2040-11-20T18:42:00Z') / 1000;
const refund = `orders refund ${id} --charge 1 --amount 900 --yes`;

interface Listed {
  readonly id: string;
  readonly at: number;
  status?: string | undefined;
}

/** A service with one order. `answers`: the status of the next record, and whether its reply is lost. */
async function startDesk(answers: { status?: string; lost?: true }) {
  const records: Listed[] = [];
  let posts = 0;
  // When the newest run began, Unix seconds: it sends within a second.
  let began = 0;
  // What the sum says if it contradicts the records.
  let sum: number | undefined;
  const order = (): Json => {
    const standing = records.filter(({ status }) => status !== 'failed');
    const data = records.map(({ id: refundId, at, status }) => ({
      id: refundId,
      object: 'refund',
      amount: -900,
      created_at: at,
      auth_code: '123456',
      ...(status !== undefined && { status }),
    }));
    const status = standing.length === 0 ? 'paid' : 'partially_refunded';
    const plain = orderOf(id, [chargeOf('ch_1', 35_000)], { created_at: created, updated_at: created + 30 });
    return {
      ...withCharge(plain, { status, refunds: data.length === 0 ? null : listOf(...data) }),
      payment_status: status,
      amount_refunded: sum ?? standing.length * 900,
    };
  };
  const next = { ...answers };
  const service = await startService({
    orders: [order()],
    onPost: () => {
      posts += 1;
      records.push({ id: `rf_${posts}`, at: began + 1, status: next.status });
      service.orders = [order()];
      return next.lost === true ? reset : json(order());
    },
    sendsDate: false,
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return {
    next,
    posts: () => posts,
    /** The newest record has another status from now on. `says`: what the order says was refunded. */
    becomes(status: string | undefined, says?: number) {
      const last = records.at(-1);
      if (last !== undefined) last.status = status;
      sum = says;
      service.orders = [order()];
    },
    /** The order shows none of its records any more. */
    loses() {
      records.length = 0;
      service.orders = [order()];
    },
    async run(time: string, args: string | readonly string[]) {
      began = Date.parse(`2040-11-21T${time}Z`) / 1000;
      const env = { ...standingAt(`2040-11-21T${time}Z`), PAYDESK_OPERATOR: 'root' };
      const words = typeof args === 'string' ? args.split(' ') : args;
      const { code, stdout, stderr } = await service.run(words, { env });
      return { code, stdout, stderr, out: inOneLine(stdout), err: inOneLine(stderr) };
    },
    /** `applied failed`: each verdict of the journal, and its alarm, or what somebody acknowledged. */
    verdicts: () =>
      journalRows(service.home)
        .filter(({ type }) => type === 'verdict')
        .map((row) => {
          const { alarm, acknowledged }: Json = { ...row };
          const mark = alarm ?? acknowledged;
          return typeof mark === 'string' ? `${row.verdict} ${mark}` : `${row.verdict}`;
        }),
    change: () => journalRows(service.home)[0]?.change ?? '',
  };
}

const acknowledge = (change: string) => [
  'journal',
  'acknowledge',
  change,
  '--note',
  'the buyer was told, ticket 8851',
  '--yes',
];

test('a refund that the order does not show any more: every screen leads to the command that ends it', async () => {
  const desk = await startDesk({});
  expect((await desk.run('10:50:00', refund)).code).toBe(0);
  // Its next read is due only in some minutes.
  expect((await desk.run('10:52:00', 'journal reconcile --all --quiet')).code).toBe(0);
  desk.loses();
  expect(await desk.run('10:53:00', `orders refund ${id} --charge 1 --amount 50 --yes`)).toMatchObject({
    code: 3,
    err: expect.stringContaining(`now: paydesk orders show ${id}`),
  });
  const shown = await desk.run('10:53:10', `orders show ${id}`);
  expect(shown.out).toContain('how to resolve this: paydesk journal show');
  const lines = await desk.run('10:53:20', 'journal list --open');
  expect(lines.stdout).toMatch(/ gone\b/);
  expect((await desk.run('10:53:30', 'today')).stdout).toMatch(/^gone +1 refund /m);
  const change = desk.change();
  expect((await desk.run('10:53:40', `journal show ${change}`)).out).toContain(
    `paydesk journal acknowledge ${change} --note TEXT`,
  );
  expect((await desk.run('10:54:00', acknowledge(change))).code).toBe(0);
  expect((await desk.run('10:55:00', 'journal list --open')).stdout).not.toMatch(/ gone\b/);
});

test('a refund that fails after it was made: an alarm until somebody acknowledges it, and then the same again without --again', async () => {
  const desk = await startDesk({});
  expect((await desk.run('10:50:00', refund)).code).toBe(0);
  const change = desk.change();
  desk.becomes('failed');
  const looked = await desk.run('10:52:00', `journal reconcile ${change}`);
  expect(looked).toMatchObject({
    code: 7,
    out: expect.stringContaining('failed after it was made: that money did not go back'),
    err: expect.stringContaining(
      `FAILED: refund of 900 MXN on ${id}: the order now shows refund rf_1 as failed: paydesk journal show ${change}`,
    ),
  });
  expect(looked.out).not.toContain('does not match');
  expect((await desk.run('10:53:00', 'journal reconcile --all --quiet')).code).toBe(7);
  expect((await desk.run('10:53:30', 'today')).stdout).toMatch(
    new RegExp(
      `^failed +1 refund +900 MXN +${id}, that money did not go back: paydesk journal show ${change}$`,
      'm',
    ),
  );
  expect((await desk.run('10:53:40', 'orders list')).err).toContain(
    `1 refund failed: ${id}: tell the buyer: paydesk journal show ${change}`,
  );
  expect((await desk.run('10:54:00', acknowledge(change))).code).toBe(0);
  expect((await desk.run('10:55:00', 'journal reconcile --all --quiet')).code).toBe(0);
  expect((await desk.run('10:55:30', 'today')).stdout).not.toMatch(/^failed/m);
  desk.next.status = 'succeeded';
  const again = await desk.run('10:56:00', refund);
  expect(again).toMatchObject({
    code: 0,
    err: expect.stringContaining('note: this sends again rf_1, which failed (seen 10:52:00)'),
    out: expect.stringContaining('0 -> 900 refunded of 35000; 34100 left'),
  });
  expect(desk.posts()).toBe(2);
  const third = await desk.run('10:57:00', refund);
  expect(third).toMatchObject({ code: 3, err: expect.stringContaining('has a refund of 900 already, rf_2') });
  expect(desk.posts()).toBe(2);
  expect(desk.verdicts()).toContain('applied failed');
});

test('a failed refund that was sent again and made is not told to the buyer any more, and stays to be acknowledged', async () => {
  const desk = await startDesk({});
  expect((await desk.run('10:50:00', refund)).code).toBe(0);
  desk.becomes('failed');
  expect((await desk.run('10:52:00', 'journal reconcile --all --quiet')).code).toBe(7);
  expect((await desk.run('10:53:00', 'today')).err).toContain('1 refund failed');
  desk.next.status = 'succeeded';
  expect((await desk.run('10:54:00', refund)).code).toBe(0);
  const today = await desk.run('10:55:00', 'today');
  expect(today.err).not.toContain('tell the buyer');
  expect(today.stdout).toMatch(/^failed/m);
  expect(desk.posts()).toBe(2);
});

test('the same with --idempotency-key: a repeat says that it failed, and sends nothing', async () => {
  const desk = await startDesk({});
  const scripted = `${refund} --idempotency-key ticket-1`;
  expect((await desk.run('10:50:00', scripted)).code).toBe(0);
  desk.becomes('failed');
  const repeated = await desk.run('10:52:00', scripted);
  expect(repeated).toMatchObject({
    code: 5,
    err: expect.stringMatching(
      /FAILED after it was made: the refund of 900 MXN on \S+ failed .*that money did not go back: rf_1 -900 on charge ch_1/,
    ),
  });
  expect(repeated.err).toContain('ticket-1 was sent and failed before');
  expect(repeated.err).toContain(`paydesk journal acknowledge ${desk.change()} --note TEXT`);
  expect(JSON.parse((await desk.run('10:53:00', `${scripted} --json`)).stderr)).toMatchObject({
    kind: 'rejected',
    exit_code: 5,
  });
  // Nor was it made because somebody knows that it failed.
  expect((await desk.run('10:54:00', acknowledge(desk.change()))).code).toBe(0);
  for (const more of ['', ' --dry-run']) {
    const later = await desk.run('10:55:00', `${scripted}${more}`);
    expect(later).toMatchObject({ code: 5, err: expect.stringContaining('FAILED after it was made') });
    expect(later.err).not.toContain('journal acknowledge');
  }
  expect(desk.posts()).toBe(1);
});

test('a refund that fails while its sum does not go back: both figures, and no second one', async () => {
  const desk = await startDesk({});
  await desk.run('10:50:00', refund);
  desk.becomes('failed', 900);
  expect(await desk.run('10:52:00', 'journal reconcile --all')).toMatchObject({
    code: 7,
    err: expect.stringContaining(
      'amount_refunded went from 0 to 900, but the refunds listed add up to 0 without rf_1 (status failed)',
    ),
  });
  const rest = await desk.run('10:53:00', `orders refund ${id} --charge 1 --amount 35000 --yes`);
  expect(rest).toMatchObject({
    code: 3,
    err: expect.stringContaining(
      'its figures contradict each other: amount_refunded is 900, and its refunds add up to 0',
    ),
  });
  expect(desk.posts()).toBe(1);
});

test('a refund that is pending: exit 0 with its state, watched until it is made, and not sent again meanwhile', async () => {
  const desk = await startDesk({ status: 'pending' });
  const sent = await desk.run('10:50:00', refund);
  expect(sent.code).toBe(0);
  expect(sent.out).toContain('refund pending: 900 MXN to visa *4242');
  expect(sent.out).toContain('0 -> 0 refunded and 900 pending of 35000; 34100 left');
  expect(sent.out).toContain(
    `pending: the service has taken it up; it will be made later, or it will fail. To look again: paydesk journal reconcile ${desk.change()}`,
  );
  expect(await desk.run('10:51:00', refund)).toMatchObject({
    code: 3,
    err: expect.stringContaining('has a refund of 900 already, rf_1'),
  });
  const before = desk.verdicts();
  expect(await desk.run('10:52:00', `journal reconcile ${desk.change()}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('pending: the service has taken it up'),
  });
  expect(desk.verdicts()).toEqual(before);
  desk.becomes('succeeded');
  const made = await desk.run('10:53:00', `journal reconcile ${desk.change()}`);
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining('is now "made"') });
  expect(desk.posts()).toBe(1);
});

test('a refund that is pending and then fails: an alarm', async () => {
  const desk = await startDesk({ status: 'pending' });
  await desk.run('10:50:00', refund);
  desk.becomes('failed');
  expect(await desk.run('10:53:00', 'journal reconcile --all')).toMatchObject({
    code: 7,
    err: expect.stringContaining('the order now shows refund rf_1 as failed'),
  });
  expect(desk.verdicts()).toEqual(['applied', 'applied failed']);
});

test('a refund that the reply shows as failed: not made, exit 5, and the same command sends it again', async () => {
  const desk = await startDesk({ status: 'failed' });
  const sent = await desk.run('10:50:00', refund);
  expect(sent.code).toBe(5);
  expect(sent.err).toContain(
    `failed: the refund of 900 MXN on ${id}: the service accepted it as rf_1, but it failed`,
  );
  expect(sent.err).toContain('that money did not go back');
  expect(desk.verdicts()).toEqual(['rejected']);
  desk.next.status = 'succeeded';
  const again = await desk.run('10:55:00', refund);
  expect(again).toMatchObject({
    code: 0,
    err: expect.stringMatching(/note: this sends again rf_1, which failed \(seen 10:50:\d\d\)/),
  });
  expect(desk.posts()).toBe(2);
  expect((await desk.run('10:56:00', 'journal reconcile --all --quiet')).code).toBe(0);
});

test('a refund that was shown as failed and is made all the same: an alarm, and no second one', async () => {
  const desk = await startDesk({ status: 'failed' });
  await desk.run('10:50:00', refund);
  desk.becomes('succeeded');
  expect(await desk.run('10:55:00', refund)).toMatchObject({
    code: 7,
    err: expect.stringContaining('counted as not made, but made all the same'),
  });
  expect((await desk.run('10:56:00', 'journal reconcile --all')).code).toBe(7);
  expect(desk.posts()).toBe(1);
});

test('a lost reply, and the order shows the refund as failed: not made (5), and nothing is left to look at', async () => {
  const desk = await startDesk({ status: 'failed', lost: true });
  const sent = await desk.run('10:50:00', refund);
  expect(sent).toMatchObject({ code: 5, err: expect.stringContaining('accepted it as rf_1, but it failed') });
  expect(desk.verdicts()).toEqual(['unknown', 'rejected']);
  expect((await desk.run('10:55:00', 'journal reconcile --all --quiet')).code).toBe(0);
  expect(desk.posts()).toBe(1);
});

test('a lost reply, and the refund that the order shows fails later: an alarm', async () => {
  const desk = await startDesk({ lost: true });
  expect((await desk.run('10:50:00', refund)).code).toBe(0);
  desk.becomes('failed');
  expect((await desk.run('10:55:00', 'journal reconcile --all')).code).toBe(7);
  expect(desk.verdicts()).toEqual(['unknown', 'applied', 'applied failed']);
});

test('a status that nobody knows is never taken as made (7), and stays unconfirmed until the service says more', async () => {
  const desk = await startDesk({ status: 'in_clearing' });
  const sent = await desk.run('10:50:00', refund);
  expect(sent).toMatchObject({
    code: 7,
    err: expect.stringContaining('refund rf_1 has the status in_clearing, which paydesk does not know'),
  });
  expect((await desk.run('10:55:00', 'journal reconcile --all --quiet')).code).toBe(7);
  expect((await desk.run('10:56:00', refund)).code).toBe(3);
  expect(desk.posts()).toBe(1);
  desk.becomes('succeeded');
  await desk.run('10:57:00', 'journal reconcile --all --quiet');
  expect(desk.verdicts().at(-1)).toMatch(/^applied/);
});

test('on the demo: a refund fails 3 seconds later, and is pending when it is sent again', async () => {
  using home = newHome();
  const run = async (time: string, args: string, fault?: string) => {
    const at = standingAt(`2040-11-21T${time}Z`);
    const env = fault === undefined ? at : { ...at, PAYDESK_DEMO_FAULT: fault };
    const { code, stdout, stderr } = await paydesk(['-p', 'demo', ...args.split(' ')], { home, env });
    return { code, out: inOneLine(stdout), err: inOneLine(stderr), stdout };
  };
  const listed = JSON.parse((await run('10:50:00', 'orders list --refundable --limit 1 --json')).stdout);
  const whole = `orders refund ${listed.data[0].id} --yes`;
  expect((await run('10:50:10', whole, 'fails-later')).code).toBe(0);
  const failed = await run('10:51:00', 'journal reconcile --all');
  expect(failed).toMatchObject({ code: 7, err: expect.stringContaining('as failed') });
  const again = await run('10:52:00', whole, 'pending');
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining('pending: the service has taken it up'),
    err: expect.stringContaining('which failed (seen 10:51:00)'),
  });
  expect((await run('10:53:00', 'journal list')).out).toContain('failed after it was made');
});

test('the list says why money went back, and not why a refund was sent that failed', async () => {
  const desk = await startDesk({});
  expect((await desk.run('10:50:00', `${refund} --reason other`)).code).toBe(0);
  desk.becomes('failed');
  expect((await desk.run('10:55:00', 'journal reconcile --all')).code).toBe(7);
  expect((await desk.run('10:56:00', `${refund} --reason requested_by_client`)).code).toBe(0);
  const { stdout } = await desk.run('10:57:00', 'orders list --csv --columns reason');
  expect(stdout).toBe('reason\nrequested_by_client\n');
});
