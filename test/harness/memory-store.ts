/** A journal in memory: the same rules as every store, without durability. For the schedules, the model and the bench. */

import { CliError } from '../../src/errors.ts';
import { readArchive, writeArchive } from '../../src/journal/archive-file.ts';
import {
  chainOf,
  chainStart,
  checkChain,
  damageOf,
  type StoredRow,
  unlink,
} from '../../src/journal/chain.ts';
import type { AttemptRecord, JournalRow, SentRow, VerdictRow } from '../../src/journal/journal-rows.ts';
import {
  chargesIn,
  type Finding,
  type JournalStore,
  newestMissing,
  recentIn,
  recentMax,
} from '../../src/journal/journal-store.ts';
import { rebuildRows } from '../../src/journal/rebuild-rows.ts';
import { StoreRules } from '../../src/journal/store-rules.ts';

/** What the stores of several runs share. */
export class Memory {
  stored: readonly StoredRow[] = [];
  /** The newest row, noted apart from the rows as a file does. */
  noted = { seq: 0, hash: chainStart };

  // Read and checked once for as long as nothing is written, since a schedule asks thousands of times.
  readonly #read = ofTheLast((stored: readonly StoredRow[]): readonly JournalRow[] => stored.map(unlink));
  readonly #check = ofTheLast((stored: readonly StoredRow[]) => checkChain(stored));

  get rows(): readonly JournalRow[] {
    return this.#read(this.stored);
  }

  get findings(): readonly Finding[] {
    const chain = this.#check(this.stored);
    return [...chain.findings, ...newestMissing(chain, this.noted)];
  }

  replace(stored: readonly StoredRow[]): void {
    this.stored = stored;
    this.noted = { seq: stored.at(-1)?.seq ?? 0, hash: stored.at(-1)?.hash ?? chainStart };
  }
}

/** The same work, done only when what it is done with is another than the last time. */
function ofTheLast<T, R>(work: (value: T) => R): (value: T) => R {
  let last: { readonly value: T; readonly result: R } | undefined;
  return (value) => {
    if (last === undefined || last.value !== value) last = { value, result: work(value) };
    return last.result;
  };
}

/** The store of one run. */
export function createMemoryStore(memory: Memory = new Memory()): JournalStore {
  const again = (seq: number) => memory.stored[seq - 1];
  let known = new StoreRules(again);
  const refresh = () => {
    const [damage] = memory.findings;
    if (damage !== undefined) throw refused(`the journal is damaged: row ${damage.seq} ${damage.problem}`);
    known.read(memory.stored.slice(known.end.seq));
  };
  const close = () => {
    known = new StoreRules(again);
  };
  const append = async (row: JournalRow) => {
    refresh();
    known.refuseMisplaced(row);
    if (row.type !== 'verdict') known.refuseWhileLost();
    known.refuseUnseen(row);
    memory.replace([...memory.stored, known.link(row)]);
    refresh();
  };
  return {
    place: 'memory',
    witness: undefined,
    append,
    takeBack: (_sent, verdict) => append(verdict),
    async attempts(query) {
      refresh();
      return known.attempts(query);
    },
    async list(filter, page) {
      refresh();
      return known.list(filter, page);
    },
    async operators(origin) {
      refresh();
      return known.operators(origin);
    },
    async settings() {
      refresh();
      return known.settings();
    },
    async newest() {
      refresh();
      return known.newest;
    },
    async ready() {
      refresh();
      known.refuseWhileLost();
    },
    problem: () => Promise.resolve(memory.findings[0]?.problem),
    async verify(head) {
      const hashes = [chainStart, ...memory.stored.map(({ hash }) => hash)];
      return {
        rows: memory.stored.length,
        settings: memory.stored.filter(({ type }) => type === 'setting').length,
        head: checkChain(memory.stored).head,
        findings: memory.findings,
        knowsHead: head === undefined ? undefined : hashes.includes(head),
        witness: { file: '', lines: 0, state: 'none yet' },
      };
    },
    async repair(now) {
      if (memory.findings.length === 0) throw refused('the journal is whole');
      const whole = memory.stored.filter((row) => damageOf(row) === undefined);
      const last = Math.max(0, ...memory.stored.map(({ seq }) => seq)) + (isCut(memory) ? 1 : 0);
      const found = {
        rows: whole.map((row) => ({ seq: row.seq, hash: row.hash, row: unlink(row) })),
        changed: [],
        last,
        unreadable: 0,
      };
      const { rows, blocked, ...counts } = rebuildRows(found, undefined, now);
      memory.replace(chainOf(rows));
      close();
      const names = blocked.map(({ intent, proof }) => ({ intent, orderId: proof.orderId }));
      return { copy: undefined, witnessCopy: undefined, ...counts, unreadable: 0, blocked: names };
    },
    async eraseBodies(before) {
      refresh();
      const settled = known.erasable(before).map(({ sent }) => `${sent.attempt} ${sent.intent}`);
      const isErased = ({ attempt, intent, body }: StoredRow) =>
        body !== null && settled.includes(`${attempt} ${intent}`);
      const erased = new Set(
        memory.stored.filter(isErased).map(({ attempt, intent }) => `${attempt} ${intent}`),
      );
      memory.stored = memory.stored.map((row) => (isErased(row) ? { ...row, body: null } : row));
      close();
      return erased.size;
    },
    async archive(path) {
      refresh();
      writeArchive(path, { rows: memory.stored, key: '0'.repeat(64) });
      return memory.stored.length;
    },
    async restore(path) {
      const { rows } = readArchive(path);
      if (memory.stored.length > 0) throw refused('the journal has rows');
      memory.replace(rows);
      close();
      return rows.length;
    },
    recent: (of, profile) =>
      Promise.resolve(
        typeof of === 'object'
          ? chargesIn(chargesBefore(memory, of.chargesOf, profile))
          : recentIn(of, newestRows(memory, of, profile)),
      ),
    close,
  };
}

/** The attempts that rows make up, in the order of their SENT rows. */
export function attemptsIn(rows: readonly JournalRow[]): AttemptRecord[] {
  const attempts = new Map<string, { sent: SentRow; verdicts: VerdictRow[] }>();
  for (const row of rows) {
    if (row.type !== 'sent' && row.type !== 'verdict') continue;
    const key = JSON.stringify([row.intent, row.attempt]);
    if (row.type === 'sent') attempts.set(key, { sent: row, verdicts: [] });
    else attempts.get(key)?.verdicts.push(row);
  }
  return [...attempts.values()];
}

// The newest row is gone.
function isCut({ stored, noted }: Memory): boolean {
  return checkChain(stored).head !== noted.hash;
}

function chargesBefore(memory: Memory, orderId: string, profile: string | undefined) {
  const shown = memory.rows
    .flatMap((row) => (row.type === 'sent' ? [row] : []))
    .filter(({ proof }) => proof.orderId === orderId && proof.before.charges.length > 0)
    .filter((row) => profile === undefined || row.profile === profile)
    .toSorted((one, other) => other.time - one.time);
  const [newest] = shown;
  return (newest?.proof.before.charges ?? []).map(({ id, amount, currency = newest?.currency }) => ({
    id,
    amount,
    currency,
  }));
}

function newestRows(memory: Memory, of: 'orders' | 'intents', profile: string | undefined) {
  const sent = memory.rows.flatMap((row) => (row.type === 'sent' ? [row] : []));
  const own = sent.filter((row) => profile === undefined || row.profile === profile);
  const rows = own.map(({ intent, proof, amount, currency, time }) => ({
    id: of === 'orders' ? proof.orderId : intent,
    kind: proof.kind,
    amount,
    currency,
    time,
  }));
  const named = rows.filter(({ id }) => id !== undefined).toSorted((one, other) => other.time - one.time);
  return named
    .filter(({ id }, index) => named.findIndex((other) => other.id === id) === index)
    .slice(0, recentMax);
}

function refused(message: string): CliError {
  return new CliError('refused', message, { certain: 'nothing was sent' });
}
