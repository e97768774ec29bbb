/** Compares the journal with its witness, before every change and for `verify`, and adds the lines that the witness lacks. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../errors.ts';
import type { FileRules } from '../../profiles/profiles.ts';
import { type StoredRow, unlink } from '../chain.ts';
import { attemptKey, type VerdictRow } from '../journal-rows.ts';
import type { Finding, WitnessVerification } from '../journal-store.ts';
import type { WitnessLine } from '../witness-lines.ts';
import { readRows } from './database.ts';
import {
  addToWitness,
  hashUnder,
  lineText,
  nameOf,
  newWitnessKey,
  readWitness,
  readWitnessEnd,
  type WitnessEnd,
  witnessText,
  writeWitness,
} from './witness-file.ts';

/** Where the journal and its witness are, and which rules hold for them. */
export interface WitnessPlace {
  readonly journal: string;
  readonly witness: string;
  readonly rules: FileRules;
}

interface Mismatch {
  readonly state: 'journal behind' | 'damaged';
  readonly problem: string;
}

/** How journal and witness do not match; undefined when they do. `db` is undefined when there is no journal file. */
export function mismatchOf(db: DatabaseSync | undefined, place: WitnessPlace): Mismatch | undefined {
  // The witness is read first. Another run writes its row before its line, so a row that it adds meanwhile does not look
  // like a missing one.
  return mismatch(readWitnessEnd(place.witness, place.rules), db, place);
}

/** Throws CliError 'refused' when journal and witness do not match; with `exceptDamaged` not for a witness that is damaged. */
export function refuseUnlessWitnessed(
  db: DatabaseSync | undefined,
  place: WitnessPlace,
  { exceptDamaged }: { readonly exceptDamaged: boolean },
): void {
  const found = mismatchOf(db, place);
  if (found === undefined || (exceptDamaged && found.state === 'damaged')) return;
  throw refusalOf(found, db, place);
}

/**
 * Begins the witness of a journal that never had one, and notes in the journal which one it has now. Call it inside a
 * transaction that writes, before the new row is added: the witness must hold no row that is not on the disk.
 */
export function beginWitness(db: DatabaseSync, place: WitnessPlace): void {
  if (witnessOf(db) !== undefined) return;
  const end = readWitnessEnd(place.witness, place.rules);
  const key = end.is === 'whole' ? end.key : newWitnessKey();
  if (end.is === 'missing')
    writeWitness(place.witness, witnessText(key, linesAfter(db, 0, key)), place.rules);
  noteWitness(db, key);
}

/** Notes in the journal which witness belongs to it. */
export function noteWitness(db: DatabaseSync, key: string): void {
  db.prepare('UPDATE head SET witness = ?').run(nameOf(key));
}

/** Adds a line for every row that the witness lacks. Call it only while nobody else can write to the journal. */
export function catchUp(db: DatabaseSync, place: WitnessPlace): void {
  const end = readWitnessEnd(place.witness, place.rules);
  const found = mismatch(end, db, place);
  if (found !== undefined) throw refusalOf(found, db, place);
  if (end.is !== 'whole') return;
  const lines = [...linesAfter(db, end.last?.seq ?? 0, end.key)];
  if (lines.length > 0) addToWitness(place.witness, lines.join(''), end, place.rules);
}

/** The lines of the rows after this number. */
export function* linesAfter(db: DatabaseSync, seq: number, key: string): Generator<string> {
  const order = db.prepare("SELECT order_id FROM rows WHERE type = 'sent' AND intent = ? AND attempt = ?");
  for (const stored of readRows(db, seq)) {
    const { order_id: of } = order.get(stored.intent, stored.attempt) ?? {};
    yield lineText(lineOf(stored, typeof of === 'string' ? of : null, key), key);
  }
}

// `order` is the order of the SENT row.
function lineOf(stored: StoredRow, order: string | null, key: string): WitnessLine {
  const row = unlink({ ...stored, body: null });
  const { seq, hash: head } = stored;
  if (row.type === 'setting') {
    const { type, time, profile, name } = row;
    return { type, seq, head, time, profile, name };
  }
  // A row of a team's journal that was moved here. As with a setting, no attempt is lost with it.
  if (row.type !== 'sent' && row.type !== 'verdict')
    return { type: 'setting', seq, head, time: row.time, profile: '', name: row.type };
  const { intent, attempt, time } = row;
  const of = { seq, head, intent, attempt, time, order };
  if (row.type === 'verdict') {
    const { verdict, by } = row;
    return { type: 'verdict', ...of, verdict, by, final: isFinal(row) };
  }
  const { origin, account, profile, proof, keyFingerprint = null } = row;
  return {
    type: 'sent',
    ...of,
    kind: row.lost ?? proof.kind,
    origin,
    account,
    profile,
    livemode: proof.livemode,
    key: keyFingerprint,
    // The journal keeps this hash when it erases a body, so the two can always be compared.
    body: stored.body_hash === null ? null : hashUnder(key, stored.body_hash),
  };
}

function isFinal({ verdict, confirmed, alarm }: VerdictRow): boolean {
  if (alarm !== undefined) return false;
  return verdict === 'not_sent' || verdict === 'applied' || (verdict === 'rejected' && confirmed !== false);
}

/** Compares journal and witness row by row, for `verify`. `db` is undefined when the journal cannot be opened. */
export function compareWitness(
  rows: readonly StoredRow[],
  db: DatabaseSync | undefined,
  place: WitnessPlace,
): { readonly witness: WitnessVerification; readonly mismatches: readonly Finding[] } {
  const text = readWitness(place.witness, place.rules);
  const of = { file: place.witness, lines: text?.lines.length ?? 0 };
  const hashes = new Map(rows.map(({ seq, hash }) => [seq, hash]));
  const found = orUnreadable(() => mismatchOf(db, place));
  // If the first line is damaged, no other line can be checked, so only that one is reported.
  const brokenLines = text?.key === undefined ? [] : text.broken;
  const broken = brokenLines.map((line) => `line ${line} of the witness is damaged`);
  const others = (text?.lines ?? [])
    .filter(({ seq, head }) => hashes.has(seq) && hashes.get(seq) !== head)
    .map(({ seq }) => `row ${seq} differs from the witness`);
  const problems = [...(found === undefined ? [] : [found.problem]), ...broken, ...others];
  const mismatches = problems.map((problem) => ({ seq: 0, problem }));
  const behind = others.length > 0 || found?.state === 'journal behind';
  if (behind) return { witness: { ...of, state: 'journal behind' }, mismatches };
  if (found !== undefined || broken.length > 0) return { witness: { ...of, state: 'damaged' }, mismatches };
  if (text === undefined) return { witness: { ...of, state: 'none yet' }, mismatches };
  const state = of.lines < rows.length ? 'witness behind' : 'agrees';
  return { witness: { ...of, state }, mismatches };
}

// Damage of the journal itself is reported elsewhere; here it only prevents the comparison.
function orUnreadable(look: () => Mismatch | undefined): Mismatch | undefined {
  try {
    return look();
  } catch (error) {
    return { state: 'damaged', problem: `cannot be compared with its witness: ${String(error)}` };
  }
}

function mismatch(end: WitnessEnd, db: DatabaseSync | undefined, place: WitnessPlace): Mismatch | undefined {
  const named = `the witness ${place.witness} of the journal`;
  if (end.is === 'damaged') return { state: 'damaged', problem: `${named} ${end.problem}` };
  if (end.is === 'missing') {
    const known = db === undefined ? undefined : witnessOf(db);
    return known === undefined ? undefined : { state: 'damaged', problem: `${named} is missing` };
  }
  const { last } = end;
  const { witness: known, rows, hash } = db === undefined ? noJournal : journalAt(db, last?.seq ?? 0);
  if (last !== undefined && hash !== last.head) return behind(rows, last, place);
  if (known !== undefined && known !== nameOf(end.key))
    return { state: 'damaged', problem: `${named} belongs to another journal` };
  // A line is written only after its row. So a torn line proves that its row was on the disk.
  if (end.torn && rows <= (last?.seq ?? 0)) return behind(rows, { seq: rows + 1 }, place);
  return undefined;
}

const noJournal = { witness: undefined, rows: 0, hash: undefined } as const;

// Which witness the journal has, how many rows, and the hash of one of them. Each statement would take a lock on the file.
function journalAt(
  db: DatabaseSync,
  seq: number,
): { readonly witness: string | undefined; readonly rows: number; readonly hash: string | undefined } {
  const found = db.prepare(`SELECT (SELECT witness FROM head) AS witness, (SELECT max(seq) FROM rows) AS rows,
    (SELECT hash FROM rows WHERE seq = ?) AS hash`);
  const { witness, rows, hash } = found.get(seq) ?? {};
  return {
    witness: typeof witness === 'string' ? witness : undefined,
    rows: Number(rows ?? 0),
    hash: typeof hash === 'string' ? hash : undefined,
  };
}

function behind(rows: number, last: Pick<WitnessLine, 'seq'>, { journal }: WitnessPlace): Mismatch {
  const missing = last.seq - rows;
  const problem =
    missing > 0
      ? `the journal ${journal} is older than its witness: ${missing} of ${last.seq} rows ${missing === 1 ? 'is' : 'are'} missing`
      : `the journal ${journal} does not belong to its witness: row ${last.seq} differs`;
  return { state: 'journal behind', problem };
}

function refusalOf(
  { state, problem }: Mismatch,
  db: DatabaseSync | undefined,
  place: WitnessPlace,
): CliError {
  const certain = 'nothing was sent, and no change is made until this is repaired';
  if (state === 'damaged')
    return new CliError('refused', problem, {
      certain,
      now: ['put the witness back, or rebuild it from the journal:', 'paydesk journal verify --repair'],
    });
  return new CliError('refused', problem, {
    certain,
    now: [
      ...unprovenWords(db, place),
      'put the right journal back; or, so that the orders of the missing rows stay blocked until you settle them:',
      'paydesk journal verify --repair',
    ],
  });
}

const shown = 5;

// The unconfirmed changes that the journal lost. People must look at these first.
function unprovenWords(db: DatabaseSync | undefined, { witness, rules }: WitnessPlace): readonly string[] {
  const lines = readWitness(witness, rules)?.lines ?? [];
  const missing = lines
    .filter((line) => line.type !== 'setting')
    .filter(({ seq, head }) => hashAt(db, seq) !== head);
  const ended = new Set(missing.filter((line) => line.type === 'verdict' && line.final).map(attemptKey));
  const open = new Map(
    missing.filter((line) => !ended.has(attemptKey(line))).map((line) => [attemptKey(line), line] as const),
  );
  if (open.size === 0) return [];
  const names = [...open.values()]
    .slice(0, shown)
    .map(({ intent, order }) => `${order ?? 'no order'} (${intent})`);
  const more = open.size > shown ? ` and ${open.size - shown} more` : '';
  return [`unconfirmed, and missing in the journal: ${names.join(', ')}${more}`];
}

function witnessOf(db: DatabaseSync): string | undefined {
  const name = db.prepare('SELECT witness FROM head').get()?.witness;
  return typeof name === 'string' ? name : undefined;
}

function hashAt(db: DatabaseSync | undefined, seq: number): string | undefined {
  const hash = db?.prepare('SELECT hash FROM rows WHERE seq = ?').get(seq)?.hash;
  return typeof hash === 'string' ? hash : undefined;
}
