/** The SQLite file of an index: its segments and its state, sealed, and which key opens them. */

import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { systemCode } from '../errors.ts';
import { checkOwnFile, checkOwnFolder, type FileRules, unwritable } from '../profiles/profiles.ts';
import type { NewSegment, Placed, Segments } from './known-list.ts';
import type { Sealer } from './seal.ts';
import { type Edge, edgeOf, readTexts, writeTexts } from './segment.ts';
import type { IndexState } from './state.ts';

/** The key of an index: the name under which it is kept, and where. */
export interface KeyName {
  readonly id: string;
  readonly place: 'file' | 'keyring';
}

/** A segment as the file has it. */
export interface Stored extends Placed {
  readonly writing: number;
}

/** The file of an index. */
export interface IndexFile {
  readonly path: string;
  readonly key: KeyName;
  /** Keys that are no longer used, but may still be kept. */
  readonly oldKeys: readonly KeyName[];
  close(): void;
  /** Opens the segments with their key. */
  unsealed(sealer: Sealer): SealedSegments;
  /** Replaces everything at once by what is sealed with another key. */
  reseal(from: SealedSegments, to: Sealer, key: KeyName): void;
  forgetOldKeys(): void;
  /** Gives erased pages back, and leaves nothing of them in the log. */
  compact(): void;
  /** How many bytes the segments take. */
  bytes(): number;
}

/** The segments of a file, opened one by one. */
export interface SealedSegments extends Segments {
  edges(): readonly Stored[];
  texts(segment: Placed): { readonly ids: Buffer; readonly text: Buffer };
  facts(segment: Placed): string;
  state(): IndexState;
  setState(state: IndexState): void;
  /** Makes all of a change or none of it, while no other process writes. */
  atOnce<T>(change: () => T): T;
  /** Everything that is read until the returned function is called is as of one moment. Nobody waits for that. */
  snapshot(): () => void;
}

/** The version of the file that this program reads and writes. */
const version = 1;
// SQLite waits by stopping this process, so a run does not wait for long: it learns nothing then, or tries again later.
const writeWaitMs = 1_000;

/** The file cannot be used: it is damaged, or newer than this program. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** What a new index begins with. */
interface NewIndex {
  readonly account: string;
  readonly key: KeyName;
  readonly sealer: Sealer;
  readonly state: IndexState;
}

/**
 * Makes the file of an index, private from the first moment. A run that is killed meanwhile leaves no index. Throws CliError
 * 'refused' if the file cannot be made.
 */
export function createFile(
  path: string,
  rules: FileRules,
  { account, key, sealer, state }: NewIndex,
): IndexFile {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    checkOwnFolder(dirname(path), rules);
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw unwritable(path, error, rules);
  }
  const db = new DatabaseSync(path, { timeout: writeWaitMs });
  db.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; BEGIN IMMEDIATE');
  db.exec(`
    CREATE TABLE head (account TEXT NOT NULL, key TEXT NOT NULL, place TEXT NOT NULL, old TEXT NOT NULL,
      changes INTEGER NOT NULL, writing INTEGER NOT NULL, state BLOB) STRICT;
    CREATE TABLE segments (pos REAL PRIMARY KEY, writing INTEGER NOT NULL, edge BLOB NOT NULL, ids BLOB NOT NULL,
      facts BLOB NOT NULL, text BLOB NOT NULL) STRICT;
    PRAGMA user_version = ${version};
  `);
  db.prepare('INSERT INTO head VALUES (?, ?, ?, ?, 0, 0, NULL)').run(account, key.id, key.place, '[]');
  segmentsOf(db, sealer).setState(state);
  db.exec('COMMIT');
  return fileOf(db, path);
}

/**
 * Opens the file of an index; undefined if there is none. Throws CliError 'refused' if others may touch the file, and
 * UnusableFile.
 */
export function openFile(path: string, rules: FileRules): IndexFile | undefined {
  checkOwnFolder(dirname(path), rules);
  if (!checkOwnFile(path, rules)) return undefined;
  return explained((): IndexFile | undefined => {
    const db = new DatabaseSync(path, { timeout: writeWaitMs });
    try {
      const found = Number(db.prepare('PRAGMA user_version').get()?.user_version);
      if (found > version) throw new UnusableFile(`it was written by a newer paydesk (version ${found})`);
      // A run that was killed before its first commit left an empty file.
      if (found === 0) {
        db.close();
        return undefined;
      }
      db.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
      return fileOf(db, path);
    } catch (error) {
      if (db.isOpen) db.close();
      throw error;
    }
  });
}

// What SQLite says of a file that is damaged or no database.
const damaged: readonly unknown[] = [11, 26];

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && damaged.includes(error.errcode))
      throw new UnusableFile('it is damaged', { cause: error });
    throw error;
  }
}

function fileOf(db: DatabaseSync, path: string): IndexFile {
  const row = db.prepare('SELECT key, place, old FROM head').get();
  if (row === undefined) throw new UnusableFile('it is damaged');
  const placeOf = (text: unknown) => (text === 'keyring' ? 'keyring' : 'file');
  return {
    path,
    key: { id: String(row.key), place: placeOf(row.place) },
    oldKeys: JSON.parse(String(row.old)),
    close: () => db.close(),
    unsealed: (sealer) => segmentsOf(db, sealer),
    reseal(from, to, key) {
      from.atOnce(() => {
        const state = from.state();
        const other = segmentsOf(db, to);
        for (const segment of from.edges()) {
          const { pos, isJoined, fields } = segment;
          other.put({ pos, entries: from.entries(segment), isJoined, fields });
        }
        other.setState(state);
        const old = [...JSON.parse(String(row.old)), { id: row.key, place: row.place }];
        db.prepare('UPDATE head SET key = ?, place = ?, old = ?').run(key.id, key.place, JSON.stringify(old));
      });
    },
    forgetOldKeys() {
      db.prepare('UPDATE head SET old = ?').run('[]');
    },
    compact() {
      db.exec('VACUUM');
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    bytes() {
      const sum = db
        .prepare(
          'SELECT SUM(length(edge) + length(ids) + length(facts) + length(text)) AS bytes FROM segments',
        )
        .get();
      return Number(sum?.bytes ?? 0);
    },
  };
}

interface Writable extends SealedSegments {
  put(segment: NewSegment): void;
}

function segmentsOf(db: DatabaseSync, sealer: Sealer): Writable {
  const part = (name: 'ids' | 'text' | 'facts') =>
    db.prepare(`SELECT ${name} AS bytes FROM segments WHERE pos = ? AND writing = ?`);
  const parts = { ids: part('ids'), text: part('text'), facts: part('facts') };
  const remove = db.prepare('DELETE FROM segments WHERE pos = ?');
  const insert = db.prepare('INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?, ?, ?)');
  const changed = db.prepare('SELECT changes FROM head');
  const all = db.prepare('SELECT pos, writing, edge FROM segments ORDER BY pos DESC');
  let known: { readonly changes: unknown; readonly edges: readonly Stored[] } | undefined;

  const opened = (segment: Stored, name: keyof typeof parts): Buffer => {
    const { pos, writing } = segment;
    const row = parts[name].get(pos, writing);
    // Another process wrote it anew since the edges were read.
    if (row === undefined) throw new SegmentReplaced();
    return sealer.open(bytesOf(row.bytes), { pos, part: name, writing });
  };
  const stored = (segment: Placed): Stored => {
    const found = known?.edges.find(({ pos }) => pos === segment.pos);
    return 'writing' in segment ? (segment as Stored) : (found ?? { ...segment, writing: 0 });
  };
  const put = ({ pos, entries, isJoined, fields }: NewSegment): void => {
    const writing = randomInt(2 ** 47);
    const texts = writeTexts(entries);
    const edge = JSON.stringify(edgeOf(entries, { isJoined, fields }));
    const sealed = (name: 'edge' | 'ids' | 'text' | 'facts', text: string): SQLInputValue =>
      sealer.seal(Buffer.from(text), { pos, part: name, writing });
    insert.run(
      pos,
      writing,
      sealed('edge', edge),
      sealed('ids', texts.ids),
      sealed('facts', texts.facts),
      sealed('text', texts.text),
    );
  };
  return {
    edges() {
      const changes = changed.get()?.changes;
      if (known?.changes !== changes) {
        const edges = all.all().map(({ pos: at, writing: number, edge }): Stored => {
          const [pos, writing] = [Number(at), Number(number)];
          const text = sealer.open(bytesOf(edge), { pos, part: 'edge', writing }).toString();
          return { ...(JSON.parse(text) as Edge), pos, writing };
        });
        known = { changes, edges };
      }
      return known?.edges ?? [];
    },
    entries: (segment) => {
      const own = stored(segment);
      return readTexts({
        ids: opened(own, 'ids').toString(),
        text: opened(own, 'text').toString(),
        facts: opened(own, 'facts').toString(),
      });
    },
    ids: (segment) => opened(stored(segment), 'ids').toString().split('\n'),
    texts: (segment) => ({ ids: opened(stored(segment), 'ids'), text: opened(stored(segment), 'text') }),
    facts: (segment) => opened(stored(segment), 'facts').toString(),
    replace(removed, added) {
      for (const { pos } of removed) remove.run(pos);
      for (const one of added) put(one);
      db.prepare('UPDATE head SET changes = changes + 1').run();
    },
    put,
    state() {
      const end = this.snapshot();
      try {
        const { state, writing } = db.prepare('SELECT state, writing FROM head').get() ?? {};
        const place = { pos: 0, part: 'state', writing: Number(writing) } as const;
        const read: IndexState = JSON.parse(sealer.open(bytesOf(state), place).toString());
        if (read.segments !== this.edges().length) throw new UnusableFile('a part of it is missing');
        return read;
      } finally {
        end();
      }
    },
    snapshot() {
      if (db.isTransaction) return () => undefined;
      db.exec('BEGIN');
      return () => {
        if (db.isTransaction) db.exec('COMMIT');
      };
    },
    setState(state) {
      const writing = randomInt(2 ** 47);
      const { segments = 0 } = db.prepare('SELECT COUNT(*) AS segments FROM segments').get() ?? {};
      const text = JSON.stringify({ ...state, segments });
      const sealed = sealer.seal(Buffer.from(text), { pos: 0, part: 'state', writing });
      db.prepare('UPDATE head SET state = ?, writing = ?, changes = changes + 1').run(sealed, writing);
    },
    atOnce(change) {
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = change();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        known = undefined;
        throw error;
      }
    },
  };
}

/** The segment was written anew by another process. What was being read must be read again. */
export class SegmentReplaced extends Error {
  override readonly name = 'SegmentReplaced';
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new UnusableFile('it is damaged');
}
