/** A refund that somebody recorded as made by hand, and that its order does not show: every screen says so, and no refund is offered. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { chargeOf, type Json, notReturnable, orderOf } from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset } from '../harness/server.ts';
import { type Service, startService } from '../harness/service.ts';
import { differences } from '../harness/two-widths.ts';

const created = Date.parse('2026-11-20T18:42:00Z') / 1000;
const id = 'ord_2tQ8mVxK4nRz7LcWp';
const other = 'ord_2tQ8mTd6JhB3sYfGq';

function bought(orderId: string, charges: readonly Json[], changes: Json = {}): Json {
  return orderOf(orderId, [...charges], {
    created_at: created,
    updated_at: created + 30,
    customer_info: { object: 'customer_info', name: 'Ana', email: 'ana@example.com' },
    ...changes,
  });
}

let service: Service;
let isLost: boolean;
beforeEach(async () => {
  isLost = true;
  service = await startService({
    orders: [
      bought(id, [chargeOf('ch_1', 16_000)]),
      bought(other, [chargeOf('ch_2', 20_000), chargeOf('ch_3', 9_000)], { created_at: created - 6000 }),
    ],
    sendsDate: false,
    onPost: () => (isLost ? reset : json(notReturnable, 428)),
  });
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

const envAt = (time: string) => ({ ...standingAt(`2026-11-21T${time}Z`), PAYDESK_OPERATOR: 'root' });

async function run(time: string, line: string, columns?: number): Promise<Ran> {
  const env = envAt(time);
  return await service.run(line.split(' '), columns === undefined ? { env } : { env, columns });
}

/** Sends a refund whose reply is lost, and records by hand that it was made. Returns its change. */
async function recordAsMade(words: string, orderId = id): Promise<string> {
  const sent = await run('05:05:12', `orders refund ${orderId} ${words} --yes`);
  const [change = ''] = /i_\w+/.exec(sent.stderr) ?? [];
  const settled = await run(
    '05:10:00',
    `journal settle ${change} --applied --note bank-file-of-Monday --confirm ${orderId}`,
  );
  expect(settled.code, settled.stderr).toBe(0);
  return change;
}

const withoutIds = ({ stdout, stderr }: Ran) =>
  `${stdout}${stderr}`.replaceAll(/i_[0-9a-z]{8}/g, 'i_7f3k2m9x');

describe('a refund that somebody recorded as made, and the order does not show it', () => {
  test('stands in the first block of orders show, and no command there refunds', async () => {
    await recordAsMade('--reason other');
    const shown = await run('05:20:00', `orders show ${id}`, 80);
    const [head, last] = withoutIds(shown).split(/\n\n[\s\S]*\n\n/);
    expect(`${head}\n…\n${last}`).toMatchInlineSnapshot(`
      "ord_2tQ8mVxK4nRz7LcWp  paid, recorded made  sandbox environment
      RECORDED MADE  root says 16000 MXN were paid back; the service does not show it
              treat it as paid back; ask root before you refund that again
      SETTLED BY HAND  root recorded on 21 Nov 2026 05:05:12 UTC that the refund of
              16000 MXN of 21 Nov 2026 05:05:12 UTC, sent by root, was made (root's
              note: bank-file-of-Monday)
              tell the buyer: "According to our records, a refund of 16000 MXN to your
              Visa card ending in 4242 was made."
      created 20 Nov 2026 18:42:00 UTC    read just now, 21 Nov 05:20:00
      buyer   Ana  ana@example.com
      …
      who recorded that and why, and how to correct it if it is wrong:
        paydesk journal show i_7f3k2m9x
      "
    `);
    expect(shown.stdout).toContain('16000 was recorded as made by hand, and counts as paid back\n');
    expect(shown.stdout).not.toContain('orders refund');
    const wide = await run('05:20:00', `orders show ${id}`, 120);
    expect(differences(withoutIds(wide), withoutIds(shown))).toMatchInlineSnapshot(`
      "instead of lines 4 to 8:
      SETTLED BY HAND  root recorded on 21 Nov 2026 05:05:12 UTC that the refund of 16000 MXN of 21 Nov 2026 05:05:12 UTC,
              sent by root, was made (root's note: bank-file-of-Monday)
              tell the buyer: "According to our records, a refund of 16000 MXN to your Visa card ending in 4242 was made.""
    `);
  });

  test('is the status of its order in lists and finds of people, and not of scripts', async () => {
    await recordAsMade('--reason other');
    expect(withoutIds(await run('05:20:00', 'orders list', 80))).toMatchInlineSnapshot(`
      "ID                     CREATED UTC   STATUS           MXN  REFUND  CARD   BUYER
      ord_2tQ8mVxK4nRz7LcWp  20 Nov 18:42  recorded made  16000       -  *4242  Ana  
      ord_2tQ8mTd6JhB3sYfGq  20 Nov 17:02  paid           29000       -  split  Ana  
      2 orders, sandbox environment. There are no more
      "
    `);
    expect((await run('05:20:00', 'orders find 16000', 80)).stdout).toMatch(
      /^ord_2tQ8mVx.* recorded (as )?made /m,
    );
    expect((await run('05:20:00', 'orders list --csv')).stdout).not.toContain('recorded as made');
  });

  test('is told by the picker; the refund is refused before the reason and the note are asked', async () => {
    const change = await recordAsMade('--reason other');
    const person = sit(['orders', 'refund'], {
      home: service.home,
      env: { ...service.env, ...envAt('05:20:00') },
    });
    await person.waitFor('recorded made');
    await person.waitFor('root says 16000 MXN were paid back; the service does not show it');
    person.type('\r');
    await person.answer('How much?', '15000\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(inOneLine(screen)).toContain(`--charge ch_1 --amount 15000 --again ${change}`);
    expect(screen).not.toContain('Why?');
    expect(service.posts).toHaveLength(1);
  });

  test('is said where a person chooses what to refund', async () => {
    const change = await recordAsMade('--charge ch_2 --amount 500', other);
    const person = sit(['orders', 'refund', other], {
      home: service.home,
      env: { ...service.env, ...envAt('05:20:00') },
    });
    await person.waitFor('Refund what?');
    await person.waitFor('- charge 1  *4242  19500 left: recorded as made, so refused without --again');
    await person.waitFor('> charge 2  *4242  9000 left\x1b');
    await person.answer(
      '- all of it, 29000 MXN over 2 charges: recorded as made, so refused without',
      '\x03',
    );
    const { code, screen } = await person.leaves;
    expect(code).toBe(130);
    expect(inOneLine(screen)).toContain(
      `root says 500 MXN were paid back; the service does not show it: a refund of the same charge needs --again ${change}`,
    );
  });

  test('stops a refund of another amount until --again names it; then the preview says what that means', async () => {
    const change = await recordAsMade('--reason other');
    const refund = `orders refund ${id} --charge 1 --amount 15000 --yes`;
    const refused = await run('05:20:00', refund, 80);
    expect({ code: refused.code, screen: withoutIds(refused) }).toMatchInlineSnapshot(`
      {
        "code": 3,
        "screen": "refused: a refund of 16000 MXN of ord_2tQ8mVxK4nRz7LcWp was recorded as made by
               hand, by root, and the order does not show it
      certain: nothing was sent
      now:     first ask whether the buyer got it; see who recorded it, and why:
               paydesk journal show i_7f3k2m9x
               to refund all the same (if that record is right, the buyer gets this
               besides):
               paydesk orders refund ord_2tQ8mVxK4nRz7LcWp --charge ch_1 --amount 15000 --again i_7f3k2m9x
      ",
      }
    `);
    expect((await run('05:20:00', `${refund} --dry-run`)).code).toBe(3);
    expect((await run('05:20:00', `${refund} --again rf_1`)).code).toBe(3);
    expect(service.posts).toHaveLength(1);
    const again = await run('05:20:00', `${refund} --again ${change}`);
    expect(again.code, again.stderr).toBe(7);
    expect(again.stderr).toContain('if that record is right, the buyer gets this besides');
    expect(service.posts).toHaveLength(2);
  });

  test('is what the same refund is refused for; the printed command keeps the reason and the note of now', async () => {
    const change = await recordAsMade('--reason requested_by_client');
    const same = ['orders', 'refund', id, '--reason', 'other', '--note', 'ticket 9001', '--yes'];
    const refused = await service.run(same, { env: envAt('05:20:00'), columns: 120 });
    expect({ code: refused.code, screen: withoutIds(refused) }).toMatchInlineSnapshot(`
      {
        "code": 3,
        "screen": "refused: a refund of 16000 MXN of ord_2tQ8mVxK4nRz7LcWp was recorded as made by hand, by root, and the order does not
               show it
      certain: nothing was sent
      now:     first ask whether the buyer got it; see who recorded it, and why:
               paydesk journal show i_7f3k2m9x
               to refund all the same (if that record is right, the buyer gets this besides):
               paydesk orders refund ord_2tQ8mVxK4nRz7LcWp --reason other --note 'ticket 9001' --again i_7f3k2m9x
      ",
      }
    `);
    expect(service.posts).toHaveLength(1);
    expect((await service.run([...same, '--again', change], { env: envAt('05:20:00') })).code).toBe(7);
    expect(service.posts).toHaveLength(2);
  });

  test('stops the refund after that as well, until --again names the last one that was sent', async () => {
    const change = await recordAsMade('--reason other');
    isLost = false;
    const refund = `orders refund ${id} --charge 1 --yes --amount`;
    const second = await run('05:20:00', `${refund} 15000 --again ${change}`);
    expect(second.code, second.stderr).toBe(5);
    const [, next = ''] =
      /--again (i_\w+)/.exec(inOneLine((await run('05:20:00', `${refund} 700`)).stderr)) ?? [];
    expect(next).not.toBe(change);
    expect((await run('05:20:00', `${refund} 700 --again ${change}`)).code).toBe(3);
    expect(service.posts).toHaveLength(2);
    expect((await run('05:20:00', `${refund} 700 --again ${next}`)).code).toBe(5);
    expect(service.posts).toHaveLength(3);
  });

  test('stops no refund of another charge, and none of another order', async () => {
    const change = await recordAsMade('--charge ch_2 --amount 500', other);
    isLost = false;
    const preview = await run('05:20:00', `orders refund ${other} --charge ch_3 --amount 400 --dry-run`);
    expect(preview.stderr).toMatch(/recorded as made +0 +-500\n.*\n +left afterwards +8600 +28100\n/);
    const whole = await run('05:20:00', `orders refund ${other} --amount 500 --yes`);
    expect(inOneLine(whole.stderr)).toMatch(
      new RegExp(
        `19500 of 20000 MXN left; a refund of it was recorded as made by hand: paydesk journal show ${change} charge 2`,
      ),
    );
    const line = `orders refund ${other} --charge ch_3 --amount 500 --yes`;
    const ran = await run('05:20:00', line);
    expect(ran.code, ran.stderr).toBe(5);
    expect(ran.stderr).not.toContain('this pays the buyer twice');
    // After a refusal too, the charge is not offered as if nothing had been recorded.
    expect(inOneLine(ran.stderr)).toMatch(
      /certain: this refund moved no money; the order shows nothing that went back, and 500 MXN was recorded as made by hand .*charge 1 \*4242 ch_2: 19500 of 20000 MXN left; a refund of it was recorded as made by hand: paydesk journal show i_/,
    );
    expect((await run('05:20:00', `orders refund ${id} --yes`)).code).toBe(5);
    expect((await run('05:20:00', line.replace('ch_3', 'ch_2').replace('500', '600'))).code).toBe(3);
    expect(service.posts).toHaveLength(3);
  });
});
