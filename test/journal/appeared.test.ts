/** A refund that somebody recorded as not made, and that appears all the same: every read of its order says so. */

import { beforeEach, describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Appearing, id, refund, settle, startAppearing } from './appearing.ts';

let desk: Appearing;
beforeEach(async () => {
  desk = await startAppearing();
});

describe('a refund that was recorded as not made, and that appears', () => {
  test('is found by journal reconcile CHANGE, which says so and exits 7', async () => {
    const change = await desk.recordedAsNotMade();
    expect((await desk.run('05:11:00', `journal reconcile ${change}`)).code).toBe(0);
    desk.apply();
    const { code, stdout, stderr } = await desk.run('05:20:00', `journal reconcile ${change}`);
    expect({ code, stdout: inOneLine(stdout) }).toEqual({
      code: 7,
      stdout: expect.stringContaining(
        'appeared: the order shows it, and root had recorded that it was not made',
      ),
    });
    expect(inOneLine(stderr)).toContain(
      `APPEARED, recorded as not made by root: refund of 900 MXN on ${id}: the service lists rf_1: paydesk journal show ${change}`,
    );
    expect(desk.rowsOf(change).at(-1)).toMatchObject({
      verdict: 'applied',
      by: 'read',
      alarm: 'applied_though_rejected',
    });
  });

  test('is found by reconcile --all, for cron too, and stays there until somebody acknowledges it', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    const all = 'journal reconcile --all --quiet';
    const { code, stderr } = await desk.run('05:20:00', all);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 7,
      stderr: expect.stringContaining('APPEARED, recorded as not made by root'),
    });
    expect((await desk.run('05:21:00', all)).code).toBe(7);
    const done = ['journal', 'acknowledge', change, '--note', 'the buyer was told that it is there', '--yes'];
    expect((await desk.run('05:22:00', done)).code).toBe(0);
    expect((await desk.run('05:23:00', all)).code).toBe(0);
    const shown = await desk.run('05:24:00', `orders show ${id}`);
    expect(inOneLine(shown.stdout)).toContain('had this alarm: it appeared, recorded as not made by root');
  });

  test('is told by orders show, list and the list of open changes; nobody is told to wait', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    const shown = await desk.run('05:20:00', `orders show ${id}`);
    const text = inOneLine(shown.stdout);
    expect(text).toContain(
      'APPEARED: refund of 900 MXN, sent at 05:05:12 by root: root recorded that it was not made; the order shows rf_1 do not refund this order; show your lead',
    );
    expect(text).toContain(`paydesk journal reconcile ${change}`);
    expect(text).not.toMatch(/may still go through|wait until|orders refund/);
    expect((await desk.run('05:21:00', 'orders list')).stdout).toContain('appeared');
    await desk.run('05:22:00', `journal reconcile ${change}`);
    const after = inOneLine((await desk.run('05:23:00', `orders show ${id}`)).stdout);
    expect(after).toContain('root recorded that it was not made; the order shows rf_1');
    expect(after).toContain(`paydesk journal show ${change}`);
    expect((await desk.run('05:24:00', 'orders list')).stderr).toContain(
      `1 refund appeared: ${id}: show your lead: paydesk journal show ${change}`,
    );
  });

  test('is told by orders list with the command that records it, and counted by today, which reads every order', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    const line = `${id}: appeared; record it: paydesk journal reconcile ${change}`;
    expect(inOneLine((await desk.run('05:20:00', 'orders list')).stderr)).toContain(line);
    const today = await desk.run('05:21:00', 'today');
    expect(inOneLine(today.stderr)).toContain(line);
    expect(today.stdout).toMatch(
      new RegExp(
        `appeared +1 refund +\\d+ MXN +${id}, recorded as not made, .*: paydesk journal show ${change}\n`,
      ),
    );
    expect(desk.rowsOf(change).at(-1)).toMatchObject({ verdict: 'rejected', by: 'person' });
    await desk.run('05:22:00', `journal reconcile ${change}`);
    const later = await desk.run('05:23:00', 'today --json');
    expect(later.stderr).not.toContain('record it');
    expect(JSON.parse(later.stdout).data).toContainEqual(
      expect.objectContaining({ what: 'appeared', count: 1 }),
    );
  });

  test('is recorded by the next journal list, whatever else is watched', async () => {
    const change = await desk.recordedAsNotMade();
    for (const [index, amount] of [100, 200, 300, 400].entries()) {
      desk.answers(amount);
      expect((await desk.run(`05:1${index + 2}:00`, refund().replace('900', String(amount)))).code).toBe(0);
    }
    desk.apply();
    const { stdout, stderr } = await desk.run('05:20:00', 'journal list');
    expect(stderr).toContain('APPEARED, recorded as not made by root');
    expect(stdout).toContain('appeared');
    expect(desk.rowsOf(change).at(-1)).toMatchObject({ alarm: 'applied_though_rejected' });
  });

  test('and was sent again: today counts it among what was made twice', async () => {
    await desk.recordedAsNotMade();
    expect((await desk.run('05:12:00', refund())).code).toBe(0);
    desk.apply();
    const { stdout, stderr } = await desk.run('05:20:00', 'today');
    expect(stdout).toMatch(
      /made twice +1 refund +\d+ MXN +\S+, the order shows it once more: paydesk journal show i_\w+\n/,
    );
    expect(inOneLine(stderr)).toContain(`${id}: made twice; check it: paydesk journal reconcile`);
  });

  test('stops every refund of its order before the preview, and --again is not offered', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    for (const [time, line] of [
      ['05:20:00', refund()],
      ['05:21:00', refund('--again rf_1')],
      ['05:22:00', `orders refund ${id} --charge 1 --amount 500 --yes`],
    ] as const) {
      const { code, stderr } = await desk.run(time, line);
      expect({ code, stderr: inOneLine(stderr) }).toEqual({
        code: 7,
        stderr: expect.stringMatching(
          /^stop: refund of 900 MXN on .*: APPEARED, recorded as not made by root rf_1 /,
        ),
      });
      expect(stderr).toContain(`paydesk journal acknowledge ${change} --note TEXT`);
      expect(stderr).not.toContain('--again rf_1\n');
    }
    expect(desk.service.posts).toHaveLength(1);
  });

  test('raises MADE TWICE when the same was sent again in between', async () => {
    const change = await desk.recordedAsNotMade();
    expect((await desk.run('05:12:00', refund())).code).toBe(0);
    desk.apply();
    const shown = inOneLine((await desk.run('05:20:00', `orders show ${id}`)).stdout);
    expect(shown).toMatch(/made twice/i);
    const { code, stderr } = await desk.run('05:20:00', 'journal reconcile --all');
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 7,
      stderr: expect.stringContaining('MADE TWICE'),
    });
    const next = await desk.run('05:30:00', `orders refund ${id} --charge 1 --amount 500 --yes`);
    expect(next.code).toBe(3);
    expect(desk.service.posts).toHaveLength(2);
    expect(desk.rowsOf(change).length).toBeGreaterThan(0);
  });

  test('names both changes on every screen when the same was sent again', async () => {
    const change = await desk.recordedAsNotMade();
    expect((await desk.run('05:12:00', refund())).code).toBe(0);
    await desk.run('05:13:00', 'journal reconcile --all');
    desk.apply();
    const { code, stderr } = await desk.run('05:20:00', `journal reconcile ${change}`);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 7,
      stderr: expect.stringContaining('MADE TWICE'),
    });
    expect(desk.rowsOf(change).at(-1)).toMatchObject({
      alarm: 'duplicate',
      refunds: [{ id: 'rf_2' }, { id: 'rf_1' }],
    });
    const screen = inOneLine((await desk.run('05:21:00', `orders show ${id}`)).stdout);
    const second = desk.changes().at(-1);
    expect(screen).toContain(`both were probably sent from here: ${change} and ${second ?? ''}`);
  });

  test('before it does: settling it, journal show and the lists say until when it may still go through', async () => {
    expect((await desk.run('05:05:12', refund())).code).toBe(7);
    const [change = ''] = desk.changes();
    const settled = await desk.run('05:10:00', settle(change, '--not-applied'));
    const steps = `now: it may still go through until tomorrow 05:06; to look whether it has: paydesk journal reconcile ${change}`;
    expect(inOneLine(settled.stdout)).toContain(steps);
    expect(inOneLine((await desk.run('05:11:00', `journal show ${change}`)).stdout)).toContain(steps);
    for (const words of ['journal list', 'journal reconcile'])
      expect(inOneLine((await desk.run('05:12:00', words)).stdout)).toContain(
        'recorded not made, by root; it may still go through until tomorrow 05:06',
      );
    const [row] = JSON.parse((await desk.run('05:13:00', 'journal list --json')).stdout).data;
    expect(row).toMatchObject({ may_appear_until: Date.parse('2040-11-22T05:05:12Z') / 1000 });
    expect((await desk.run('05:14:00', 'journal list', '23')).stdout).not.toContain('may still go through');
  });

  test('a correction says then that the order shows it, and how to end the alarm', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    await desk.run('05:20:00', `journal reconcile ${change}`);
    const correct = settle(change, '--correct', '--applied');
    const { code, stderr } = await desk.run('05:21:00', correct);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 3,
      stderr: expect.stringContaining(
        `refused: ${change} needs no correction: the order shows it now, and the journal has that`,
      ),
    });
    expect(stderr).toContain(`paydesk journal acknowledge ${change} --note TEXT`);
    const done = ['journal', 'acknowledge', change, '--note', 'the buyer was told that it is there', '--yes'];
    expect((await desk.run('05:22:00', done)).code).toBe(0);
    const after = await desk.run('05:23:00', correct);
    expect(after).toMatchObject({ code: 3, stderr: expect.stringContaining('needs no correction') });
    expect(after.stderr).not.toContain('acknowledge');
  });

  test('is acknowledged by a person who is told that the alarm then stops no refund', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    await desk.run('05:20:00', `journal reconcile ${change}`);
    const env = { ...desk.service.env, ...standingAt('2040-11-21T05:21:00Z'), PAYDESK_OPERATOR: 'root' };
    const person = sit(['journal', 'acknowledge', change], { home: desk.service.home, env });
    await person.answer('What was done about it?', 'the buyer was told about it\r');
    await person.answer(`no refund of ${id}`, 'y\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    expect(inOneLine(screen)).toContain('APPEARED, recorded as not made by root: refund of 900 MXN');
  });

  test('is read once more after the waiting period, and then no more', async () => {
    const change = await desk.recordedAsNotMade();
    const { code, stdout } = await desk.run('05:30:00', `journal reconcile ${change}`, '22');
    expect({ code, stdout: inOneLine(stdout) }).toEqual({
      code: 0,
      stdout: expect.stringContaining(
        'recorded not made, by root; it did not go through until the end of the waiting period',
      ),
    });
    const before = desk.service.requests.length;
    const again = await desk.run('05:40:00', `journal reconcile ${change}`, '22');
    expect(again.stdout).toContain('already certain; not read again');
    expect(desk.service.requests).toHaveLength(before);
    // A wrong record can still be corrected.
    const correct = settle(change, '--correct', '--applied', '--yes');
    expect((await desk.run('05:50:00', correct, '22')).code).toBe(0);
  });

  test('a correction by hand says before it asks that the same was sent again, and which alarm follows', async () => {
    const change = await desk.recordedAsNotMade();
    expect((await desk.run('05:12:00', refund())).code).toBe(0);
    const second = desk.changes().at(-1);
    const correct = settle(change, '--correct', '--applied');
    const { code, stderr } = await desk.run('05:20:00', correct);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 7,
      stderr: expect.stringContaining(
        `The same refund of 900 MXN was sent again at 05:12:00 by root, as ${second ?? ''}. If both were made, the buyer was paid twice: the alarm MADE TWICE will be raised`,
      ),
    });
    expect(stderr).not.toContain('does not get the money');
  });

  test('a correction that the order confirms is not called something else than what was said', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply();
    const correct = settle(change, '--correct', '--applied');
    const { code, stderr } = await desk.run('05:20:00', correct);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('the order shows just that; paydesk recorded it as seen'),
    });
    expect(stderr).not.toContain('not what you said');
  });

  test('an acknowledgement keeps and names both refunds when they were sent as two changes', async () => {
    const change = await desk.recordedAsNotMade();
    expect((await desk.run('05:12:00', refund())).code).toBe(0);
    desk.apply();
    await desk.run('05:20:00', `journal reconcile ${change}`);
    const done = ['journal', 'acknowledge', change, '--note', 'the bank recalls the second one', '--yes'];
    const { code, stdout } = await desk.run('05:22:00', done);
    expect(code).toBe(0);
    expect(stdout).toContain('refund rf_1');
    expect(stdout).toContain('refund rf_2');
    expect(stdout).not.toContain('checked again: the service shows it');
  });

  test('a refund of somebody else of another amount is not taken for it', async () => {
    const change = await desk.recordedAsNotMade();
    desk.apply(700);
    expect((await desk.run('05:11:00', `journal reconcile ${change}`)).code).toBe(0);
    expect((await desk.run('05:12:00', refund())).code).toBe(0);
    expect(desk.service.posts).toHaveLength(2);
  });
});

test('what a person recorded as not made stands beside the sums of its month while it may still go through', async () => {
  await desk.recordedAsNotMade();
  const words = '1 recorded as not made that may still go through, 900 MXN';
  const saidOn = async (day: string) => {
    const runs = ['refunds list', 'orders export --rows refunds', 'refunds summary'].map((line) =>
      desk.run('05:30:00', `${line} --period 2040-11`, day),
    );
    return (await Promise.all(runs)).map(({ stdout, stderr }) => `${stdout}${stderr}`.includes(words));
  };
  expect(await saidOn('21')).toEqual([true, true, true]);
  expect(await saidOn('28')).toEqual([false, false, false]);
  desk.apply();
  expect(await saidOn('21')).toEqual([false, false, false]);
});
