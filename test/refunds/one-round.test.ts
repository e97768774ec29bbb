/** Spreadsheets as people make them: one run says everything that is wrong with them, and once that is corrected they are sent. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { isLong } from '../harness/long.ts';
import { bin, cleanEnv } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { reply } from '../harness/server.ts';
import { order, orders, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

/** What a spreadsheet on Windows saves as CSV UTF-8. */
function ofWindows(lines: readonly string[]): Uint8Array {
  return Buffer.from(['\ufeff', ...lines.map((line) => `${line}\r\n`)].join(''));
}

const eight = [
  'Order ID;Charge ID;Amount;Reason;Ref;Note',
  'ord_1;any;100;;;cobro doble, Sra. Muñoz',
  'ord_2;any;1.250,00;;;',
  'ord_3;any;100;cliente;;',
  'ord_4;any;99999999;;;dijo que sí',
  'ord_99;any;100;;;',
  'ord_5;any;100;;;',
  'ord_5;any;100;;;',
  'ord_6;any;full;;;ya devuelto?',
];

it('the eight rows: errors of form, of orders and of money are said in one round, and written beside the rows', async () => {
  await using service = await startRefunds(orders(6));
  service.refund('ord_6', 'ch_ord_6', 35000);
  service.write('march.csv', ofWindows(eight));

  const ran = await service.plan('march.csv', '--errors', 'march-errors.csv');

  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatchInlineSnapshot(`
    "line 3: amount 1.250,00: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 125000, if not 1250
    line 4: reason cliente: not a reason: requested_by_client, cannot_be_fulfilled, duplicated_transaction, suspected_fraud, other, or blank for none
    line 5: 99999999 is more than is left on charge 1 (*4242) of ord_4: 35000 paid, 0 refunded, 35000 left
    line 6: there is no order ord_99
    line 8: line 7 may refund the same money (ord_5, any charge): give each row its own ref if both are meant, or delete one
    line 9: ord_6 is refunded already: 35000 of 35000 MXN went back
    error:   march.csv has 6 errors
    certain: nothing was sent
    now:     correct the rows in march-errors.csv; then run the command with that file
    "
  `);
  const text = readFileSync(join(service.home.path, 'march-errors.csv'), 'utf8');
  expect(text.split('\r\n')[1]).toBe('2;;ord_1;any;100;;;cobro doble, Sra. Muñoz');
  expect(service.posts).toHaveLength(0);

  // As somebody corrects it, in the same program.
  const mended = text
    .replace(';1.250,00;', ';1250;')
    .replace(';cliente;', ';requested_by_client;')
    .replace(';99999999;', ';full;')
    .replace(/^.*;ord_99;.*\r\n/m, '')
    .replace(/^8;.*\r\n/m, '')
    .replace(/^9;.*\r\n/m, '');
  service.write('march-errors.csv', mended);
  const planned = await service.plan('march-errors.csv', '--json');
  expect([planned.code, recordsIn(planned).map(({ order_id, amount }) => [order_id, amount])]).toEqual([
    0,
    [
      ['ord_1', 100],
      ['ord_2', 1250],
      ['ord_3', 100],
      ['ord_4', 35000],
      ['ord_5', 100],
    ],
  ]);
  expect(recordsIn(planned)[0]?.note).toBe('cobro doble, Sra. Muñoz');
  expect((await service.apply()).code).toBe(0);
  expect(service.made).toHaveLength(6);
});

it('a plan says which columns it does not read, and takes an id in capitals', async () => {
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  await using service = await startRefunds([...orders(2), order(id)]);

  const ran = await service.plan(
    [
      'Order number,Charge,Amount,Grund,Kommentar,Platz',
      `${id.toUpperCase()},any,100,other,,B7`,
      'ord_1,any,100,,,',
    ],
    '--json',
  );

  expect(recordsIn(ran).map(({ order_id, reason }) => [order_id, reason])).toEqual([
    [id, 'other'],
    ['ord_1', null],
  ]);
  expect(inOneLine(ran.stderr)).toContain(
    `read: Order number as reference, Charge as charge_id, Grund as reason, Kommentar as note not read: Platz line 2: ord_2tq7zrk9pwe5xnvam is ${id}`,
  );
});

// What people do to a cell, what the run says of it, and how they correct it. Undefined: they delete the row.
type Slip = readonly [amount: string, said: RegExp, corrected: string | undefined];

const slips: readonly Slip[] = [
  ['1.000', /without marks|decimals/, '1000'],
  ['"1,000"', /without marks/, '1000'],
  ['$200', /currency in three letters/, '200 MXN'],
  ['200 USD', /the file says 200 USD/, '200'],
  ['-300', /without a sign/, '300'],
  ['', /blank/, 'full'],
  ['todo', /type full/, 'full'],
  ['999999', /left|more than/, 'full'],
  ['0', /zero is no amount/, undefined],
];

const count = isLong ? 300 : 99;

it(`${count} messy rows: one round says each that is wrong, and the corrected file is sent`, async () => {
  const all = orders(count).map((one, index) =>
    index % 50 === 49 ? order(String(one.id), { metadata: {} }) : one,
  );
  await using service = await startRefunds([...all, splitOrder('ord_split', 1000, 2000)]);
  const slipOf = (row: number): Slip | undefined => (row % 3 === 0 ? slips[(row / 3) % 9] : undefined);
  const rows = Array.from({ length: count }, (_, index) => index + 1);
  const idOf = (row: number) => (row % 11 === 5 ? `ord_${row + 5000}` : `ord_${row}`);
  const line = (row: number) =>
    `${idOf(row)};any;${slipOf(row)?.[0] ?? 100};${row % 7 === 0 ? '"doble; pedía uno"' : 'Señora Pérez'}`;
  service.write(
    'abril.csv',
    ofWindows(['sep=;', 'ORDER_ID;charge_id;amount;note', ...rows.map(line), '', ';;;']),
  );

  const ran = await service.plan('abril.csv', '--errors', 'errors.csv');

  expect(ran.code).toBe(2);
  const text = readFileSync(join(service.home.path, 'errors.csv'), 'utf8');
  const [titles = [], ...written] = readCsv(text, ';');
  const errorOf = new Map(written.map(([, error = '', id = '']) => [id, error]));
  for (const row of rows) {
    const slip = slipOf(row);
    const isMissing = row % 11 === 5;
    const error = errorOf.get(idOf(row));
    if (slip === undefined) expect(error).toMatch(isMissing ? /no order/ : /^$/);
    else if (!isMissing || !slip[1].test('left')) expect(error).toMatch(slip[1]);
  }
  const isWrong = (row: number) => slipOf(row) !== undefined || row % 11 === 5;
  expect(ran.stderr).toContain(`abril.csv has ${rows.filter(isWrong).length} errors`);

  const corrected = written.flatMap(([number = '', error = '', id = '', ...cells]) => {
    const row = Number(id.replace('ord_', ''));
    if (row > 5000) return [];
    const slip = slipOf(row);
    if (slip === undefined) return [[number, error, id, ...cells]];
    return slip[2] === undefined ? [] : [[number, error, id, cells[0] ?? '', slip[2], cells[2] ?? '']];
  });
  const cell = (one: string) => `"${one.replaceAll('"', '""')}"`;
  service.write('errors.csv', ofWindows([titles, ...corrected].map((cells) => cells.map(cell).join(';'))));
  const planned = await service.plan('errors.csv', '--json');
  expect([planned.code, planned.stderr]).toEqual([0, expect.any(String)]);
  const applied = await service.apply('--concurrency', '4');
  expect([applied.code, service.made.length]).toEqual([0, corrected.length]);
});

it('the errors of a file are said although the service cannot be asked about its other rows', async () => {
  await using service = await startRefunds(orders(2), { onPage: () => reply('', 400) });
  const ran = await service.plan(['order_id,amount', 'ord_1,5', 'ord_2,x']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('line 3: amount x: not a whole number');
  expect(ran.stderr).toContain('no order was looked at: ');
});

it.each([
  ['|', 'order_id|amount\nord_1|100\n'],
  [':', 'order_id:amount\nord_1:100\n'],
  ['sep=|', 'sep=|\norder_id|amount\nord_1|100\n'],
])('cells that are parted by %s are recognised', async (_, csv) => {
  await using service = await startRefunds(orders(1));
  service.write('a.csv', csv);
  const planned = await service.plan('a.csv', '--json');
  expect([planned.code, recordsIn(planned)[0]?.amount]).toEqual([0, 100]);
});

it('a pipe that nobody writes to is said to be waited for', async () => {
  await using service = await startRefunds(orders(1));
  const pipe = join(service.home.path, 'pipe');
  await once(spawn('mkfifo', [pipe]), 'exit');
  const child = spawn(process.execPath, [bin, '-p', 'demo', 'refunds', 'plan', pipe, '--to', 'a.plan'], {
    env: cleanEnv({ home: service.home }),
    cwd: service.home.path,
  });
  const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(said).toContain('is a pipe: waiting for somebody to write to it');
});
