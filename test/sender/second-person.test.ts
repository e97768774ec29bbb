/** Limits and the second person, at the desks of a sender: asked for by one, approved by another, sent once by whoever asked. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRefundOf, withRefund } from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { lastRecord } from '../harness/ran.ts';
import type { TestDesk } from '../harness/sender.ts';
import { type Ledger, ordersOf, startLedger } from './ledger.ts';

let ledger: Ledger;
let ana: TestDesk;
let ben: TestDesk;
let lea: TestDesk;
let taken = 0;

const shop = ['-p', 'shop'];

beforeAll(async () => {
  ledger = await startLedger({ orders: ordersOf(60) });
  const { sender } = ledger;
  [ana, ben, lea] = [
    await sender.desk('ana', 'operator', 'desk-1'),
    await sender.desk('ben', 'operator', 'desk-2'),
    await sender.desk('lea', 'lead', 'desk-3'),
  ];
  await limits(lea, 'all', '--max', '100000', '--second', '500');
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
});

const limits = (desk: TestDesk, who: string, ...values: readonly string[]) =>
  desk.run([...shop, 'sender', 'limits', 'set', who, 'MXN', ...values, '--yes', '--json']);
const errorOf = ({ stderr }: Ran) => lastRecord(stderr);
const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
const newOrder = () => {
  taken += 1;
  return `ord_A${taken}`;
};
const refundOf = (id: string, amount: number, ...more: readonly string[]) => [
  ...shop,
  'orders',
  'refund',
  id,
  '--amount',
  `${amount}`,
  '--yes',
  ...more,
];
const sendApproved = (desk: TestDesk, request: string) =>
  desk.run([...shop, 'orders', 'refund', '--approved', request, '--yes']);
const approve = (desk: TestDesk, request: string, ...more: readonly string[]) =>
  desk.run([...shop, 'approvals', 'approve', request, '--yes', ...more]);

/** Asks for the approval of a refund of so much, as a script does. */
async function ask(amount = 600, desk = ana) {
  const id = newOrder();
  const ran = await desk.run(refundOf(id, amount, '--note', 'ticket 8840', '--json'));
  return { id, request: String(errorOf(ran).approval), ran };
}

/** Somebody else refunds a part of an order, past the sender. */
function refundElsewhere(id: string, amount: number): void {
  const { service } = ledger;
  service.orders = service.orders.map((one) =>
    one.id === id ? withRefund(one, newRefundOf(`rf_else_${id}`, amount), amount) : one,
  );
}

describe('a refund over the limit of a team', () => {
  test('is asked for, and nothing is sent', async () => {
    const { ran, request, id } = await ask();
    expect(ran.code).toBe(3);
    // Nobody may approve a request of their own, so a script gets no such command.
    expect(errorOf(ran)).toMatchObject({
      kind: 'refused',
      code: 'approval_asked',
      message: `asked for approval: ${request}`,
      order_id: id,
      certain: 'nothing was sent',
      commands: [['paydesk', '-p', 'shop', 'orders', 'refund', '--approved', request]],
    });
    expect(request).toMatch(/^r_[0-9a-f]{8}$/);
    expect(ledger.posts(id)).toBe(0);
  });

  test('who asked, who approved and when stands in the list of refunds, an export, the journal, the order and the report', async () => {
    const { id, request } = await ask(650);
    await approve(ben, request);
    await sendApproved(ana, request);
    const told = { operator: 'ana', asked_by: 'ana', approved_by: 'ben', request, note: 'ticket 8840' };
    const wanted = { ...told, asked_at: expect.any(Number), approved_at: expect.any(Number) };
    const list = await lea.run([...shop, 'refunds', 'list', '--approved-by', 'ben', '--json']);
    const unknown = await lea.run([...shop, 'refunds', 'list', '--approved-by', 'bne']);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('--approved-by bne: nobody here has that name; there is ben'),
    ]);
    expect(JSON.parse(list.stdout).data).toContainEqual(expect.objectContaining({ order_id: id, ...wanted }));
    const rows = await lea.run([...shop, 'orders', 'export', '--rows', 'refunds', '--json']);
    expect(JSON.parse(rows.stdout).data).toContainEqual(expect.objectContaining({ order_id: id, ...wanted }));
    const journal = await lea.run([...shop, 'journal', 'list', '--order', id, '--json']);
    expect(JSON.parse(journal.stdout).data).toMatchObject([wanted]);
    const show = await lea.run([...shop, 'orders', 'show', id]);
    expect(plain(show.stdout)).toMatch(new RegExp(`request ${request} approved \\d`));
    const change = await lea.run([...shop, 'journal', 'show', id]);
    expect(plain(change.stdout)).toMatch(
      new RegExp(
        `history \\S[^:]+[\\d:]+ UTC asked by ana: ${request} .+ approved by ben: ${request} .+ made the reply`,
      ),
    );
    expect(change.stdout).toContain('a refund of 650 MXN on charge');
    const answer = await lea.run([...shop, 'approvals', 'show', request]);
    expect(answer.stdout).toMatch(/\nanswered by ben, .+ UTC\n/);
    const all = await lea.run([...shop, 'approvals', 'list', '--all', '--width', '160']);
    expect(all.stdout).toContain('ANSWERED UTC');
    const report = await lea.run([...shop, 'report', '--to', 'r.html']);
    expect(report.code, report.stderr).toBe(0);
    const html = readFileSync(join(lea.home.path, 'r.html'), 'utf8');
    expect(html).toMatch(new RegExp(`ben, [^<]*, ${request}<`));
  });

  test('is listed for everybody, shown with the order, approved by another and sent once by whoever asked', async () => {
    const { id, request } = await ask(700);
    const list = await ben.run([...shop, 'approvals', 'list', '--json']);
    const listed = {
      id: request,
      state: 'asked',
      asked_by: 'ana',
      order: id,
      amount: 700,
      note: 'ticket 8840',
    };
    expect(JSON.parse(list.stdout).data).toContainEqual(expect.objectContaining(listed));
    const show = await ben.run([...shop, 'approvals', 'show', request]);
    expect(show.stdout).toContain('REFUND PART OF AN ORDER');
    expect(show.stdout).toContain('ticket 8840   kept in the journal of the team');
    expect(show.stdout).toContain(`${request} is not approved yet`);
    const order = async (desk: TestDesk) => plain((await desk.run([...shop, 'orders', 'show', id])).stdout);
    const waits = `WAITS FOR APPROVAL refund of 700 MXN, asked for by ana on \\d+ \\w+ [0-9: ]+\\w+ \\(${request}\\)`;
    expect(await order(ben)).toMatch(
      new RegExp(
        `paid, waits for approval .* ${waits}; nothing was sent .* anybody but ana who may refund can approve it: paydesk -p shop approvals approve ${request} ?$`,
      ),
    );
    const approved = await approve(ben, request, '--note', 'seen', '--json');
    expect(await order(ana)).toMatch(
      new RegExp(
        `paid, approved, not sent yet .* APPROVED refund of 700 MXN, asked for by ana on .* \\(${request}\\); it was approved by ben, until .* you can send it now: paydesk -p shop orders refund --approved ${request} ?$`,
      ),
    );
    expect(JSON.parse(approved.stdout)).toMatchObject({ id: request, state: 'approved', decided_by: 'ben' });
    expect(ledger.posts(id)).toBe(0);
    const sent = await sendApproved(ana, request);
    expect(sent).toMatchObject({ code: 0 });
    expect(sent.stderr).toContain(`approved by ben (${request}, until `);
    const again = await sendApproved(ana, request);
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(`${request} was approved by ben and sent as i_`);
    expect(ledger.posts(id)).toBe(1);
    const all = await ana.run([...shop, 'approvals', 'list', '--all', '--json']);
    expect(JSON.parse(all.stdout).data).toContainEqual(
      expect.objectContaining({ id: request, state: 'used' }),
    );
    const known = await ben.run([...shop, 'journal', 'list', '--order', id, '--json']);
    const [{ change }] = JSON.parse(known.stdout).data;
    const told = await ben.run([...shop, 'journal', 'show', change]);
    expect(plain(told.stdout)).toContain('ana, approved by ben, on desk-1');
  });

  test('says what went back on the order before, where only both together reach the limit', async () => {
    const id = newOrder();
    expect(await ana.run(refundOf(id, 300))).toMatchObject({ code: 0 });
    const asked = await ben.run(refundOf(id, 310));
    expect(asked.code).toBe(3);
    expect(plain(asked.stderr)).toContain(
      'and sends nothing; 300 of this order went back in the last 24 hours',
    );
    expect(ledger.posts(id)).toBe(1);
  });

  test('is refused while nobody has approved it, and to whoever did not ask', async () => {
    const { id, request } = await ask();
    expect((await sendApproved(ana, request)).stderr).toContain(`${request} is not approved yet`);
    const own = await approve(ana, request);
    expect(own).toMatchObject({ code: 3 });
    expect(own.stderr).toContain(`${request} is your own request: somebody else must approve it`);
    await approve(lea, request);
    const other = await sendApproved(ben, request);
    expect(other).toMatchObject({ code: 3 });
    expect(other.stderr).toContain(`${request} is a request of ana: ana sends it`);
    expect(ledger.posts(id)).toBe(0);
  });

  test('is refused when other money of the order went back meanwhile: before the approval, and after it', async () => {
    const early = await ask();
    refundElsewhere(early.id, 90);
    const approved = await approve(ben, early.request);
    expect(approved).toMatchObject({ code: 3 });
    expect(approved.stderr).toContain(
      `${early.id} has changed since ana asked: its money is not as it was then`,
    );
    const { id, request } = await ask();
    expect(await approve(ben, request)).toMatchObject({ code: 0 });
    refundElsewhere(id, 90);
    const sent = await sendApproved(ana, request);
    expect(sent).toMatchObject({ code: 3 });
    expect(sent.stderr).toContain(
      `${id} has changed since it was asked for: its money is not as it was then`,
    );
    expect(ledger.posts(id)).toBe(0);
  });

  test('names the other request of its order: to whoever asks, and to whoever approves', async () => {
    const { id, request } = await ask();
    const asked = await ana.run(refundOf(id, 601));
    const other = `ana asked for the refund of 600 MXN on ${id} too: ${request} is not approved yet`;
    expect(plain(asked.stderr)).toContain(other);
    const second = /r_[0-9a-f]{8}/.exec(asked.stderr.replaceAll(request, ''))?.[0] ?? '';
    expect(plain((await ben.run([...shop, 'approvals', 'show', second])).stdout)).toContain(other);
  });

  test('is named by another refund of its order, which is sent at once and ends it', async () => {
    const { id, request, ran } = await ask();
    expect(ran.stderr).not.toContain('will send once');
    const small = await ben.run(refundOf(id, 100));
    expect(small.code, small.stderr).toBe(0);
    expect(plain(small.stderr)).toContain(
      `ana asked for the refund of 600 MXN on ${id} too: ${request} is not approved yet; this refund ends it`,
    );
    expect(small.stderr).toContain('will send once: ');
    expect((await approve(lea, request)).code).toBe(3);
  });

  test('shows what is sent after the approval, and does not say that it will be sent', async () => {
    const asked = await ana.run(refundOf(newOrder(), 602));
    expect(asked.stderr).toContain('sent once, after the approval: {');
    expect(asked.stderr).not.toContain('will send once');
  });

  test('is rejected with a note, also after it was approved', async () => {
    const { request } = await ask();
    await approve(ben, request);
    const no = await lea.run([...shop, 'approvals', 'reject', request, '--note', 'paid by bank', '--json']);
    expect(JSON.parse(no.stdout)).toMatchObject({ state: 'rejected', decided_note: 'paid by bank' });
    const sent = await sendApproved(ana, request);
    expect(sent).toMatchObject({ code: 3 });
    expect(sent.stderr).toContain(`${request} was rejected by lea: paid by bank`);
    const again = await lea.run([...shop, 'approvals', 'reject', request, '--note', 'twice']);
    expect(again.stderr).toContain('certain: nothing was recorded');
  });

  test('whoever asked hears of a rejection from today and from the list; what they took back is called that', async () => {
    const { request } = await ask();
    await lea.run([...shop, 'approvals', 'reject', request, '--note', 'paid by bank']);
    expect((await ana.run([...shop, 'today'])).stderr).toContain(
      `your request ${request} was rejected by lea: paid by bank`,
    );
    expect((await lea.run([...shop, 'today'])).stderr).not.toContain(request);
    const { request: own } = await ask();
    const back = await ana.run([...shop, 'approvals', 'reject', own, '--note', 'my mistake']);
    expect(back.stdout).toContain(`${own} was taken back by ana: my mistake`);
    expect(back.stdout).not.toContain('answered by');
    expect((await ana.run([...shop, 'today'])).stderr).not.toContain(own);
    const list = await ana.run([...shop, 'approvals', 'list', '--all', '--width', '240']);
    expect(list.stdout).toMatch(new RegExp(`${own} .* taken back .* my mistake`));
    expect(list.stdout).toMatch(new RegExp(`${request} .* rejected .* paid by bank`));
  });

  test('asked for twice it is one request, and after the approval the command says how to send it', async () => {
    const { id, request } = await ask();
    const again = (note: string) => ana.run(refundOf(id, 600, '--note', note, '--json'));
    expect(errorOf(await again('ticket 8840')).message).toBe(`asked for approval already: ${request}`);
    expect(errorOf(await again('ticket 9001'))).toMatchObject({
      message: `asked for approval already: ${request}`,
      now: expect.arrayContaining(['it keeps its note "ticket 8840": "ticket 9001" is not added']),
    });
    await approve(ben, request);
    expect(errorOf(await again('ticket 8840')).message).toBe(`approved already by ben: ${request}`);
  });

  test('a dry run asks for nothing and says that it would', async () => {
    const id = newOrder();
    const dry = await ana.run([...shop, 'orders', 'refund', id, '--amount', '900', '--dry-run', '--json']);
    expect(dry.code, dry.stderr).toBe(0);
    expect(dry.stdout).toContain('from 500 MXN up a second person must approve (set by lea)');
    expect((await ben.run([...shop, 'approvals', 'list', '--json'])).stdout).not.toContain(`"${id}"`);
  });

  test('a refund over the largest one is neither sent nor asked for', async () => {
    await limits(lea, 'ana', '--max', '400');
    const id = newOrder();
    const refused = await ana.run(refundOf(id, 401, '--json'));
    expect(refused.code).toBe(3);
    expect(errorOf(refused)).toMatchObject({
      code: 'team_limit_max',
      certain: 'nothing was sent',
      room_at: null,
    });
    expect(errorOf(refused).message).toContain(
      "401 MXN is over the team's limit for one order within 24 hours: 400 MXN for ana, set by lea",
    );
    expect(ledger.posts(id)).toBe(0);
    await limits(lea, 'ana', '--max', 'default');
    expect(await ana.run(refundOf(id, 401))).toMatchObject({ code: 0 });
  });
});

describe('what each role may do', () => {
  test('who proposes needs somebody else for any refund, and that person’s colleagues send it', async () => {
    const pia = await ledger.sender.desk('pia', 'proposer', 'desk-4');
    const { id, request, ran } = await ask(5, pia);
    expect(plain(ran.stderr)).toContain('you propose, and somebody else must approve and send it');
    expect((await approve(pia, request)).code).toBe(3);
    await approve(ben, request);
    expect((await sendApproved(pia, request)).code).toBe(3);
    expect(ledger.posts(id)).toBe(0);
    expect(await sendApproved(ana, request)).toMatchObject({ code: 0 });
    expect(ledger.posts(id)).toBe(1);
    const known = await ben.run([...shop, 'journal', 'list', '--order', id, '--json']);
    const [record] = JSON.parse(known.stdout).data;
    expect(record).toMatchObject({ operator: 'ana', asked_by: 'pia', approved_by: 'ben', desk: 'desk-1' });
    const words = 'ana, asked by pia, approved by ben, on desk-1';
    expect(plain((await ben.run([...shop, 'journal', 'show', record.change])).stdout)).toContain(words);
    expect(plain((await ben.run([...shop, 'orders', 'show', id])).stdout)).toContain(words);
    // Whoever approved it may send it too, and is named once.
    const other = await ask(5, pia);
    await approve(ben, other.request);
    expect(await sendApproved(ben, other.request)).toMatchObject({ code: 0 });
    expect(plain((await ana.run([...shop, 'orders', 'show', other.id])).stdout)).toContain(
      'ben who approved it, asked by pia, on desk-2',
    );
  });

  test('who asked stands beside who sent, in lists, files, the report and the proof', async () => {
    const luis = await ledger.sender.desk('luis', 'proposer', 'desk-6');
    const { id, request } = await ask(4000, luis);
    await approve(lea, request);
    expect(await sendApproved(ana, request)).toMatchObject({ code: 0 });
    const told = { operator: 'ana', asked_by: 'luis', approved_by: 'lea' };
    const dataOf = async (...words: readonly string[]) => {
      const ran = await ben.run([...shop, ...words, '--json']);
      expect(ran.code, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout).data;
    };
    const row = expect.objectContaining({ order_id: id, ...told });
    const period = ['--period', '2020-01-01..2100-01-01'];
    expect(await dataOf('refunds', 'list', ...period, '--asked-by', 'luis')).toEqual([row]);
    expect(await dataOf('refunds', 'list', ...period, '--operator', 'Ana')).toContainEqual(row);
    // A nightly script asks for each member, whether or not they sent something.
    expect(await dataOf('refunds', 'list', ...period, '--operator', 'Luis')).toEqual([]);
    expect(await dataOf('journal', 'list', '--operator', 'luis')).toEqual([]);
    const byNobody = await ben.run([...shop, 'refunds', 'list', ...period, '--operator', 'lusi']);
    expect(byNobody).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is ana, ben, lea, luis'),
    });
    expect(await dataOf('orders', 'export', '--rows', 'refunds')).toContainEqual(row);
    const csv = ['journal', 'list', '--order', id, '--csv', '--columns', 'operator,asked_by,approved_by'];
    expect((await ben.run([...shop, ...csv])).stdout).toBe('operator,asked_by,approved_by\nana,luis,lea\n');

    // The export says it to whoever reads that file later.
    for (const words of [
      ['journal', 'list'],
      ['refunds', 'list', ...period],
    ]) {
      const [wide, narrow] = await Promise.all(
        ['80', '60'].map(async (width) => (await ben.run([...shop, ...words, '--width', width])).stdout),
      );
      expect(wide).toMatch(/ASKED.BY +APPROVED.BY[\s\S]* ana.* luis +lea/);
      expect(narrow).toMatch(/ ana[\s\S]* luis.*\n? .*approved by lea\n/);
    }
    await ben.run([...shop, 'orders', 'export', '--rows', 'refunds', '--to', 'who.csv']);
    expect(
      await dataOf('refunds', 'list', ...period, '--from-file', 'who.csv', '--asked-by', 'luis'),
    ).toEqual([row]);
    expect((await ben.run([...shop, 'report', ...period, '--to', 'who.html'])).code).toBe(0);
    const html = readFileSync(join(ben.home.path, 'who.html'), 'utf8');
    expect(html).toMatch(/<th[^>]*>Asked by<\/th>[\s\S]*>luis</);
    const sums = await dataOf('refunds', 'summary', ...period, '--by', 'approver');
    const byLea = sums.find(({ bucket }: { bucket: string }) => bucket === 'lea');
    expect(byLea).toMatchObject({ refunds: 1, refunded: 4000 });
    expect(html).toMatch(/By approver, MXN[\s\S]*>lea</);

    // At a desk it says where the evidence is, and `journal show` prints no command that is refused there.
    const { sender } = ledger;
    for (const [words, show] of [
      [[id, '--to', 'who.ndjson'], `this desk shows it, unsigned: paydesk -p shop journal show ${id}`],
      [['2020-01-01..2100-01-01', '--tz', 'Europe/Madrid', '--to', 'who.ndjson', '--force'], 'CHANGE'],
    ] as const) {
      const atDesk = await ben.run([...shop, 'prove', ...words]);
      const line = `on the machine of the sender, as its user: paydesk -p shop prove ${words.join(' ')}`;
      expect([atDesk.code, atDesk.stderr]).toEqual([3, expect.stringContaining(line)]);
      expect(atDesk.stderr).toContain(show);
    }
    const shown = await ben.run([...shop, 'journal', 'show', id]);
    expect(shown.stdout).toMatch(/evidence +at the sender \(http:.+\): paydesk prove i_\w+ --to/);
    const proved = await sender.run([...shop, 'prove', '2020-01-01..2100-01-01', '--to', 'who.ndjson']);
    expect(proved.code, proved.stderr).toBe(0);
    const { desk_key: key } = JSON.parse((await sender.run([...shop, 'profile', 'show', '--json'])).stdout);
    const script = join(import.meta.dirname, '../../docs/check-proof.mjs');
    const checked = execFileSync(process.execPath, [script, join(sender.home.path, 'who.ndjson'), key]);
    expect(String(checked)).toContain('by ana, asked by luis, approved by lea, i_');
  });

  test('who only reads changes nothing, but sees limits and requests', async () => {
    const vic = await ledger.sender.desk('vic', 'viewer', 'desk-5');
    const { id, request } = await ask();
    const before = await vic.run([...shop, 'approvals', 'list', '--all', '--json']);
    for (const line of [
      refundOf(id, 5),
      refundOf(id, 700),
      ['-p', 'shop', 'approvals', 'approve', request, '--yes'],
      ['-p', 'shop', 'approvals', 'reject', request, '--note', 'no'],
      ['-p', 'shop', 'sender', 'limits', 'set', 'all', 'MXN', '--max', '9', '--yes'],
    ]) {
      const ran = await vic.run(line);
      expect(ran.stderr).toContain('vic is a viewer and may not');
      expect(ran.code).toBe(3);
    }
    const after = await vic.run([...shop, 'approvals', 'list', '--all', '--json']);
    expect(after.stdout).toBe(before.stdout);
    expect(ledger.posts(id)).toBe(0);
    expect((await vic.run([...shop, 'sender', 'limits', '--json'])).stdout).toContain('"second"');
  });
});

describe('sender limits', () => {
  test('a lead sets them at a desk, whoever runs the sender there, and nobody else; each change is a row', async () => {
    const before = await ledger.sender.run(['sender', 'limits', '--json']);
    expect((await limits(ana, 'ben', '--max', '9')).stderr).toContain(
      'ana is an operator and may not set limits',
    );
    expect((await limits(lea, 'anna', '--max', '9')).stderr).toContain('nobody in this team is called anna');
    const changed = await limits(lea, 'ben', '--max', '900', '--need-note', 'yes');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      member: 'ben',
      changed: [
        { limit: 'max', from: null, to: '900' },
        { limit: 'note', from: null, to: '1' },
      ],
    });
    const noted = await ben.run(refundOf(newOrder(), 5));
    expect(noted.stderr).toContain('the team wants a note with every refund in MXN (set by lea)');
    const run = [
      'sender',
      'limits',
      'set',
      'ben',
      'MXN',
      '--max',
      'default',
      '--need-note',
      'default',
      '--yes',
    ];
    expect(await ledger.sender.run(run)).toMatchObject({ code: 0 });
    expect((await ledger.sender.run(['sender', 'limits', '--json'])).stdout).toBe(before.stdout);
    const rows = await lea.run([...shop, 'journal', 'list', '--kind', 'setting', '--json']);
    expect(rows.stdout).toContain('team limit max MXN of ben');
    expect(await ledger.sender.run(['journal', 'verify'])).toMatchObject({ code: 0 });
  });

  test('without a team there are none', async () => {
    const own = await ledger.sender.run([...shop, 'approvals', 'list']);
    expect(own).toMatchObject({ code: 3 });
    expect(own.stderr).toContain('this account has no team, so nobody approves anything here');
  });
});
