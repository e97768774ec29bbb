/** Every screen that can show the order: how it is asked, how its words are read, and what must be true of them. */

import type { Ran } from '../harness/paydesk.ts';
import {
  allBack,
  applied,
  attempts,
  back,
  compared,
  type Expected,
  findsRefundable,
  fine,
  given,
  hasOneAttempt,
  isHand,
  isPlan,
  lists,
  mustReconcile,
  ofPlan,
  oneAttempt,
  openOnes,
  plannedAgain,
  previews,
  reconciled,
  records,
  refundable,
  repeated,
  shows,
  todays,
  told,
} from './expected.ts';
import { further, id, type Situation } from './happenings.ts';
import {
  buyerWords,
  isListed,
  ordersTable,
  pickedList,
  refundDryRunJson,
  refundPreview,
  showOrder,
} from './parse-orders.ts';
import {
  compareJson,
  compareTable,
  journalJson,
  journalShow,
  journalShowJson,
  journalTable,
  newPlan,
  ordersSummaryTable,
  planJson,
  planTable,
  refundsExport,
  refundsJson,
  refundsTable,
  reportFigures,
  summaryJson,
  summaryTable,
  todayJson,
  todayTable,
  twinsJson,
} from './parse-refunds.ts';
import type { Said } from './words.ts';
import type { Desk, World } from './world.ts';

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

async function changeOfRow(world: World, desk: Desk): Promise<string> {
  const [attempt] = await world.attempts(desk);
  return attempt?.change ?? 'i_none';
}

const ofAttempt =
  (before: string, ...more: readonly string[]): Ask =>
  async (world, desk) =>
    world.run(
      desk,
      [...before.split(' '), await changeOfRow(world, desk), ...more],
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
  {
    name: 'orders show --for-buyer',
    isShort: true,
    ask: line(`${show} --for-buyer`),
    read: buyerWords,
    expects: told,
  },
  {
    name: 'orders show --for-buyer --lang es',
    ask: line(`${show} --for-buyer --lang es`),
    read: buyerWords,
    expects: told,
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
    name: 'orders refund, the same --idempotency-key again',
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
    name: 'journal show CHANGE',
    isFor: hasOneAttempt,
    ask: afterLook(),
    read: journalShow,
    expects: oneAttempt,
  },
  {
    name: 'journal show CHANGE --json',
    isFor: hasOneAttempt,
    ask: afterLook('--json'),
    read: journalShowJson,
    expects: oneAttempt,
  },
  {
    name: 'journal show ORDER',
    ask: line(`journal show ${id}`, 120),
    read: exitOf,
    // Of several changes nobody knows which one is meant: it lists them.
    expects: ({ truth: { attempts } }) => ({
      exit: attempts === 'none' ? [0, 5] : attempts.includes(' + ') ? [2] : fine,
    }),
  },
  {
    name: 'journal reconcile CHANGE',
    hasNextSteps: true,
    isFor: hasOneAttempt,
    ask: ofAttempt('journal reconcile'),
    read: journalShow,
    expects: (situation) => ({
      ...oneAttempt(situation),
      exit: [mustReconcile(situation) ? 7 : 0],
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
  {
    name: 'orders refund, the list to pick from',
    ask: (world, desk) => world.declines(desk, ['orders', 'refund']),
    read: (ran) => pickedList(ran, '20 Nov 18:42'),
    expects: ({ truth }) => ({
      exit: [130],
      first: truth.mayRefund === true ? truth.first : [...truth.first, 'not there'],
    }),
  },
  {
    name: 'report',
    ask: line('report --period 2d --to out.html'),
    read: (ran, world, desk) => reportFigures(ran, world.read(desk, 'out.html')),
    expects: todays,
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
    '--idempotency-key',
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

async function fromFile(world: World, desk: Desk): Promise<Ran> {
  await world.run(desk, ['orders', 'export', '--to', 'all.ndjson']);
  return await world.run(desk, ['refunds', 'list', '--period', '2d', '--json', '--from-file', 'all.ndjson']);
}
