/** Reads what a screen says about an order. A word that it does not know is an error, so that no screen passes unread. */

import { readCsv } from '../harness/csv.ts';
import type { Ran } from '../harness/paydesk.ts';
import { type Case, type State, type Sums, states } from './truth.ts';

/** What one screen says; what it does not speak of is missing. */
export interface Said {
  readonly exit: number;
  /** What it puts first about the order; several, if it counts cases. */
  readonly first?: readonly string[];
  readonly sums?: Sums;
  readonly back?: number;
  readonly left?: number;
  /** It offers a refund, or would send one. */
  readonly offers?: boolean;
  /** What it says of the row of a file or plan. */
  readonly row?: string;
  /** What it says of the attempt. */
  readonly attempt?: string;
  /** The commands that it offers. */
  readonly commands?: readonly string[];
  /** Words for a state that are none of the nine, and what JSON lacks. */
  readonly words?: readonly string[];
}

/** A screen said something that the parser has no word for. */
export class UnknownWords extends Error {}

type Row = Readonly<Record<string, unknown>>;

// ── States ──────────────────────────────────────────────────────────────────────────────────────

// Words of today for a state. Each is told as a word that does not belong, and goes from here when no screen says it any more.
const otherWords: readonly (readonly [RegExp, State | 'none' | 'more' | 'doubt' | 'refused' | 'alarm'])[] = [
  [/^MADE TWICE/, 'made twice'],
  [/^(?:APPEARED|appeared, recorded)/, 'appeared'],
  [/^applied/, 'made'],
  [/^refunded/, 'made'],
  [/^recorded:? (?:as )?not made/, 'recorded not made'],
  [/^may still appear/, 'recorded not made'],
  [/^not_made/, 'recorded not made'],
  [/^recorded as made/, 'recorded made'],
  [/^by_hand/, 'recorded made'],
  [/^(?:not known yet|unknown|not_seen|not seen)/, 'unconfirmed'],
  [/^ALARM/, 'alarm'],
  [
    /^(?:the figures of the order do not add up|the reply does not match the request|the order shows only a part)/,
    'doubt',
  ],
  [/^(?:not_started|not_sent|would_be_sent|not|impossible|look|ready|done)$/, 'none'],
  [/^(?:in_part|in part)$/, 'none'],
  [/^more$/, 'more'],
  [/^not_shown$/, 'doubt'],
  [/^refused/, 'refused'],
  [/^not made, as far as anyone can see/, 'none'],
];

/** Words that are no state: of a row that was never sent, or of which only the file says something. */
const plainWords = new Set([
  'none',
  'not',
  'more',
  'in_part',
  'not_started',
  'not_sent',
  'would_be_sent',
  'impossible',
  'look',
  'ready',
  'refused',
]);

/** The state that a word means, and the word if it is not one of the nine. Throws UnknownWords. */
export function stateIn(from: string): { readonly state: string; readonly words: readonly string[] } {
  const text = from.replace(/^stop: .*?(?=APPEARED)/s, '');
  const known = states.findLast(
    (one) => text === one || (text.startsWith(one) && /^[;,:(]/.test(text.slice(one.length))),
  );
  if (known !== undefined) return { state: known, words: [] };
  const [, state] = otherWords.find(([words]) => words.test(text)) ?? [];
  if (state === undefined) throw new UnknownWords(`no state that is known: ${JSON.stringify(text)}`);
  return {
    state,
    words: plainWords.has(text) || state === 'refused' ? [] : [`"${text.split(/[:;,]/)[0] ?? ''}"`],
  };
}

// ── Tables, JSON, CSV ───────────────────────────────────────────────────────────────────────────

/** The rows of a table, by their titles. The first title of the table is one of these. */
export function tableOf(text: string, first: string): readonly Readonly<Record<string, string>>[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.trimStart().startsWith(`${first} `));
  if (head < 0) return [];
  const titles = (lines[head] ?? '').trim().split(/ {2,}/);
  const end = lines.findIndex((line, index) => index > head && line.trim() === '');
  const rows = lines.slice(head + 1, end < 0 ? undefined : end);
  return rows.flatMap((line) => {
    const cells = line.trim().split(/ {2,}/);
    if (cells.length < 3) return [];
    if (cells.length !== titles.length)
      throw new UnknownWords(`a row of ${cells.length} cells under ${titles.length} titles: ${line}`);
    return [Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? '']))];
  });
}

export function dataOf({ stdout }: Ran): readonly Row[] {
  const { data } = JSON.parse(stdout) as { readonly data?: readonly Row[] };
  if (data === undefined) throw new UnknownWords(`no list: ${stdout.slice(0, 200)}`);
  return data;
}

/** The error of a run with --json: the last line of stderr. */
export function errorOf({ stderr }: Ran): Row {
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Row;
}

export function csvRows(text: string): readonly Readonly<Record<string, string>>[] {
  const [titles = [], ...rows] = readCsv(text);
  return rows.map((cells) => Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])));
}

/** `-300 MXN`, `300`, `-`: a positive whole number. Throws UnknownWords. */
export function amountIn(text: unknown): number {
  if (text === '-') return 0;
  const found = /^[-−]?(\d+)(?: [A-Z]{3})?$/.exec(String(text));
  if (found === null) throw new UnknownWords(`no amount: ${JSON.stringify(text)}`);
  return Number(found[1]);
}

export function stateOfRow(
  row: Row,
  fallback: string,
): { readonly state: string; readonly words: readonly string[] } {
  if (typeof row.state === 'string') return stateIn(row.state);
  const { state, words } = stateIn(fallback);
  return { state, words: [...words, 'JSON has no state'] };
}

/** The commands of paydesk in a text, in one line each. */
export function commandsIn(text: string): readonly string[] {
  const found = text.matchAll(/paydesk ((?:orders|journal|refunds) [^\n]*?)(?=$|\n|;|, | and paydesk|: )/g);
  return [...new Set(Array.from(found, ([, command = '']) => command.trim()))];
}

// ── Screens ─────────────────────────────────────────────────────────────────────────────────────

const firstWords: Readonly<Record<string, Case>> = {
  'refund unconfirmed': 'unconfirmed',
  'refund failed': 'failed',
  'can be refunded': 'none',
  'cannot be refunded': 'none',
  'refundable: not shown': 'none',
  'refund pending': 'pending',
};

/** `orders show` for people. */
export function showOrder({ code, stdout }: Ran, id: string): Said {
  const [head = '', ...lines] = stdout.split('\n');
  // On a narrow screen the head goes on in the next line.
  const words = `${head}  ${lines[0]?.startsWith(' ') || lines[0] === 'environment' ? lines[0].trim() : ''}`;
  const parts = words
    .replaceAll(/sandbox\s+environment/g, '')
    .trim()
    .split(/ {2,}/);
  if (parts[0] !== id) throw new UnknownWords(`no head of an order: ${head}`);
  const word = parts[2] ?? '';
  const first = firstWords[word] ?? (stateOrCase(word) as Case);
  const money = /^order {3,}(-?\d+) +(-?\d+) +(-?\d+)$/m.exec(stdout);
  const listed = (words: RegExp) => words.exec(stdout)?.[1] ?? '';
  const named: Named = {
    'made twice': listed(/^MADE (?:TWICE|\d+ TIMES)\??:.*?(rf_\d+(?:(?:,| and)\s+rf_\d+)*)/m),
    appeared: listed(/^APPEARED:[\s\S]*?the order\s+shows\s+(rf_\d+(?:(?:,| and)\s+rf_\d+)*)/m),
  };
  const many = /^MADE \d+ TIMES/m.exec(stdout)?.[0];
  const doubt = /the service says amount_refunded|charges add up to/.test(stdout);
  const steps = stdout.slice(stdout.lastIndexOf('\n\n'));
  return {
    exit: code ?? -1,
    first: doubt && (first === 'none' || first === 'pending') ? ['doubt'] : [first],
    ...(money === null ? {} : { back: amountIn(money[2]), left: Number(money[3]) }),
    sums: refundLines(stdout, named),
    ...(many === undefined ? {} : { words: [`"${many}"`] }),
    offers: /paydesk orders refund /.test(steps),
    commands: commandsIn(steps),
  };
}

function stateOrCase(word: string): string {
  if (word === 'doubt' || word === 'no mode' || word === 'only authorized, no money taken') return word;
  return stateIn(word).state;
}

// The refunds that a first block names.
type Named = Readonly<Record<'made twice' | 'appeared', string>>;

// The REFUNDS of `orders show`, and what it says in its first block of those that are not shown.
function refundLines(stdout: string, named: Named): Sums {
  const sums: Partial<Record<State, number>> = {};
  const add = (state: State, amount: number) => {
    sums[state] = (sums[state] ?? 0) + amount;
  };
  const block = /\nREFUNDS .*\n([\s\S]*?)\n\n/.exec(stdout)?.[1] ?? '';
  const records = block === '' ? [] : block.split(/\n(?= +\d+ \S+ +-?\d+ )/);
  for (const record of records) {
    const words = record.replaceAll(/\s+/g, ' ').trim();
    const found = /^\d+ \S+ (-?\d+) .*? (?:UTC|not shown) (?:\S+) (.*?) id (\S+)(.*)$/.exec(words);
    if (found === null) throw new UnknownWords(`no refund: ${words}`);
    const [, amount, by = '', refundId = '', more = ''] = found;
    const isIn = (ids: string) => new RegExp(`\\b${refundId}\\b`).test(ids);
    const first = isIn(named['made twice']) ? 'made twice' : isIn(named.appeared) ? 'appeared' : undefined;
    add(first ?? stateOfRecord(by, more), amountIn(amount));
  }
  for (const [pattern, state] of unshown) {
    const found = pattern.exec(stdout.replaceAll(/\s+/g, ' '));
    const isThere =
      state === 'recorded not made' && (sums.appeared ?? sums['made twice'] ?? sums.made) !== undefined;
    if (found !== null && sums[state] === undefined && !isThere) add(state, Number(found[1]));
  }
  return sums;
}

const unshown: readonly (readonly [RegExp, State])[] = [
  [/UNCONFIRMED refund of (\d+) MXN/, 'unconfirmed'],
  [/RECORDED MADE \S+ says (\d+) MXN were paid back/, 'recorded made'],
  [
    /SETTLED BY HAND \S+ recorded on .{1,30} that the refund of (\d+) MXN .{1,80}? was NOT made/,
    'recorded not made',
  ],
  [/GONE\W+(?:refund of )?(\d+) MXN/, 'gone'],
];

function stateOfRecord(by: string, more: string): State {
  if (/\bfailed\b/.test(more)) return 'failed';
  if (/\bpending\b/.test(more)) return 'pending';
  const own = / (made|unconfirmed|appeared|elsewhere|made twice)$/.exec(` ${more.trim()}`)?.[1];
  if (own !== undefined) return own as State;
  if (by.startsWith('made twice') || by.startsWith('one of these is ours')) return 'made twice';
  if (by.startsWith('not from this machine')) return 'elsewhere';
  if (by.startsWith('probably ours')) return by.includes('as not made') ? 'appeared' : 'unconfirmed';
  if (/^(?:ana|bob)( \(its reply was lost\))?$/.test(by)) return 'made';
  throw new UnknownWords(`nobody is known who made it: ${by}`);
}

/** A table of orders: its STATUS is the service's word, or what comes first. */
export function ordersTable({ code, stdout }: Ran, id: string): Said {
  const row = tableOf(stdout, 'ID').find((one) => one.ID === id);
  if (row === undefined) return { exit: code ?? -1, offers: false };
  const refunded = row.REFUNDED ?? row.REFUND;
  if (row.STATUS === undefined || refunded === undefined) throw new UnknownWords('no STATUS or no REFUNDED');
  // A narrow table cuts the word of the service, and never one of ours.
  const isServices =
    /^(?:paid|refunded|partially_refunded|partially…|declined|pre_authorized|not shown|-)$/.test(row.STATUS);
  return {
    exit: code ?? -1,
    first: [isServices ? 'none' : stateOrCase(row.STATUS)],
    back: amountIn(refunded),
    offers: true,
  };
}

/** Orders for a script, which are the service's own: only whether the order is there. */
export function isListed(ran: Ran, id: string): Said {
  return { exit: ran.code ?? -1, offers: dataOf(ran).some((one) => one.id === id) };
}

/** `orders refund` that sends nothing. */
export function refundPreview(ran: Ran): Said {
  const { code, stdout, stderr } = ran;
  const text = `${stdout}${stderr}`;
  const isAsked = /would send: POST|will send once:/.test(text);
  if (!isAsked && !/^(?:refused|MADE TWICE|stop|error|unknown|not found)/m.test(text))
    throw new UnknownWords(`neither asked nor refused: ${text.slice(0, 300)}`);
  const before = /refunded so far +\S+ +(\S+)/.exec(stdout)?.[1];
  return {
    exit: code ?? -1,
    offers: isAsked,
    ...(before === undefined ? {} : { back: amountIn(before) }),
    ...(isAsked ? {} : { commands: commandsIn(text.slice(text.indexOf('\nnow:'))) }),
  };
}

export function refundDryRunJson(ran: Ran): Said {
  const isAsked = ran.code === 0;
  const { object } = isAsked ? (JSON.parse(ran.stdout) as Row) : errorOf(ran);
  if (object !== (isAsked ? 'dry_run' : 'error')) throw new UnknownWords(`no dry run: ${String(object)}`);
  return { exit: ran.code ?? -1, offers: isAsked };
}

/** `journal list` and `reconcile --all` for people. */
export function journalTable({ code, stdout }: Ran): Said {
  const rows = tableOf(stdout, 'INTENT');
  return attemptsSaid(
    code,
    rows.map((row) => ({ ...stateIn(row.OUTCOME ?? ''), amount: amountIn(row.AMOUNT) })),
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

/** `journal show`, and `journal reconcile` of one intent, for people. */
export function journalShow({ code, stdout, stderr }: Ran): Said {
  if (/^not found:/m.test(stderr)) return { exit: code ?? -1, attempt: 'none' };
  const text = stdout.replaceAll(/\n(?! {2}intent)/g, ' ');
  const outcome = /(?:^|["”] |\s)refund of \d+ MXN: (.*?)\s*\n {2}intent/.exec(text)?.[1];
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

// The words of `refunds compare` at people's width.
function verdictWord(text: string): string {
  return (
    { 'not refunded': 'not', 'in part': 'in_part', 'by hand': 'by_hand', 'not shown': 'not_shown' }[text] ??
    text
  );
}

export function compareJson(ran: Ran): Said {
  const [row] = dataOf(ran);
  if (row === undefined) throw new UnknownWords('no row');
  return rowSaid(ran.code, stateOfRow(row, String(row.verdict)), Number(row.refunded));
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
  return rowSaid(ran.code, stateOfRow(row, String(row.verdict)));
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
  const state = String(row?.state);
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
  doubt: 'doubt',
};
const todayOthers = ['refunded today', 'paid today', 'waiting', 'twins today'];

export function todayTable({ code, stdout }: Ran): Said {
  const lines = stdout.split('\n').slice(1);
  const rows = lines.slice(0, lines.indexOf('')).map((line) => /^(\S+(?: \S+)*?) {2,}(\S+)(.*)$/.exec(line));
  const first: string[] = [];
  let back = 0;
  for (const [, what = '', count = '', more = ''] of rows.flatMap((row) => (row === null ? [] : [row]))) {
    const one = todayCases[what];
    if (one === undefined && !todayOthers.includes(what))
      throw new UnknownWords(`today has a new line: ${what}`);
    if (one !== undefined && count !== 'none') first.push(one);
    if (what === 'refunded today' && count !== 'none') back = amountIn(/(\d+) [A-Z]{3}\b/.exec(more)?.[1]);
  }
  return { exit: code ?? -1, first: first.length === 0 ? ['none'] : first, back };
}

export function todayJson(ran: Ran): Said {
  const rows = dataOf(ran);
  const what = {
    unconfirmed: 'unconfirmed',
    made_twice: 'made twice',
    has_appeared: 'appeared',
    appeared: 'appeared',
  } as Record<string, string>;
  const others = ['refunded', 'twins', 'paid', 'waiting', 'payments'];
  const first: string[] = [];
  let back = 0;
  for (const row of rows) {
    const name = String(row.what);
    const one = what[name] ?? todayCases[name.replaceAll('_', ' ')];
    if (one === undefined && !others.includes(name))
      throw new UnknownWords(`today has a new record: ${name}`);
    if (one !== undefined && Number(row.count) > 0) first.push(one);
    if (name === 'refunded') back += Number(row.amount);
  }
  return { exit: ran.code ?? -1, first: first.length === 0 ? ['none'] : first, back };
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
