/** `profile purge` at a desk: the journal of its sender stays there, and what is open in it is said before anything is removed. */

import { expect, test } from 'vitest';
import { reset } from '../harness/server.ts';
import { startLedger } from './ledger.ts';

const dryRun = ['profile', 'purge', '--dry-run', '--json'];

test('an unconfirmed refund of this desk is said before it is asked, and stays in the journal of the sender', async () => {
  await using ledger = await startLedger({ onPost: () => reset, settings: { 'reconcile.after': '0' } });
  const [ana, ben] = [await ledger.sender.desk('ana'), await ledger.sender.desk('ben', 'lead', 'desk-2')];
  expect((await ana.run(['-p', 'shop', 'orders', 'refund', 'ord_A1', '--yes'])).code).toBe(7);
  const staysAt = async (desk: typeof ana) => JSON.parse((await desk.run(dryRun)).stdout).stays;
  expect(await staysAt(ana)).toEqual([
    'the journal of shop stays at its sender: 1 change of this desk is unconfirmed there, or has an alarm: paydesk -p shop journal list --open',
  ]);
  expect(await staysAt(ben)).toEqual([
    'the journal of shop stays at its sender: nothing of this desk is open there',
  ]);
  const purged = await ana.run(['profile', 'purge', '--yes']);
  expect(purged.code, purged.stderr).toBe(0);
  expect(purged.stderr).toContain('1 change of this desk is unconfirmed there');
  const { stdout } = await ben.run(['-p', 'shop', 'journal', 'list', '--open', '--json']);
  expect(JSON.parse(stdout).data).toMatchObject([{ order: 'ord_A1', desk: 'desk-1' }]);
});

test('a sender that does not answer stops nobody, and is said', async () => {
  await using ledger = await startLedger();
  const ana = await ledger.sender.desk('ana');
  ledger.sender.signal('SIGTERM');
  await ledger.sender.end;
  const purged = await ana.run(['profile', 'purge', '--yes', '--timeout', '5']);
  expect(purged.code, purged.stderr).toBe(0);
  expect(purged.stderr).toContain(
    'the journal of shop stays at its sender: what is open there cannot be read now',
  );
});
