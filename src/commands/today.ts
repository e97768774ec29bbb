/**
 * `today`: shows on one screen what is unconfirmed, refunded, paid and waiting for capture, and possible twins; with --watch,
 * what changes from now on.
 */

import { amountWords } from '../amounts.ts';
import { pendingRequests, rejectedWords } from '../changes/changes.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import { flag } from '../flags/flags.ts';
import { parsePeriod } from '../flags/typed-period.ts';
import {
  attemptName,
  changeKinds,
  changeOf,
  needsPerson,
  pagesOf,
  recordedState,
  whoSent,
} from '../journal/journal.ts';
import { stateMeans, stateSpan, twinSeconds, twinSpan } from '../orders/orders.ts';
import { commandLine, type Profile } from '../profiles/profiles.ts';
import type { Block, Cell } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';
import { elsewhereLines } from './journal/journal-scope.ts';
import { collectOpenCases } from './open-cases.ts';
import { liveFlag, openSource, sourceFlags, sumsExits } from './report/report-flags.ts';
import { lastColumns, lastFields, rowColumn, showReport } from './report/report-rows.ts';
import type { Source } from './report/report-source.ts';
import {
  amountsOf,
  apartLines,
  closingBlocks,
  inCurrency,
  isComplete,
  refuseGaps,
  titleLine,
} from './report/report-words.ts';
import { gatherToday, stateOfLine, type TodayFacts, type TodayLine } from './today-facts.ts';

export const today = defineCommand({
  description:
    'One screen for the start or the end of a shift: unconfirmed changes and double refunds of this account, refunds and payments of today, orders that wait for their capture, and possible twins. If this machine has an index, the numbers come from there. --live reads every order, and also finds out whether an older refund is gone.',
  flags: {
    currency: sourceFlags.currency,
    tz: sourceFlags.tz,
    live: liveFlag,
    'max-rps': sourceFlags['max-rps'],
    watch: flag.switch('show what is sent and what waits, from now on, until Ctrl-C'),
  },
  examples: ['paydesk -p demo today', 'paydesk -p demo today --json --no-input'],
  exits: sumsExits,
  async run(ctx, { flags: { watch, ...flags } }) {
    if (watch === true) return await watchToday(ctx);
    ctx.out.checkColumns(columns);
    const period = parsePeriod('today', '--period');
    // Refunds of today may belong to orders of any age, so all orders are read.
    const open = collectOpenCases(ctx);
    const isTeam = (await ctx.journal.member()) !== undefined;
    const source = await openSource(ctx, {
      flags,
      period,
      see: open.see,
      needs: { kind: 'refunds', makers: isTeam, waiting: 'too', marginSeconds: twinSeconds },
    });
    const found = await gatherToday(ctx, source, { currency: flags.currency, open, isTeam });
    const rows = found.lines.map((line) => ({
      object: 'today',
      ...line,
      ...lastFields(source, isComplete(found.gaps)),
    }));
    await showReport(ctx, columns, rows, source, () => screen(ctx, source, found));
    await noteRequests(ctx);
    const { profile } = await ctx.service();
    for (const line of await elsewhereLines(ctx, profile)) ctx.notes.note(line);
    const checkedAt = await ctx.journal.wholeCheckAt();
    if (checkedAt !== undefined)
      ctx.notes.note(`all rows of the journal were last checked on ${ctx.days.full(checkedAt)}`);
    refuseGaps(found.gaps, 'refunds and payments');
    return undefined;
  },
});

// Requests that wait for an approval, or that were approved and not sent: no order shows them yet.
async function noteRequests(ctx: Context): Promise<void> {
  const { profile } = await ctx.service();
  for (const line of await rejectedWords(ctx, profile)) ctx.notes.note(line);
  const requests = await pendingRequests(ctx);
  if (requests.length === 0) return;
  const asked = requests.filter(({ state }) => state === 'asked').length;
  const counts = [
    ...(asked === 0 ? [] : [`${asked} asked for`]),
    ...(asked === requests.length ? [] : [`${requests.length - asked} approved and not sent`]),
  ];
  ctx.notes.note(`approvals: ${counts.join(', ')}: ${commandLine(profile, 'approvals', 'list')}`);
}

const columns = [
  rowColumn('what', 'text'),
  rowColumn('bucket', 'text'),
  rowColumn('kind', 'text'),
  rowColumn('currency', 'text'),
  rowColumn('count', 'integer'),
  rowColumn('amount', 'sum'),
  rowColumn('largest', 'sum'),
  rowColumn('largest_order', 'id'),
  rowColumn('order', 'id'),
  rowColumn('next', 'text'),
  ...lastColumns,
];

interface LineWords {
  /** Absent: the word itself. */
  readonly label?: string;
  /** For whoever sees the word for the first time. */
  readonly meaning?: string;
  /** What is counted. Absent: orders, or what was sent. */
  readonly noun?: string;
  /** Without any, there is no line. */
  readonly canBeAbsent?: true;
}

// The lines, in the order of the screen.
const lineWords: Readonly<Record<TodayLine['what'], LineWords>> = {
  unconfirmed: { meaning: 'nobody knows whether it was made' },
  made_twice: { meaning: 'the order shows it once more' },
  appeared: { meaning: 'recorded as not made, and the order shows it' },
  failed: { meaning: stateMeans.failed, canBeAbsent: true },
  gone: { meaning: stateMeans.gone, canBeAbsent: true },
  recorded_made: { meaning: 'the order does not show it', canBeAbsent: true },
  recorded_not_made: { meaning: 'it may still go through', canBeAbsent: true },
  never_arrived: { meaning: 'sent, and not made', canBeAbsent: true },
  refunded: { label: 'refunded today', noun: 'refund' },
  refunded_by: { noun: 'refund', canBeAbsent: true },
  paid: { label: 'paid today', noun: 'payment' },
  waiting: {},
  twins: { label: 'twins today', noun: 'pair', meaning: `the same buyer and amount within ${twinSpan}` },
};

function followedWords({ went_back_since: since, count }: TodayLine): string {
  return since === count
    ? 'the same amount went back since then'
    : `${stateMeans.failed}; for ${since}, the same amount went back since then`;
}

function screen(ctx: Context, source: Source, { lines, refunds }: TodayFacts): readonly Block[] {
  const style = amountsOf(source);
  const words = ({ amount, currency }: TodayLine): string =>
    amount === null ? '' : amountWords(amount, currency ?? undefined, style);
  const more = (line: TodayLine): string => {
    if (line.what === 'waiting' || line.what === 'refunded_by') return line.bucket ?? '';
    const meaning = line.went_back_since ? followedWords(line) : lineWords[line.what].meaning;
    if (meaning !== undefined && line.next !== null)
      return [line.order, line.bucket && `by ${line.bucket}`, `${meaning}: ${line.next}`]
        .filter((part) => part !== null)
        .join(', ');
    return line.largest === null
      ? ''
      : `largest ${amountWords(line.largest, line.currency ?? undefined, style)}, ${line.largest_order}`;
  };
  const grid = (Object.keys(lineWords) as TodayLine['what'][]).flatMap((what): (readonly Cell[])[] => {
    const own = lines.filter((line) => line.what === what && line.count > 0);
    if (own.length === 0 && lineWords[what].canBeAbsent === true) return [];
    if (own.length === 0) return [[labelOf(what), noneOf(what, source), '', '']];
    return own.map((line, index): readonly Cell[] => {
      const row = [index === 0 ? emphasised(what) : '', countOf(line), words(line), more(line)];
      return what === 'never_arrived' ? row.map(faint) : row;
    });
  });
  // Where the columns do not fit, each line says what it is about.
  let label: Cell = '';
  const narrow = grid.map(([own = '', ...cells]): Block => {
    if (own !== '') label = own;
    const words = cells.filter((cell) => cell !== '').flatMap((cell): readonly Cell[] => ['  ', cell]);
    return { line: [label, ...words].flat(), hang: 2 };
  });
  return [
    titleLine(ctx, 'TODAY', source),
    { grid, right: [1, 2], narrow },
    ...closingBlocks(
      source,
      apartLines(refunds, style).map(([label, told]) => [label, `refunds of today: ${told}`]),
    ),
  ];
}

function labelOf(what: TodayLine['what']): string {
  return lineWords[what].label ?? what.replaceAll('_', ' ');
}

// `16 payments`, `1 capture`; an order, if only its figures are in doubt, or if it waits.
function countOf({ what, kind, count }: TodayLine): string {
  const noun = lineWords[what].noun ?? (kind === null ? 'order' : changeKinds[kind].noun);
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}

// What the journal knows is never limited to one currency, so its `none` names no currency.
function noneOf(what: TodayLine['what'], source: Source): string {
  return stateOfLine(what) !== undefined ? 'none' : `none${inCurrency(source)}`;
}

// The words for what needs a person are emphasised.
function emphasised(what: TodayLine['what']): Cell {
  const state = stateOfLine(what);
  return state === undefined ? labelOf(what) : stateSpan(state, labelOf(what));
}

function faint(cell: Cell): Cell {
  return typeof cell === 'string' && cell !== '' ? { text: cell, style: 'faint' } : cell;
}

const everyMs = 3_000;

interface Counts {
  readonly underWay: number;
  readonly waiting: number;
  readonly unconfirmed: number;
  readonly refused: number;
}

/** Shows the counts in a line that is refreshed in place, and a line above it for each change whose state is new. */
async function watchToday(ctx: Context): Promise<undefined> {
  const { profile } = await ctx.service();
  const since = (await ctx.journal.now()).time;
  const told = new Map<string, string>();
  let words = 'reading the journal';
  const end = ctx.notes.progress(() => words);
  try {
    for (;;) {
      words = await look(ctx, profile, since, told).catch((error: unknown) => {
        if (!(error instanceof CliError) || error.kind !== 'network') throw error;
        return error.message;
      });
      await ctx.clock.sleep(everyMs, ctx.signal);
    }
  } catch (error) {
    const { aborted, reason } = ctx.signal;
    if (!aborted || !(reason instanceof CliError) || reason.kind !== 'interrupted') throw error;
    return undefined;
  } finally {
    end();
  }
}

// Says what is new, and returns the counts in words.
async function look(
  ctx: Context,
  profile: Profile,
  since: number,
  told: Map<string, string>,
): Promise<string> {
  const { origin, settings } = profile;
  const now = await ctx.journal.now();
  const young = (await Array.fromAsync(pagesOf(ctx.journal, { origin, since }, { limit: 250 }))).flat();
  for (const record of young.toReversed()) {
    const { sent } = record;
    const state = record.verdicts.length === 0 ? 'under way' : recordedState(record);
    if (told.get(attemptName(record)) === state) continue;
    told.set(attemptName(record), state);
    const order = sent.proof.orderId === undefined ? '' : ` on ${sent.proof.orderId}`;
    ctx.notes.note(
      `${ctx.timeOfDay(sent.time)} ${whoSent(sent)}: ${changeOf(record, settings)}${order}: ${state}`,
    );
  }
  const open = await ctx.journal.attempts({ origin, open: now });
  return countWords({
    underWay: open.filter(({ verdicts }) => verdicts.length === 0).length,
    waiting: (await pendingRequests(ctx)).length,
    unconfirmed: open.filter((one) => one.verdicts.length > 0 && needsPerson(one, now)).length,
    refused: young.filter((record) => record.verdicts.length > 0 && recordedState(record) === 'refused')
      .length,
  });
}

function countWords({ underWay, waiting, unconfirmed, refused }: Counts): string {
  return `${underWay} under way, ${waiting} waiting for approval, ${unconfirmed} unconfirmed, ${refused} refused since the start. Ctrl-C ends`;
}
