/** A refund over the limit of a team: asked for by one person, approved by another, sent once by whoever asked. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { lastRecord } from '../harness/ran.ts';
import { wordsOf } from '../harness/shell.ts';
import { newTeam, type Team } from '../journal/postgres/desks.ts';
import { joinTeam } from './joined.ts';
import { setLimits } from './rows.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/team.md'), 'utf8');

let desk: Desk;
let team: Team;
let ana: Home;
let ben: Home;

beforeAll(async () => {
  [desk, team] = await Promise.all([startDesk({ mode: 'production' }), newTeam()]);
  [ana, ben] = [newHome(), newHome()];
  await joinTeam(ana, desk.url, team.database, { person: 'ana' });
  await joinTeam(ben, desk.url, team.database, { person: 'ben' });
  await setLimits(team, { max: 100_000_000, second: 500 });
});
afterAll(async () => {
  for (const home of [ana, ben]) home[Symbol.dispose]();
  await desk[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

const isWhole = ({ payment_status: status, charges, amount_refunded: refunded, amount, currency }: Order) =>
  status === 'paid' &&
  currency === 'MXN' &&
  amount > 1000 &&
  refunded === 0 &&
  charges?.data.length === 1 &&
  charges.data[0]?.is_refundable === true;

const run = (home: Home, args: readonly string[]): Promise<Ran> => paydesk(args, { home, env: desk.env });
const errorOf = ({ stderr }: Ran) => lastRecord(stderr);

/** A refund of a part, as somebody makes it outside. */
const partOf = async (orderId: string, amount: number) => ({
  charge_id: (await desk.order(orderId)).charges?.data[0]?.id,
  amount,
});

/** Asks for the approval of a refund of so much, as a script does. */
async function ask(
  amount = 600,
  home = ana,
): Promise<{ readonly id: string; readonly request: string; readonly ran: Ran }> {
  const { id } = await desk.take(isWhole);
  const words = ['orders', 'refund', id, '--amount', `${amount}`, '--note', 'ticket 8840', '--confirm', id];
  const ran = await run(home, [...words, '--json']);
  return { id, request: errorOf(ran).approval, ran };
}

describe('a refund over the limit of a team', () => {
  test('is asked for, and nothing is sent', async () => {
    const before = desk.changes().length;
    const { ran, request, id } = await ask();
    expect(ran.code).toBe(3);
    // Nobody may approve a request of their own, so a script gets no such command.
    expect(errorOf(ran).commands).toEqual([['paydesk', 'orders', 'refund', '--approved', request]]);
    expect(errorOf(ran)).toMatchObject({
      kind: 'refused',
      code: 'approval_asked',
      message: `asked for approval: ${request}`,
      approval: request,
      order_id: id,
      certain: 'nothing was sent',
      now: [
        'somebody else of the team looks at it and approves it:',
        `paydesk approvals approve ${request}`,
        'then it can be sent:',
        `paydesk orders refund --approved ${request}`,
      ],
    });
    expect(request).toMatch(/^r_[0-9a-f]{8}$/);
    expect(desk.changes().length).toBe(before);
  });

  test('is listed for everybody, shown with the order, approved by another and sent by whoever asked', async () => {
    const { id, request } = await ask(700);
    const list = await run(ben, ['approvals', 'list', '--json']);
    expect(JSON.parse(list.stdout).data).toContainEqual(
      expect.objectContaining({
        id: request,
        state: 'asked',
        asked_by: 'ana',
        order: id,
        amount: 700,
        note: 'ticket 8840',
      }),
    );
    const show = await run(ben, ['approvals', 'show', request]);
    expect(show.stdout).toContain('REFUND PART OF AN ORDER');
    expect(show.stdout).toContain('ticket 8840   kept in the journal of the team');
    expect(show.stdout).toContain(`${request} is not approved yet`);
    const before = desk.changes().length;
    const approved = await run(ben, [
      'approvals',
      'approve',
      request,
      '--confirm',
      id,
      '--note',
      'seen',
      '--json',
    ]);
    expect(approved).toMatchObject({ code: 0 });
    expect(JSON.parse(approved.stdout)).toMatchObject({ id: request, state: 'approved', decided_by: 'ben' });
    expect(desk.changes().length).toBe(before);
    const sent = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(sent).toMatchObject({ code: 0 });
    expect(sent.stderr).toContain(`approved by ben (${request}, until `);
    expect((await desk.order(id)).amount_refunded).toBe(700);
    const again = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(`${request} was approved by ben and sent as i_`);
    expect(desk.changes().length).toBe(before + 1);
    const all = await run(ana, ['approvals', 'list', '--all', '--json']);
    expect(JSON.parse(all.stdout).data).toContainEqual(
      expect.objectContaining({ id: request, state: 'used' }),
    );
  });

  test('says what went back on the order before, where only both together reach the limit', async () => {
    const { id } = await desk.take(isWhole);
    const words = ['orders', 'refund', id, '--amount', '300', '--note', 'ticket 1', '--confirm', id];
    expect(await run(ana, words)).toMatchObject({ code: 0 });
    const more = words.map((word) => (word === '300' ? '310' : word));
    const asked = await run(ana, more);
    expect(asked.code).toBe(3);
    expect(asked.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'and sends nothing; 300 of this order went back in the last 24 hours',
    );
  });

  test('is refused while nobody has approved it, and to whoever did not ask', async () => {
    const { id, request } = await ask();
    const early = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(early).toMatchObject({ code: 3 });
    expect(early.stderr).toContain(`${request} is not approved yet`);
    const own = await run(ana, ['approvals', 'approve', request, '--confirm', id]);
    expect(own).toMatchObject({ code: 3 });
    expect(own.stderr).toContain(`${request} is your own request: somebody else must approve it`);
    await run(ben, ['approvals', 'approve', request, '--confirm', id]);
    const before = desk.changes().length;
    const other = await run(ben, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(other).toMatchObject({ code: 3 });
    expect(other.stderr).toContain(`${request} is a request of ana: ana sends it`);
    expect(desk.changes().length).toBe(before);
  });

  test('is refused when the order changed since: to whoever approves, and to whoever sends', async () => {
    const { id, request } = await ask();
    const charge = (await desk.order(id)).charges?.data[0];
    await desk.request('POST', `/orders/${id}/refunds`, {
      charge_id: charge?.id,
      amount: (charge?.amount ?? 0) - 100,
    });
    const approved = await run(ben, ['approvals', 'approve', request, '--confirm', id]);
    expect(approved).toMatchObject({ code: 3 });
    expect(approved.stderr).toContain('is more than is left on charge 1');
    expect(approved.stderr).toContain('nothing was approved');
    const shown = await run(ben, ['approvals', 'show', request]);
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain('it would be refused now: 600 is more than is left');
  });

  test('a whole order that was refunded in part since it was approved is another refund', async () => {
    const { id, amount, charges } = await desk.take(isWhole);
    const asked = await run(ana, ['orders', 'refund', id, '--confirm', id, '--json']);
    const request: string = errorOf(asked).approval;
    await run(ben, ['approvals', 'approve', request, '--confirm', id]);
    await desk.request('POST', `/orders/${id}/refunds`, { charge_id: charges?.data[0]?.id, amount: 10 });
    const before = desk.changes().length;
    const sent = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(sent).toMatchObject({ code: 3 });
    expect(sent.stderr).toContain(
      `${id} changed since it was asked for: the refund would not be the same any more`,
    );
    expect(desk.changes().length).toBe(before);
    expect((await desk.order(id)).amount_refunded).toBe(10);
    expect(amount).toBeGreaterThan(10);
  });

  test('is refused when other money of the order went back meanwhile: before the approval, and after it', async () => {
    const early = await ask();
    await desk.request('POST', `/orders/${early.id}/refunds`, await partOf(early.id, 90));
    const approved = await run(ben, ['approvals', 'approve', early.request, '--confirm', early.id]);
    expect(approved).toMatchObject({ code: 3 });
    expect(approved.stderr).toContain(`${early.id} changed since ana asked: its money is not as it was then`);
    const { id, request } = await ask();
    expect(await run(ben, ['approvals', 'approve', request, '--confirm', id])).toMatchObject({ code: 0 });
    await desk.request('POST', `/orders/${id}/refunds`, await partOf(id, 90));
    const before = desk.changes().length;
    const sent = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(sent).toMatchObject({ code: 3 });
    expect(sent.stderr).toContain(`${id} changed since it was asked for: its money is not as it was then`);
    expect(sent.stderr).toContain(`paydesk approvals reject ${request} --note TEXT`);
    expect(desk.changes().length).toBe(before);
    await run(ana, ['approvals', 'reject', request, '--note', 'the order changed']);
    const words = ['orders', 'refund', id, '--amount', '600', '--note', 'ticket 8840', '--confirm', id];
    const again: string = errorOf(await run(ana, [...words, '--json'])).approval;
    expect(again).not.toBe(request);
    await run(ben, ['approvals', 'approve', again, '--confirm', id]);
    expect(await run(ana, ['orders', 'refund', '--approved', again, '--confirm', id])).toMatchObject({
      code: 0,
    });
    expect((await desk.order(id)).amount_refunded).toBe(690);
  });

  test('names the other request of its order: to whoever asks, and to whoever approves', async () => {
    const { id, request } = await ask();
    const words = ['orders', 'refund', id, '--amount', '601', '--note', 'more', '--confirm', id];
    const asked = await run(ana, words);
    const other = `ana asked for the refund of 600 MXN on ${id} too: ${request} is not approved yet`;
    expect(asked.stderr.replaceAll(/\s+/g, ' ')).toContain(other);
    const second = /r_[0-9a-f]{8}/.exec(asked.stderr.replaceAll(request, ''))?.[0] ?? '';
    const show = await run(ben, ['approvals', 'show', second]);
    expect(show.stdout.replaceAll(/\s+/g, ' ')).toContain(other);
    expect((await run(ben, ['approvals', 'show', request])).stdout).toContain(second);
  });

  test('is rejected with a note, also after it was approved', async () => {
    const { id, request } = await ask();
    await run(ben, ['approvals', 'approve', request, '--confirm', id]);
    const rejected = await run(ben, [
      'approvals',
      'reject',
      request,
      '--note',
      'paid back by bank',
      '--json',
    ]);
    expect(rejected).toMatchObject({ code: 0 });
    expect(JSON.parse(rejected.stdout)).toMatchObject({
      state: 'rejected',
      decided_note: 'paid back by bank',
    });
    const sent = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', id]);
    expect(sent).toMatchObject({ code: 3 });
    expect(sent.stderr).toContain(`${request} was rejected by ben: paid back by bank`);
  });

  test('asked for twice it is one request, and after the approval the command says how to send it', async () => {
    const { id, request } = await ask();
    const words = [
      'orders',
      'refund',
      id,
      '--amount',
      '600',
      '--note',
      'ticket 8840',
      '--confirm',
      id,
      '--json',
    ];
    expect(errorOf(await run(ana, words)).message).toBe(`asked for approval already: ${request}`);
    // A new note does not change the request that is there, and its owner hears so.
    const noted = words.map((word) => (word === 'ticket 8840' ? 'ticket 9001' : word));
    expect(errorOf(await run(ana, noted))).toMatchObject({
      message: `asked for approval already: ${request}`,
      now: expect.arrayContaining(['it keeps its note "ticket 8840": "ticket 9001" is not added']),
    });
    await run(ben, ['approvals', 'approve', request, '--confirm', id]);
    expect(errorOf(await run(ana, words))).toMatchObject({
      message: `approved already by ben: ${request}`,
      now: ['to send it:', `paydesk orders refund --approved ${request}`],
    });
  });

  test('a person sees why, and types the amount to ask and to approve', async () => {
    const { id } = await desk.take(isWhole);
    const person = sit(
      ['orders', 'refund', id, '--amount', '800', '--only-confirm'],
      { home: ana, env: desk.env },
      160,
    );
    await person.waitFor('your yes asks for the approval, and sends nothing');
    await person.answer('to ask for approval, or press Enter to cancel:', '800\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain('not sent: asked for approval: r_');
    const request = /r_[0-9a-f]{8}/.exec(screen)?.[0] ?? '';
    const second = sit(['approvals', 'approve', request], { home: ben, env: desk.env }, 160);
    await second.answer('to approve it, or press Enter to cancel:', '\r');
    const no = await second.leaves;
    expect(no.code).toBe(3);
    expect(no.screen).toContain('nothing was approved');
    const yes = sit(['approvals', 'approve', request], { home: ben, env: desk.env }, 160);
    await yes.answer('to approve it, or press Enter to cancel:', '800\r');
    const end = await yes.leaves;
    expect(end.code).toBe(0);
    expect(end.screen).toContain(`ana can send it now: paydesk orders refund --approved ${request}`);
  });

  test('a dry run asks for nothing and says that it would', async () => {
    const { id } = await desk.take(isWhole);
    const dry = await run(ana, ['orders', 'refund', id, '--amount', '900', '--dry-run', '--json']);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toContain('from 500 MXN on a second person must approve (set by lea)');
    const list = await run(ben, ['approvals', 'list', '--json']);
    expect(list.stdout).not.toContain(id);
    const { id: other, request } = await ask();
    const approve = await run(ben, ['approvals', 'approve', request, '--dry-run', '--json']);
    expect(approve).toMatchObject({ code: 0 });
    expect(JSON.parse(approve.stdout)).toMatchObject({ action: 'approve', approval: request });
    const early = await run(ana, ['orders', 'refund', '--approved', request, '--confirm', other]);
    expect(early.stderr).toContain('is not approved yet');
  });

  test('a refund below the limit is sent at once, and one over the largest refund is neither sent nor asked for', async () => {
    const { id } = await desk.take(isWhole);
    expect(await run(ana, ['orders', 'refund', id, '--amount', '499', '--confirm', id])).toMatchObject({
      code: 0,
    });
    const over = await run(ana, ['orders', 'refund', id, '--amount', '1', '--confirm', id, '--json']);
    expect(errorOf(over).message).toMatch(/^asked for approval: r_/);
    await setLimits(team, { max: 500 }, 'ana');
    const { id: other } = await desk.take(isWhole);
    const refused = await run(ana, ['orders', 'refund', other, '--amount', '501', '--confirm', other]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(
      "501 MXN is over the team's limit for one order within 24 hours: 500 MXN for ana, set by lea",
    );
    expect(refused.stderr).toContain('--amount 500 at most');
    await setLimits(team, { max: null }, 'ana');
  });

  test('the commands of docs/team.md do what it says', async () => {
    const [, block = ''] = /```console\n(ana\$[\s\S]*?)```/.exec(page) ?? [];
    const lines = block.split('\n').filter((line) => /^\w+\$/.test(line));
    await using sandbox = await startDesk();
    using first = newHome();
    using second = newHome();
    await joinTeam(first, sandbox.url, team.database, { person: 'ana' });
    await joinTeam(second, sandbox.url, team.database, { person: 'ben' });
    const { id } = await sandbox.take((order) => isWhole(order) && order.amount > 6000);
    const ran: Ran[] = [];
    for (const line of lines) {
      const request = /r_[0-9a-f]{8}/.exec(ran[0]?.stderr ?? '')?.[0] ?? '';
      const typed = line
        .replace('-p shop ', '')
        .replace(/ord_\w+/, id)
        .replace('r_7f3k2m9q', request);
      const [, , ...args] = wordsOf(typed.replace('$', ''));
      ran.push(await paydesk(args, { home: line.startsWith('ana') ? first : second, env: sandbox.env }));
    }
    expect(ran.map(({ code }) => code)).toEqual([3, 0, 0, 0]);
    expect(ran[0]?.stderr).toContain('not sent: asked for approval: r_');
    expect((await sandbox.order(id)).amount_refunded).toBe(6000);
  });

  test('without a team there is nothing to approve', async () => {
    using home = newHome();
    const list = await run(home, ['approvals', 'list']);
    expect(list).toMatchObject({ code: 3 });
    expect(list.stderr).toContain('this account has no team');
  });

  test.each<[readonly string[], string]>([
    [['orders', 'refund', '--approved', 'nonsense', '--yes'], '--approved nonsense: not the id of a request'],
    [['orders', 'refund', '--approved', 'r_1', '--amount', '5', '--yes'], '--amount'],
    [['approvals', 'show', 'ord_1'], 'REQUEST ord_1: not the id of a request'],
    [['approvals', 'reject', 'r_1'], 'missing --note: say why'],
  ])('%j is a usage error', async (args, message) => {
    const ran = await run(ana, args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
  });

  test('a request that is not there is not found', async () => {
    expect(await run(ana, ['approvals', 'show', 'r_none'])).toMatchObject({ code: 5 });
  });
});
