/** The column `again` of a file: a row that repeats a refund names it there, and a question mark keeps the row from being sent. */

import { expect, it } from 'vitest';
import { orders, recordsIn, startRefunds } from './refund-service.ts';

const titles = 'order_id,amount,ref,again';
const verdict = ({ verdict: word }: { readonly verdict?: unknown }) => word;

it('--errors asks about a row that repeats a refund, and once the ? is gone that row is sent, and no other', async () => {
  await using service = await startRefunds(orders(3));
  const before = service.refund('ord_1', 'ch_ord_1', 100);
  service.write('march.csv', 'Order ID;Amount;Note\nord_1;100;a\nord_2;1,5;b\nord_3;7;c\n');

  const refused = await service.plan('march.csv', '--errors', 'errors.csv');

  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('take away the ? if that is meant');
  const lines = service.read('errors.csv').split('\n');
  expect(lines[0]).toBe('line;error;Order ID;Amount;Note;again');
  expect(lines[1]?.split(';').slice(2)).toEqual(['ord_1', '100', 'a', `? ${before}`]);
  expect(lines[3]).toBe('4;;ord_3;7;c;');
  const mended = service.read('errors.csv').replace(';1,5;', ';15;');
  service.write('errors.csv', mended);
  const asked = await service.plan('errors.csv', '--to', 'asked.plan', '--json');
  expect(recordsIn(asked).map(verdict)).toEqual(['impossible', 'ready', 'ready']);

  service.write('errors.csv', mended.replace('? ', ''));
  const meant = await service.plan('errors.csv', '--to', 'refunds.plan', '--json');
  expect(recordsIn(meant).map(verdict)).toEqual(['ready', 'ready', 'ready']);
  expect((await service.apply()).code).toBe(0);
  expect(
    service.made
      .map(({ order, amount }) => [order, amount])
      .toSorted((a, b) => String(a).localeCompare(String(b))),
  ).toEqual([
    ['ord_1', 100],
    ['ord_1', 100],
    ['ord_2', 15],
    ['ord_3', 7],
  ]);
  // The id is used up: the same row of another file is a repeat again, of the newer refund.
  service.write('next.csv', `${titles}\nord_1,100,second,${before}\n`);
  expect(recordsIn(await service.plan('next.csv', '--json')).map(verdict)).toEqual(['impossible']);
});

it('an id in a cell counts for its row only', async () => {
  await using service = await startRefunds(orders(1));
  const before = service.refund('ord_1', 'ch_ord_1', 100);
  const planned = await service.plan(
    [titles, 'ord_1,100,a,', `ord_1,100,b,${before}`, `ord_1,100,c,${before}`],
    '--json',
  );
  expect(recordsIn(planned).map(verdict)).toEqual(['impossible', 'ready', 'impossible']);
});

it('a ? stops a row that could be sent, also in a plan made anew, until --again names the refund', async () => {
  await using service = await startRefunds(orders(1));
  const larger = service.refund('ord_1', 'ch_ord_1', 900);
  await service.plan([titles, `ord_1,100,,? ${larger}`]);
  const anew = (name: string, ...more: readonly string[]) =>
    service.run(['refunds', 'plan', '--refresh', 'refunds.plan', '--to', name, '--json', ...more]);

  const kept = await anew('kept.plan');
  const named = await anew('named.plan', '--again', larger);

  expect(recordsIn(kept).map(({ verdict: word, why }) => [word, why])).toEqual([
    ['look', expect.stringContaining(`its cell again asks about ${larger}`) as string],
  ]);
  expect(recordsIn(named).map(verdict)).toEqual(['ready']);
});

it('a plan made anew keeps what the cells name', async () => {
  await using service = await startRefunds(orders(1));
  const before = service.refund('ord_1', 'ch_ord_1', 100);
  await service.plan([titles, `ord_1,100,,${before}`]);
  const anew = await service.run([
    'refunds',
    'plan',
    '--refresh',
    'refunds.plan',
    '--to',
    'b.plan',
    '--json',
  ]);
  expect(recordsIn(anew).map(verdict)).toEqual(['ready']);
});

it('a plan and its status say the one command that sends a row once more', async () => {
  await using service = await startRefunds(orders(2));
  const before = service.refund('ord_1', 'ch_ord_1', 100);
  const planned = await service.plan([titles, 'ord_1,100,,', 'ord_2,7,,']);
  const command = `paydesk refunds plan --refresh refunds.plan --to refunds-2.plan --again ${before}`;
  expect(planned.stderr).toContain(command);
  await service.apply();
  expect((await service.run(['refunds', 'status', 'refunds.plan'])).stderr).toContain(command);
  const anew = await service.run([...command.split(' ').slice(1), '--json']);
  expect(recordsIn(anew).map(verdict)).toEqual(['ready', 'done']);
});

it.each(['yes', '1', 'sí', '? yes'])('%s in the cell is refused: it names no refund', async (cell) => {
  await using service = await startRefunds(orders(1));
  const { code, stderr } = await service.plan([titles, `ord_1,100,,${cell}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('not the id of the refund') as string]);
});
