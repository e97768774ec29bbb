/** What paydesk keeps for this user on this machine, and how all of it is removed: keys first, the journal last. */

import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Context, Purge } from '../context/context.ts';
import { counted } from '../counted.ts';
import { type CliError, orUndefined, refused, systemReason } from '../errors.ts';
import type { Indexes } from '../index/index.ts';
import type { Clock } from '../io.ts';
import { type AttemptRecord, momentOf, needsPerson } from '../journal/journal.ts';
import type { Folders, Profiles } from '../profiles/profiles.ts';
import { shells } from '../terminal/terminal.ts';
import { localJournal, type StoreChoice } from './choose-store.ts';

interface PurgeParts {
  readonly clock: Clock;
  readonly profiles: Profiles;
  readonly index: Indexes;
  readonly folders: Folders;
  readonly operator: string;
  readonly journalFiles: StoreChoice;
  readonly senderFile: string;
  readonly installed: Context['installable'];
}

const certain = 'nothing was removed';

/** Opens nothing yet. */
export function createPurge({ clock, profiles, index, folders, operator, ...parts }: PurgeParts): Purge {
  const { journalFiles, senderFile, installed } = parts;
  const store = localJournal(journalFiles);
  const isOwn = journalFiles.place.folder === folders.state;
  const { place: file, witness = '' } = store;
  // The journal and what belongs to it, removed when everything else is gone.
  const last = [dirname(file), `${dirname(file)}-removed`, folders.witness, join(folders.state, 'locks')];

  const openOf = (records: readonly AttemptRecord[], now: Parameters<typeof needsPerson>[1]) =>
    records.filter(({ sent }) => isOwn || sent.operator === operator).filter((one) => needsPerson(one, now));

  const written = async (): Promise<readonly string[]> => {
    const all = await Promise.all([...shells, 'man' as const].map(installed));
    // What somebody else wrote there stays.
    return all.flatMap((one) =>
      one.file !== undefined && orUndefined(() => one.isThere()) === true ? one.file : [],
    );
  };

  // Old journals are where paydesk tells people to move them (`refuseOwnJournal`, `versionOf`), and nobody knows what is still open
  // in them.
  const oldJournals = (): readonly string[] => {
    const isOld = (name: string) => name.endsWith('.old');
    const isOther = (name: string) =>
      name.startsWith('journal') && !['journal', 'journal-removed'].includes(name);
    return [
      ...pathsIn(folders.state, (name) => isOld(name) || isOther(name)),
      ...pathsIn(join(folders.state, 'journal'), isOld),
      ...pathsIn(folders.witness, isOld),
    ];
  };

  const closing = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } finally {
      store.close();
    }
  };

  const folder = (path: string, what: string) => (existsSync(path) ? [`${what}: ${path}`] : []);

  return {
    async journal() {
      if (!isOwn) return undefined;
      const newest = await closing(() => store.newestRow());
      const files = [
        ...folder(file, `the journal, ${counted(newest.seq, 'row')}, for ever`),
        ...folder(witness, 'its witness'),
      ];
      return { files, ...newest };
    },
    async found() {
      const stored = (await profiles.list()).filter(({ kind }) => kind === 'stored');
      return [
        ...folder(index.folder, 'indexes, and their keys'),
        ...stored.map(({ name, keptIn }) => `profile ${name}, and its key: ${keptIn}`),
        ...folder(folders.config, 'settings, and the key that signs for this desk'),
        ...folder(
          folders.state,
          isOwn ? 'the demo, and notes on exports' : 'the demo, notes on exports, and locks',
        ),
        ...folder(folders.cache, 'the cache'),
        ...(await written()).map((path) => `written by --install: ${path}`),
      ];
    },
    async refuseUnsettled() {
      if (existsSync(senderFile))
        throw refused(
          'this user runs a sender, and its journal is that of a team',
          [`if the sender is over, move its file away, then run the command again: ${senderFile}`],
          { certain },
        );
      const [old] = oldJournals();
      if (old !== undefined)
        throw refused(
          `an older journal is here, and something in it may be unconfirmed: ${old}`,
          ['move it out of this folder, then run the command again'],
          { certain },
        );
      const handedOver = join(folders.state, 'handed-over');
      if (existsSync(handedOver) && readdirSync(handedOver).length > 0)
        throw refused('a change was handed to a sender, and nobody saw its end', lookWords, { certain });
      await closing(async () => {
        if (store.isDiscarded()) return;
        const problem = await store.problem();
        if (problem !== undefined)
          throw refused(`${problem}, so something may be unconfirmed`, ['paydesk journal verify'], {
            certain,
          });
        const now = await momentOf(clock, store, {});
        refuseOpen(openOf(await store.attempts({ open: now }), now), certain);
      });
    },
    async remove(seen) {
      // What was sent while the question was on the screen still needs its key.
      await this.refuseUnsettled();
      if ((await this.journal())?.hash !== seen?.hash) throw changedSince(certain);
      const files = await written();
      await index.eraseAll();
      await profiles.removeAll();
      orRefused(() => {
        for (const path of files) rmSync(path, { force: true });
        for (const path of [folders.config, folders.cache, folders.state]) empty(path, last);
      });
      if (seen !== undefined)
        await closing(async () => {
          const now = await momentOf(clock, store, {});
          await store.discard((known) => {
            const kept = 'keys, profiles and indexes were removed; the journal is as it was';
            refuseOpen(openOf(known.attempts({ open: now }), now), kept, ['paydesk profile add NAME']);
            if (known.end.hash !== seen.hash || known.proof?.mismatch !== undefined) throw changedSince(kept);
          });
        });
      orRefused(() => {
        // With the journal gone, the files of its locks can be removed too.
        for (const path of Object.values(folders)) empty(path, []);
        removeEmpty(dirname(folders.witness));
      });
    },
  };
}

function changedSince(what: string): CliError {
  return refused('the journal is not as it was when you were asked', ['run the command again'], {
    certain: what,
  });
}

const lookWords = ['paydesk journal list --open --all-profiles', 'paydesk journal reconcile --all'];

// `before`: the steps that come before anybody can look.
function refuseOpen(open: readonly AttemptRecord[], what: string, before: readonly string[] = []): void {
  const [first] = open;
  if (first === undefined) return;
  const more = open.length === 1 ? '' : `, and ${open.length - 1} more`;
  throw refused(`${first.sent.change}${more}: unconfirmed, or with an alarm`, [...before, ...lookWords], {
    certain: what,
  });
}

function pathsIn(folder: string, isOne: (name: string) => boolean): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter(isOne)
        .map((name) => join(folder, name))
    : [];
}

// Removes what is in a folder, and the folder itself, except for these paths.
function empty(folder: string, kept: readonly string[]): void {
  if (kept.includes(folder) || lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (kept.some((one) => one.startsWith(`${path}${sep}`))) empty(path, kept);
    else if (!kept.includes(path)) rmSync(path, { recursive: true, force: true });
  }
  removeEmpty(folder);
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function orRefused(act: () => void): void {
  try {
    act();
  } catch (error) {
    throw refused(`not everything could be removed: ${systemReason(error)}`, ['run the command again'], {
      certain: 'what was removed stays removed',
      cause: error,
    });
  }
}
