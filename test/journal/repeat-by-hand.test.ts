/** What a repeat under the same `--idempotency-key` answers when a person recorded by hand what became of the refund. */

import { describe, expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { id, refund, settle, startAppearing } from './appearing.ts';

const scripted = refund('--idempotency-key tick-1');
describe('a repeat under --idempotency-key, after somebody recorded that the refund was not made', () => {
  test('says who recorded that and until when it may still go through; it was not refused by the service', async () => {
    const { run, recordedAsNotMade, service } = await startAppearing();
    const change = await recordedAsNotMade('--idempotency-key tick-1');
    const { code, stderr } = await run('05:20:00', scripted);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 3,
      stderr: expect.stringContaining(
        "refused: root recorded on 21 Nov 2040 05:10:00 UTC that the refund of 900 MXN of 21 Nov 2040 05:05:12 UTC, sent by root, was NOT made (root's note: Ana at the bank looked: nothing); it may still go through until tomorrow 05:06 certain: nothing was sent now; that it was not made is only what a person says",
      ),
    });
    expect(inOneLine(stderr)).toContain(
      `to send it again all the same (if that record is wrong, the buyer is paid twice): the same command with --again ${change}`,
    );
    expect(inOneLine(stderr)).toContain(`tick-1 was recorded as not made before, journal ${change}`);
    expect(stderr).not.toMatch(/by the service|moved no money/);
    const script = await run('05:21:00', `${scripted} --json`);
    expect(script.code).toBe(3);
    expect(JSON.parse(script.stderr)).toMatchObject({
      kind: 'refused',
      exit_code: 3,
      change,
      idempotency_key: 'tick-1',
      order_id: id,
      message: expect.stringContaining('root recorded on'),
    });
    expect(service.posts).toHaveLength(1);
  });

  test('says the same after a correction, and whether it appeared until the end of the waiting period', async () => {
    const { run, recordedAsNotMade, service } = await startAppearing();
    await recordedAsNotMade('--idempotency-key tick-1');
    expect((await run('05:11:00', settle('tick-1', '--correct', '--applied'))).code).toBe(0);
    expect((await run('05:12:00', settle('tick-1', '--correct', '--not-applied'))).code).toBe(0);
    const soon = await run('05:20:00', scripted);
    expect({ code: soon.code, stderr: inOneLine(soon.stderr) }).toEqual({
      code: 3,
      stderr: expect.stringContaining(
        "was NOT made (root's note: Ana at the bank looked: nothing), correcting an earlier record; it may still go through until",
      ),
    });
    const late = await run('05:20:00', scripted, '23');
    expect({ code: late.code, stderr: inOneLine(late.stderr) }).toEqual({
      code: 3,
      stderr: expect.stringContaining('; it did not go through until the end of the waiting period certain:'),
    });
    expect(service.posts).toHaveLength(1);
  });

  test('is sent again once --again names it, and only once', async () => {
    const { run, recordedAsNotMade, service } = await startAppearing();
    const change = await recordedAsNotMade('--idempotency-key tick-1');
    const again = await run('05:20:00', `${scripted} --again ${change}`);
    expect(again.code, again.stderr).toBe(0);
    expect((await run('05:21:00', `${scripted} --again ${change}`)).code).toBe(0);
    expect(service.posts).toHaveLength(2);
  });

  test('says that it appeared, when the order shows it now (exit 7)', async () => {
    const { run, apply, recordedAsNotMade, service } = await startAppearing();
    await recordedAsNotMade('--idempotency-key tick-1');
    apply();
    const { code, stderr } = await run('05:20:00', scripted);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 7,
      stderr: expect.stringContaining('it counted as not made, but the order now shows it'),
    });
    expect(service.posts).toHaveLength(1);
  });
});

describe('a repeat under --idempotency-key, after somebody recorded that the refund was made', () => {
  test('exits 0 and says who recorded that, and that the order does not show it', async () => {
    const { run, service } = await startAppearing();
    expect((await run('05:05:12', scripted)).code).toBe(7);
    expect((await run('05:10:00', settle('tick-1', '--applied'))).code).toBe(0);
    const { code, stdout, stderr } = await run('05:20:00', scripted);
    expect({ code, stderr: inOneLine(stderr) }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        "settled by hand: root recorded on 21 Nov 2040 05:10:00 UTC that the refund of 900 MXN of 21 Nov 2040 05:05:12 UTC, sent by root, was made (root's note: Ana at the bank looked: nothing); the order does not show it",
      ),
    });
    expect(stderr).toContain('tick-1 was recorded as made before, journal i_');
    expect(stdout).toContain(`recorded as made before: refund of 900 MXN on ${id}`);
    const dry = await run('05:21:00', `${scripted} --dry-run`);
    expect(inOneLine(dry.stdout)).toContain('would send nothing: tick-1 was recorded as made before');
    expect(inOneLine(dry.stdout)).toContain('root recorded on 21 Nov 2040 05:10:00 UTC');
    expect(service.posts).toHaveLength(1);
  });
});

test.each([
  ['another amount of another charge', '2 --amount 700', false],
  ['the same amount of another charge', '2 --amount 900', true],
  ['another amount of the same charge', '1 --amount 700', true],
])(
  'while a refund of 900 that was recorded as not made may go through, %s may pay twice: %s, %s',
  async (_, words, isTwice) => {
    const { run, recordedAsNotMade, service } = await startAppearing();
    const [order] = service.orders;
    const charges = [chargeOf('ch_1', 35_000), chargeOf('ch_2', 9000)];
    service.orders = [orderOf(id, charges, { created_at: order?.created_at, updated_at: order?.updated_at })];
    await recordedAsNotMade();
    const { stderr } = await run('05:20:00', `orders refund ${id} --charge ${words} --dry-run`);
    expect(inOneLine(stderr)).toContain('it may still go through until tomorrow 05:06');
    expect(inOneLine(stderr).includes('this pays the buyer twice')).toBe(isTwice);
    expect(service.posts).toHaveLength(1);
  },
);
