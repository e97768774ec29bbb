/** What `journal show` and `journal list` tell about an outcome that a person stated. */

import { expect, test } from 'vitest';
import { changeArgs, journalRows, openDesk } from '../atmost/desk.ts';
import { startLedger } from '../atmost/ledger.ts';
import { reset } from '../harness/server.ts';

test('a person’s word stands with its note and name, all times in Unix seconds; forget takes the note away', async () => {
  await using ledger = await startLedger();
  using desk = await openDesk({ url: ledger.url });
  using home = desk.newHome();
  const order = ledger.add('refund', () => reset);
  const run = (...words: string[]) => desk.run(home, ['journal', ...words]);
  expect((await desk.run(home, changeArgs(order))).code).toBe(7);
  const { change = '' } = journalRows(home)[0] ?? {};
  const open = await run('show', change, '-o', 'list');
  expect(open.stdout).toMatch(/^blocked_until: \d+ \w{3} 20\d\d [\d:]{8} UTC$/m);
  expect(open.stdout).toMatch(/^history\.1\.verdict_at: \d+ \w{3} 20\d\d [\d:]{8} UTC$/m);
  const words = ['--applied', '--note', 'seen in the bank file', '--confirm', order.id];
  expect((await run('settle', change, ...words)).code).toBe(0);

  expect((await run('show', change)).stdout).toContain('recorded made  by op7: seen in the bank file\n');
  const { sent_at: sentAt, history, ...shown } = JSON.parse((await run('show', change, '--json')).stdout);
  expect(shown).toMatchObject({ by: 'person', stated_by: 'op7', stated_note: 'seen in the bank file' });
  expect(history.at(-1)).toEqual({
    verdict_at: shown.verdict_at,
    verdict: 'applied',
    by: 'person',
    why: 'recorded by op7',
    operator: 'op7',
    note: 'seen in the bank file',
  });
  for (const { verdict_at: at } of history) expect(at - sentAt).toBeLessThan(60);
  const exported = await run('list', '--all', '--csv', '--columns', 'verdict,stated_by,stated_note');
  expect(exported.stdout).toBe('verdict,stated_by,stated_note\napplied,op7,seen in the bank file\n');

  expect((await run('forget', '--before', '2100-01-01', '--yes')).code).toBe(0);
  expect((await run('show', change, '--json')).stdout).not.toContain('bank file');
});

test('the id of an order stands for its only change; of several it says how many, and where they are', async () => {
  await using ledger = await startLedger();
  using desk = await openDesk({ url: ledger.url });
  using home = desk.newHome();
  const order = ledger.add('refund');
  const show = () => desk.run(home, ['journal', 'show', order.id, '--json']);
  expect((await show()).code).toBe(5);
  expect((await desk.run(home, changeArgs(order))).code).toBe(0);
  const { change = '' } = journalRows(home)[0] ?? {};
  expect(JSON.parse((await show()).stdout)).toMatchObject({
    change,
    verdict: 'applied',
    http_status: 200,
    history: [
      {
        http_status: 200,
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[\da-f]{64}$/),
        refunds: [
          { charge_id: expect.any(String), amount: expect.any(Number), created_at: expect.any(Number) },
        ],
      },
    ],
  });
  expect((await desk.run(home, ['journal', 'show', order.id])).stdout).toMatch(
    /^ {2}reply +HTTP 200: refund \w+ of \d+ MXN, made \d+ \w{3} \d{4} [\d:]{8} UTC$/m,
  );
  const settled = await desk.run(home, [
    'journal',
    'settle',
    order.id,
    '--applied',
    '--note',
    'seen at the bank',
    '--json',
  ]);
  expect({ code: settled.code, ...JSON.parse(settled.stderr) }).toMatchObject({
    code: 2,
    message: `${order.id} is an order, with 1 change in the journal: say which change`,
    certain: 'nothing was sent or recorded',
  });

  expect((await desk.run(home, ['orders', 'refund', order.id, '--amount', '1', '--yes'])).code).toBe(0);
  const several = await show();
  expect(several.code).toBe(2);
  const { message, commands, now } = JSON.parse(several.stderr) as {
    message: string;
    commands: string[][];
    now: string[];
  };
  expect(now[0]).toMatch(/^refund of .*, \d+ \w+ \d{4} .*, made:$/);
  expect(message).toBe(`${order.id} is an order, with 2 changes in the journal: say which change`);
  // The newest changes by their ids, and where they all are.
  expect(commands.map((words) => words.slice(1, 3).join(' '))).toEqual([
    'journal show',
    'journal show',
    'journal list',
  ]);
  const told = await desk.run(home, ['refunds', 'receipt', order.id, '--lang', 'es']);
  expect(told.stderr).toMatch(/paydesk .*refunds receipt --lang es i_\w+/);
  const listed = await desk.run(home, [...(commands.at(-1) ?? []).slice(1), '--json']);
  expect(JSON.parse(listed.stdout).data).toHaveLength(2);
});
