/** A refund that was sent again because somebody recorded it as not made, and that then appears too: every screen says one thing. */

import { describe, expect, test } from 'vitest';
import { inOneLine } from '../harness/ran.ts';
import { id, refund, startAppearing } from './appearing.ts';

const dealt = ['--note', 'the bank recalls the second one', '--yes'];

/** The first one has appeared, and so the buyer was paid twice. Nothing of that is recorded. */
async function appearedAfterRepeat() {
  const desk = await startAppearing();
  const first = await desk.recordedAsNotMade();
  expect((await desk.run('05:12:00', refund())).code).toBe(0);
  const second = desk.changes().at(-1) ?? '';
  desk.apply();
  const shown = async (time: string) => inOneLine((await desk.run(time, `orders show ${id}`)).stdout);
  return { ...desk, first, second, shown };
}

describe('a refund that was sent again, when the first one appears', () => {
  test('is one case with one command on the screen of the order, and that command records it', async () => {
    const { run, first, second, shown, rowsOf } = await appearedAfterRepeat();
    const before = await shown('05:20:00');
    expect(before).toContain(
      `MADE TWICE: 900 MXN, rf_1 and rf_2 both were probably sent from here: ${first} and ${second} ${first} was recorded as not made by root, and has appeared do not refund this order before this is checked: paydesk journal reconcile ${first}`,
    );
    expect(before).not.toContain(`reconcile ${second}`);
    expect(before).not.toMatch(/sent from elsewhere|APPEARED|may still go through/);
    expect((await run('05:21:00', `journal reconcile ${first}`)).code).toBe(7);
    expect(rowsOf(first).at(-1)).toMatchObject({ alarm: 'duplicate' });
    const after = await shown('05:22:00');
    expect(after).toContain(
      `MADE TWICE: 900 MXN, rf_2 and rf_1 both were probably sent from here: ${first} and ${second}`,
    );
    expect(after.match(/MADE TWICE/g)).toHaveLength(1);
  });

  test('is one case too when the other refund of the two raised the alarm first', async () => {
    const { run, first, second, shown } = await appearedAfterRepeat();
    expect((await run('05:21:00', `journal reconcile ${second}`)).code).toBe(7);
    const screen = await shown('05:22:00');
    expect(screen).toContain(
      `MADE TWICE: 900 MXN, rf_1 and rf_2 both were probably sent from here: ${first} and ${second} ${first} was recorded as not made by root, and has appeared`,
    );
    expect(screen).not.toMatch(/APPEARED|sent from elsewhere|may still go through|reconcile/);
  });

  test('is called sent from here by journal show of both, and the one without the alarm names the other', async () => {
    const { run, first, second } = await appearedAfterRepeat();
    await run('05:21:00', `journal reconcile ${second}`);
    await run('05:22:00', `journal reconcile ${first}`);
    const alarmed = (await run('05:23:00', `journal show ${second}`)).stdout;
    expect(alarmed).toMatch(/refund rf_1 .* {3}ours\n/);
    expect(alarmed).toContain(`   sent from here as ${first}\n`);
    expect(alarmed).not.toContain('sent from elsewhere');
    const end = `an alarm of the same order, MADE TWICE, is ended by: paydesk journal acknowledge ${second} --note TEXT`;
    expect(inOneLine((await run('05:23:00', `journal show ${first}`)).stdout)).toContain(end);
    const refused = await run('05:24:00', ['journal', 'acknowledge', first, ...dealt]);
    expect({ code: refused.code, stderr: inOneLine(refused.stderr) }).toEqual({
      code: 3,
      stderr: expect.stringContaining(`${first} has no alarm`),
    });
    expect(inOneLine(refused.stderr)).toContain(end);
    expect((await run('05:25:00', ['journal', 'acknowledge', second, ...dealt])).code).toBe(0);
  });
});

describe('one more equal refund, after somebody acknowledged the first two', () => {
  async function third() {
    const desk = await appearedAfterRepeat();
    const { run, first } = desk;
    await run('05:21:00', `journal reconcile ${first}`);
    expect((await run('05:24:00', ['journal', 'acknowledge', first, ...dealt])).code).toBe(0);
    desk.apply(900, '05:26:00');
    return desk;
  }

  test('is shown with the other two, as one case, before and after it is recorded', async () => {
    const { run, first, second, shown } = await third();
    const seen = await shown('05:30:00');
    expect(seen).toMatch(/MADE 3 TIMES: 900 MXN, rf_2, rf_3 and rf_1/);
    expect(seen.match(/MADE 3 TIMES/g)).toHaveLength(1);
    await run('05:31:00', `journal reconcile ${second}`);
    const screen = await shown('05:32:00');
    expect(screen).toContain(
      'MADE 3 TIMES: 900 MXN, rf_1, rf_3 and rf_2 2 of them were probably sent from here',
    );
    expect(screen).toContain('the other is one more refund: repeated by the service, or sent from elsewhere');
    expect(screen.match(/MADE 3 TIMES/g)).toHaveLength(1);
    const show = (await run('05:33:00', `journal show ${second}`)).stdout;
    for (const one of ['rf_1', 'rf_2', 'rf_3']) expect(show).toContain(`refund ${one} `);
    expect(show).toContain(`sent from here as ${first}`);
  });

  test('is counted once, and acknowledging one of its two alarms says that the other stands, and how to end it', async () => {
    const { run, first, second, shown } = await third();
    await run('05:31:00', `journal reconcile ${first}`);
    await run('05:31:00', `journal reconcile ${second}`);
    expect((await run('05:32:00', 'orders list')).stderr).toContain(
      `1 refund made twice: ${id}: show your lead: paydesk journal list --open`,
    );
    expect(await shown('05:32:00')).toContain(
      `this order has another alarm, which must be ended separately: paydesk journal show ${second}`,
    );
    const ended = await run('05:33:00', ['journal', 'acknowledge', first, ...dealt]);
    expect({ code: ended.code, stderr: inOneLine(ended.stderr) }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `${id} is still not refunded: another alarm stands, MADE TWICE, that of ${second}.`,
      ),
    });
    expect(ended.stdout).toContain(`paydesk journal acknowledge ${second} --note TEXT`);
    for (const one of ['rf_1', 'rf_2', 'rf_3']) expect(ended.stdout).toContain(`refund ${one} `);
    const last = await run('05:34:00', ['journal', 'acknowledge', second, ...dealt]);
    expect({ code: last.code, stderr: last.stderr }).toEqual({ code: 0, stderr: '' });
    expect((await run('05:35:00', 'journal reconcile --all')).code).toBe(0);
  });

  test('acknowledging finds the other alarm even if nothing has recorded it yet', async () => {
    const { run, first, second } = await third();
    await run('05:31:00', `journal reconcile ${second}`);
    const ended = await run('05:33:00', ['journal', 'acknowledge', second, ...dealt]);
    expect({ code: ended.code, stderr: inOneLine(ended.stderr) }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`another alarm stands, MADE TWICE, that of ${first}.`),
    });
  });
});

test('a refund that was sent in between is named where the first one has appeared', async () => {
  const desk = await startAppearing();
  await desk.recordedAsNotMade();
  desk.answers(600);
  expect((await desk.run('05:12:00', refund().replace('900', '600'))).code).toBe(0);
  const between = desk.changes().at(-1) ?? '';
  desk.apply();
  const screen = inOneLine((await desk.run('05:20:00', `orders show ${id}`)).stdout);
  expect(screen).toContain(
    `APPEARED: refund of 900 MXN, sent at 05:05:12 by root: root recorded that it was not made; the order shows rf_2 sent in between: refund of 600 MXN, sent at 05:12:00 by root (${between})`,
  );
});
