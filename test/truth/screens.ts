/** Every screen that can show the order: how it is asked, how its words are read, and what must be true of them. */

import type { Ran } from '../harness/paydesk.ts';
import {
  compareJson,
  compareTable,
  isListed,
  journalJson,
  journalShow,
  journalShowJson,
  journalTable,
  newPlan,
  ordersSummaryTable,
  ordersTable,
  planJson,
  planTable,
  refundDryRunJson,
  refundPreview,
  refundsExport,
  refundsJson,
  refundsTable,
  type Said,
  showOrder,
  summaryJson,
  summaryTable,
  todayJson,
  todayTable,
  twinsJson,
} from './parse.ts';
import { further, id, type Situation } from './situations.ts';
import type { Desk, World } from './world.ts';

/** What the truth says that a screen must say. Absent: the screen does not speak of it, or nobody judges it. */
export interface Expected extends Omit<Said, 'first' | 'exit' | 'commands' | 'words'> {
  /** Any of these. */
  readonly exit: readonly number[];
  /** The first word must be one of these. */
  readonly first?: readonly string[];
  /** It may leave out refunds in these states. */
  readonly mayOmit?: readonly string[];
}

export interface Screen {
  readonly name: string;
  /** Part of the short form of the test. */
  readonly isShort?: true;
  readonly isFor?: (situation: Situation) => boolean;
  /** The commands that it offers are tried. */
  readonly hasNextSteps?: true;
  /** It is asked on a desk that has an index of all orders. */
  readonly needsIndex?: true;
  /** Asks it. `desk` has files of its own. */
  readonly ask: (world: World, desk: Desk, situation: Situation) => Promise<Ran>;
  readonly read: (ran: Ran, world: World, desk: Desk) => Said;
  readonly expects: (situation: Situation) => Expected;
}

// ── What is expected ────────────────────────────────────────────────────────────────────────────

const fine = [0];

/** Without what is not judged. */
function given<T extends object>(parts: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

const shows = ({ truth, twins }: Situation): Expected => ({
  exit: fine,
  first: truth.first,
  // A payment of which the other one went back is not offered without a question.
  ...given({ back: truth.back, left: truth.left, offers: twins === 'settled' ? false : truth.mayRefund }),
  ...(truth.first.includes('doubt') ? {} : { sums: truth.sums }),
  mayOmit: ['gone', 'recorded made'],
});

const lists = ({ truth }: Situation): Expected => ({
  exit: fine,
  first: truth.first,
  ...given({ back: truth.back }),
  offers: true,
});

// A list of what can be refunded, and the order if it is in it.
const refundable = ({ truth }: Situation): Expected => ({
  exit: fine,
  ...given({ offers: truth.mayRefund }),
});
// A search that finds nothing ends with 5.
const findsRefundable = (situation: Situation): Expected => ({ ...refundable(situation), exit: [0, 5] });

/** A refund that asks for a further part: `asked` is its exit where it is offered. */
function previews({ truth, scope }: Situation, asked: number): Expected {
  const { first, mayRefund } = truth;
  // What was recorded as made is only about its own charge.
  const isOther = first.includes('recorded made') && scope === 'charge';
  if (mayRefund === undefined || isOther) return { exit: [0, 3, 7] };
  if (mayRefund) return { exit: [asked], offers: true };
  const isAlarm = first.some((one) => ['made twice', 'appeared', 'gone', 'doubt'].includes(one));
  return { exit: isAlarm ? [7] : first.includes('unconfirmed') ? [3, 7] : [3], offers: false };
}

const isDoubted = ({ truth }: Situation) => truth.first.includes('doubt');

const attempts = (situation: Situation): Expected => ({
  exit: fine,
  ...(isDoubted(situation) || isEnded(situation) ? {} : { attempt: situation.truth.attempts }),
});
const openOnes = (situation: Situation): Expected => ({
  exit: fine,
  ...(isDoubted(situation) ? {} : { attempt: situation.truth.open }),
});
const reconciled = (situation: Situation): Expected => {
  const { truth } = situation;
  const isOurs = truth.attempts !== 'none';
  return {
    exit: [truth.mustLook && isOurs ? 7 : 0],
    ...(truth.mustLook && isOurs && !isDoubted(situation) && !truth.attempts.includes(' + ')
      ? { attempt: truth.open }
      : {}),
  };
};
/** One attempt: only where there is just one. */
const oneAttempt = (situation: Situation): Expected => ({
  exit: [0, 7],
  ...(isDoubted(situation) || isEnded(situation) ? {} : { attempt: situation.truth.attempts }),
});
// Made twice, and acknowledged: the journal may call it made.
const isEnded = ({ truth }: Situation) => truth.attempts === 'made twice' && !truth.mustLook;
const hasOneAttempt = ({ truth }: Situation) => truth.attempts !== 'none' && !truth.attempts.includes(' + ');

// 9: figures that contradict each other cannot be added up, and a list says so.
const exitOfSums = (situation: Situation) => (isDoubted(situation) ? [0, 9] : fine);
const back = (situation: Situation): Expected => ({
  exit: exitOfSums(situation),
  ...given({ back: situation.truth.back }),
});
/** Of all orders. */
const allBack = (situation: Situation): Expected => ({
  exit: exitOfSums(situation),
  ...given({ back: sumWithOthers(situation) }),
});
const sumWithOthers = ({ truth, otherBack = 0 }: Situation) =>
  truth.back === undefined ? undefined : truth.back + otherBack;
const records = (situation: Situation): Expected => ({
  ...back(situation),
  ...(isDoubted(situation) ? {} : { sums: situation.truth.sums }),
  mayOmit: ['failed', 'gone', 'unconfirmed', 'recorded made', 'recorded not made'],
});
const compared = ({ truth: { row } }: Situation): Expected => ({
  exit: [row.compare],
  ...(row.state === 'no mode' || row.state === 'doubt'
    ? {}
    : { row: row.state, ...given({ back: row.back }) }),
});
const ofPlan = ({ truth: { row } }: Situation): Expected => ({
  exit: [row.status],
  ...(row.state === 'no mode' || row.state === 'doubt' ? {} : { row: row.ofPlan ?? row.state }),
});

// A row that was recorded as not made is free to be sent again.
const applied = (situation: Situation): Expected => {
  const expected = ofPlan(situation);
  return situation.truth.row.state === 'recorded not made' ? { ...expected, exit: [0, 8] } : expected;
};

const todays = (situation: Situation): Expected => {
  const { truth } = situation;
  const [first = 'none'] = truth.first;
  const isCounted = ['unconfirmed', 'made twice', 'appeared', 'gone', 'failed', 'doubt'].includes(first);
  const isOurs = truth.attempts !== 'none';
  return { ...allBack(situation), ...(isCounted && isOurs ? { first: [first] } : {}) };
};

/** The same command with the same id of a script: it sends nothing, and says what became of it. */
const repeated = ({ truth }: Situation): Expected => {
  const exits: Readonly<Record<string, readonly number[]>> = {
    made: [0],
    pending: [0],
    'recorded made': [0],
    'recorded not made': [3],
    refused: [5],
  };
  return { exit: truth.mustLook ? [7] : (exits[truth.attempts] ?? [0, 7]) };
};

const isPlan = ({ by }: Situation) => by === 'plan';
const isHand = ({ by, seenBy }: Situation) => by === 'hand' && seenBy === 'ana';

// ── How they are asked ──────────────────────────────────────────────────────────────────────────

type Ask = Screen['ask'];

/** A line as people type it, at so many columns; without columns as a script does. */
function line(text: string, columns?: number): Ask {
  return (world, desk) => world.run(desk, text.split(' '), columns);
}

const refund =
  (...more: readonly string[]): Ask =>
  (world, desk, { scope }) =>
    world.run(desk, ['orders', 'refund', id, ...further[scope], ...more]);

async function intentOf(world: World, desk: Desk): Promise<string> {
  const [attempt] = await world.attempts(desk);
  return attempt?.intent ?? 'i_none';
}

const ofAttempt =
  (before: string, ...more: readonly string[]): Ask =>
  async (world, desk) =>
    world.run(
      desk,
      [...before.split(' '), await intentOf(world, desk), ...more],
      more.length === 0 ? 160 : undefined,
    );

/** After somebody has looked: `journal show` reads no order. */
const afterLook =
  (...more: readonly string[]): Ask =>
  async (world, desk) => {
    await world.run(desk, ['journal', 'reconcile', '--all']);
    return ofAttempt('journal show', ...more)(world, desk, unused);
  };
const unused = {} as Situation;

const exitOf = ({ code }: Ran): Said => ({ exit: code ?? -1 });
const about = (read: (ran: Ran, id: string) => Said) => (ran: Ran) => read(ran, id);
const exported =
  (...words: readonly string[]): Ask =>
  (world, desk) =>
    world.run(desk, ['orders', 'export', '--since', '30d', '--to', 'out.csv', ...words]);

// ── All screens ─────────────────────────────────────────────────────────────────────────────────

const show = `orders show ${id}`;

export const screens: readonly Screen[] = [
  {
    name: 'orders show, 120 columns',
    isShort: true,
    hasNextSteps: true,
    ask: line(show, 120),
    read: about(showOrder),
    expects: shows,
  },
  { name: 'orders show, 80 columns', ask: line(show, 80), read: about(showOrder), expects: shows },
  {
    name: 'orders list, 120 columns',
    ask: line('orders list', 120),
    read: about(ordersTable),
    expects: lists,
  },
  {
    name: 'orders list, 80 columns',
    isShort: true,
    ask: line('orders list', 80),
    read: about(ordersTable),
    expects: lists,
  },
  {
    name: 'orders list --json',
    ask: line('orders list --json'),
    read: about(isListed),
    expects: () => ({ exit: fine, offers: true }),
  },
  {
    name: 'orders list --refundable',
    isShort: true,
    ask: line('orders list --refundable', 120),
    read: about(ordersTable),
    expects: refundable,
  },
  {
    name: 'orders list --refundable --json',
    ask: line('orders list --refundable --json'),
    read: about(isListed),
    expects: refundable,
  },
  {
    name: 'orders find',
    ask: line('orders find mario@example.com', 120),
    read: about(ordersTable),
    expects: lists,
  },
  {
    name: 'orders find, 80 columns',
    ask: line('orders find mario@example.com', 80),
    read: about(ordersTable),
    expects: lists,
  },
  {
    name: 'orders find --refundable --json',
    ask: line('orders find mario@example.com --refundable --json'),
    read: about(isListed),
    expects: findsRefundable,
  },
  {
    name: 'orders find, with an index',
    needsIndex: true,
    ask: line('orders find mario@example.com', 120),
    read: about(ordersTable),
    expects: lists,
  },
  {
    name: 'orders find --refundable --json, with an index',
    needsIndex: true,
    ask: line('orders find mario@example.com --refundable --json'),
    read: about(isListed),
    expects: findsRefundable,
  },
  {
    name: 'orders refund, declined',
    hasNextSteps: true,
    ask: (world, desk, { scope }) =>
      world.declines(desk, ['orders', 'refund', id, ...further[scope], '--only-confirm']),
    read: refundPreview,
    expects: (situation) => ({
      ...previews(situation, 3),
      ...given({ back: situation.scope === 'part' ? situation.truth.back : undefined }),
    }),
  },
  {
    name: 'orders refund --dry-run',
    isShort: true,
    ask: refund('--dry-run'),
    read: refundPreview,
    expects: (situation) => previews(situation, 0),
  },
  {
    name: 'orders refund --dry-run --json',
    ask: refund('--dry-run', '--json'),
    read: refundDryRunJson,
    expects: (situation) => previews(situation, 0),
  },
  {
    name: 'orders refund, the same --intent again',
    isShort: true,
    isFor: (situation) => isHand(situation) && hasOneAttempt(situation),
    ask: repeat,
    read: exitOf,
    expects: repeated,
  },
  { name: 'journal list', ask: line('journal list', 120), read: journalTable, expects: attempts },
  { name: 'journal list, 80 columns', ask: line('journal list', 80), read: journalTable, expects: attempts },
  { name: 'journal list --json', ask: line('journal list --json'), read: journalJson, expects: attempts },
  {
    name: 'journal list --open',
    ask: line('journal list --open', 120),
    read: journalTable,
    expects: openOnes,
  },
  {
    name: 'journal list --open --json',
    ask: line('journal list --open --json'),
    read: journalJson,
    expects: openOnes,
  },
  {
    name: 'journal show INTENT',
    isFor: hasOneAttempt,
    ask: afterLook(),
    read: journalShow,
    expects: oneAttempt,
  },
  {
    name: 'journal show INTENT --json',
    isFor: hasOneAttempt,
    ask: afterLook('--json'),
    read: journalShowJson,
    expects: oneAttempt,
  },
  {
    name: 'journal show ORDER',
    ask: line(`journal show ${id}`, 120),
    read: exitOf,
    expects: ({ truth }) => ({ exit: truth.attempts === 'none' ? [0, 5] : fine }),
  },
  {
    name: 'journal reconcile INTENT',
    hasNextSteps: true,
    isFor: hasOneAttempt,
    ask: ofAttempt('journal reconcile'),
    read: journalShow,
    expects: (situation) => ({
      ...oneAttempt(situation),
      ...(situation.truth.mustLook ? { exit: [7] } : { exit: fine }),
    }),
  },
  {
    name: 'journal reconcile --all',
    ask: line('journal reconcile --all', 120),
    read: journalTable,
    expects: reconciled,
  },
  {
    name: 'journal reconcile --all --json',
    isShort: true,
    ask: line('journal reconcile --all --json'),
    read: journalJson,
    expects: reconciled,
  },
  {
    name: 'refunds list',
    ask: line('refunds list --period 2d', 140),
    read: about(refundsTable),
    expects: back,
  },
  {
    name: 'refunds list --json',
    ask: line('refunds list --period 2d --json'),
    read: about(refundsJson),
    expects: records,
  },
  {
    name: 'refunds list --json, with an index',
    needsIndex: true,
    ask: line('refunds list --period 2d --json'),
    read: about(refundsJson),
    expects: records,
  },
  { name: 'refunds summary', ask: line('refunds summary', 120), read: summaryTable, expects: allBack },
  {
    name: 'refunds summary --json',
    isShort: true,
    ask: line('refunds summary --json'),
    read: summaryJson,
    expects: allBack,
  },
  {
    name: 'refunds summary --json, with an index',
    needsIndex: true,
    ask: line('refunds summary --json'),
    read: summaryJson,
    expects: allBack,
  },
  {
    name: 'refunds compare',
    isShort: true,
    ask: line('refunds compare r.csv', 160),
    read: compareTable,
    expects: compared,
  },
  {
    name: 'refunds compare --json',
    ask: line('refunds compare r.csv --json'),
    read: compareJson,
    expects: compared,
  },
  {
    name: 'refunds status',
    isShort: true,
    isFor: isPlan,
    ask: line('refunds status r.plan', 160),
    read: planTable,
    expects: ofPlan,
  },
  {
    name: 'refunds status --json',
    isFor: isPlan,
    ask: line('refunds status r.plan --json'),
    read: planJson,
    expects: ofPlan,
  },
  {
    name: 'refunds apply once more',
    isShort: true,
    isFor: isPlan,
    ask: applyAgain,
    read: planTable,
    expects: applied,
  },
  {
    name: 'refunds apply --dry-run --json',
    isFor: isPlan,
    ask: line('refunds apply r.plan --dry-run --json'),
    read: planJson,
    expects: applied,
  },
  {
    name: 'refunds plan of the same file',
    isFor: ({ truth }) => truth.row.state !== 'none',
    ask: line('refunds plan r.csv --to again.plan --json'),
    read: newPlan,
    expects: plannedAgain,
  },
  { name: 'today', isShort: true, ask: line('today', 120), read: todayTable, expects: todays },
  { name: 'today --json', ask: line('today --json'), read: todayJson, expects: todays },
  {
    name: 'today --json, with an index',
    needsIndex: true,
    ask: line('today --json'),
    read: todayJson,
    expects: todays,
  },
  {
    name: 'orders summary',
    ask: line('orders summary --period 7d', 120),
    read: ordersSummaryTable,
    expects: allBack,
  },
  {
    name: 'orders summary --json',
    ask: line('orders summary --period 7d --json'),
    read: summaryJson,
    expects: allBack,
  },
  {
    name: 'orders export --rows refunds',
    ask: exported('--rows', 'refunds'),
    read: (ran, world, desk) =>
      refundsExport(ran, ran.code === 0 ? world.read(desk, 'out.csv') : undefined, id),
    expects: records,
  },
  { name: 'refunds list --from-file', ask: fromFile, read: about(refundsJson), expects: records },
  {
    name: 'orders twins --json',
    isFor: ({ twins }) => twins !== undefined,
    ask: line('orders twins --period 2d --json'),
    read: about(twinsJson),
    expects: ({ twins }) => ({ exit: fine, offers: twins === 'open' }),
  },
];

async function repeat(world: World, desk: Desk, { scope }: Situation): Promise<Ran> {
  const asked = { whole: [], charge: ['--charge', 'ch_1'], part: ['--charge', 'ch_1', '--amount', '300'] }[
    scope
  ];
  return await world.run(desk, [
    'orders',
    'refund',
    id,
    ...asked,
    '--reason',
    'other',
    '--intent',
    'ticket-1',
    '--yes',
  ]);
}

async function applyAgain(world: World, desk: Desk): Promise<Ran> {
  const before = world.service.posts.length;
  const ran = await world.run(desk, ['refunds', 'apply', 'r.plan', '--dry-run'], 160);
  if (world.service.posts.length !== before) throw new Error('a dry run sent something');
  return ran;
}

// A row that was made, or may have been made, is never offered again; one that failed, or was certainly not made, may be.
function plannedAgain({ truth: { row, mayRefund } }: Situation): Expected {
  const isFree = ['failed', 'recorded not made'].includes(row.state);
  return { exit: [0, 7, 8], ...(isFree || mayRefund === undefined ? {} : { offers: false }) };
}

async function fromFile(world: World, desk: Desk): Promise<Ran> {
  await world.run(desk, ['orders', 'export', '--to', 'all.ndjson']);
  return await world.run(desk, ['refunds', 'list', '--period', '2d', '--json', '--from-file', 'all.ndjson']);
}
