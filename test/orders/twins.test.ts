/** Twins at the moment of paying: another order of the same buyer and amount, and whether it was refunded already. */

import { afterEach, describe, expect, test } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { standingAt } from '../harness/clock.ts';
import {
  chargeOf,
  errorBody,
  type Json,
  listOf,
  orderOf,
  refundedWhole,
  refundOf,
} from '../harness/orders.ts';
import type { Ran } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { json, reset, stall } from '../harness/server.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const now = '2026-11-21T05:10:00Z';
const created = Date.parse('2026-11-21T04:50:00Z') / 1000;
const buyer = { object: 'customer_info', customer_id: 'cus_1', name: 'Ana', email: 'ana@example.com' };

function bought(id: string, createdAt: number, changes: Json = {}): Json {
  return orderOf(id, [chargeOf(`ch_${id}`, 900, { paid_at: createdAt + 20 })], {
    created_at: createdAt,
    updated_at: createdAt + 30,
    customer_info: buyer,
    ...changes,
  });
}

const own = bought('ord_twinB', created);
const twin = bought('ord_twinA', created - 240);

/** The twin, refunded two minutes ago by somebody else. */
function refundedTwin(amount: number, changes: Json = {}): Json {
  const refunds = listOf(refundOf('rf_twinA', amount, { created_at: Date.parse(now) / 1000 - 125 }));
  return {
    ...twin,
    amount_refunded: amount,
    charges: listOf(chargeOf('ch_ord_twinA', 900, { refunds })),
    ...changes,
  };
}

let service: Service;
afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

async function serve(orders: readonly Json[], more: Partial<ServiceOptions> = {}): Promise<void> {
  service = await startService({
    orders,
    sendsDate: false,
    onPost: (order) => {
      const changed = refundedWhole(order ?? {});
      service.orders = service.orders.map((one) => (one.id === changed.id ? changed : one));
      return json(changed);
    },
    ...more,
  });
}

/** All of an order, refunded just now by somebody else. */
function wholeBack(id: string): Json {
  const refunds = listOf(refundOf(`rf_${id}`, 900, { created_at: Date.parse(now) / 1000 - 65 }));
  const charges = listOf(chargeOf(`ch_${id}`, 900, { refunds, status: 'refunded' }));
  return { amount_refunded: 900, payment_status: 'refunded', is_refundable: false, charges };
}

const env = { ...standingAt(now), PAYDESK_OPERATOR: 'root' };

async function run(line: string, columns?: number): Promise<Ran> {
  return await service.run(line.split(' '), columns === undefined ? { env } : { env, columns });
}

/** The screen in one line. */
async function shown(line: string): Promise<string> {
  return (await run(line)).stdout.replaceAll(/\s+/g, ' ');
}

const duplicated = 'orders refund ord_twinB --yes --reason duplicated_transaction';
const withoutIds = (text: string) => text.replaceAll(/i_[0-9a-z]{8}/g, 'i_7f3k2m9x');

/** The requests for the pages next to the order. */
function pagesBeside(): readonly string[] {
  return service.requests.filter(({ url }) => url.includes('limit=50')).map(({ url }) => url);
}

/** What this machine's journal holds. */
async function entries(): Promise<readonly unknown[]> {
  const { stdout } = await run('journal list --json --no-input');
  return (JSON.parse(stdout) as { data: readonly unknown[] }).data;
}

describe('a twin that was refunded', () => {
  test('stands in the first block of orders show', async () => {
    await serve([own, refundedTwin(900)]);
    expect(firstBlock(await run('orders show ord_twinB', 80))).toMatchInlineSnapshot(`
      "ord_twinB  paid, its twin was refunded  sandbox environment
      created 21 Nov 2026 04:50:00 UTC    read just now, 21 Nov 05:10:00
      buyer   Ana  ana@example.com  cus_1
      twin    ord_twinA, another order of this buyer, same amount, 4 min earlier, was
              refunded 2 min ago, elsewhere: settled; if you refund both, the buyer
              gets both payments back
              paydesk orders show ord_twinA"
    `);
    expect(firstBlock(await run('orders show ord_twinB', 120))).toMatchInlineSnapshot(`
      "ord_twinB  paid, its twin was refunded  sandbox environment
      created 21 Nov 2026 04:50:00 UTC    read just now, 21 Nov 05:10:00
      buyer   Ana  ana@example.com  cus_1
      twin    ord_twinA, another order of this buyer, same amount, 4 min earlier, was refunded 2 min ago, elsewhere: settled;
              if you refund both, the buyer gets both payments back
              paydesk orders show ord_twinA"
    `);
  });

  test('settles the pair, so a refund for any reason needs --again with its refund; --quiet does not hide the warning', async () => {
    await serve([own, refundedTwin(900)]);
    const refused = await run('orders refund ord_twinB --reason other --yes', 80);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatchInlineSnapshot(`
      "refused: ord_twinA, another order of this buyer, same amount, 4 min earlier, was
               refunded 2 min ago, elsewhere: settled; if you refund both, the buyer
               gets both payments back
      certain: nothing was sent
      now:     paydesk orders show ord_twinA
               if the buyer should get both back, name its twin in --again, rf_twinA:
               paydesk orders refund ord_twinB --reason other --again rf_twinA
      "
    `);
    expect((await run('orders refund ord_twinB --reason other --yes --dry-run')).code).toBe(3);
    expect(service.posts).toEqual([]);
    const again = 'orders refund ord_twinB --reason other --again rf_twinA --yes --quiet';
    const sent = await run(again, 80);
    expect(sent.code).toBe(0);
    expect(sent.stderr).toMatchInlineSnapshot(`
      "WARNING: ord_twinA, another order of this buyer, same amount, 4 min earlier, was
      refunded 2 min ago, elsewhere: settled; if you refund both, the buyer gets both
      payments back
      "
    `);
    expect(service.posts).toHaveLength(1);
  });

  test('is asked about at a terminal: No sends nothing, Yes names its refund', async () => {
    await serve([own, refundedTwin(900)]);
    const words = ['orders', 'refund', 'ord_twinB', '--reason', 'other', '--note', 'n'];
    const at = { home: service.home, env: service.env };
    const no = sit(words, at);
    await no.answer('How much?', '\r');
    await no.answer('Refund this order too?', '\r');
    expect(await no.leaves).toMatchObject({
      code: 3,
      screen: expect.stringContaining('paydesk orders show ord_twinA'),
    });
    const doubt = sit(words, at);
    await doubt.answer('How much?', '\r');
    await doubt.answer('Refund this order too?', 'y\r');
    await doubt.answer(/Send back .*\?/, '\r');
    expect((await doubt.leaves).screen).toContain('--again rf_twinA');
    expect(service.posts).toEqual([]);
    const yes = sit(words, at);
    await yes.answer('How much?', '\r');
    await yes.answer('Refund this order too?', 'y\r');
    await yes.answer(/Send back .*\?/, 'y\r');
    expect((await yes.leaves).code).toBe(0);
    expect(service.posts).toHaveLength(1);
    expect(await entries()).toMatchObject([{ order: 'ord_twinB', twins: 'rf_twinA' }]);
  });

  test('is told on its own screen too, and the screen of the other offers no command that refunds it', async () => {
    await serve([own, refundedTwin(900)]);
    const screen = (await run('orders show ord_twinA', 160)).stdout;
    expect(screen).toContain(
      'twin    ord_twinB, another order of this buyer, same amount, 4 min later: ord_twinA was refunded 2 min ago, elsewhere: settled',
    );
    expect((await run('orders show ord_twinB')).stdout).not.toContain('paydesk orders refund');
  });

  test('in part is no settled pair: a refund for another reason is sent with a warning', async () => {
    await serve([own, refundedTwin(300)]);
    const { code, stderr } = await run('orders refund ord_twinB --yes', 160);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'WARNING: ord_twinA, another order of this buyer, same amount, 4 min earlier, was refunded in part (300 of 900) 2 min ago, elsewhere',
    );
    expect(service.posts).toHaveLength(1);
  });

  test('twice, with the other, is said on both screens', async () => {
    await serve([{ ...own, ...wholeBack('ord_twinB') }, refundedTwin(900)]);
    expect(await shown('orders show ord_twinB')).toContain(
      'ord_twinB was refunded too: the buyer got both payments back',
    );
    expect(await shown('orders show ord_twinA')).toContain(
      'ord_twinA was refunded too: the buyer got both payments back',
    );
  });

  test('needs --again with its refund where the reason is duplicated_transaction, and one sending uses that up', async () => {
    await serve([own, refundedTwin(900)]);
    const refused = await run(`${duplicated} --note twice`, 80);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatchInlineSnapshot(`
      "refused: ord_twinA, another order of this buyer, same amount, 4 min earlier, was
               refunded 2 min ago, elsewhere: settled; if you refund both, the buyer
               gets both payments back
      certain: nothing was sent
      now:     paydesk orders show ord_twinA
               if the buyer should get both back, name its twin in --again, rf_twinA:
               paydesk orders refund ord_twinB --reason duplicated_transaction --note twice --again rf_twinA
      "
    `);
    expect((await run(`${duplicated} --note twice`, 120)).stderr).toMatchInlineSnapshot(`
      "refused: ord_twinA, another order of this buyer, same amount, 4 min earlier, was refunded 2 min ago, elsewhere: settled;
               if you refund both, the buyer gets both payments back
      certain: nothing was sent
      now:     paydesk orders show ord_twinA
               if the buyer should get both back, name its twin in --again, rf_twinA:
               paydesk orders refund ord_twinB --reason duplicated_transaction --note twice --again rf_twinA
      "
    `);
    expect((await run(`${duplicated} --dry-run`)).code).toBe(3);
    expect((await run(`${duplicated} --again rf_other`)).stderr).toContain('rf_twinA');
    expect(service.posts).toEqual([]);
    expect(await entries()).toEqual([]);

    const sent = await run(`${duplicated} --again rf_twinA`);
    expect(sent.code, sent.stderr).toBe(0);
    expect(JSON.parse(service.posts[0]?.body ?? '')).toEqual({ reason: 'duplicated_transaction' });
    expect(await entries()).toMatchObject([{ order: 'ord_twinB', verdict: 'applied', twins: 'rf_twinA' }]);
    const [row] = journalRows(service.home);
    expect(row).toMatchObject({ type: 'sent', twins: ['rf_twinA'] });
    expect(row).not.toHaveProperty('again');
    const shown = await run(`journal show ${row?.change ?? ''}`, 80);
    expect(shown.stdout).toContain(
      '  twin           sent although its twin was refunded: --again named rf_twinA\n',
    );
    expect((await run(`${duplicated} --again rf_twinA`)).code).toBe(3);
    expect(service.posts).toHaveLength(1);
  });

  test('keeps a wrong ID in --again refused, and beside the ID of the twin too', async () => {
    await serve([own, refundedTwin(900)]);
    const wrong = await run(`${duplicated} --again rf_twinA,rf_typo`);
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('--again rf_typo') });
    expect(service.posts).toEqual([]);
  });

  test('is named by its own id where it does not show its refund', async () => {
    await serve([own, { ...twin, payment_status: 'refunded' }]);
    expect((await run(duplicated)).stderr).toContain('--again ord_twinA\n');
    expect((await run(`${duplicated} --again ord_twinA`)).code).toBe(0);
  });

  test('is told with the reason and the name that this machine knows', async () => {
    await serve([own, twin]);
    const first = await run('orders refund ord_twinA --yes --reason duplicated_transaction');
    expect(first.code, first.stderr).toBe(0);
    const { stderr } = await run(duplicated);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'ord_twinA, another order of this buyer, same amount, 4 min earlier, was refunded less than a minute ago as duplicated_transaction, by root: settled; if you refund both, the buyer gets both payments back',
    );
    expect(stderr).toContain('--again rf_ch_ord_twinA\n');
    expect(service.posts).toHaveLength(1);
  });

  test('whoever answers why is refused before the note is asked, with the command to copy (real terminal)', async () => {
    await serve([own, refundedTwin(900)]);
    const person = atTerminal(['orders', 'refund', 'ord_twinB'], { home: service.home, env: service.env });
    await person.answer('How much?', '\r');
    await person.answer('Why?', '\x1b[B\x1b[B');
    await person.answer('> the buyer was charged twice', '\r');
    const { exitCode, transcript } = await person.end;
    const screen = withoutEscapes(transcript);
    expect(exitCode).toBe(3);
    expect(screen).not.toContain('Note');
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('if you refund both, the buyer gets both payments back');
    expect(screen).toContain(
      'paydesk orders refund ord_twinB --reason duplicated_transaction --again rf_twinA',
    );
    expect(screen).not.toMatch(/Send back .*\?/);
    expect(service.posts).toEqual([]);
  });
});

test('a twin with an unconfirmed refund stops a refund of the duplicate as well', async () => {
  await serve([own, twin], { onPost: () => reset });
  expect((await run('orders refund ord_twinA --yes')).code).toBe(7);
  const { code, stderr } = await run(duplicated, 80);
  expect(code).toBe(3);
  expect(withoutIds(stderr)).toMatchInlineSnapshot(`
    "refused: ord_twinA, another order of this buyer, same amount, 4 min earlier, has
             an unconfirmed refund of 900 MXN, sent at 05:10:00 by root: if you
             refund both, the buyer may get both payments back
    certain: nothing was sent
    now:     first find out whether it was made:
             paydesk journal reconcile i_7f3k2m9x
             paydesk orders show ord_twinA
             if the buyer should get both back, name its twin in --again,
             i_7f3k2m9x:
             paydesk orders refund ord_twinB --reason duplicated_transaction --again i_7f3k2m9x
    "
  `);
  expect(service.posts).toHaveLength(1);
  const [, change = ''] = /--again (i_\w+)/.exec(stderr) ?? [];
  expect((await run(`${duplicated} --again ${change}`)).code).toBe(7);
  expect(service.posts).toHaveLength(2);
});

describe('a twin whose refund', () => {
  const twinWith = (status: string): Json =>
    refundedTwin(900, {
      amount_refunded: 0,
      charges: listOf(
        chargeOf('ch_ord_twinA', 900, {
          refunds: listOf(refundOf('rf_twinA', 900, { status, created_at: Date.parse(now) / 1000 - 125 })),
        }),
      ),
    });

  test.each([
    ['failed', 'failed', 'was paid, and its refund failed: ask which of the two', 0],
    [
      'is under way',
      'pending',
      'has a refund under way (pending): if you refund both, the buyer gets both payments back',
      3,
    ],
    [
      'has a status that nobody knows',
      'zorp',
      'shows a refund that is unconfirmed: if you refund both, the buyer may get both payments back',
      3,
    ],
  ])('%s: the pair is not settled', async (_, status, words, code) => {
    await serve([own, twinWith(status)]);
    expect(await shown('orders show ord_twinB')).toContain(words);
    const pairs = await run('orders twins --period 2026-11-21 --tz UTC --json');
    const state = status === 'zorp' ? 'unconfirmed' : status;
    expect((JSON.parse(pairs.stdout) as { data: unknown[] }).data).toMatchObject([
      { first: 'ord_twinA', first_state: state, second_state: null, settled: false },
    ]);
    expect((await run(duplicated)).code).toBe(code);
    expect((await run('orders refund ord_twinB --yes')).code).toBe(code === 0 ? 3 : 0);
    expect(service.posts).toHaveLength(1);
  });
});

describe('one payment', () => {
  const unpaid = (status: string): Json => ({
    ...twin,
    payment_status: status,
    charges: listOf(chargeOf('ch_ord_twinA', 900, { status, paid_at: null })),
  });

  test.each([
    ['declined', 'declined, took no money; only this order did'],
    ['pre_authorized', 'only authorized, took no money; only this order did'],
    ['pending_payment', 'not paid, took no money; only this order did'],
  ])('beside an order that is %s is no twin: a grey line, no warning, no question', async (status, words) => {
    await serve([own, unpaid(status)]);
    const screen = await shown('orders show ord_twinB');
    expect(screen).toContain(
      `twin ord_twinA, another order of this buyer, same amount, 4 min earlier: ${words}`,
    );
    expect(screen).toContain('paydesk orders refund ord_twinB');
    const { code, stderr } = await run(duplicated, 200);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/(note|WARNING): ord_twinA/);
    expect((await run('orders list', 200)).stderr).not.toContain('twins');
  });

  test('is told on the screen of the declined order as well', async () => {
    await serve([own, unpaid('declined')]);
    expect(await shown('orders show ord_twinA')).toContain(
      'ord_twinB, another order of this buyer, same amount, 4 min later: paid; this order (declined) took no money',
    );
  });
});

describe('looking for twins', () => {
  test('takes two requests for a refund and two for orders show, one per side', async () => {
    const far = bought('ord_far', created - 601);
    await serve([own, bought('ord_other', created, { customer_info: { email: 'b@example.com' } }), far]);
    const shown = await run('orders show ord_twinB');
    expect(shown.stdout).not.toContain('twin ');
    expect([...pagesBeside()].toSorted()).toEqual([
      '/orders?limit=50&next=ord_twinB',
      '/orders?limit=50&previous=ord_twinB',
    ]);
    const { code, stderr } = await run(duplicated);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('twin may');
    expect(pagesBeside()).toHaveLength(4);
    await run('orders show ord_twinB --json');
    expect(pagesBeside()).toHaveLength(4);
  });

  test('stops no refund when it fails: that is said, and nothing is asked for twice', async () => {
    const busy = json(errorBody({ type: 'api_error' }), 503);
    await serve([own, refundedTwin(900)], {
      onPage: ({ url }) => (url.includes('limit=50') ? busy : undefined),
    });
    const { code, stderr } = await run(duplicated, 80);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatchInlineSnapshot(`
      "REFUND A WHOLE ORDER                                     sandbox environment
      order   ord_twinB  900 MXN  paid  21 Nov 04:50
      buyer   Ana  ana@example.com
      from    charge 1 of 1, visa *4242, ch_ord_twinB
      reason  duplicated_transaction   the buyer was charged twice
                         order
        paid               900
        refunded so far      0
        THIS REFUND       -900  all of the order
        left afterwards      0
      note: the orders next to it could not be read, so a twin may be missing here:
            the service is not working right now (HTTP 503: El parámetro no es válido)
      will send once: {"reason":"duplicated_transaction"}
      "
    `);
    expect(pagesBeside()).toHaveLength(2);
    const shown = await run('orders show ord_twinB');
    expect(shown.code).toBe(0);
    expect(shown.stderr).toContain('a twin may be missing here');
  });

  test('refuses a name in --again that it cannot check then, and sends nothing', async () => {
    const busy = json(errorBody({ type: 'api_error' }), 503);
    await serve([own, refundedTwin(900)], {
      onPage: ({ url }) => (url.includes('limit=50') ? busy : undefined),
    });
    const refused = await run(`${duplicated} --again rf_twinA`, 80);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatchInlineSnapshot(`
      "refused: --again rf_twinA cannot be checked: ord_twinB has no such refund, and
               the orders next to it could not be read, so a twin may be missing here:
               the service is not working right now (HTTP 503: El parámetro no es
               válido)
      certain: nothing was sent
      now:     run the same command again when those orders can be read
      "
    `);
    const dry = await run(`${duplicated} --again rf_twinA --dry-run`);
    expect(dry).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--again rf_twinA cannot be checked'),
    });
    expect(service.posts).toHaveLength(0);
    expect(await entries()).toEqual([]);
  });

  test('that fails does not stop a refund whose --again names a refund of this order', async () => {
    const busy = json(errorBody({ type: 'api_error' }), 503);
    const refunds = listOf(refundOf('rf_own', 300, { created_at: created + 60 }));
    const part = {
      ...own,
      amount_refunded: 300,
      payment_status: 'partially_refunded',
      charges: listOf(chargeOf('ch_ord_twinB', 900, { refunds })),
    };
    await serve([part, refundedTwin(900)], {
      onPage: ({ url }) => (url.includes('limit=50') ? busy : undefined),
    });
    await run('orders refund ord_twinB --charge 1 --amount 300 --yes --again rf_own');
    expect(service.posts).toHaveLength(1);
  });

  test('waits no longer than --timeout, and then the refund goes on', async () => {
    await serve([own, refundedTwin(900)], {
      onPage: ({ url }) => (url.includes('limit=50&next') ? stall : undefined),
    });
    const { code, stderr } = await run('orders refund ord_twinB --yes --timeout 1');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      'the orders made before it could not be read, so a twin may be missing here: no answer',
    );
    expect(pagesBeside()).toHaveLength(2);
    expect(service.posts).toHaveLength(1);
  });

  test('says when so many orders lie around that ten minutes were not looked through', async () => {
    const crowd = Array.from({ length: 60 }, (_, index) =>
      bought(`ord_crowd${index}`, created - index, { customer_info: { email: `b${index}@example.com` } }),
    );
    await serve([own, ...crowd]);
    const { stderr } = await run('orders show ord_twinB');
    expect(stderr).toContain('paydesk looked at only 50 orders before and after this one');
  });
});

// The lines down to the first empty one.
function firstBlock({ stdout }: Ran): string {
  return stdout.slice(0, stdout.indexOf('\n\n'));
}
