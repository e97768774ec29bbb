/** Files with errors: one run says all of them with their lines, nothing is read or sent, and a file of errors helps to correct them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readCsv } from '../harness/csv.ts';
import { isLong } from '../harness/long.ts';
import { bin, cleanEnv } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { csvOf, orders, recordsIn, splitOrder, startRefunds } from './refund-service.ts';

function newService() {
  return startRefunds([...orders(3), splitOrder('ord_s', 1000, 2000)]);
}

const amounts = [
  '100.00',
  '1e3',
  '0x10',
  '""',
  '" 1 2 "',
  '-5',
  '+5',
  '0',
  '"1,000"',
  '$5',
  '١٢',
  '1_000',
  'Infinity',
  '9007199254740993',
];

const faulty = [
  'order_id,charge_id,amount,ref,seat',
  'ord_1,any,,,A1',
  'ord_1,,100,,A1',
  'ord_1,,,,A1',
  'ord_1, ,  ,,A1',
  'ord_1,NULL,NULL,,A1',
  'ord_1,-,-,,A1',
  ...amounts.map((amount, index) => `ord_1,any,${amount},r${index},A1`),
  'ord_1,any,100',
  'ord_1,any,100,r,A1,too many',
  'ord_1,any,100,"r" x,A1',
  'ord_1,any,100,\u0000,A1',
  'ord_2,any,100,,=B2',
  'ord_2,any,200,,B2',
  'ord_3,1,50,,C3',
  'ord_3,full,full,,C3',
  'no id,any,1,,',
  'ord_s,2,500,,D4',
  'ord_3,any,100,x,"never closed',
];

it('F44 F45 F50 F51 one run lists every error of a file with its line, and nothing is sent', async () => {
  await using service = await newService();
  service.write(
    'bad.csv',
    Buffer.concat([Buffer.from(faulty.join('\r\n')), Buffer.from('\r\nord_1,any,5,q,'), Buffer.of(0xff)]),
  );

  const ran = await service.plan('bad.csv');

  expect(ran.code).toBe(2);
  expect(ran.stdout).toBe('');
  expect(ran.stderr).toMatchInlineSnapshot(`
    "not read: seat
    line 2: amount is blank: type the amount, or full for the whole charge or order
    line 3: charge_id is blank: type the charge, or full for the whole order, or any if one card paid
    line 4: charge_id is blank: type the charge, or full for the whole order, or any if one card paid
    line 4: amount is blank: type the amount, or full for the whole charge or order
    line 5: charge_id is blank: type the charge, or full for the whole order, or any if one card paid
    line 5: amount is blank: type the amount, or full for the whole charge or order
    line 6: charge_id NULL says nothing: type the charge, or full for the whole order, or any if one card paid
    line 6: amount NULL says nothing: type the amount, or full for the whole charge or order
    line 7: charge_id - says nothing: type the charge, or full for the whole order, or any if one card paid
    line 7: amount - says nothing: type the amount, or full for the whole charge or order
    line 8: amount 100.00: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 10000, if not 100
    line 9: amount 1e3: a spreadsheet or program shortened it; type all its digits, such as 23000
    line 10: amount 0x10: not a whole number such as 23000, nor full
    line 11: amount is blank: type the amount, or full for the whole charge or order
    line 12: amount " 1 2 ": type it without marks between the digits
    line 13: amount -5: type it without a sign: 5
    line 14: amount +5: type it without a sign: 5
    line 15: amount 0: zero is no amount; type one above 0
    line 16: amount 1,000: type it without marks between the digits: 1000
    line 17: amount $5: type it with the currency in three letters behind it, in the unit of the order's amount, such as 5 MXN or 5 USD
    line 18: amount ١٢: type it with the digits 0 to 9, such as 23000
    line 19: amount 1_000: type it without marks between the digits: 1000
    line 20: amount Infinity: not a whole number such as 23000, nor full
    line 21: amount 9007199254740993: the largest is 9007199254740991
    line 22: the row has 3 cells, and the first line has 5 titles: write a blank cell where there is nothing to say
    line 23: the row has 6 cells, and the first line has 5 titles: put quotes around a cell that contains the delimiter
    line 24: the quote that opens this cell is not closed, or a quote inside it is not doubled ("")
    line 25: this cell holds a NUL character: delete it
    line 27: line 26 may refund the same money (ord_2, any charge): give each row its own ref if both are meant, or delete one
    line 29: line 28 may refund the same money (ord_3, charge 1): give each row its own ref if both are meant, or delete one
    line 30: order_id no id: neither an order's id such as ord_2tQ7zRk9PwE5xNvAm nor the shop's own number
    line 32: the quote that opens this cell is never closed
    line 33: here the file is not UTF-8: save it as UTF-8 (in a spreadsheet: CSV UTF-8)
    error:   bad.csv has 33 errors
    certain: nothing was sent
    now:     correct the file itself, or save it anew; then run the command again
    "
  `);
  expect(service.posts).toEqual([]);
  expect(() => service.read('refunds.plan')).toThrow('ENOENT');
});

it('F50 --errors writes every row with its error beside it; once they are corrected that file is planned', async () => {
  await using service = await newService();
  service.write('bad.csv', csvOf(faulty));

  const ran = await service.plan('bad.csv', '--errors', 'errors.csv');
  const [titles = [], ...rows] = readCsv(service.read('errors.csv'));
  const wrong = rows.filter(([, error]) => error !== '');

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('correct the rows in errors.csv; then run the command with that file');
  expect(titles).toEqual(['line', 'error', 'order_id', 'charge_id', 'amount', 'ref', 'seat']);
  expect(rows).toHaveLength(faulty.length - 1);
  expect(wrong).toHaveLength(28);

  // As somebody does it in a spreadsheet: the wrong rows go, but for one, whose amount is typed anew.
  const right = rows.filter(([, error]) => error === '').map((row) => row.join(','));
  const mended = '2,amount is blank,ord_1,any,100,,A1';
  service.write('errors.csv', csvOf([titles.join(','), mended, ...right]));
  const planned = await service.plan('errors.csv', '--json');
  const applied = await service.apply();

  expect([planned.code, applied.code]).toEqual([0, 0]);
  expect(recordsIn(planned).map(({ order_id, amount, input }) => [order_id, amount, input])).toEqual([
    ['ord_1', 100, { seat: 'A1' }],
    ['ord_2', 100, { seat: '=B2' }],
    ['ord_3', 50, { seat: 'C3' }],
    ['ord_s', 500, { seat: 'D4' }],
  ]);
  expect(service.made).toHaveLength(4);
});

it('F51 the whole order beside another row of it is refused, from standard input too', async () => {
  await using service = await newService();

  const ran = await service.run(['refunds', 'plan', '-', '--to', 'a.plan'], {
    input: 'order_id,amount\nord_s,full\nord_1,full\nord_s,full\n',
  });

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('line 4: line 2 may refund the same money (ord_s, any charge)');
  expect(ran.stderr).toContain('standard input has 1 error');
  expect(service.posts).toEqual([]);
});

it.each([
  [
    'two columns of one title',
    'order_id,amount,seat,Seat\nord_1,5,a,b\n',
    'line 1: two columns have the title Seat',
  ],
  ['no order', 'amount\n5\n', 'line 1: there is no column order_id'],
  ['no titles', 'ord_2tQ7zRk9PwE5xNvAm,5\n', 'line 1: the first line is a row'],
  ['only titles', 'order_id,amount\n', 'no rows'],
  ['nothing', '', 'empty'],
  ['a quote that is never closed, in the titles', '"order_id,amount\nord_1,5\n', 'line 1: '],
  ['both an order and a reference in a row', 'order_id,reference,amount\nord_1,A-1,5\n', 'line 2: '],
])('F50 a file with %s is refused', async (_, csv, words) => {
  await using service = await newService();
  service.write('bad.csv', csv);

  const ran = await service.plan('bad.csv');

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(words);
  expect(service.requests).toEqual([]);
});

it('F50 a title that is nearly right is said in the round that says what is wrong with the rows', async () => {
  await using service = await newService();
  service.write('bad.csv', 'order_id,amuont\nord_1,5\nord_2,-5\nord_none,5\n');

  const ran = await service.plan('bad.csv');

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('line 1: paydesk does not know the column amuont: write amount');
  expect(ran.stderr).toContain('line 3: amount -5: type it without a sign: 5');
  expect(ran.stderr).toContain('line 4: there is no order ord_none');
  expect(service.posts).toEqual([]);
});

it.each([
  ['UTF-16 with a mark', Buffer.from('\ufefforder_id,amount\nord_1,5\n', 'utf16le')],
  ['UTF-16 without a mark', Buffer.from('order_id,amount\nord_1,5\n', 'utf16le')],
])('F50 a file in %s is refused: it says how to save it', async (_, bytes) => {
  await using service = await newService();
  service.write('bad.csv', bytes);

  const ran = await service.plan('bad.csv');

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('the file is UTF-16: save it as UTF-8');
  expect(service.requests).toEqual([]);
});

it('F50 behind the line sep=; the errors name the lines of the file', async () => {
  await using service = await newService();
  service.write('bad.csv', 'sep=;\r\norder_id;amount\r\nord_1;x\r\n');
  const ran = await service.plan('bad.csv');
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('line 3: amount x: not a whole number');
});

it.each([
  ['UTF-16', Buffer.from('\ufefforder_id,amount\nord_1,5\n', 'utf16le')],
  ['no rows', Buffer.from('order_id,amount\n')],
  ['in another encoding', Buffer.from('order_id,amount,name\nord_1,5,Mu\x96oz\n', 'latin1')],
])('F50 a file that is %s cannot be corrected in a file of errors, so none is written', async (_, bytes) => {
  await using service = await newService();
  service.write('bad.csv', bytes);
  const ran = await service.plan('bad.csv', '--errors', 'bad.err.csv');
  expect(ran.code, ran.stderr).toBe(2);
  expect(inOneLine(ran.stderr)).toContain(
    'bad.err.csv was not written: it could not be corrected there correct the file itself, or save it anew',
  );
  expect(() => service.read('bad.err.csv')).toThrow('ENOENT');
});

it('a file of errors keeps the byte order mark and the line ends of its file, and is read again', async () => {
  await using service = await newService();
  service.write('bad.csv', '\ufefforder_id,amount,name\r\nord_1,x,Mu\u00f1oz\r\n');
  const ran = await service.plan('bad.csv', '--errors', 'bad.err.csv');
  expect(ran.code).toBe(2);
  const errors = service.read('bad.err.csv');
  expect(errors).toMatch(/^\ufeffline,error,order_id,amount,name\r\n2,.*,ord_1,x,Mu\u00f1oz\r\n$/);
  service.write('bad.err.csv', errors.replace(',x,', ',5,'));
  expect((await service.plan('bad.err.csv')).code).toBe(0);
});

it.each([
  ['a byte order mark', '\ufefforder_id,amount\nord_1,5\n'],
  ['CRLF', 'order_id,amount\r\nord_1,5\r\n'],
  ['no final line break', 'order_id,amount\nord_1,5'],
  ['semicolons', 'order_id;amount\nord_1;5\n'],
  ['tabs', 'order_id\tamount\nord_1\t5\n'],
  ['the line sep=; in front', 'sep=;\r\norder_id;amount\r\nord_1;5\r\n'],
  ['that line behind a byte order mark', '\ufeff"sep=\t"\norder_id\tamount\nord_1\t5\n'],
  ['titles in capitals and with blanks', 'Order ID,AMOUNT\nord_1,5\n'],
  ['quotes around everything and blank lines', '"order_id","amount"\n\n"ord_1","5"\n\n'],
])('F50 a file with %s is planned', async (_, csv) => {
  await using service = await newService();
  service.write('good.csv', csv);

  const ran = await service.plan('good.csv', '--json');

  expect(ran.code).toBe(0);
  expect(recordsIn(ran)).toMatchObject([
    { line: expect.any(Number), order_id: 'ord_1', amount: 5, verdict: 'ready' },
  ]);
});

it.each([
  ['there is no such file', ['gone.csv'], /gone\.csv/],
  ['the plan would replace a file', ['good.csv', '--to', 'bad.csv'], /bad\.csv exists already/],
  [
    'its folder is a file',
    ['good.csv', '--to', 'good.csv/x.plan'],
    /x\.plan cannot be written: not a directory/,
  ],
  ['the name is too long', ['good.csv', '--to', 'x'.repeat(300)], /cannot be written: name too long/],
  ['the file of errors exists', ['bad.csv', '--errors', 'good.csv'], /good\.csv exists already/],
])('a file is not planned if %s', async (_, args, words) => {
  await using service = await newService();
  service.write('good.csv', 'order_id,amount\nord_1,5\n');
  service.write('bad.csv', 'order_id,amount\nord_1,\n');

  const ran = await service.run(['refunds', 'plan', ...args]);

  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(words);
  expect(service.read('good.csv')).toBe('order_id,amount\nord_1,5\n');
  expect(service.posts).toEqual([]);
});

// ── Very large input ────────────────────────────────────────────────────────────────────────────

// Feeds so many MB of rows into a process that reads its standard input, as long as it reads.
async function feed(
  megabytes: number,
): Promise<{ readonly code: number; readonly stderr: string; readonly peak: number }> {
  await using service = await newService();
  const file = join(service.home.path, 'peak');
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(import.meta.dirname, '../find/peak-memory.mjs'),
      bin,
      'refunds',
      'plan',
      '-',
      '--to',
      'a.plan',
    ],
    { env: { ...cleanEnv(service), PEAK_MEMORY_FILE: file }, cwd: service.home.path },
  );
  child.stdin.on('error', () => undefined);
  const stderr = text(child.stderr);
  const closed = once(child, 'close') as Promise<[number]>;
  const row = 'ord_2tQ7zRk9PwE5xNvAm,any,100,,a seat of the theatre\n';
  const chunk = Buffer.from(row.repeat(Math.ceil(2 ** 20 / row.length)));
  child.stdin.write('order_id,charge_id,amount,ref,seat\n');
  for (let sent = 0; sent < megabytes && child.exitCode === null && !child.stdin.destroyed; sent += 1)
    if (!child.stdin.write(chunk))
      await Promise.race([once(child.stdin, 'drain').catch(() => undefined), closed]);
  child.stdin.end();
  const [code] = await closed;
  expect(service.requests).toEqual([]);
  return { code, stderr: await stderr, peak: Number(readFileSync(file, 'utf8')) };
}

it(`F50 ${isLong ? '1 GB' : '100 MB'} of input is refused, and memory is bounded`, async () => {
  const first = await feed(66);
  const large = await feed(isLong ? 1024 : 100);

  expect([first.code, large.code]).toEqual([2, 2]);
  expect(large.stderr).toContain('standard input is larger than 67108864 bytes');
  expect(large.peak / first.peak).toBeLessThan(1.3);
});
