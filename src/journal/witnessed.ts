/** The journal beside its witness: whether rows are missing, and the lines that the witness still has to get. */

import type { DatabaseSync } from 'node:sqlite';
import { CliError } from '../errors.ts';
import type { FileRules } from '../profiles/own-file.ts';
import { type StoredRow, storedColumns, storedRow } from './stored-row.ts';
import {
  addToWitness,
  newWitnessKey,
  readWitness,
  readWitnessEnd,
  type WitnessEnd,
  witnessText,
  writeWitness,
} from './witness-file.ts';
import { lineOf, lineText, nameOf, type WitnessLine } from './witness-lines.ts';

/** Where the witness lies, and whose it must be. */
export interface WitnessPlace {
  readonly journal: string;
  readonly witness: string;
  readonly rules: FileRules;
}

/** What is wrong between a journal and its witness. */
export interface Discord {
  readonly state: 'journal behind' | 'damaged';
  readonly problem: string;
}

/** What is wrong; undefined while nothing is. `db` is undefined where there is no journal file. */
export function discordOf(db: DatabaseSync | undefined, place: WitnessPlace): Discord | undefined {
  // The witness first: a row is in the journal before its line is here, so that a run in between is not taken for a loss.
  return discord(readWitnessEnd(place.witness, place.rules), db, place);
}

/** The same as the refusal of a change. Throws CliError 'refused'. */
export function refuseUnlessWitnessed(db: DatabaseSync | undefined, place: WitnessPlace): void {
  const found = discordOf(db, place);
  if (found !== undefined) throw refusalOf(found, db, place);
}

/**
 * Begins the witness of a journal that never had one, and notes in the journal that it has one now. Only inside a
 * transaction that writes, and before its own row: the witness must hold no row that is not on the disk.
 */
export function beginWitness(db: DatabaseSync, place: WitnessPlace): void {
  if (witnessOf(db) !== undefined) return;
  const end = readWitnessEnd(place.witness, place.rules);
  const key = end.is === 'whole' ? end.key : newWitnessKey();
  if (end.is === 'missing')
    writeWitness(place.witness, witnessText(key, linesAfter(db, 0, key)), place.rules);
  noteWitness(db, key);
}

/** Notes in the journal whose key its witness has. */
export function noteWitness(db: DatabaseSync, key: string): void {
  db.prepare('UPDATE head SET witness = ?').run(nameOf(key));
}

/** Adds the lines of all rows that the witness does not have. Only while nobody else can write to the journal. */
export function catchUp(db: DatabaseSync, place: WitnessPlace): void {
  const end = readWitnessEnd(place.witness, place.rules);
  const found = discord(end, db, place);
  if (found !== undefined) throw refusalOf(found, db, place);
  if (end.is !== 'whole') return;
  const lines = [...linesAfter(db, end.last?.seq ?? 0, end.key)];
  if (lines.length > 0) addToWitness(place.witness, lines.join(''), end, place.rules);
}

/** The lines of the rows after this number. */
export function* linesAfter(db: DatabaseSync, seq: number, key: string): Generator<string> {
  const order = db.prepare("SELECT order_id FROM rows WHERE type = 'sent' AND intent = ? AND attempt = ?");
  const rows = db.prepare(`SELECT ${storedColumns.join(', ')} FROM rows WHERE seq > ? ORDER BY seq`);
  for (const found of rows.iterate(seq)) {
    const stored: StoredRow = storedRow(found);
    const { order_id: of } = order.get(stored.intent, stored.attempt) ?? {};
    yield lineText(lineOf(stored, typeof of === 'string' ? of : null, key), key);
  }
}

function discord(end: WitnessEnd, db: DatabaseSync | undefined, place: WitnessPlace): Discord | undefined {
  const known = db === undefined ? undefined : witnessOf(db);
  const named = `the witness ${place.witness} of the journal`;
  if (end.is === 'damaged') return { state: 'damaged', problem: `${named} ${end.problem}` };
  if (end.is === 'missing')
    return known === undefined ? undefined : { state: 'damaged', problem: `${named} is missing` };
  const rows = db === undefined ? 0 : countOf(db);
  const { last } = end;
  if (last !== undefined && hashAt(db, last.seq) !== last.head) return behind(rows, last, place);
  if (known !== undefined && known !== nameOf(end.key))
    return { state: 'damaged', problem: `${named} is that of another journal` };
  // A line is only begun when its row is on the disk.
  if (end.torn && rows <= (last?.seq ?? 0)) return behind(rows, { seq: rows + 1 }, place);
  return undefined;
}

function behind(rows: number, last: Pick<WitnessLine, 'seq'>, { journal }: WitnessPlace): Discord {
  const missing = last.seq - rows;
  const problem =
    missing > 0
      ? `the journal ${journal} is older than its witness: ${missing} of ${last.seq} rows ${missing === 1 ? 'is' : 'are'} missing`
      : `the journal ${journal} is not the one that its witness knows: row ${last.seq} is another`;
  return { state: 'journal behind', problem };
}

function refusalOf({ state, problem }: Discord, db: DatabaseSync | undefined, place: WitnessPlace): CliError {
  const certain = 'nothing was sent, and no change is made while that is so';
  if (state === 'damaged')
    return new CliError('refused', problem, {
      certain,
      now: ['put it back, or write it anew from the journal:', 'paydesk journal verify --repair'],
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

// Whoever has to decide wants to know first which refunds may be out.
function unprovenWords(db: DatabaseSync | undefined, { witness, rules }: WitnessPlace): readonly string[] {
  const lines = readWitness(witness, rules)?.lines ?? [];
  const missing = lines.filter(({ seq, head }) => hashAt(db, seq) !== head);
  const ended = new Set(missing.filter((line) => line.type === 'verdict' && line.final).map(keyOf));
  const open = new Map(
    missing.filter((line) => !ended.has(keyOf(line))).map((line) => [keyOf(line), line] as const),
  );
  if (open.size === 0) return [];
  const names = [...open.values()]
    .slice(0, shown)
    .map(({ intent, order }) => `${order ?? 'no order'} (${intent})`);
  const more = open.size > shown ? ` and ${open.size - shown} more` : '';
  return [`unconfirmed, and missing in the journal: ${names.join(', ')}${more}`];
}

function keyOf({ intent, attempt }: Pick<WitnessLine, 'intent' | 'attempt'>): string {
  return `${attempt} ${intent}`;
}

function witnessOf(db: DatabaseSync): string | undefined {
  const name = db.prepare('SELECT witness FROM head').get()?.witness;
  return typeof name === 'string' ? name : undefined;
}

function countOf(db: DatabaseSync): number {
  return Number(db.prepare('SELECT max(seq) AS n FROM rows').get()?.n ?? 0);
}

function hashAt(db: DatabaseSync | undefined, seq: number): string | undefined {
  const hash = db?.prepare('SELECT hash FROM rows WHERE seq = ?').get(seq)?.hash;
  return typeof hash === 'string' ? hash : undefined;
}
