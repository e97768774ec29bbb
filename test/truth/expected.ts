/** What a screen must say, after what is true of a situation. */

import type { Situation } from './happenings.ts';
import type { Said } from './words.ts';

/** What the truth says that a screen must say. Absent: the screen does not speak of it, or nobody judges it. */
export interface Expected extends Omit<Said, 'first' | 'exit' | 'attempt' | 'commands' | 'words'> {
  /** Any of these. */
  readonly exit: readonly number[];
  /** The first word must be one of these. */
  readonly first?: readonly string[];
  /** Any of these. */
  readonly attempt?: readonly string[];
  /** It may leave out refunds in these states. */
  readonly mayOmit?: readonly string[];
}

export const fine = [0];

/** Without what is not judged. */
export function given<T extends object>(parts: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export const shows = ({ truth, twins }: Situation): Expected => ({
  exit: fine,
  first: truth.first,
  ...given({ back: truth.back, left: truth.left }),
  // A payment of which the other one went back is not offered without a question; what was recorded as made stops only its own charge.
  ...(twins === 'settled'
    ? { offers: false }
    : given({ offers: truth.first.includes('recorded made') ? undefined : truth.mayRefund })),
  ...(truth.first.includes('doubt') ? {} : { sums: truth.sums }),
  mayOmit: ['gone', 'recorded made'],
});

export const lists = ({ truth }: Situation): Expected => ({
  exit: fine,
  first: truth.first,
  ...given({ back: truth.back }),
  offers: true,
});

// A list of what can be refunded, and the order if it is in it.
export const refundable = ({ truth }: Situation): Expected => ({
  exit: fine,
  ...given({ offers: truth.mayRefund }),
});
// A search that finds nothing ends with 5.
export const findsRefundable = (situation: Situation): Expected => ({
  ...refundable(situation),
  exit: [0, 5],
});

/** A refund that asks for a further part: `asked` is its exit where it is offered. */
export function previews({ truth, scope }: Situation, asked: number): Expected {
  const { first, mayRefund } = truth;
  // What was recorded as made is only about its own charge.
  const isOther = first.includes('recorded made') && scope === 'charge';
  if (mayRefund === undefined || isOther) return { exit: [0, 3, 7] };
  if (mayRefund) return { exit: [asked], offers: true };
  const isAlarm = first.some((one) => ['made twice', 'appeared'].includes(one));
  // paydesk refuses that (3); whoever has an alarm about it in the journal hears of it first (7).
  if (first.some((one) => one === 'gone' || one === 'doubt')) return { exit: [3, 7], offers: false };
  // That a read has found it is news (7); once the journal has it, whoever refunds is refused (3).
  return { exit: isAlarm ? [3, 7] : first.includes('unconfirmed') ? [3, 7] : [3], offers: false };
}

export const isDoubted = ({ truth }: Situation) => truth.first.includes('doubt');

const said = ({ truth }: Situation, what: 'attempts' | 'open') =>
  [truth, ...(truth.before ?? [])].map((one) => one[what]);

export const attempts = (situation: Situation): Expected => ({
  exit: fine,
  ...(isDoubted(situation) || isEnded(situation) ? {} : { attempt: said(situation, 'attempts') }),
});
export const openOnes = (situation: Situation): Expected => ({
  exit: fine,
  ...(isDoubted(situation) ? {} : { attempt: said(situation, 'open') }),
});
/** Whether the journal has something that a read may end: what was refused is certain, whatever the figures of its order say. */
export const mustReconcile = ({ truth }: Situation) =>
  truth.mustLook && truth.attempts !== 'none' && truth.attempts !== 'refused';
export const reconciled = (situation: Situation): Expected => {
  const { truth } = situation;
  const must = mustReconcile(situation);
  return {
    exit: [must ? 7 : 0, ...(truth.before ?? []).map(({ open }) => (open === 'none' ? 0 : 7))],
    ...(must && !isDoubted(situation) && !truth.attempts.includes(' + ')
      ? { attempt: said(situation, 'open') }
      : {}),
  };
};
/** One attempt: only where there is just one. */
export const oneAttempt = (situation: Situation): Expected => ({
  exit: [0, 7],
  ...(isDoubted(situation) || isEnded(situation) ? {} : { attempt: said(situation, 'attempts') }),
});
// Made twice, and acknowledged: the journal may call it made.
export const isEnded = ({ truth }: Situation) => truth.attempts === 'made twice' && !truth.mustLook;
export const hasOneAttempt = ({ truth }: Situation) =>
  truth.attempts !== 'none' && !truth.attempts.includes(' + ');

// 9: figures that contradict each other cannot be added up, and a list says so.
export const exitOfSums = (situation: Situation) => (isDoubted(situation) ? [0, 9] : fine);
export const back = (situation: Situation): Expected => ({
  exit: exitOfSums(situation),
  ...given({ back: situation.truth.back }),
});
/** Of all orders. */
export const allBack = (situation: Situation): Expected => ({
  exit: exitOfSums(situation),
  ...given({ back: sumWithOthers(situation) }),
});
export const sumWithOthers = ({ truth, otherBack = 0 }: Situation) =>
  truth.back === undefined ? undefined : truth.back + otherBack;
export const records = (situation: Situation): Expected => ({
  ...back(situation),
  ...(isDoubted(situation) ? {} : { sums: sumsOfRecords(situation) }),
  mayOmit: ['failed', 'gone', 'unconfirmed', 'recorded made', 'recorded not made'],
});
const sumsOfRecords = ({ truth: { sums, strange } }: Situation) =>
  strange === undefined ? sums : { ...sums, unconfirmed: strange };
export const compared = ({ truth: { row } }: Situation): Expected => ({
  exit: [row.compare],
  ...(row.state === 'no mode' || row.state === 'doubt'
    ? {}
    : { row: row.state, ...given({ back: row.back }) }),
});
export const ofPlan = ({ truth: { row } }: Situation): Expected => ({
  exit: [row.status],
  ...(row.state === 'no mode' || row.state === 'doubt' ? {} : { row: row.ofPlan ?? row.state }),
});

// A row that was recorded as not made is free to be sent again, unless there is an alarm about another refund of the order.
export const applied = (situation: Situation): Expected => {
  const { row, mustLook } = situation.truth;
  if (row.state !== 'recorded not made') return ofPlan(situation);
  return mustLook ? { exit: [0, 7, 8] } : { ...ofPlan(situation), exit: [0, 8] };
};

export const todays = (situation: Situation): Expected => {
  const { truth } = situation;
  const [first = 'none'] = truth.first;
  const isCounted = first !== 'none' && first !== 'pending' && first !== 'no mode';
  const isOurs = truth.attempts !== 'none';
  return { ...allBack(situation), ...(isCounted && isOurs ? { first: truth.first } : {}) };
};

/** The same command with the same id of a script: it sends nothing, and says what became of it. */
export const repeated = ({ truth }: Situation): Expected => {
  const exits: Readonly<Record<string, readonly number[]>> = {
    made: [0],
    pending: [0],
    'recorded made': [0],
    'recorded not made': [3],
    refused: [5],
  };
  // Of one that failed nothing is unconfirmed, unless the figures disagree; if only a part failed, a person must look.
  const isSure = truth.attempts === 'failed' && !truth.first.includes('doubt');
  if (isSure) return { exit: [truth.sums.made === undefined ? 5 : 7] };
  return { exit: truth.mustLook ? [7] : (exits[truth.attempts] ?? [0, 7]) };
};

export const isPlan = ({ by }: Situation) => by === 'plan';
export const isHand = ({ by, seenBy }: Situation) => by === 'hand' && seenBy === 'ana';

// A row that was made, or may have been made, is never offered again; one that failed, or was certainly not made, may be.
export function plannedAgain({ truth: { row, mayRefund } }: Situation): Expected {
  const isFree = ['failed', 'recorded not made'].includes(row.state);
  return { exit: [0, 7, 8], ...(isFree || mayRefund === undefined ? {} : { offers: false }) };
}

/** The words for the buyer call a refund made wherever the order shows it as such. */
export const told = ({ truth }: Situation): Expected => {
  // Of a status that nobody knows, nobody knows what it does to the other sums.
  if (truth.first.includes('doubt') || truth.strange !== undefined)
    return { exit: fine, row: 'unconfirmed', sums: {} };
  const {
    made = 0,
    elsewhere = 0,
    appeared = 0,
    'made twice': twice = 0,
    pending = 0,
    failed = 0,
    'recorded made': recorded = 0,
    ...open
  } = truth.sums;
  const { neverArrived } = truth;
  const said = {
    made: made + elsewhere + appeared + twice,
    pending,
    failed,
    'recorded made': recorded,
    'recorded not made': neverArrived,
  };
  const sums = Object.entries(said).filter(([, sum]) => sum > 0);
  const isOpen = Object.values(open).reduce((all, sum) => all + sum, 0) > neverArrived;
  return { exit: fine, sums: Object.fromEntries(sums), row: isOpen ? 'unconfirmed' : 'none' };
};
