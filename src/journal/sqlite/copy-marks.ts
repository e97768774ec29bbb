/** Notices that a journal and its witness were put back from a copy, by what a copy changes and by the landmark outside. */

import { type BigIntStats, statfsSync, statSync } from 'node:fs';
import { parse } from 'node:path';
import type { Landmark } from './landmark.ts';

/**
 * What a copy changes of a file, as text: its inode, and when it was made. A move, a rename or a change of rights keeps both.
 * Left out is what does not hold: an inode on a file system that numbers its files anew, and a birth that is not told.
 * Empty when nothing of it holds; undefined when there is no such file.
 */
export function fileMark(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const ino = stat.ino !== 0n && keepsInodes(path) ? [`ino=${stat.ino}`] : [];
  const birth = knowsBirth(stat, path) ? [`birth=${stat.birthtimeNs}`] : [];
  return [...ino, ...birth].join(' ');
}

/** Whether it is the same file. What only one of the marks knows says nothing. */
export function isSameFile(recorded: string | undefined, now: string | undefined): boolean {
  const known = partsOf(now);
  return [...partsOf(recorded)].every(([name, value]) => (known.get(name) ?? value) === value);
}

/** Whether a file is not the one that paydesk wrote, as its mark tells. */
export function isOtherFile({ recorded, now }: MarkedFile): boolean {
  return recorded === repairedMark || !isSameFile(recorded, now);
}

/** Tells from now on whether the same file is still at a path, or still none. */
export function watchPlace(path: string): () => boolean {
  const look = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const [stat, mark] = [look(), fileMark(path)];
  return () => {
    const now = look();
    if (now?.ino === stat?.ino && now?.birthtimeNs === stat?.birthtimeNs) return true;
    const other = fileMark(path);
    return mark !== undefined && other !== undefined && isSameFile(mark, other);
  };
}

function partsOf(mark = ''): ReadonlyMap<string, string> {
  return new Map(mark.split(' ').map((part) => [part.slice(0, part.indexOf('=')), part]));
}

// File systems that may give a file another inode the next time they are mounted. The numbers are from linux/magic.h.
const renumbering: ReadonlySet<number> = new Set([
  // FUSE: numbers are the program's affair, and many programs count up.
  0x65735546,
  // FAT, exFAT: there are no inodes on the disk.
  0x4d44, 0x2011bab0,
  // Folders that a virtual machine shares with its host.
  0x786f4256, 0xbacbacbc,
]);

function keepsInodes(path: string): boolean {
  try {
    return !renumbering.has(statfsSync(path).type >>> 0);
  } catch {
    // A system that does not say it has none of these.
    return true;
  }
}

// 0: the file system keeps none. Where the system call is missing that tells a birth (an old kernel, some sandboxes), Node
// gives the time of the last change instead. In a new file the two may be equal as well, so an older one decides.
function knowsBirth(stat: BigIntStats, path: string): boolean {
  if (stat.birthtimeNs === 0n) return false;
  if (stat.birthtimeNs !== stat.ctimeNs) return true;
  const root = statSync(parse(path).root || '/', { bigint: true });
  return root.birthtimeNs !== root.ctimeNs;
}

/** What is known of a file: its mark when paydesk made it, and its mark now. */
interface MarkedFile {
  readonly recorded: string | undefined;
  readonly now: string | undefined;
}

/** What shows whether journal and witness are those that paydesk wrote last. */
export interface CopyFacts {
  readonly journal: MarkedFile;
  readonly witness: MarkedFile;
  /** Read it before the journal: another run writes its row first, and then the landmark. */
  readonly landmark: Landmark | undefined;
  /** The hash of the row with the landmark's number, as journal or witness has it. */
  readonly atLandmark: string | undefined;
  /** The newest row of the journal. */
  readonly newest: Landmark | undefined;
}

/** The mark of a journal that was repaired while it counted as a copy, or while nobody could tell. */
export const repairedMark = 'repaired';

/**
 * Why this journal counts as a copy, in words; undefined when nothing says so. A landmark that is missing, or whose row is there,
 * says nothing. Pure. `shortTime` takes Unix milliseconds.
 */
export function copyFound(
  facts: CopyFacts,
  shortTime: (ms: number) => string = (ms) => new Date(ms).toISOString(),
): string | undefined {
  const reasons = [...otherFiles(facts), ...landmarkReasons(facts, shortTime)];
  if (reasons.length === 0) return undefined;
  const { newest } = facts;
  const unknown = newest === undefined ? 'before now' : `after ${shortTime(newest.time)}`;
  return `this journal is a copy: what was sent ${unknown} is unknown (${reasons.join('; ')})`;
}

function otherFiles({ journal, witness }: CopyFacts): readonly string[] {
  if (journal.recorded === repairedMark)
    return ['it was repaired, and its newest rows may have been lost before'];
  const others = [
    ...(isSameFile(journal.recorded, journal.now) ? [] : ['the journal']),
    ...(isSameFile(witness.recorded, witness.now) ? [] : ['its witness']),
  ];
  if (others.length === 0) return [];
  const [is, file] = others.length === 1 ? ['is', 'another file'] : ['are', 'other files'];
  return [`${others.join(' and ')} ${is} ${file} than paydesk wrote`];
}

function landmarkReasons(
  { landmark, atLandmark, newest }: CopyFacts,
  shortTime: (ms: number) => string,
): readonly string[] {
  if (landmark === undefined) return [];
  const { seq, hash, time } = landmark;
  if (atLandmark === hash) return [];
  const ends = newest?.seq ?? 0;
  const differs = seq > ends ? `ends at row ${ends}` : 'has another row there';
  return [`this machine wrote row ${seq} at ${shortTime(time)}, and the journal ${differs}`];
}
