/** An order as people name it: an id with what was copied around it; on a terminal words, to choose among the orders that have them. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDesk } from '../harness/desk.ts';

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
    ['two ids', `${id} ord_2tQ7wCn4UgS8bMyHe`],
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
    await person.waitFor('Send it?');
    person.type('n\r');
    const { code, screen } = await person.leaves;
    expect(code).toBe(3);
    expect(screen).toContain(id);
    expect(desk.changes().length).toBe(before);
  });

  test('in a script are refused with the search that finds it', async () => {
    for (const words of [['show'], ['refund', '--yes'], ['capture', '--yes']]) {
      const { code, stderr } = await desk.script(['orders', words[0] ?? '', 'A-99998', ...words.slice(1)]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/paydesk (?:-p \S+ )?orders find A-99998/);
    }
    expect(desk.changes()).toEqual([]);
  });
});
