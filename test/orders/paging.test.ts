/** Paging as people and scripts do it: the printed commands are run as they stand. Readers that go away: terminal/pipes. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, startDesk } from '../harness/desk.ts';
import { paydesk, type Ran } from '../harness/paydesk.ts';
import { runLine, wordsOf } from '../harness/shell.ts';

let desk: Desk;
let ids: readonly string[];
beforeAll(async () => {
  desk = await startDesk();
  ids = (await desk.orders()).map(({ id }) => id);
});
afterAll(() => desk[Symbol.asyncDispose]());

const shell = (line: string): Promise<Ran> => runLine(line, { home: desk.home, env: desk.env });
// The same without a shell, where none is needed.
const run = (line: string): Promise<Ran> => desk.script(wordsOf(line).slice(1));

/** The ids in the first column of a table. */
function idsIn(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => /^ord_\w+/.exec(line) ?? []);
}

function commandAfter(word: 'next' | 'previous', stderr: string): string {
  const found = new RegExp(`${word}: (paydesk .*)$`, 'm').exec(stderr)?.[1];
  if (found === undefined) throw new Error(`no ${word} command in:\n${stderr}`);
  return found;
}

describe('a page without --limit', () => {
  const words = ['orders', 'list'];
  const seen = async (args: readonly string[], columns: number, rows: number) => {
    const { stdout, stderr } = await paydesk(args, { home: desk.home, env: desk.env, columns, rows });
    return { ids: idsIn(stdout), lines: stdout.split('\n').length + stderr.split('\n').length - 2, stderr };
  };

  test.each([
    [80, 24],
    [100, 30],
    [60, 20],
  ])('fills a terminal of %i × %i, and its heading stays in view', async (columns, rows) => {
    const { lines, ids: shown } = await seen(words, columns, rows);
    // One line is that of the shell.
    expect(lines).toBeLessThan(rows);
    expect(lines).toBeGreaterThan(rows - 5);
    expect(shown).toEqual(ids.slice(0, shown.length));
  });

  test('has ten orders on the lowest terminal, and fifty on the highest', async () => {
    expect((await seen(words, 80, 8)).ids).toHaveLength(10);
    expect((await seen(words, 200, 200)).ids).toHaveLength(50);
  });

  test('of a filter fills it too, and the next page goes on behind the last order that was shown', async () => {
    const paid = (await desk.orders())
      .filter(({ payment_status: status }) => status === 'paid')
      .map(({ id }) => id);
    const first = await seen([...words, '--status', 'paid'], 80, 24);
    expect(first.lines).toBeLessThan(24);
    expect(first.ids).toEqual(paid.slice(0, first.ids.length));
    expect(first.stderr).toContain(`--next ${first.ids.at(-1)}`);
  });

  test('has as many orders as --limit says, however low the terminal is', async () => {
    expect((await seen([...words, '--limit', '30'], 80, 24)).ids).toHaveLength(30);
  });

  test('has 20 in a pipe, and asks for so many', async () => {
    const ran = await desk.script([...words, '--csv', '--no-header', '--columns', 'id']);
    expect(ran.stdout.trim().split('\n')).toEqual(ids.slice(0, 20));
  });
});

describe('the printed commands', () => {
  test('lead from page to page, and back over the very same ones, which lead both ways', async () => {
    const first = await shell('paydesk orders list --limit 5');
    expect(first.code).toBe(0);
    expect(idsIn(first.stdout)).toEqual(ids.slice(0, 5));
    expect(first.stderr).not.toContain('previous:');

    const second = await shell(commandAfter('next', first.stderr));
    expect(idsIn(second.stdout)).toEqual(ids.slice(5, 10));
    const third = await shell(commandAfter('next', second.stderr));
    expect(idsIn(third.stdout)).toEqual(ids.slice(10, 15));

    const secondAgain = await shell(commandAfter('previous', third.stderr));
    expect(secondAgain.stdout).toBe(second.stdout);
    const firstAgain = await shell(commandAfter('previous', secondAgain.stderr));
    expect(firstAgain.stdout).toBe(first.stdout);
    expect(idsIn((await shell(commandAfter('next', firstAgain.stderr))).stdout)).toEqual(ids.slice(5, 10));
  });

  test('end on the last page, which says that no more follow', async () => {
    const last = await run(`paydesk orders list --limit 5 --next ${ids.at(-4)}`);
    expect(idsIn(last.stdout)).toEqual(ids.slice(-3));
    expect(last.stderr).toContain('3 orders, sandbox environment. There are no more');
    expect(last.stderr).not.toContain('next:');
  });

  test('repeat the filters, and the pages of a filter join without a gap', async () => {
    const paid = (await desk.orders())
      .filter(({ payment_status: status }) => status === 'paid')
      .map(({ id }) => id);
    const first = await run('paydesk orders list --status paid --limit 7');
    const second = await run(commandAfter('next', first.stderr));
    expect([...idsIn(first.stdout), ...idsIn(second.stdout)]).toEqual(paid.slice(0, 14));
    const back = await run(commandAfter('previous', second.stderr));
    // Columns are as wide as the rows that were there first: forwards those of a part, backwards all of them.
    const cells = (table: string) => table.replaceAll(/ +/g, ' ');
    expect(cells(back.stdout)).toBe(cells(first.stdout));
  });

  test('go on after --max, and give the same kind of output', async () => {
    const rows = ids.map((id) => `${id},false\n`);
    const line = 'paydesk orders list --max 8 --limit 5 --csv --columns id,livemode --no-header';
    const first = await run(line);
    expect(first).toMatchObject({ code: 0, stdout: rows.slice(0, 8).join('') });
    const second = await run(commandAfter('next', first.stderr));
    expect(second.stdout).toBe(rows.slice(8, 16).join(''));
    const back = await run(commandAfter('previous', second.stderr));
    // The page of five right before the second.
    expect(back.stdout).toBe(rows.slice(3, 8).join(''));
  });
});

describe('for scripts', () => {
  test('--all --json is one envelope of every order', async () => {
    const { stdout } = await shell('paydesk orders list --all --json | cat');
    expect(JSON.parse(stdout)).toEqual({ object: 'list', has_more: false, data: await desk.orders() });
  });

  test('--json of one page says whether more follow', async () => {
    const { stdout } = await run('paydesk orders list --limit 5 --json');
    expect(JSON.parse(stdout)).toMatchObject({ has_more: true, data: { length: 5 } });
  });

  test('--ndjson is one order a line', async () => {
    const { stdout } = await run('paydesk orders list --all --ndjson');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
  });

  test('--csv is a header and one order a line, with the columns asked for', async () => {
    const { stdout } = await run(
      'paydesk orders list --max 30 --csv --columns id,amount,currency,payment_status',
    );
    const orders = (await desk.orders()).slice(0, 30);
    expect(stdout.trimEnd().split(/\r?\n/)).toEqual([
      'id,amount,currency,payment_status',
      ...orders.map(
        ({ id, amount, currency, payment_status: status = '' }) => `${id},${amount},${currency},${status}`,
      ),
    ]);
  });

  test('--status shows only that status, in every format', async () => {
    const { stdout } = await run('paydesk orders list --status pre_authorized --all --json');
    const expected = (await desk.orders()).filter((order) => order.payment_status === 'pre_authorized');
    expect((JSON.parse(stdout) as { data: unknown }).data).toEqual(expected);
  });

  test('--refundable shows what the service says can be refunded', async () => {
    const { stdout } = await run('paydesk orders list --refundable --all --ndjson');
    const expected = (await desk.orders())
      .filter((order) => order.is_refundable === true)
      .map(({ id }) => id);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(expected);
  });

  test('an empty list is an envelope, a header, or a line on stderr', async () => {
    const list = 'paydesk orders list --status voided --all';
    expect(JSON.parse((await run(`${list} --json`)).stdout)).toEqual({
      object: 'list',
      data: [],
      has_more: false,
    });
    expect((await run(`${list} --ndjson`)).stdout).toBe('');
    expect((await run(`${list} --csv`)).stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(await run(list)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^No orders/m),
    });
  });
});
