/** Makes and opens the SQLite file of an index: its sealed segments, its state, and the name of its key. */

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemCode } from '../errors.ts';
import { checkOwnFile, checkOwnFolder, type FileRules, unwritable } from '../profiles/profiles.ts';
import type { Learned } from './fit-run.ts';
import type { OrderIndex } from './index.ts';
import { type SealedSegments, type Sealer, segmentsOf, UnusableFile } from './sealed-segments.ts';

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

// SQLite's codes for a file that is damaged or not a database.
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

interface RunFacts {
  /** It began at the head of the list. */
  readonly isHead: boolean;
  readonly readAt: number;
  /** The end of the run was cut off, because it is below the floor. */
  readonly isCut: boolean;
}

export function stateAfter(state: IndexState, learned: Learned, run: RunFacts): IndexState {
  if (!learned.fits) return state;
  // Where the list was cut at the floor, the service has older orders.
  const isCutThere = state.ended && state.endsAtFloor;
  const ended = learned.ended === true || isCutThere || (learned.ended ?? state.ended);
  return {
    ...state,
    ended,
    endsAtFloor: ended && (isCutThere || (run.isCut && learned.ended === true) || state.endsAtFloor),
    headReadAt: run.isHead && learned.joins ? run.readAt : state.headReadAt,
    tailReadAt: learned.ended === true ? run.readAt : state.tailReadAt,
    inserted: state.inserted + learned.inserted,
    moved: state.moved + learned.moved,
    mayRepeat: state.mayRepeat || learned.mayRepeat,
  };
}
