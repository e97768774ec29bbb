/** Colour by meaning: statuses, the mode of the account, and money that goes back. It never says anything alone. */

import { describe, expect, test } from 'vitest';
import { listOf, orderOf, paidOrder, refundedWhole, refundOf, withCharge } from '../harness/orders.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { pages, startAnswering, startService } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const green = (text: string) => `\x1b[32m${text}\x1b[39m`;
const red = (text: string) => `\x1b[31m${text}\x1b[39m`;
const magenta = (text: string) => `\x1b[35m${text}\x1b[39m`;
const faint = (text: string) => `\x1b[2m${text}\x1b[22m`;
const strong = (text: string) => `\x1b[1m${text}\x1b[22m`;
const inverse = (text: string) => `\x1b[31m\x1b[1m\x1b[7m${text}\x1b[27m\x1b[22m\x1b[39m`;
const coloured = { PAYDESK_COLOR: 'always' };

const statuses = [
  ['paid', green],
  ['pre_authorized', magenta],
  ['pending_payment', magenta],
  ['refunded', red],
  ['partially_refunded', red],
  ['charged_back', red],
  ['declined', faint],
  ['expired', faint],
] as const;

describe('statuses', () => {
  test('each has the colour of its meaning in a list, and a word that is not known has none', async () => {
    const orders = [...statuses.map(([status]) => status), 'on_hold', 'constructor'].map(
      (payment_status, at) =>
        payment_status === 'refunded'
          ? refundedWhole(paidOrder(`ord_${at}`))
          : orderOf(`ord_${at}`, [], { payment_status }),
    );
    await using desk = await startAnswering(pages(orders));
    const { stdout } = await desk.run(['orders', 'list', '--no-header'], { env: coloured });
    const lines = stdout.split('\n');
    for (const [at, [status, paint]] of statuses.entries()) expect(lines[at]).toContain(paint(status));
    for (const line of lines.slice(statuses.length)) expect(line).toMatch(/^[^\x1b]*(on_hold|constructor|$)/);
    const plain = await desk.run(['orders', 'list', '--no-header']);
    expect(withoutEscapes(stdout)).toBe(plain.stdout);
  });

  test('and on the first line of an order', async () => {
    await using desk = await startAnswering(pages([paidOrder('ord_1')]));
    const { stdout } = await desk.run(['orders', 'show', 'ord_1'], { env: coloured });
    expect(stdout.split('\n')[0]).toContain(green('paid'));
  });
});

test('a refund that is pending has one colour, in a list and on the screen of its order', async () => {
  const pending = refundOf('rf_1', 900, { status: 'pending' });
  const order = withCharge(paidOrder('ord_1'), { refunds: listOf(pending) });
  await using desk = await startAnswering(pages([order]));
  const list = await desk.run(['orders', 'list', '--no-header'], { env: coloured });
  expect(list.stdout).toContain(magenta('pending'));
  const { stdout } = await desk.run(['orders', 'show', 'ord_1'], { env: coloured });
  expect(stdout).toContain(magenta('refund pending'));
  expect(stdout).toMatch(/id rf_1.*\x1b\[35mpending/);
});

describe('the mode', () => {
  test('PRODUCTION is inverse red under a list, on a screen and in a preview', async () => {
    await using desk = await startService({
      orders: [paidOrder('ord_1', { livemode: true })],
      mode: 'production',
    });
    const list = await desk.run(['orders', 'list'], { env: coloured });
    expect(list.stderr).toContain(`1 order, ${inverse('PRODUCTION environment')}. There are no more`);
    const shown = await desk.run(['orders', 'show', 'ord_1'], { env: coloured });
    expect(shown.stdout).toContain(inverse('PRODUCTION environment'));
    const find = await desk.run(['orders', 'find', 'ord_1'], { env: coloured });
    expect(find.stderr).toContain(inverse('PRODUCTION environment'));
  });

  test.each([
    ['sandbox environment', []],
    ['simulator demo', ['-p', 'demo']],
  ])('%s is not coloured', async (label, words) => {
    await using desk = await startAnswering(pages([paidOrder('ord_1')]));
    using home = newHome();
    const line = [...words, 'orders', 'list', '--limit', '1'];
    const env = words.length === 0 ? { ...desk.env, ...coloured } : coloured;
    const { stderr } = await paydesk(line, { home, env });
    expect(stderr).toContain(strong(label));
    expect(stderr).not.toMatch(/\x1b\[(3|7)/);
  });

  test('the question says it in inverse red, and in words', async () => {
    await using desk = await startService({
      orders: [paidOrder('ord_1', { livemode: true })],
      mode: 'production',
    });
    const person = atTerminal(['orders', 'refund', 'ord_1'], { home: desk.home, env: desk.env });
    await person.waitFor(inverse('[PRODUCTION]'));
    person.type('\x03');
    const { transcript, exitCode } = await person.end;
    expect(exitCode).toBe(130);
    expect(withoutEscapes(transcript)).toMatch(/\[PRODUCTION\] .*How much\?/);
    expect(desk.posts).toEqual([]);
  });
});

describe('money that goes back', () => {
  test('is red in a list of refunds and on the screen of an order, with its minus', async () => {
    const order = refundedWhole(paidOrder('ord_1'));
    await using desk = await startAnswering(pages([order]));
    // A sum of what went back has no minus, and so no colour of its own: its status is red.
    const orders = await desk.run(['orders', 'list'], { env: coloured });
    expect(orders.stdout).toMatch(/\x1b\[31mrefunded\x1b\[39m .* 35000 /);
    const list = await desk.run(['refunds', 'list', '--customer', 'buyer'], { env: coloured });
    expect(list.stdout).toMatch(/\x1b\[31m-35000( MXN)?\x1b\[39m/);
    const shown = await desk.run(['orders', 'show', 'ord_1'], { env: coloured });
    expect(shown.stdout).toContain(red('-35000'));
  });

  test('is red in the preview of a refund', async () => {
    await using desk = await startService({ orders: [paidOrder('ord_1')] });
    const person = atTerminal(['orders', 'refund', 'ord_1', '--only-confirm'], {
      home: desk.home,
      env: desk.env,
    });
    await person.waitFor('THIS REFUND');
    await person.waitFor(red('-35000'));
    person.type('\x03');
    expect((await person.end).exitCode).toBe(130);
    expect(desk.posts).toEqual([]);
  });
});

test('the screens at 80 and 120 columns are the same without colour', async () => {
  const orders = [refundedWhole(paidOrder('ord_2tQ7zRk9PwE5xNvAm')), paidOrder('ord_2tQ8mVxK4nRz7LcWp')];
  await using desk = await startService({ orders, mode: 'production' });
  for (const columns of [80, 120]) {
    const plain = await desk.run(['orders', 'list'], { columns });
    const bright = await desk.run(['orders', 'list'], { columns, env: { ...coloured, NO_COLOR: '' } });
    expect(withoutEscapes(bright.stdout)).toBe(plain.stdout);
    expect(withoutEscapes(bright.stderr)).toBe(plain.stderr);
    expect(bright.stdout).not.toBe(plain.stdout);
  }
  const { stdout } = await desk.run(['orders', 'list'], { columns: 80, env: { ...coloured, NO_COLOR: '' } });
  expect(stdout.replaceAll('\x1b', '^')).toMatchInlineSnapshot(`
    "^[1mID^[22m                     ^[1mCREATED UTC^[22m   ^[1mSTATUS^[22m      ^[1mMXN^[22m  ^[1mREFUND^[22m  ^[1mCARD^[22m   ^[1mBUYER^[22m     
    ord_2tQ7zRk9PwE5xNvAm  21 Sep 14:13  ^[31mrefunded^[39m  35000   35000  *4242  Buyer Name
    ord_2tQ8mVxK4nRz7LcWp  21 Sep 14:13  ^[32mpaid^[39m      35000       ^[2m-^[22m  *4242  Buyer Name
    "
  `);
});
