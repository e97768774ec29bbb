import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../../bin/process-io.ts';
import { jointJournal } from '../../src/journal/joint-journal.ts';
import { attemptName, type Journal, pagesOf } from '../../src/journal/journal.ts';
import type { JournalRow } from '../../src/journal/journal-rows.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { attemptsIn, createMemoryStore } from '../harness/memory-store.ts';
import {
  comesAfter,
  cursor,
  draft,
  filter,
  means,
  namesIn,
  newestFirst,
  rowsOf,
} from './random-questions.ts';

const nobody = () => Promise.reject(new Error('nobody is asked'));

async function journalOf(rows: readonly JournalRow[]): Promise<Journal> {
  const store = createMemoryStore();
  for (const row of rows) await store.append(row);
  const parts = {
    clock: systemClock,
    locks: { take: nobody, holds: nobody, owner: nobody },
    profiles: { reaching: nobody },
    notes: { note: () => undefined, warn: () => undefined },
    secrets: { holds: () => false, cleanJson: (json: string) => json },
    operator: 'op7',
    cwd: () => '/',
    timeoutMs: 1000,
    dryRun: false,
    signal: new AbortController().signal,
    shortTime: String,
    named: undefined,
    open: nobody,
  };
  return openJournal({ ...parts, store }).journal;
}

it('several journals are listed as one, page after page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(draft, { maxLength: 8 }),
      filter,
      fc.integer({ min: 1, max: 4 }),
      cursor,
      async (drafts, asked, limit, before) => {
        const rows = drafts.map((one, index) => rowsOf(one, index, true));
        const halves = [0, 1].map((half) => rows.filter((_, index) => index % 4 < 2 === (half === 0)).flat());
        const journals = await Promise.all(halves.map(journalOf));
        const [own] = journals;
        if (own === undefined) throw new Error('there is no journal');
        const joint = jointJournal(own, journals);
        const all = attemptsIn(rows.flat());
        const found: string[] = [];
        for await (const page of pagesOf(joint, asked, { limit, before }))
          found.push(...page.map(attemptName));
        const wanted = newestFirst(all.filter((record) => means(asked, record)));
        const rest = wanted.filter((record) => comesAfter(before, record));
        expect(found).toEqual(rest.map(attemptName));
        expect(await joint.operators(undefined)).toEqual(namesIn(all));
      },
    ),
    { numRuns: 200 },
  );
});
