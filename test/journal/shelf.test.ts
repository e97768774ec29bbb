import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AttemptQuery } from '../../src/journal/journal.ts';
import type { JournalRow, SentRow } from '../../src/journal/rows.ts';
import { createFileStore } from '../../src/journal/store.ts';
import { createMemoryStore } from './memory-store.ts';

const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);

const sentRow = fc.record({
  order: fc.constantFrom('ord_1', 'ord_2'),
  origin: fc.constantFrom('o', 'p'),
  plan: maybe('pl'),
  given: maybe('t-1'),
  operator: fc.constantFrom('a', 'b'),
  verdicts: fc.array(
    fc.record({
      verdict: fc.constantFrom('applied', 'rejected', 'not_sent', 'unknown', 'not_seen'),
      by: fc.constantFrom('reply', 'read', 'person'),
      confirmed: maybe(true, false),
      note: maybe('n'),
    }),
    { maxLength: 3 },
  ),
});

const query: fc.Arbitrary<AttemptQuery> = fc.record({
  origin: maybe('o'),
  orderId: maybe('ord_1'),
  intent: maybe('i_1'),
  given: maybe('t-1'),
  plan: maybe('pl'),
  operator: maybe('a'),
  since: maybe(2),
  unsettled: fc.constantFrom<(true | undefined)[]>(undefined, true),
});

it('the journal file and the journal in memory answer every question alike', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-shelf-'));
  let files = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(sentRow, { maxLength: 4 }),
      fc.array(query, { minLength: 1 }),
      async (drafts, queries) => {
        const file = createFileStore(join(folder, `${++files}.db`));
        const memory = createMemoryStore();
        for (const row of drafts.flatMap(rowsOf)) {
          await file.append(row);
          await memory.append(row);
        }
        for (const one of queries) expect(await file.attempts(one)).toEqual(await memory.attempts(one));
        expect((await file.newest()).time).toBe((await memory.newest()).time);
        file.close();
      },
    ),
    { numRuns: 25 },
  );
  rmSync(folder, { recursive: true });
});

type Draft = typeof sentRow extends fc.Arbitrary<infer T> ? T : never;

function rowsOf({ order, verdicts, ...of }: Draft, index: number): JournalRow[] {
  const intent = `i_${index}`;
  const sent: SentRow = {
    type: 'sent',
    intent,
    attempt: 1,
    time: index,
    sendBy: index,
    horizonMs: 1,
    account: 'a',
    profile: 'p',
    request: { method: 'POST', path: 'x', body: { a: 1 } },
    proof: {
      kind: 'refund',
      orderId: order,
      livemode: false,
      body: { a: 1 },
      expected: [],
      tolerated: [],
      before: { charges: [] },
    },
    ...of,
  };
  return [
    sent,
    ...verdicts.map(
      (row): JournalRow => ({ type: 'verdict', intent, attempt: 1, time: index, why: 'w', ...row }),
    ),
  ];
}
