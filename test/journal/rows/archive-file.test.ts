/** Moving to another machine: what `journal export --to` writes, and when `journal import` accepts it. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeArgs, journalFile, journalRows, ledgerAndDesk, witnessFile } from '../../atmost/desk.ts';
import type { LedgerOrder } from '../../atmost/ledger.ts';
import { copyOf, type Home } from '../../harness/paydesk.ts';
import { reset } from '../../harness/server.ts';

const { ledger, desk } = await ledgerAndDesk();
/** A refund that was made, and one whose reply was lost. */
let home: Home;
let lost: LedgerOrder;
let file: string;
beforeAll(async () => {
  home = desk.newHome();
  expect((await desk.run(home, [...changeArgs(ledger.add('refund')), '--note', 'ticket ü 8840'])).code).toBe(
    0,
  );
  lost = ledger.add('refund', () => reset);
  expect((await desk.run(home, changeArgs(lost))).code).toBe(7);
  file = join(home.path, 'moved.paydesk');
  const written = await desk.run(home, ['journal', 'export', '--to', file, '--json']);
  expect(written.code, written.stderr).toBe(0);
  expect(JSON.parse(written.stdout)).toEqual({
    object: 'journal_export',
    file,
    rows: journalRows(home).length,
  });
});
afterAll(() => {
  home[Symbol.dispose]();
});

const headOf = async (of: Home): Promise<unknown> =>
  JSON.parse((await desk.run(of, ['journal', 'verify', '--json'])).stdout);

describe('journal export --to', () => {
  it('writes a file that only this user may read, and replaces none', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file);
    const again = await desk.run(home, ['journal', 'export', '--to', file]);
    expect({ code: again.code, same: readFileSync(file).equals(before) }, again.stderr).toEqual({
      code: 3,
      same: true,
    });
  });

  it('under --dry-run writes nothing', async () => {
    const other = join(home.path, 'other.paydesk');
    expect((await desk.run(home, ['journal', 'export', '--to', other, '--dry-run'])).code).toBe(0);
    expect(() => statSync(other)).toThrow('ENOENT');
  });

  it('refuses a journal that is not whole', async () => {
    using older = copyOf(home);
    writeFileSync(journalFile(older), readFileSync(journalFile(older)).fill(0, 4096, 8192));
    const refused = await desk.run(older, ['journal', 'export', '--to', join(older.path, 'x.paydesk')]);
    expect(refused.code, refused.stderr).toBe(3);
  });
});

describe('journal import', () => {
  it('brings every row with its body and note, the head, and the witness; what was unconfirmed stays blocked', async () => {
    using machine = desk.newHome();
    const ran = await desk.run(machine, ['journal', 'import', file, '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(journalRows(machine)).toEqual(journalRows(home));
    const [here, there] = [await headOf(machine), await headOf(home)];
    const rows = journalRows(home).length;
    const imported = { file: '', witness_file: '', witness: 'agrees', witness_lines: rows };
    expect({ ...(here as object), file: '', witness_file: '' }).toEqual({
      ...(there as object),
      ...imported,
    });
    expect(here).toMatchObject({ findings: [] });
    expect((await desk.run(machine, ['journal', 'list', '--json'])).stdout).toContain('ticket ü 8840');
    const again = await desk.run(machine, changeArgs(lost));
    expect({ code: again.code, posts: lost.posts.length }, again.stderr).toEqual({ code: 3, posts: 1 });
    const next = ledger.add('refund');
    expect((await desk.run(machine, changeArgs(next))).code).toBe(0);
    for (const path of [journalFile(machine), `${journalFile(machine)}-journal`, witnessFile(machine)])
      expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('refuses a machine that has sent something, and changes nothing there', async () => {
    using machine = desk.newHome();
    await desk.run(machine, changeArgs(ledger.add('refund')));
    const before = journalRows(machine);
    const refused = await desk.run(machine, ['journal', 'import', file, '--yes']);
    expect({ code: refused.code, rows: journalRows(machine) }, refused.stderr).toEqual({
      code: 3,
      rows: before,
    });
    expect(refused.stderr).toContain('two histories');
  });

  it('asks first: without a terminal and --yes nothing is imported', async () => {
    using machine = desk.newHome();
    const refused = await desk.run(machine, ['journal', 'import', file]);
    expect({ code: refused.code, rows: journalRows(machine) }, refused.stderr).toEqual({ code: 2, rows: [] });
  });

  it.each<[string, (text: string) => string, string]>([
    ['a changed byte', (text) => text.replace('"ord_L', '"ord_M'), 'is not whole'],
    ['a missing line', (text) => text.split('\n').toSpliced(2, 1).join('\n'), 'is not whole'],
    ['no end', (text) => text.slice(0, -40), 'is not whole'],
    ['another content', () => 'order,amount\n', 'was not written by paydesk journal export --to'],
  ])('refuses a file with %s', async (_, change, says) => {
    using machine = desk.newHome();
    const bad = join(machine.path, 'bad.paydesk');
    writeFileSync(bad, change(readFileSync(file, 'utf8')));
    const refused = await desk.run(machine, ['journal', 'import', bad, '--yes']);
    expect({ code: refused.code, rows: journalRows(machine) }, refused.stderr).toEqual({ code: 3, rows: [] });
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
  });
});
