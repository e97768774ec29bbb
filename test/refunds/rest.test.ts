/** The rows that are left: what --rest leaves out, which rows status lists, and the commands that paydesk suggests for them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorBody } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { inOneLine } from '../harness/ran.ts';
import { json, reset } from '../harness/server.ts';
import { startService, storeShop } from '../harness/service.ts';
import { orders, recordsIn, startRefunds } from './refund-service.ts';

const titles = 'order_id,amount,ref';
const status = ['refunds', 'status', 'refunds.plan'];

it('--rest asks in the column again about a row whose charge another desk refunded, and plan sends it only without the ?', async () => {
  await using service = await startRefunds(orders(4));
  await service.plan([titles, 'ord_1,100,', 'ord_2,702,', 'ord_3,900,', 'ord_4,50,']);
  const same = service.refund('ord_2', 'ch_ord_2', 702);
  const smaller = service.refund('ord_3', 'ch_ord_3', 5);
  const larger = service.refund('ord_4', 'ch_ord_4', 60);

  const ran = await service.run([...status, '--rest', 'rest.csv']);

  expect(ran.code, ran.stderr).toBe(8);
  const rest = service.read('rest.csv');
  expect(rest.split('\n').map((line) => line.split(',').at(-1))).toEqual([
    'again',
    '',
    `? ${same}`,
    '',
    `? ${larger}`,
    '',
  ]);
  expect(rest).toContain('not sent,ord_1');
  expect(rest).toContain(`it has a new refund of 5, ${smaller}`);
  expect(inOneLine(ran.stderr)).toContain(
    `somebody else refunded the charge of 2 rows: plan asks before it sends them line 3, ord_2: charge ch_ord_2 has a refund of 702 that this plan did not make: ${same}`,
  );
  const states = async () =>
    recordsIn(await service.plan('rest.csv', '--force', '--json')).map(({ verdict }) => verdict);
  expect(await states()).toEqual(['ready', 'impossible', 'ready', 'look']);
  service.write('rest.csv', rest.replaceAll('? ', ''));
  expect(await states()).toEqual(['ready', 'ready', 'ready', 'ready']);
  expect(service.posts).toEqual([]);
});

it('--rest does not take the refunds of the plan itself for those of others', async () => {
  let made = 0;
  await using service = await startRefunds(orders(1), {
    instead: () => {
      made += 1;
      return made === 2 ? json(errorBody(), 422) : undefined;
    },
  });
  await service.plan([titles, 'ord_1,100,a', 'ord_1,100,b']);
  await service.apply();
  const ran = await service.run([...status, '--rest', 'rest.csv']);
  expect(ran.code, ran.stderr).toBe(8);
  expect(service.read('rest.csv')).toContain('ord_1,any,100,,b');
  expect(ran.stderr).not.toContain('somebody else');
});

it('a row behind an unconfirmed row of its order says which row it waits for: in the list, in the mail and in the file of the rest', async () => {
  await using service = await startRefunds(orders(1), { instead: () => reset });
  await service.plan([titles, 'ord_1,100,a', 'ord_1,100,b', 'ord_1,100,c']);
  const applied = await service.apply('--json');
  const listed = await service.run([...status, '--json']);
  const mail = await service.run([...status, '--report']);
  await service.run([...status, '--rest', 'rest.csv']);

  expect([applied.code, listed.code, mail.code]).toEqual([7, 7, 7]);
  const why = 'waits for line 2, which is unconfirmed';
  for (const ran of [applied, listed])
    expect(recordsIn(ran).map((row) => [row.verdict, row.why])).toEqual([
      ['unconfirmed', expect.any(String)],
      ['not_sent', why],
      ['not_sent', why],
    ]);
  expect(mail.stdout).toContain(`line 3, ord_1: ${why}\nline 4, ord_1: ${why}\n`);
  expect(service.read('rest.csv')).toContain(why);
});

it('a plan that is there already is described, with a name that is free', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan([titles, 'ord_1,100,a', 'ord_2,50,b']);
  service.write('new.csv', `${titles}\nord_2,7,c\n`);
  const ran = await service.run(['refunds', 'plan', 'new.csv', '--to', 'refunds.plan']);
  expect(ran.code).toBe(3);
  expect(inOneLine(ran.stderr)).toMatch(
    /refunds\.plan exists already .*it is another plan, made .* by \S+ from refunds\.csv: 2 refunds, 150 MXN name another file \(--to refunds-2\.plan\); --force replaces it/,
  );
});

it('--rest has the delimiter that is asked for', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,100,a']);
  await service.run([...status, '--rest', 'rest.csv', '--delimiter', 'semicolon']);
  expect(service.read('rest.csv')).toContain(';ord_1;any;100;;a;');
  expect((await service.plan('rest.csv', '--force')).code).toBe(0);
});

it('status names no command to whom the account does not allow it', async () => {
  await using service = await startService({ orders: orders(1) });
  using home = newHome();
  await storeShop(home, service);
  writeFileSync(join(home.path, 'refunds.csv'), `${titles}\nord_1,100,a\n`);
  const run = (...words: readonly string[]) => paydesk(['-p', 'shop', ...words], { home });
  await run('refunds', 'plan', 'refunds.csv', '--to', 'refunds.plan');
  expect((await run(...status)).stderr).toContain('next: paydesk -p shop refunds apply refunds.plan');
  await run('profile', 'set', 'shop', 'role', 'viewer');
  const { stderr } = await run(...status);
  expect(inOneLine(stderr)).toContain('is viewer, which may not refund; somebody else applies it');
  expect(stderr).not.toContain('refunds apply');
});

it('--rest writes nothing if the orders cannot be read', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,100,']);
  await service.server.close();
  const ran = await service.run([...status, '--rest', 'rest.csv']);
  expect(ran.code, ran.stderr).toBe(6);
  expect(() => service.read('rest.csv')).toThrow('ENOENT');
  expect((await service.run(status)).code).toBe(8);
});

it('--only lists the rows with these verdicts; the counts and the exit code are those of the whole plan', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan([titles, 'ord_1,100,', 'ord_2,300,', 'ord_9,1,']);
  const ran = await service.run([...status, '--only', 'impossible,look', '--json']);
  const wrong = await service.run([...status, '--only', 'done']);
  const words = await service.run([...status, '--only', 'impossible']);
  expect(recordsIn(ran).map(({ order_id, why }) => [order_id, why])).toEqual([
    ['ord_9', 'there is no order ord_9'],
  ]);
  expect(inOneLine(words.stderr)).toContain('of 3 rows 2 not sent, 1 impossible');
  expect([ran.code, words.code, wrong.code]).toEqual([8, 8, 2]);
  expect(wrong.stderr).toContain('there is no verdict done');
});

it('the commands that it suggests can be run as they are printed, also a second time', async () => {
  await using service = await startRefunds(orders(2));
  await service.plan([titles, 'ord_1,100,', 'ord_2,300,']);
  service.refund('ord_2', 'ch_ord_2', 5);
  const printed = async (plan: string) => {
    const { stderr } = await service.run(['refunds', 'apply', plan, '--yes']);
    const commands = stderr.split('\n').filter((line) => /--(refresh|rest) /.test(line));
    return commands.map((line) => line.trim().replace('paydesk ', '').split(' '));
  };
  const first = await printed('refunds.plan');
  const codes = [];
  for (const command of first) codes.push((await service.run(command)).code);
  service.refund('ord_2', 'ch_ord_2', 5);
  const second = await printed('refunds-2.plan');
  for (const command of second) codes.push((await service.run(command)).code);
  expect([...first, ...second].map((words) => words.at(-1))).toEqual([
    'refunds-2.plan',
    'refunds-rest.csv',
    'refunds-3.plan',
    'refunds-rest-2.csv',
  ]);
  expect(codes).toEqual([0, 8, 0, 8]);
});

it('a row whose charge has the same refund already: names the order, and how to name that refund in a new plan', async () => {
  await using service = await startRefunds(orders(1));
  await service.plan([titles, 'ord_1,100,']);
  const id = service.refund('ord_1', 'ch_ord_1', 100);
  const ran = await service.apply();
  expect(ran.code).toBe(8);
  expect(inOneLine(ran.stderr)).toContain('line 2, ord_1: charge 1 of ord_1 has a refund of 100 already');
  expect(inOneLine(ran.stderr)).toContain(
    `paydesk refunds plan --refresh refunds.plan --to refunds-2.plan --again ${id}`,
  );
});

it('the command behind "and 2 more rows" prints the reason of each row in one line, and no other rows', async () => {
  await using service = await startRefunds(orders(1));
  const gone = Array.from({ length: 10 }, (_, index) => `ord_gone${index},5,`);
  const planned = await service.plan([titles, 'ord_1,100,', ...gone]);
  const compared = await service.run(['refunds', 'compare', 'refunds.csv']);
  const printed = (stderr: string) => {
    const [, command = ''] = /and 2 more rows: paydesk (.*)/.exec(inOneLine(stderr)) ?? [];
    return command.split(' ').slice(0, command.split(' ').indexOf('--columns') + 2);
  };
  const status = await service.run(printed(planned.stderr));
  const again = await service.run(printed(compared.stderr));
  expect(status.stdout.trim().split('\n')).toEqual([
    'line,order_id,verdict,why',
    ...gone.map((_, index) => `${index + 3},ord_gone${index},impossible,there is no order ord_gone${index}`),
  ]);
  expect(again.stdout).toContain('12,ord_gone9,not_found,there is no order ord_gone9');
});
