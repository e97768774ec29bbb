/** Makes and opens the SQLite file of an index: its sealed segments, its state, and the name of its key. TAB finds ids in it. */

import { hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemCode } from '../errors.ts';
import { checkOwnFile, checkOwnFolder, type FileRules, unwritable } from '../profiles/profiles.ts';
import { isSqlite } from '../sqlite.ts';
import type { Segments } from './fit-run.ts';
import type { OrderIndex } from './index.ts';
import {
  createSealer,
  type SealedSegments,
  type Sealer,
  segmentsOf,
  UnusableFile,
} from './sealed-segments.ts';

/** The name of an index's key, and where it is kept. */
export interface KeyName {
  readonly id: string;
  readonly place: 'file' | 'keyring';
}

export interface IndexFile extends Pick<OrderIndex, 'path' | 'compact' | 'close'> {
  readonly key: KeyName;
  /** Keys that are no longer used, but may still be stored. */
  readonly oldKeys: readonly KeyName[];
  unsealed(sealer: Sealer): SealedSegments;
  /** Replaces all contents at once, sealed with another key. */
  reseal(from: SealedSegments, to: Sealer, key: KeyName): void;
  forgetOldKeys(): void;
  /** The size of the segments, in bytes. */
  bytes(): number;
}

/** The file of an account's index. An account name may be too long for a file name, or hold characters that it cannot have. */
export function indexFileIn(folder: string, account: string): string {
  return join(folder, `${hash('sha256', account).slice(0, 32)}.db`);
}

const version = 1;
// SQLite waits by stopping this process, so a run waits only briefly: it then learns nothing, or tries again later.
const writeWaitMs = 1_000;

interface NewIndex {
  readonly account: string;
  readonly key: KeyName;
  readonly sealer: Sealer;
  readonly state: IndexState;
}

/**
 * Makes the file of an index, private from the start. If the run is killed, there is no index. Throws CliError 'refused' if it
 * cannot.
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
    if (systemCode(error) !== 'EEXIST') throw unwritable(path, error);
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

/** Undefined if there is none. Throws CliError 'refused' if others may touch the file, and UnusableFile. */
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

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isSqlite(error, 'damaged')) throw new UnusableFile('it is damaged', { cause: error });
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

/** Times are Unix seconds. */
export interface IndexState {
  /** Whether the last known order was the last of the list when the tail was read. */
  readonly ended: boolean;
  /** When the newest page was read and joined the known list. */
  readonly headReadAt: number | undefined;
  readonly tailReadAt: number | undefined;
  /** How many orders appeared between known neighbours. */
  readonly inserted: number;
  readonly moved: number;
  /** Some orders may be kept twice. The next build or refresh checks. */
  readonly mayRepeat: boolean;
  /** Older orders are not kept. */
  readonly floor: number | undefined;
  /** The walk ended at the floor: what follows is older. */
  readonly endsAtFloor: boolean;
  /** What was forgotten, as keyed hashes of ids, e-mails and phone numbers. */
  readonly forgotten: readonly string[];
  readonly salt: string;
  /** How many segments there are, to notice a missing one. */
  readonly segments: number;
}

export function newState(salt: string): IndexState {
  return {
    ended: false,
    headReadAt: undefined,
    tailReadAt: undefined,
    inserted: 0,
    moved: 0,
    mayRepeat: false,
    floor: undefined,
    endsAtFloor: false,
    forgotten: [],
    salt,
    segments: 0,
  };
}

// ── For TAB ─────────────────────────────────────────────────────────────────────────────────────

interface IdsAsked {
  readonly folder: string;
  readonly account: string;
  /** The key with this id in the key file; undefined if there is none. */
  readonly keyOf: (id: string) => string | undefined;
  /** What the ids begin with. */
  readonly start: string;
  readonly most: number;
}

/**
 * The newest ids with this start, for TAB. None without an index, or without a key in the file: the system keyring may take seconds.
 * Throws if the index does not open.
 */
export function idsOnFile({ folder, account, keyOf, start, most }: IdsAsked): readonly string[] {
  const file = openFile(indexFileIn(folder, account), { uid: undefined, notice: () => undefined });
  if (file === undefined) return [];
  try {
    const key = file.key.place === 'file' ? keyOf(file.key.id) : undefined;
    if (key === undefined) return [];
    return idsFrom(file.unsealed(createSealer(Buffer.from(key, 'base64url'), account)), start, most);
  } finally {
    file.close();
  }
}

function idsFrom(segments: Pick<Segments, 'edges' | 'ids'>, start: string, most: number): readonly string[] {
  const found: string[] = [];
  for (const edge of segments.edges()) {
    if (found.length >= most) break;
    found.push(...segments.ids(edge).filter((id) => id.startsWith(start)));
  }
  return found.slice(0, most);
}
