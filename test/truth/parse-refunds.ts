/** Reads what the screens of the journal, of refunds and of files say. */

import type { Ran } from '../harness/paydesk.ts';
import { type Case, type State, states } from './truth.ts';
import {
  amountIn,
  commandsIn,
  csvRows,
  dataOf,
  errorOf,
  type Row,
  type Said,
  stateIn,
  stateOfRow,
  tableOf,
  UnknownWords,
} from './words.ts';

/** `journal list` and `reconcile --all` for people. */
export function journalTable({ code, stdout }: Ran): Said {
  const rows = tableOf(stdout, 'CHANGE');
  return attemptsSaid(
    code,
    rows.map((row) => ({
      ...stateIn(row.OUTCOME ?? ''),
      // Where all rows have one currency, that may be the title.
      amount: amountIn(row.AMOUNT ?? row.MXN),
    })),
  );
}

export function journalJson(ran: Ran): Said {
  return attemptsSaid(
    ran.code,
    dataOf(ran).map((row) => ({ ...stateOfRow(row, String(row.outcome)), amount: Number(row.amount) })),
  );
}

function attemptsSaid(
  code: number | null,
  attempts: readonly { readonly state: string; readonly words: readonly string[]; readonly amount: number }[],
): Said {
  return {
    exit: code ?? -1,
    attempt:
      attempts.length === 0
        ? 'none'
        : attempts
            .map(({ state }) => state)
            .toSorted()
            .join(' + '),
    words: attempts.flatMap(({ words }) => words),
  };
}

/** `journal show`, and `journal reconcile` of one change, for people. */
export function journalShow({ code, stdout, stderr }: Ran): Said {
  if (/^not found:/m.test(stderr)) return { exit: code ?? -1, attempt: 'none' };
  const text = stdout.replaceAll(/\n(?! {2}change)/g, ' ');
  const outcome = /(?:^|["”] |\s)refund of \d+ MXN: (.*?)\s*\n {2}change/.exec(text)?.[1];
  if (outcome === undefined) throw new UnknownWords(`no attempt: ${stdout.slice(0, 300)}`);
  const { state, words } = stateIn(outcome.replaceAll(/\s+/g, ' '));
  const now = stdout.indexOf('\nnow:');
  return { exit: code ?? -1, attempt: state, words, commands: now < 0 ? [] : commandsIn(stdout.slice(now)) };
}

export function journalShowJson(ran: Ran): Said {
  if (ran.code === 5) return { exit: 5, attempt: 'none' };
  const row = JSON.parse(ran.stdout) as Row;
  const { state, words } = stateOfRow(row, String(row.outcome));
  return { exit: ran.code ?? -1, attempt: state, words };
}

/** `refunds list` for people: only sums, and who. */
export function refundsTable({ code, stdout }: Ran, id: string): Said {
  const rows = tableOf(stdout, stdout.startsWith('ID ') ? 'ID' : 'MADE UTC').filter(
    (row) => row.ORDER === id,
  );
  // The column is there if one of the refunds moved no money.
  return { exit: code ?? -1, back: moneyOf(rows.map((row) => [row.STATE ?? 'made', row.AMOUNT])) };
}

export function refundsJson(ran: Ran, id: string): Said {
  return refundRecords(
    ran.code,
    dataOf(ran).filter((row) => row.order_id === id),
    'JSON has no state',
  );
}

// Without a state in it, a list of refunds is one of money that went back.
function refundRecords(code: number | null, rows: readonly Row[], missing: string): Said {
  if (rows.some(({ state }) => state === undefined))
    return {
      exit: code ?? -1,
      back: rows.reduce((sum, { amount }) => sum + amountIn(amount), 0),
      words: [missing],
    };
  const records = rows.map((row) => ({ ...stateIn(String(row.state)), amount: amountIn(row.amount) }));
  const sums: Partial<Record<State, number>> = {};
  for (const { state, amount } of records) sums[state as State] = (sums[state as State] ?? 0) + amount;
  return { exit: code ?? -1, sums, words: records.flatMap(({ words }) => words) };
}

// What went back by such a list.
function moneyOf(rows: readonly (readonly [state: string, amount: unknown])[]): number {
  return rows
    .filter(([state]) => !['failed', 'pending', 'unconfirmed'].includes(stateIn(state).state))
    .reduce((sum, [, amount]) => sum + amountIn(amount), 0);
}

export function summaryTable({ code, stdout }: Ran): Said {
  const [row] = tableOf(stdout.replace(/^ +REFUNDS /m, 'CUR  REFUNDS '), 'CUR');
  if (row === undefined && !/no refunds|none/.test(stdout))
    throw new UnknownWords(`no sums: ${stdout.slice(0, 200)}`);
  return { exit: code ?? -1, back: row === undefined ? 0 : amountIn(row.REFUNDED) };
}

export function ordersSummaryTable({ code, stdout }: Ran): Said {
  const [row] = tableOf(stdout.replace(/^ +ORDERS /m, 'CUR  ORDERS '), 'CUR');
  if (row === undefined) throw new UnknownWords(`no sums: ${stdout.slice(0, 200)}`);
  return { exit: code ?? -1, back: amountIn(row.REFUNDED) };
}

/** A summary for scripts; without a refund it may have no row. */
export function summaryJson(ran: Ran): Said {
  return { exit: ran.code ?? -1, back: dataOf(ran).reduce((sum, row) => sum + Number(row.refunded), 0) };
}

export function compareTable({ code, stdout }: Ran): Said {
  const [row] = tableOf(stdout, 'LINE');
  if (row === undefined) throw new UnknownWords(`no row: ${stdout.slice(0, 200)}`);
  return rowSaid(code, { ...stateIn(verdictWord(row.VERDICT ?? row.STATE ?? '')) }, amountIn(row.REFUNDED));
}

// Verdicts of a table and of scripts: `recorded_made`.
function verdictWord(text: string): string {
  return text.replaceAll('_', ' ').replace(/^not refunded$/, 'not');
}

export function compareJson(ran: Ran): Said {
  const [row] = dataOf(ran);
  if (row === undefined) throw new UnknownWords('no row');
  const verdict = verdictWord(String(row.verdict));
  // More than the file says is no state of a refund: `state` says of which refunds that is.
  const said = verdict === 'more' ? stateIn(verdict) : stateOfRow(row, verdict);
  return { ...rowSaid(ran.code, said, Number(row.refunded)), ...differsIn(row) };
}

/** `refunds status`, and `apply` once more, for people. */
export function planTable({ code, stdout, stderr }: Ran): Said {
  const [row] = tableOf(stdout, 'LINE');
  // A run that stops at an alarm has no rows.
  const alarm = /^(?:MADE TWICE|APPEARED|stop):[\s\S]*?(?=\ncertain)/m
    .exec(stderr)?.[0]
    .replaceAll(/\s+/g, ' ');
  if (row === undefined && alarm === undefined)
    throw new UnknownWords(`no row: ${stdout}${stderr}`.slice(0, 200));
  return rowSaid(
    code,
    stateIn(row === undefined ? (alarm ?? '') : verdictWord(row.STATE ?? row.VERDICT ?? '')),
  );
}

export function planJson(ran: Ran): Said {
  if (ran.stdout === '' && ran.code === 7) {
    const { kind, message } = errorOf(ran);
    return rowSaid(ran.code, stateIn(kind === 'unknown' ? `stop: ${String(message)}` : String(kind)));
  }
  const [row] = dataOf(ran);
  if (row === undefined) throw new UnknownWords('no row');
  return { ...rowSaid(ran.code, stateOfRow(row, verdictWord(String(row.verdict)))), ...differsIn(row) };
}

// A script is told a verdict and a state, and both are about the same refund.
function differsIn({ verdict, state }: Row): Pick<Said, 'differs'> {
  const word = verdictWord(String(verdict));
  const isOther = typeof state === 'string' && states.some((one) => one === word) && state !== word;
  return isOther ? { differs: `verdict ${word} beside state ${state}` } : {};
}

function rowSaid(
  code: number | null,
  { state, words }: { readonly state: string; readonly words: readonly string[] },
  back?: number,
): Said {
  return { exit: code ?? -1, row: state, words, ...(back === undefined ? {} : { back }) };
}

/** A new plan of the same file: whether it would send the row. */
export function newPlan(ran: Ran): Said {
  const [row] = dataOf(ran);
  const state = String(row?.verdict);
  if (!['ready', 'done', 'look', 'impossible', 'unconfirmed'].includes(state))
    throw new UnknownWords(`no state of a row: ${state}`);
  return { exit: ran.code ?? -1, offers: state === 'ready' };
}

const todayCases: Readonly<Record<string, Case>> = {
  unconfirmed: 'unconfirmed',
  'made twice': 'made twice',
  appeared: 'appeared',
  failed: 'failed',
  pending: 'pending',
  gone: 'gone',
  'recorded made': 'recorded made',
  'recorded not made': 'recorded not made',
  doubt: 'doubt',
};
const todayOthers = ['refunded today', 'paid today', 'waiting', 'twins today', 'never arrived'];

export function todayTable({ code, stdout }: Ran): Said {
  const lines = stdout.split('\n').slice(1);
  const rows = lines.slice(0, lines.indexOf('')).map((line) => /^(\S+(?: \S+)*?) {2,}(\S+)(.*)$/.exec(line));
  const first: string[] = [];
  let back = 0;
  let largest = 0;
  for (const [, what = '', count = '', more = ''] of rows.flatMap((row) => (row === null ? [] : [row]))) {
    const one = todayCases[what];
    if (one === undefined && !todayOthers.includes(what))
      throw new UnknownWords(`today has a new line: ${what}`);
    if (one !== undefined && count !== 'none') first.push(one);
    if (what !== 'refunded today' || count === 'none') continue;
    back = amountIn(/(\d+) [A-Z]{3}\b/.exec(more)?.[1]);
    largest = Number(/largest (\d+) /.exec(more)?.[1] ?? 0);
  }
  return {
    exit: code ?? -1,
    first: first.length === 0 ? ['none'] : first,
    back,
    ...ofLargest(largest, back),
  };
}

// The largest refund of those that went back is one of them.
function ofLargest(largest: number, back: number): Pick<Said, 'differs'> {
  return largest > back ? { differs: `of ${back} that went back the largest is ${largest}` } : {};
}

export function todayJson(ran: Ran): Said {
  const rows = dataOf(ran);
  const what = {
    unconfirmed: 'unconfirmed',
    made_twice: 'made twice',
    appeared: 'appeared',
  } as Record<string, string>;
  const others = ['refunded', 'twins', 'paid', 'waiting', 'payments', 'never_arrived'];
  const first: string[] = [];
  let back = 0;
  let largest = 0;
  for (const row of rows) {
    const name = String(row.what);
    const one = what[name] ?? todayCases[name.replaceAll('_', ' ')];
    if (one === undefined && !others.includes(name))
      throw new UnknownWords(`today has a new record: ${name}`);
    if (one !== undefined && Number(row.count) > 0) first.push(one);
    if (name !== 'refunded') continue;
    back += Number(row.amount);
    largest = Math.max(largest, Number(row.largest));
  }
  return {
    exit: ran.code ?? -1,
    first: first.length === 0 ? ['none'] : first,
    back,
    ...ofLargest(largest, back),
  };
}

/** An export of refunds; `text` is its file. One that stops leaves none. */
export function refundsExport({ code }: Ran, text: string | undefined, id: string): Said {
  if (text === undefined) return { exit: code ?? -1 };
  return refundRecords(
    code,
    csvRows(text).filter((row) => row.order_id === id),
    'an export has no state',
  );
}

/** The pairs of `orders twins`: the status of the order in each, or `none`. */
export function twinsJson(ran: Ran, id: string): Said {
  const pair = dataOf(ran).find((row) => row.first === id || row.second === id);
  return { exit: ran.code ?? -1, offers: pair !== undefined };
}

/** The figures of a report. */
export function reportFigures({ code }: Ran, page: string): Said {
  const figures = JSON.parse(/<pre id="figures"[^>]*>([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '') as {
    readonly sums: readonly Row[];
    readonly open_cases: readonly Row[];
    readonly recorded: readonly Row[];
  };
  const cases = [...figures.open_cases, ...figures.recorded].map((row) =>
    stateOfRow(row, String(row.outcome)),
  );
  return {
    exit: code ?? -1,
    back: figures.sums.reduce((sum, row) => sum + Number(row.refunded), 0),
    first: cases.length === 0 ? ['none'] : cases.map(({ state }) => state),
    words: cases.flatMap(({ words }) => words),
  };
}
