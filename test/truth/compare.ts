/** Compares what a screen says with the truth, and the screens with each other. */

import type { Ran } from '../harness/paydesk.ts';
import type { Expected } from './expected.ts';
import type { Situation } from './happenings.ts';
import type { Screen } from './screens.ts';
import type { Sums } from './truth.ts';
import type { Said } from './words.ts';

/** What is wrong: the state, a sum, the next step, the exit, a word, or the screen cannot be read at all. */
export type Kind = 'state' | 'sum' | 'next step' | 'exit' | 'word' | 'unreadable';

export interface Contradiction {
  /** `*` for a word that does not depend on the situation. */
  readonly situation: string;
  readonly screen: string;
  readonly kind: Kind;
  readonly says: string;
  readonly truth: string;
  readonly part: number;
}

/** What a screen was asked, what it gave, and what was read in it; `said` is an error if it could not be read. */
export interface Seen {
  readonly screen: Screen;
  readonly ran: Ran;
  readonly said: Said | Error;
  /** The commands that it offers and that are refused, in words. */
  readonly refused: readonly string[];
}

/** How many single facts were compared, and which of them are wrong. */
export interface Compared {
  readonly facts: number;
  readonly contradictions: readonly Contradiction[];
}

export function compare(situation: Situation, { screen, said, refused, ran }: Seen): Compared {
  const found: Contradiction[] = [];
  let facts = 0;
  const tell = (kind: Kind, says: unknown, truth: unknown, isEverywhere = false) =>
    found.push({
      situation: isEverywhere ? '*' : situation.name,
      screen: screen.name,
      kind,
      says: String(says),
      truth: String(truth),
      part: isEverywhere ? 5 : situation.part,
    });
  if (said instanceof Error) {
    tell(
      'unreadable',
      (said.message.split('\n')[0] ?? '').replaceAll(/\b(?:i|p)_[0-9a-f]{8,}\b/g, 'i_…').slice(0, 120),
      'words that the test knows',
    );
    return { facts: 1, contradictions: found };
  }
  const expected = screen.expects(situation);
  const check = (kind: Kind, isTrue: boolean, says: unknown, truth: unknown) => {
    facts += 1;
    if (!isTrue) tell(kind, says, truth);
  };
  check('exit', expected.exit.includes(said.exit), `exit ${said.exit}`, `exit ${expected.exit.join(' or ')}`);
  // What failed has nothing more to say.
  if (said.exit === 1 || said.exit === 2) return { facts, contradictions: found };
  if (expected.first !== undefined) checkFirst(said, expected.first, check);
  if (expected.attempt !== undefined)
    check(
      'state',
      expected.attempt.some((one) => isAttempt(said.attempt, one)),
      said.attempt,
      expected.attempt.join(' or '),
    );
  if (expected.row !== undefined)
    check('state', isRow(said.row, expected), `row ${said.row}`, `row ${expected.row}`);
  if (expected.sums !== undefined && said.sums !== undefined) checkSums(said.sums, expected, check);
  for (const name of ['back', 'left'] as const)
    if (expected[name] !== undefined && said[name] !== undefined)
      check('sum', said[name] === expected[name], `${name} ${said[name]}`, `${name} ${expected[name]}`);
  if (expected.offers !== undefined)
    check('next step', said.offers === expected.offers, offerWords(said.offers), offerWords(expected.offers));
  if (said.differs !== undefined) tell('state', said.differs, 'one state');
  if (situation.truth.mayRefund === false)
    check('next step', !isOffered.test(ran.stdout + ran.stderr), 'it can be refunded', 'it cannot');
  for (const step of refused) tell('next step', step, 'a step that can be taken');
  for (const word of new Set(said.words))
    tell('word', word, 'one of the nine states, in JSON as `state`', true);
  return { facts, contradictions: found };
}

// Words that offer a refund, wherever they stand.
const isOffered = /\bcan\s+(?:then\s+)?be\s+refunded\b|left\s+to\s+refund\b(?!:)|refund\s+it\s+again\b/;

type Check = (kind: Kind, isTrue: boolean, says: unknown, truth: unknown) => void;

function checkFirst({ first = [] }: Said, expected: readonly string[], check: Check): void {
  check(
    'state',
    expected.some((one) => first.includes(one)),
    first.join(', ') || 'nothing',
    expected.join(' or '),
  );
}

// What is gone was made: the journal may say so, and the alarm is in the exit code.
function isAttempt(said: string | undefined, expected: string): boolean {
  return said === expected || said === sorted(expected.replaceAll('gone', 'made'));
}

function sorted(attempts: string): string {
  return attempts.split(' + ').toSorted().join(' + ');
}

// A refund from elsewhere may stand for a row; what was recorded as not made may be called not refunded.
function isRow(said: string | undefined, { row, exit }: Expected): boolean {
  if (said === row) return true;
  if (row === 'elsewhere') return said === 'made';
  // Somebody dealt with it: both words are right.
  if (row === 'made twice' && !exit.includes(7)) return said === 'made' || said === 'more';
  return row === 'recorded not made' && said === 'none';
}

function checkSums(all: Sums, { sums = {}, mayOmit = [] }: Expected, check: Check): void {
  // One of the two is ours, and a screen may say so.
  const { made = 0, 'made twice': twice = 0, ...others } = all;
  const isBoth = sums['made twice'] !== undefined && sums.made === undefined;
  const said: Sums = isBoth ? { ...others, 'made twice': made + twice } : all;
  const names = new Set([...Object.keys(said), ...Object.keys(sums)]) as Set<keyof Sums>;
  for (const name of names) {
    const isOmitted = said[name] === undefined && mayOmit.includes(name);
    check(
      'state',
      isOmitted || said[name] === sums[name],
      `${name} ${said[name] ?? 0}`,
      `${name} ${sums[name] ?? 0}`,
    );
  }
}

function offerWords(offers: boolean | undefined): string {
  return offers === true ? 'there, or offered' : 'not there, or not offered';
}

/** Screens of which the truth says nothing must still agree on what went back. */
export function compareEachOther(situation: Situation, seen: readonly Seen[]): readonly Contradiction[] {
  if (situation.truth.back !== undefined || situation.truth.first.includes('doubt')) return [];
  // Where a row names a charge, its sum is that of the charge.
  const ofOrder = seen.filter(
    ({ screen }) => situation.scope === 'whole' || !screen.name.startsWith('refunds compare'),
  );
  const sums = ofOrder.flatMap(({ screen, said }) =>
    said instanceof Error || said.back === undefined ? [] : [{ screen: screen.name, back: said.back }],
  );
  const [first] = sums;
  return sums
    .filter(({ back }) => back !== first?.back)
    .map(({ screen, back }) => ({
      situation: situation.name,
      screen,
      kind: 'sum',
      says: `back ${back}`,
      truth: `back ${first?.back}, as ${first?.screen} says`,
      part: situation.part,
    }));
}

/** One line of the list of known contradictions. */
export function lineOf({ situation, screen, kind, says, truth, part }: Contradiction): string {
  return [situation, screen, kind, `says ${says}`, `truth ${truth}`, `part ${part}`].join(' · ');
}
