/** The journal breaks in the middle of a batch: it is said once, nothing else is sent, and nobody is told that nothing was. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { journalFile, witnessFile } from '../atmost/desk.ts';
import { inOneLine } from '../harness/ran.ts';
import { orders, recordsIn, startRefunds } from './refund-service.ts';

const rows = ['order_id,amount', ...Array.from({ length: 8 }, (_, index) => `ord_${index + 1},100`)];

/** A plan of 8 rows; before the reply to this POST, or before the first read of `apply`, something happens. */
async function breaking(act: (home: string) => void, { atPost }: { readonly atPost: number }) {
  let isApplying = false;
  const service = await startRefunds(orders(8), {
    instead: () => {
      if (service.posts.length === atPost) act(service.home.path);
      return undefined;
    },
    onPage: () => {
      if (isApplying && atPost === 0) act(service.home.path);
      return undefined;
    },
  });
  await service.plan(rows);
  isApplying = true;
  return service;
}

const loseWitness = (path: string) =>
  rmSync(witnessFile({ path, [Symbol.dispose]: () => undefined }), {
    force: true,
  });

function overwriteJournal(path: string): void {
  const file = journalFile({ path, [Symbol.dispose]: () => undefined });
  writeFileSync(file, 'x'.repeat(readFileSync(file).length));
}

it.each([1, 4])(
  'F18 the witness is gone after 3 rows, %i orders at a time: said once, exit 8',
  async (many) => {
    await using service = await breaking(loseWitness, { atPost: 3 });

    const ran = await service.apply('--concurrency', String(many), '--json');

    const verdicts = recordsIn(ran).map(({ verdict }) => verdict);
    expect(ran.code, ran.stderr).toBe(8);
    expect(ran.stderr.match(/of the journal is missing/g)).toHaveLength(1);
    expect(inOneLine(ran.stderr)).toContain('paydesk journal verify --repair');
    expect(verdicts.filter((one) => one === 'made')).toHaveLength(service.made.length);
    expect(service.posts.length).toBeLessThanOrEqual(3 + many - 1);
    expect(new Set(verdicts)).toEqual(new Set(['made', 'not_sent']));

    await service.run(['journal', 'verify', '--repair', '--yes']);
    const again = await service.apply();
    expect(again.code, again.stderr).toBe(0);
    expect(service.made).toHaveLength(8);
  },
);

it('the journal is damaged after 3 rows: exit 7, with what this run saw, and never "nothing was sent"', async () => {
  await using service = await breaking(overwriteJournal, { atPost: 3 });

  const ran = await service.apply('--concurrency', '1');

  expect(ran.code, ran.stderr).toBe(7);
  expect(ran.stderr.match(/is damaged/g)).toHaveLength(1);
  expect(ran.stderr).not.toContain('nothing was sent');
  expect(inOneLine(ran.stderr)).toContain(
    'certain: of 8 rows 2 made (200 MXN), 1 unconfirmed, 0 refused, 5 not sent; nothing is on its way',
  );
  expect(inOneLine(ran.stderr)).toContain(
    'line 4, ord_3: the refund was made (refund rf_3), and the journal may not have recorded that',
  );
  expect(service.posts).toHaveLength(3);
});

it('the witness is gone before the first row is sent: said once, exit 3, nothing was sent', async () => {
  await using service = await breaking(loseWitness, { atPost: 0 });
  await service.run(['orders', 'refund', 'ord_8', '--amount', '5', '--yes']);

  const ran = await service.apply('--concurrency', '1');

  expect(ran.code, ran.stderr).toBe(3);
  expect(ran.stderr.match(/of the journal is (missing|gone)/g)).toHaveLength(1);
  expect(service.made).toHaveLength(1);
});
