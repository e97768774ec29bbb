/** Notes what a run sends and records, and adds it to the error of a command that can change something, if the error does not say it. */

import type { SendOnce } from '../api/api.ts';
import type { WhatChanges } from '../commands/commands.ts';
import { type CliError, withParts } from '../errors.ts';
import {
  type AttemptRecord,
  type JournalStore,
  recordedState,
  type SentRow,
  type VerdictRow,
} from '../journal/journal.ts';

/** What a run has sent and recorded so far. */
export interface WhatWasSent {
  /** The function that sends a change; whoever calls it is noted. `change`: the journal's id of the change, once it has one. */
  readonly sending: (send: SendOnce, change: () => string) => SendOnce;
  /** The store of the journal; what is written to it is noted. */
  readonly recording: (store: JournalStore) => JournalStore;
  /** What is certain at the end of a run that prints a result and not an error; undefined if nothing was sent or recorded. */
  readonly afterResult: () => string | undefined;
  /** The error with what is certain. An error that already says it stays as it is. */
  readonly withCertain: (error: CliError, changes: WhatChanges) => CliError;
}

/** Nothing is sent or recorded yet. */
export function createWhatWasSent(): WhatWasSent {
  // The changes whose requests were given to the network, and what the journal says about each change.
  const sent = new Set<string>();
  const recorded = new Map<string, { readonly sent: SentRow; readonly verdicts: VerdictRow[] }>();
  const written = { begun: 0, done: 0, read: 0 };
  const noted = <Asked extends readonly unknown[], Found>(write: (...asked: Asked) => Promise<Found>) => {
    return async (...asked: Asked): Promise<Found> => {
      written.begun += 1;
      const found = await write(...asked);
      written.done += 1;
      return found;
    };
  };
  const certain = (changes: WhatChanges): string => {
    if (sent.size > 0) return sentWords([...sent].map((change) => recorded.get(change)));
    return changes === 'service' ? 'nothing was sent' : recordedWords(written);
  };
  return {
    sending: (send, change) => async (request, how) => {
      sent.add(change());
      const report = await send(request, how);
      if (report.kind === 'not_sent') sent.delete(change());
      return report;
    },
    recording: (store) => ({
      ...store,
      append: noted(async (row) => {
        await store.append(row);
        if (row.type === 'verdict' && row.by === 'read' && row.acknowledged === undefined) written.read += 1;
        if (row.type === 'sent') recorded.set(row.change, { sent: row, verdicts: [] });
        if (row.type === 'verdict') recorded.get(row.change)?.verdicts.push(row);
      }),
      takeBack: noted((sent, verdict) => store.takeBack(sent, verdict)),
      acceptCopy: noted((row) => store.acceptCopy(row)),
      repair: noted((now) => store.repair(now)),
      eraseBodies: noted((before) => store.eraseBodies(before)),
      archiveOld: noted((how) => store.archiveOld(how)),
      restore: noted((path) => store.restore(path)),
      async rules() {
        const rules = await store.rules?.();
        return (
          rules && {
            ...rules,
            ask: noted((id, what) => rules.ask(id, what)),
            decide: noted((id, step, how) => rules.decide(id, step, how)),
          }
        );
      },
    }),
    afterResult: () => (sent.size + written.begun === 0 ? undefined : certain('journal')),
    withCertain(error, changes) {
      if (error.parts.certain !== undefined) return error;
      const [only] = sent.size === 1 ? sent.keys() : [];
      const { now = [], read } = error.parts;
      return withParts(error, {
        certain: [certain(changes), ...(read === undefined ? [] : [read])].join('; '),
        now: now.length === 0 && only !== undefined ? [`paydesk journal show ${only}`] : now,
      });
    },
  };
}

// `1 change was sent: unconfirmed`, `12 changes were sent: 11 made, 1 unconfirmed`
function sentWords(sent: readonly (AttemptRecord | undefined)[]): string {
  const words = sent.map((record) => (record === undefined ? 'unconfirmed' : recordedState(record)));
  if (words.length === 1) return `1 change was sent: ${words.join('')}`;
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, all]) => `${all.length} ${word}`);
  return `${words.length} changes were sent: ${counts.join(', ')}`;
}

interface Written {
  readonly begun: number;
  readonly done: number;
  /** Those rows that only say what a read showed. */
  readonly read: number;
}

// A row may be there even though writing it failed.
function recordedWords({ begun, done, read }: Written): string {
  if (begun > done) return 'nothing was sent; it is not certain whether it was recorded';
  if (done === 0) return 'nothing was sent or recorded';
  return done === read
    ? 'nothing was sent; the journal only has what was read'
    : 'this command sent nothing; the journal shows what was recorded';
}
