/** An order as people name it: an id with what was copied around it; on a terminal words, to choose among the orders that have them. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayNameOrder } from '../../src/orders/orders.ts';
import { startDesk } from '../harness/desk.ts';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { startService } from '../harness/service.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
let desk: Awaited<ReturnType<typeof startDesk>>;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

describe('an id that was copied', () => {
  test.each([
    ['with blanks', ` ${id} \n`],
    ['with quotes and a comma', `"${id}",`],
    ['in brackets', `(${id})`],
    ['with a full stop', `${id}.`],
    ['in the address of a page', `https://shop.example/admin/orders/${id}?tab=money#top`],
  ])('%s is that order, for a look and for a refund', async (_, text) => {
    const shown = await desk.script(['orders', 'show', text, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id });
    const planned = await desk.script(['orders', 'refund', text, '--charge', '2', '--dry-run', '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ path: expect.stringContaining(id) });
  });

  test.each([
    ['two ids in an address', `https://shop.example/${id}/ord_2tQ7wCn4UgS8bMyHe`],
    ['an id with an amount behind it', `${id},500`],
    ['nothing but a bracket', '()'],
  ])('%s is refused, and nothing is asked of the service', async (_, text) => {
    const before = desk.requests.length;
    for (const words of [['show'], ['refund', '--yes'], ['capture', '--yes']]) {
      const { code, stderr } = await desk.script(['orders', words[0] ?? '', text, ...words.slice(1)]);
      expect(code).toBe(2);
      expect(stderr).toContain('not the id of an order');
    }
    expect(desk.requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('a pasted text of a mail', () => {
  const mail = `Order: ${id} from Ana Torres, 520.00 MXN`;
  const withNumber = 'Hi, my order A-99998 of 520.00 never came. Thanks, Ana';

  test.each([
    ['its id', mail, `the text names ${id}`],
    ['its number at the shop', withNumber, `A-99998 is ${id}, Ana Torres, 52000 MXN`],
  ])('with %s is that order for a look, and stderr says which', async (_, text, said) => {
    const shown = await desk.script(['orders', 'show', text, '--json']);
    expect(JSON.parse(shown.stdout), shown.stderr).toMatchObject({ id });
    expect(shown.stderr).toContain(said);
    const found = await desk.script(['orders', 'find', text, '--json']);
    expect(JSON.parse(found.stdout), found.stderr).toMatchObject({ data: [{ id }] });
    expect(found.stderr).toContain(`searched for ${text === mail ? id : 'A-99998'}, which the text names`);
  });

  test.each([mail, withNumber])(
    '%s: a change asks with its whole command (2), and sends nothing',
    async (text) => {
      const { code, stderr } = await desk.script(['orders', 'refund', text, '--charge', '2', '--yes']);
      expect(code).toBe(2);
      expect(stderr).toContain(`if that order is meant: paydesk orders refund ${id} --charge 2 --yes`);
      expect(desk.changes()).toEqual([]);
    },
  );

  test('with two ids is refused with both of them, and typed as words of a search it is asked about', async () => {
    const two = await desk.script(['orders', 'show', `${id} or ord_2tQ7wCn4UgS8bMyHe`]);
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining('         ord_2tQ7wCn4UgS8bMyHe\n')]);
    const words = await desk.script(['orders', 'find', ...withNumber.split(' ')]);
    expect([words.code, words.stderr]).toEqual([5, expect.stringMatching(/orders find A-99998\n/)]);
  });

  test('names its number among amounts and cards, and the suggestion for typed words has it too', async () => {
    const lines =
      'Hello, I paid 52,000 with my card ending in 4242\nand the lamp broke. My name is Ana Torres\nOrder no. A-99998, please.';
    const found = await desk.script(['orders', 'find', lines, '--json']);
    expect(JSON.parse(found.stdout), found.stderr).toMatchObject({ data: [{ id }] });
    const words = await desk.script(['orders', 'find', ...lines.split(/\s+/)]);
    expect([words.code, words.stderr]).toEqual([5, expect.stringMatching(/orders find A-99998\n/)]);
    expect(words.stderr).not.toContain('--status');
    const few = await desk.script(['orders', 'find', 'order', 'A-99998', 'please']);
    expect(few.stderr).toMatch(/orders find A-99998\n/);
  });

  test.each([
    ['ends of lines that are pasted', 'Ana Torres\r52000 MXN'],
    ['ends of lines that are pasted in brackets', '\x1b[200~Ana Torres\r52000 MXN\r\x1b[201~'],
    ['a mail that is pasted', 'Hello, I paid 52,000 by card 4242\rOrder no. A-99998, please.\r'],
  ])('%s choose no order, and the order that they name is found', async (_, pasted) => {
    const person = desk.person(['orders', 'refund', '--charge', '2', '--amount', '100', '--dry-run'], 100);
    await person.answer('type to search', pasted);
    await person.waitFor(/(?:Ana Torres 52000 MXN|A-99998)[\s\S]*1 found in/);
    person.type('\r');
    expect((await person.leaves).screen).toContain(`POST /orders/${id}/refunds`);
  });

  test('on a terminal begins the search with what it names', async () => {
    const person = desk.person(['orders', 'show', mail], 100);
    await person.waitFor(/1 found in/);
    person.type('\r');
    expect((await person.leaves).screen).toMatch(/MONEY \(MXN/);
  });
});

describe('words of an order', () => {
  test.each([
    ['the shop’s own number', 'A-99998'],
    ['the end of its id', '9PwE5xNvAm'],
    ['its id in capitals', id.toUpperCase()],
    ['the e-mail of its buyer', 'buyer1@example.com'],
  ])('on a terminal, %s begins the search for it', async (_, words) => {
    const person = desk.person(['orders', 'show', words], 100);
    await person.waitFor(new RegExp(`${words}[\\s\\S]*ord_`));
    await person.waitFor(/found in/);
    person.type('\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(0);
    expect(screen).toMatch(/MONEY \(MXN/);
  });

  test('begin the search for the order of a refund, which a No leaves unsent', async () => {
    const before = desk.changes().length;
    const person = desk.person(['orders', 'refund', 'A-99998', '--charge', '2', '--only-confirm'], 100);
    await person.waitFor(/A-99998[\s\S]*found in/);
    person.type('\r');
    await person.waitFor(/Send back .*\?/);
    person.type('n\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain(id);
    expect(desk.changes().length).toBe(before);
  });

  test('in a script are refused with the search that finds it', async () => {
    for (const words of [['show'], ['refund', '--yes'], ['capture', '--yes']]) {
      const { code, stderr } = await desk.script(['orders', words[0] ?? '', 'torres', ...words.slice(1)]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/paydesk (?:-p \S+ )?orders find torres/);
    }
    expect(desk.changes()).toEqual([]);
  });
});

describe('the shop’s own number in a script', () => {
  const number = 'A-99998';

  test.each([
    ['orders show', ['orders', 'show', number, '--json']],
    ['the words for the buyer', ['orders', 'show', `#${number}`, '--for-buyer', '--json']],
    ['refunds receipt', ['refunds', 'receipt', number, '--json']],
    ['a refund with --dry-run', ['orders', 'refund', number, '--charge', '2', '--dry-run', '--json']],
  ])('%s takes the one order that has it, and stderr says which', async (_, words) => {
    const { code, stdout, stderr } = await desk.script(words);
    expect(code).toBe(0);
    expect(stdout).toContain(id);
    expect(stderr).toContain(`${number} is ${id}, Ana Torres, 52000 MXN`);
  });

  test.each(['A99998', 'a 99998', 'A_99998', 'A–99998', '#a.99998'])(
    '%s is that number, told or typed otherwise; a change is refused as with the number itself',
    async (typed) => {
      const shown = await desk.script(['orders', 'show', typed, '--json']);
      const found = await desk.script(['orders', 'find', typed, '--json']);
      const refund = await desk.script(['orders', 'refund', typed, '--charge', '2', '--yes']);
      if (!typed.includes(' ')) {
        expect(JSON.parse(shown.stdout)).toMatchObject({ id });
        expect(shown.stderr).toContain(`${typed} is ${number}, ${id}, Ana Torres, 52000 MXN`);
        expect(refund.stderr).toContain(`orders refund ${id} --charge 2 --yes`);
      }
      expect(JSON.parse(found.stdout)).toMatchObject({ data: [{ id }] });
      expect(refund.code).toBe(2);
      expect(desk.changes()).toEqual([]);
    },
  );

  test('without its letter it is asked about, and not taken', async () => {
    const { code, stderr } = await desk.script(['orders', 'show', '99998']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`did you mean ${id}, Ana Torres, 52000 MXN?`),
    ]);
  });

  test('a change refuses it (2) with the buyer and the whole command, and sends nothing', async () => {
    const typed = ['--charge', '2', '--amount', '300', '--reason', 'other', '--note', 'too late'];
    const refund = await desk.script(['orders', 'refund', number, ...typed, '--yes']);
    expect(refund.code).toBe(2);
    expect(refund.stderr).toContain(`${number} is ${id}, Ana Torres, 52000 MXN`);
    expect(refund.stderr).toContain(
      `orders refund ${id} --charge 2 --amount 300 --reason other --note 'too late' --yes`,
    );
    const capture = await desk.script(['orders', 'capture', number, '--yes']);
    expect(capture.code).toBe(2);
    expect(capture.stderr).toContain(`orders capture ${id} --yes`);
    expect(desk.changes()).toEqual([]);
  });

  test('of which the journal has one change shows, lists and proves that change', async () => {
    await using service = await startService({
      orders: [orderOf('ord_a', [chargeOf('ch_a', 500)], { metadata: { shop_order: 'B-17' } })],
    });
    using home = newHome();
    const seat = { home, env: service.env };
    await paydesk(['orders', 'refund', 'ord_a', '--amount', '100', '--yes'], seat);
    const shown = await paydesk(['journal', 'show', 'B-17', '--json'], seat);
    expect(JSON.parse(shown.stdout)).toMatchObject({ order: 'ord_a', amount: 100 });
    const listed = await paydesk(
      ['journal', 'list', '--order', 'B-17', '--csv', '--columns', 'order,desk'],
      seat,
    );
    expect(listed.stdout, listed.stderr).toBe('order,desk\nord_a,\n');
    const proved = await paydesk(['prove', 'B-17', '--to', 'p.ndjson', '--json'], seat);
    expect(JSON.parse(proved.stdout), proved.stderr).toMatchObject({ refunds: 1 });
    const unproved = await desk.script(['prove', number, '--to', 'p.ndjson']);
    expect([unproved.code, unproved.stderr]).toEqual([
      5,
      expect.stringContaining(`no refund of ${id} was sent`),
    ]);
    const unknown = await paydesk(['journal', 'list', '--order', 'B-18'], seat);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('orders find B-18')]);
    for (const more of [['--all-profiles'], ['--from', 'old.ndjson']]) {
      const ran = await paydesk(['journal', 'list', '--order', 'B-17', ...more], seat);
      expect([ran.code, ran.stderr]).toEqual([
        2,
        expect.stringContaining('--order B-17: type the id of the order'),
      ]);
    }
    const none = await paydesk(['journal', 'show', 'B-18'], seat);
    expect(none.code).toBe(5);
    expect(none.stderr).toContain('has no B-18');
  });
});

test.each([
  ['so_100234', true],
  ['cus_2sZp8LmQ4tVx', false],
  ['i_7f3k9q2m', false],
  ['chk_1', false],
  [id, false],
])('%s may be the number of an order at the shop: %s', (text, may) => {
  expect(mayNameOrder(text)).toBe(may);
});

describe('a part of an id in a script', () => {
  test.each([
    ['its end', '9PwE5xNvAm'],
    ['its end in another case', '9pwe5xnvam'],
    ['the whole of it in capitals', id.toUpperCase()],
  ])('%s is that order if only one fits, and stderr says which', async (_, part) => {
    const shown = await desk.script(['orders', 'show', part, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id });
    expect(shown.stderr).toContain(`${part} is ${id}, Ana Torres, 52000 MXN`);
    const planned = await desk.script(['orders', 'refund', part, '--charge', '2', '--dry-run', '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ path: expect.stringContaining(id) });
  });

  test('is refused (2) with the orders to choose from if several fit, and with the search if none does', async () => {
    const orders = ['ord_aaaaaaaaSame1234', 'ord_bbbbbbbbSame1234'].map((one) =>
      orderOf(one, [chargeOf(`ch_${one}`, 35_000)]),
    );
    await using service = await startService({ orders });
    using home = newHome();
    const seat = { home, env: service.env };
    for (const words of [['show'], ['refund', '--yes'], ['capture', '--yes']]) {
      const [verb = '', ...more] = words;
      const several = await paydesk(['orders', verb, 'Same1234', ...more], seat);
      expect(several.code).toBe(2);
      for (const { id: one } of orders) expect(several.stderr).toContain(`${String(one)}, `);
      const none = await paydesk(['orders', verb, 'Same12345', ...more], seat);
      expect(none.code).toBe(2);
      expect(none.stderr).toContain('orders find Same12345');
    }
    expect(service.posts).toEqual([]);
  });
});

test('an id with a letter before it is refused, and asked about', async () => {
  for (const words of [['show'], ['refund', '--yes']]) {
    const { code, stderr } = await desk.script(['orders', words[0] ?? '', `o${id}`, ...words.slice(1)]);
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean ${id}, Ana Torres, 52000 MXN?`);
  }
});

describe('an id that is not there', () => {
  test.each([
    ['another letter', id.replace('RkP', 'RkQ').replace('zRk9P', 'zRk9Q')],
    ['a missing letter', id.replace('zRk', 'zR')],
    ['a letter too much', id.replace('zRk', 'zzRk')],
    ['two letters swapped', id.replace('zRk', 'Rzk')],
    ['another case', id.replace('zRk', 'ZRK')],
  ])('%s: it asks whether the order is meant, and takes it for nothing', async (_, typed) => {
    expect(typed).not.toBe(id);
    const before = desk.changes().length;
    for (const words of [['show'], ['refund', '--yes']]) {
      const [verb = '', ...more] = words;
      const ran = await desk.script(['orders', verb, typed, ...more]);
      expect(ran.code).toBe(5);
      expect(ran.stderr).toContain(`did you mean ${id}, Ana Torres, 52000 MXN?`);
    }
    expect(desk.changes()).toHaveLength(before);
  });

  test.each([
    ['all orders', [], 5],
    ['the newest orders', ['--max', '20'], 9],
  ] as const)(
    'orders find asks the same after it searched %s, and takes quotes around an id',
    async (_, more, code) => {
      const missing = await desk.script([
        'orders',
        'find',
        id.replace('RkP', 'RkQ').replace('zRk9P', 'zRk9Q'),
        ...more,
      ]);
      const found = await desk.script(['orders', 'find', `“${id}”`, '--json', ...more]);

      expect(missing.code).toBe(code);
      expect(missing.stderr).toContain(`did you mean ${id}, Ana Torres, 52000 MXN?`);
      expect(JSON.parse(found.stdout)).toMatchObject({ data: [{ id }] });
    },
  );
});

describe('an e-mail with a letter wrong', () => {
  const typed = 'buyer1@exmple.com';

  test.each([
    ['customers show buyer1@exmple.com', 'buyer1@example.com?', 'customers show buyer1@example.com'],
    ['customers show cus_2sZp8LmQ4tVy', 'cus_2sZp8LmQ4tVx?', 'customers show cus_2sZp8LmQ4tVx'],
    ['customers find cus_2sZp8LmQ4tVy', 'cus_2sZp8LmQ4tVx?', 'customers find cus_2sZp8LmQ4tVx'],
    [
      'orders find --customer bujer1@example.com',
      'buyer1@example.com (3 orders)?',
      'orders find --customer buyer1@example.com',
    ],
  ])('%s asks whether the nearest one is meant', async (line, who, command) => {
    const { code, stderr } = await desk.script(line.split(' '));
    expect(code).toBe(5);
    expect(stderr).toContain(`did you mean ${who}\n         paydesk ${command}\n`);
  });

  test.each([['Ana Torres, 520'], ['ana torres 520 pesos'], ['$520 Ana Torres']])(
    '%s names the order of 520.00 and the orders without the number',
    async (text) => {
      const { code, stderr } = await desk.script(['orders', 'find', text]);
      expect(code).toBe(5);
      expect(stderr).toContain(
        [
          'did you mean Ana Torres, 520.00 as 52000 (1 order)?',
          '         paydesk orders find ana torres 52000',
          '         did you mean Ana Torres, without 520 (5 orders)?',
          '         paydesk orders find ana torres\n',
        ].join('\n'),
      );
    },
  );

  test('a search for a customer with an amount leads to searches that find something', async () => {
    const { stderr } = await desk.script(['customers', 'find', 'ana torres, 520']);
    expect(stderr).toContain(
      'did you mean Ana Torres, without 520?\n         paydesk customers find ana torres\n',
    );
    expect(stderr).toContain('search the orders:\n         paydesk orders find ana torres\n');
  });

  test('the search for an order to refund offers the order of 520.00', async () => {
    const person = desk.person(['orders', 'refund', 'Ana Torres, 520'], 120);
    await person.answer('did you mean Ana Torres, 520.00 as 52000 (1 order)', '\r');
    await person.answer(/ord_2tQ7zRk9PwE5xNvAm[\s\S]*1 found/, '\x03');
    expect((await person.leaves).code).toBe(130);
  });

  test.each(['orders', 'customers'])('%s find asks whether the nearest one is meant', async (noun) => {
    const { code, stderr } = await desk.script([noun, 'find', typed]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/did you mean buyer1@example\.com(?: \(\d+ orders?\))?\?/);
    expect(stderr).toContain(`${noun} find buyer1@example.com\n`);
    expect(stderr).not.toContain('buyer2@');
  });

  test.each([typed, 'tores'])(
    'the search of a person who typed %s asks it too, and chooses nothing',
    async (words) => {
      const person = desk.person(['orders', 'refund', words], 120);
      await person.waitFor(/0 found in all[\s\S]*did you mean (?:buyer1@example\.com|Ana Torres)/);
      person.type('\r\x03');
      expect(await person.leaves).toMatchObject({ code: 130 });
    },
  );
});

describe('customers show', () => {
  test('takes a whole e-mail address, in any case', async () => {
    const { stdout } = await desk.script(['customers', 'show', 'BUYER1@example.com', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'cus_2sZp8LmQ4tVx', email: 'buyer1@example.com' });
  });

  test('of a name is refused with the search that finds it', async () => {
    const { code, stderr } = await desk.script(['customers', 'show', 'Torres']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('paydesk customers find Torres\n')]);
  });

  test('of an address that nobody has exits 5 with the search of the orders', async () => {
    const { code, stderr } = await desk.script(['customers', 'show', 'nobody@example.com']);
    expect(code).toBe(5);
    expect(stderr).toContain('orders find nobody@example.com');
  });
});
