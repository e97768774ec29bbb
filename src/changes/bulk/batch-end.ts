/** Says how a batch ended, in words and as an exit code: why it stopped, which rows are left, and what to do now. Pure. */

import { counted } from '../../counted.ts';
import { CliError, type CliErrorParts } from '../../errors.ts';
import { alarmWords } from '../../journal/journal.ts';
import type { BatchRun, BatchStop, Worked } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { countWords, inFull, lineWords, moreWords, shownRows } from './batch-words.ts';
import {
  countVerdicts,
  isAlarming,
  isDone,
  isLeftToSend,
  type RowReport,
  rowVerdicts,
} from './row-verdicts.ts';

/** What stopped a batch, as the beginning of a sentence. */
function stopWords(stop: BatchStop): string {
  switch (stop.why) {
    case 'unknowns':
      return `${counted(stop.count, 'refund')}${stop.inARow ? ' in a row' : ''} got no usable answer`;
    case 'row':
      return stop.words;
    case 'wait':
      return `the service asks us to wait ${Math.ceil(stop.waitMs / 60_000)} min`;
    case 'signal':
      return 'stopped by you';
  }
}

/** A time in Unix milliseconds, as `untilWords` says it. */
type UntilOf = (ms: number) => string;

interface BatchEnded extends Worked {
  readonly profile: Profile;
  readonly signal: AbortSignal;
  /** Why the report could not be printed, if so. */
  readonly lost: CliError | undefined;
  /** Says when an unconfirmed row ends at the latest. */
  readonly untilOf: UntilOf;
  /** The command that goes on, with the flags of this run. */
  readonly again: string;
  /** Names that no file has yet: for the plan made anew, and for the rows that are left. */
  readonly free: { readonly plan: string; readonly rest: string };
}

/**
 * What is certain about the requests, so that nobody believes that a refund that was sent and not answered can no longer arrive.
 * `unconfirmed`: how many rows of the plan are unconfirmed.
 */
export function onItsWay({ open }: Pick<BatchRun, 'open'>, unconfirmed: number): string {
  if (open > 0) return `${open} may still arrive`;
  return unconfirmed > 0 ? 'nothing else is on its way' : 'nothing is on its way';
}

/** How a batch ended, if rows are left: the error of the run, with exit code 7, 9, 8, 4, 6 or 130. Undefined if all were applied. */
export function batchError(
  path: string,
  reports: readonly RowReport[],
  ended: BatchEnded,
): CliError | undefined {
  const { stop, profile, signal, run, lost, again } = ended;
  const left = reports.filter((report) => !isDone(report));
  const unconfirmed = left.filter(isAlarming);
  const certain = [
    countWords(reports, profile.settings),
    onItsWay(run, unconfirmed.length),
    ...unreadWords(unconfirmed),
  ].join('; ');
  const { now: mend = [] } = run.journal?.parts ?? {};
  const parts = {
    opening: stop === undefined || stop.why === 'signal' ? 'not all done:' : 'stopped:',
    certain,
    profile: profile.name,
  };
  if (unconfirmed.length > 0) return unconfirmedError(path, left, { ...ended, parts, mend });
  if (lost !== undefined) {
    const status = commandLine(profile, 'refunds', 'status', path);
    return new CliError('incomplete', lost.message, {
      certain,
      now: ['to see the report:', status],
      cause: lost,
    });
  }
  if (left.length === 0) return undefined;
  const canGoOn = left.some(isLeftToSend);
  // The signal may have come while the last rows were read: then no row was held back.
  if (canGoOn && signal.aborted && signal.reason instanceof CliError)
    return new CliError(signal.reason.kind, signal.reason.message.replace(/;.*$/, ''), {
      certain,
      now: ['go on:', again],
      cause: signal.reason,
    });
  const [away] = run.away.values();
  const message = stop === undefined ? `${manyRows(left)} not applied` : stopWords(stop);
  // Exit codes 4 and 6 promise that nothing was changed by this run.
  const kind = run.sent === 0 ? (run.stoppedBy ?? (away === undefined ? 'batch' : 'network')) : 'batch';
  return new CliError(
    kind,
    run.journal?.message ?? (stop === undefined && away !== undefined ? `${message}: ${away}` : message),
    { ...parts, now: [...mend, ...afterLeft(path, left, ended)] },
  );
}

// An outage must not look as if paydesk had looked for the refund and not found it.
function unreadWords(unconfirmed: readonly RowReport[]): readonly string[] {
  const [first, ...more] = unconfirmed.filter(({ isUnread }) => isUnread === true);
  if (first === undefined) return [];
  const many = counted(more.length + 1, 'row');
  return [
    `${many} ${first.why}; nothing is known of ${more.length === 0 ? 'it' : 'them'} that was not known before`,
  ];
}

function unconfirmedError(
  path: string,
  left: readonly RowReport[],
  ended: BatchEnded & {
    readonly parts: CliErrorParts;
    readonly mend: readonly string[];
  },
): CliError {
  const { stop, profile, again, parts, mend, untilOf } = ended;
  const unconfirmed = left.filter(isAlarming);
  const isUsual = stop === undefined || stop.why === 'signal';
  const isAway = unconfirmed.some(({ isUnread }) => isUnread === true);
  const only = rowVerdicts.filter((one) => unconfirmed.some(({ verdict }) => verdict === one));
  const status = commandLine(profile, 'refunds', 'status', path, '--only', only.join(','));
  const message = stop === undefined ? alarmingWords(unconfirmed) : stopWords(stop);
  return new CliError('unconfirmed', message, {
    ...parts,
    now: [
      ...mend,
      ...unconfirmed.slice(0, shownRows).map((report) => unconfirmedWords(report, untilOf)),
      ...moreWords(unconfirmed.length - shownRows, status),
      ...reasonLines(path, left, profile),
      ...((isUsual && !isAway) || mend.length > 0
        ? []
        : [`when this answers: ${commandLine(profile, 'profile', 'check', profile.name)}`]),
      'run the command again: it reads the unconfirmed rows first, and sends no row twice:',
      again,
    ],
  });
}

// `2 rows are unconfirmed and 1 row is made twice`
function alarmingWords(reports: readonly RowReport[]): string {
  return countVerdicts(reports)
    .map(({ verdict, reports: some }) => `${manyRows(some)} ${verdict.replaceAll('_', ' ')}`)
    .join(' and ');
}

function unconfirmedWords(report: RowReport, untilOf: UntilOf): string {
  const { line, orderId } = report.row;
  return `line ${line}, ${orderId}: ${lookWords(report, untilOf)}`;
}

/** What to do about an unconfirmed row. An alarm is for a person, and reading the order again does not end it. */
export function lookWords({ attempt, row }: RowReport, untilOf: UntilOf): string {
  const { change = '--all', alarm, neverArrived, blockedUntil: until } = attempt ?? {};
  if (neverArrived === true)
    return `it never arrived; whether to send it again: paydesk orders show ${row.orderId}`;
  const blocked = until === undefined ? '' : `blocked until ${untilOf(until)} at the latest: `;
  if (alarm === undefined) return `${blocked}paydesk journal reconcile ${change}`;
  return `${alarmWords[alarm]}: paydesk journal show ${change}`;
}

/** Why a row ended as it did, or what a person does about it. */
export function whyOrLook(report: RowReport, untilOf: UntilOf): string | undefined {
  return isAlarming(report) ? `${report.state}: ${lookWords(report, untilOf)}` : report.why;
}

function manyRows(reports: readonly RowReport[]): string {
  return reports.length === 1 ? '1 row is' : `${reports.length} rows are`;
}

/** How to get the text of `refunds status --report`. */
export function mailLine(path: string, profile: Pick<Profile, 'kind' | 'name'>): string {
  return `as a text for a mail: ${commandLine(profile, 'refunds', 'status', path, '--report')}`;
}

function afterLeft(
  path: string,
  left: readonly RowReport[],
  { again, profile, run, free }: BatchEnded,
): readonly string[] {
  const canGoOn = left.some(isLeftToSend);
  // That the service could not be reached says nothing about the order.
  const mayHaveChanged = left.some(({ verdict, row }) => verdict === 'not_sent' && !run.away.has(row.number));
  const refresh = ['refunds', 'plan', '--refresh', path, '--to', free.plan];
  return [
    ...reasonLines(path, left, profile),
    ...(canGoOn ? ['to try the rows again that were not sent:', again] : []),
    ...(mayHaveChanged
      ? ['if orders changed, read them again and keep the rows:', commandLine(profile, ...refresh)]
      : []),
    ...(run.equal.size === 0
      ? []
      : [
          'if a charge has a refund already and you want a second one, name that refund in the new plan:',
          commandLine(profile, ...refresh, '--again', [...run.equal].join(',')),
        ]),
    'the rows that moved no money, as a file to correct and plan again:',
    commandLine(profile, 'refunds', 'status', path, '--rest', free.rest),
    ...(run.sent === 0 ? [] : [mailLine(path, profile)]),
  ];
}

// The journal has nothing about a row that was tried and not sent, so only a new look at its order says why. The plan has already
// said which rows it does not send.
function reasonLines(path: string, left: readonly RowReport[], profile: Profile): readonly string[] {
  const isOfPlan = ({ verdict }: RowReport) => verdict === 'look' || verdict === 'impossible';
  const reasons = left.flatMap((report) => {
    const { row, why } = report;
    return why === undefined || isAlarming(report) || isOfPlan(report)
      ? []
      : [{ line: row.line, orderId: row.orderId, why }];
  });
  const stopped = left.filter(isOfPlan).length;
  const ofPlan = ['refunds', 'status', path, '--only', 'look,impossible', ...inFull];
  return [
    ...lineWords(reasons, commandLine(profile, 'refunds', 'apply', path, '--dry-run', ...inFull)),
    ...(stopped === 0
      ? []
      : [`${counted(stopped, 'row')} that the plan does not send: ${commandLine(profile, ...ofPlan)}`]),
  ];
}
