/** The words about a plan and its batch: what would be sent, how many rows ended how, and why a batch stopped. Pure. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import { CliError, type CliErrorParts } from '../../errors.ts';
import { alarmWords } from '../../journal/journal.ts';
import { type BatchStop, bar, digestShown, type Plan, type PlanRow, sumsOf } from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { titleLine } from '../change-words.ts';
import { countVerdicts, type RowReport, type RowVerdict } from './row-verdicts.ts';
import type { BatchRun } from './send-row.ts';

/** `112 refunds, 1203400 MXN and 900 USD`. */
export function rowsAndSums(rows: readonly PlanRow[], style: AmountStyle): string {
  const many = rows.length === 1 ? '1 refund' : `${rows.length} refunds`;
  return [many, ...sumWords(rows, style)].join(', ');
}

function sumWords(rows: readonly Pick<PlanRow, 'currency' | 'sum'>[], style: AmountStyle): readonly string[] {
  const sums = sumsOf(rows)
    .filter(({ amount }) => amount > 0)
    .map(({ amount, currency }) => amountWords(amount, currency, style));
  return sums.length === 0 ? [] : [sums.join(' and ')];
}

// What is said of rows with a verdict, and whether their sum is worth saying.
const verdictWords: Readonly<Record<RowVerdict, { readonly words: string; readonly hasSum: boolean }>> = {
  applied: { words: 'applied', hasSum: true },
  unconfirmed: { words: 'unconfirmed', hasSum: true },
  refused: { words: 'refused by the service', hasSum: false },
  not_sent: { words: 'not sent', hasSum: false },
  not_started: { words: 'not started', hasSum: false },
  look: { words: 'not sent before somebody looks', hasSum: false },
  impossible: { words: 'impossible', hasSum: false },
};

/** `of 300 rows 112 applied (1203400 MXN), 2 refused by the service, 3 unconfirmed (41000 MXN), 183 not started`. */
export function countWords(reports: readonly RowReport[], style: AmountStyle): string {
  const count = (some: readonly RowReport[], words: string, hasSum: boolean) => {
    const rows = some.map(({ row }) => row);
    const sums = hasSum ? sumWords(rows, style).join('') : '';
    return `${some.length} ${words}${sums === '' ? '' : ` (${sums})`}`;
  };
  const parts = countVerdicts(reports).flatMap(({ verdict, reports: some }) => {
    const { words, hasSum } = verdictWords[verdict];
    const byHand = some.filter(({ attempt }) => attempt?.isByHand === true);
    return [
      count(some, words, hasSum),
      ...(byHand.length === 0 ? [] : [count(byHand, 'of them recorded by hand', hasSum)]),
    ];
  });
  const many = reports.length === 1 ? '1 row' : `${reports.length} rows`;
  return `of ${many} ${parts.join(', ')}`;
}

// A table on a narrow terminal cuts the reasons, so the first ones are said below it.
const shownRows = 8;

/** Why rows are not sent: a line for each of the first ones. `all`: the command that shows the others too. */
export function lineWords(
  rows: readonly { readonly line: number; readonly why: string | undefined }[],
  all: string,
): readonly string[] {
  const more = rows.length - shownRows;
  return [
    ...rows.slice(0, shownRows).map(({ line, why }) => `line ${line}: ${why ?? 'not started'}`),
    ...(more > 0 ? [`and ${more === 1 ? '1 more row' : `${more} more rows`}: ${all}`] : []),
  ];
}

/** A bar of the verdicts, and what its signs mean. */
export function verdictBar(reports: readonly RowReport[]): string {
  const of = (...verdicts: readonly RowVerdict[]) =>
    reports.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const rows = {
    applied: of('applied'),
    unknown: of('unconfirmed'),
    rejected: of('refused', 'impossible', 'look'),
    left: of('not_sent', 'not_started'),
  };
  return `${bar(rows, barLength)}  # applied, ? unconfirmed, x refused, impossible or to be looked at, . not sent`;
}

const barLength = 24;

/** What a person sees before a plan is applied. */
export function applyPreview(
  plan: Plan,
  path: string,
  send: readonly PlanRow[],
  reports: readonly RowReport[],
  { profile, madeAt }: { readonly profile: Profile; readonly madeAt: string },
): readonly Block[] {
  const { settings } = profile;
  const orders = new Set(send.map(({ orderId }) => orderId)).size;
  const marked = send.filter(({ marks }) => marks.length > 0);
  const line = (name: string, text: string): Block => ({ line: `${name.padEnd(8)}${text}`, hang: 8 });
  return [
    titleLine('REFUND THE ROWS OF A PLAN', profile, 'strong'),
    line('plan', `${path}, made ${madeAt} by ${plan.operator} from ${plan.file}`),
    line('rows', countWords(reports, settings)),
    ...marked
      .slice(0, markedShown)
      .map(({ line: number, marks }) => line('note', `line ${number}: ${marks.join('; ')}`)),
    ...(marked.length > markedShown
      ? [
          line(
            'note',
            `${marked.length - markedShown} more rows have notes: ${commandLine(profile, 'refunds', 'status', path, '--columns', 'line,order_id,notes')}`,
          ),
        ]
      : []),
    {
      line: [
        'sends   ',
        {
          text: `${rowsAndSums(send, settings)}, of ${orders === 1 ? '1 order' : `${orders} orders`}`,
          style: 'out',
        },
      ],
      hang: 8,
    },
    line('digest', plan.digest.slice(0, digestShown)),
  ];
}

const markedShown = 5;

/** What a batch was stopped by, as a sentence begins. */
function stopWords(stop: BatchStop): string {
  switch (stop.why) {
    case 'unknowns':
      return `${stop.count === 1 ? '1 refund' : `${stop.count} refunds`}${stop.inARow ? ' in a row' : ''} got no usable answer`;
    case 'row':
      return stop.words;
    case 'wait':
      return `the service asks to wait ${Math.ceil(stop.waitMs / 60_000)} min`;
    case 'signal':
      return 'stopped by you';
  }
}

/** What else is known of the end of a batch. */
interface BatchEnded {
  readonly stop: BatchStop | undefined;
  readonly profile: Profile;
  readonly signal: AbortSignal;
  readonly run: BatchRun;
  /** Why the report could not be printed, if so. */
  readonly lost: CliError | undefined;
}

/** How a batch ended, if rows are left: the error of the run, with exit code 7, 9, 8, 4, 6 or 130. Undefined if all were applied. */
export function batchError(
  path: string,
  reports: readonly RowReport[],
  { stop, profile, signal, run, lost }: BatchEnded,
): CliError | undefined {
  const { settings } = profile;
  const of = (verdict: RowVerdict) => reports.filter((one) => one.verdict === verdict);
  const unconfirmed = of('unconfirmed');
  const certain = `${countWords(reports, settings)}; nothing is on its way`;
  const again = commandLine(profile, 'refunds', 'apply', path);
  const parts = {
    opening: stop === undefined ? 'not all done:' : 'stopped:',
    certain,
    profile: profile.name,
  };
  if (unconfirmed.length > 0) return unconfirmedError(unconfirmed, { stop, profile, parts, again });
  if (lost !== undefined) {
    const status = commandLine(profile, 'refunds', 'status', path);
    return new CliError('incomplete', lost.message, {
      certain,
      now: ['to see the report:', status],
      cause: lost,
    });
  }
  const left = reports.filter(({ verdict }) => verdict !== 'applied');
  if (left.length === 0) return undefined;
  const canGoOn = left.some(({ verdict }) => verdict === 'not_started' || verdict === 'not_sent');
  // The signal may have come when the last rows were read, so that no row was held back.
  if (canGoOn && signal.aborted && signal.reason instanceof CliError)
    return new CliError(signal.reason.kind, signal.reason.message.replace(/;.*$/, ''), {
      certain,
      now: ['go on:', again],
      cause: signal.reason,
    });
  const message = stop === undefined ? `${manyRows(left)} not applied` : stopWords(stop);
  // Exit codes 4 and 6 promise that nothing was changed by this run.
  const kind = run.sent === 0 ? (run.stoppedBy ?? 'batch') : 'batch';
  return new CliError(kind, message, { ...parts, now: afterLeft(path, left, again, profile) });
}

function unconfirmedError(
  unconfirmed: readonly RowReport[],
  {
    stop,
    profile,
    parts,
    again,
  }: Pick<BatchEnded, 'stop' | 'profile'> & { readonly parts: CliErrorParts; readonly again: string },
): CliError {
  const message = stop === undefined ? `${manyRows(unconfirmed)} unconfirmed` : stopWords(stop);
  return new CliError('unknown', message, {
    ...parts,
    now: [
      ...unconfirmed.slice(0, 3).map(unconfirmedWords),
      ...(stop === undefined
        ? []
        : [`when this answers: ${commandLine(profile, 'profile', 'check', profile.name)}`]),
      'run the command again: it reads the unconfirmed rows first, and sends no row twice:',
      again,
    ],
  });
}

function unconfirmedWords(report: RowReport): string {
  const { line, orderId } = report.row;
  return `line ${line}, ${orderId}: ${lookWords(report)}`;
}

/** What to do about an unconfirmed row. An alarm is for a person, and reading the order again does not end it. */
export function lookWords({ attempt }: RowReport): string {
  const { intent = '--all', alarm } = attempt ?? {};
  if (alarm === undefined) return `paydesk journal reconcile ${intent}`;
  return `${alarmWords[alarm]}: paydesk journal show ${intent}`;
}

function manyRows(reports: readonly RowReport[]): string {
  return reports.length === 1 ? '1 row is' : `${reports.length} rows are`;
}

function afterLeft(
  path: string,
  left: readonly RowReport[],
  again: string,
  profile: Profile,
): readonly string[] {
  const reasons = left.flatMap(({ row: { line }, why }) => (why === undefined ? [] : [{ line, why }]));
  const canGoOn = left.some(({ verdict }) => verdict === 'not_started' || verdict === 'not_sent');
  return [
    ...lineWords(reasons, commandLine(profile, 'refunds', 'status', path, '-o', 'list')),
    ...(canGoOn ? ['to try the rows again that were not sent:', again] : []),
    ...(left.some(({ verdict }) => verdict === 'not_sent')
      ? [
          'if orders changed, read them again and keep the rows:',
          commandLine(profile, 'refunds', 'plan', '--refresh', path, '--to', 'new.plan'),
        ]
      : []),
    'the rows that moved no money, as a file that you can correct and plan again:',
    commandLine(profile, 'refunds', 'status', path, '--rest', 'rest.csv'),
  ];
}
