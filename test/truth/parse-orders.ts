/** Reads what the screens of orders say. */

import type { Ran } from '../harness/paydesk.ts';
import type { Case, State, Sums } from './truth.ts';
import {
  amountIn,
  commandsIn,
  dataOf,
  errorOf,
  type Row,
  type Said,
  stateIn,
  tableOf,
  UnknownWords,
} from './words.ts';

const firstWords: Readonly<Record<string, Case>> = {
  'refund unconfirmed': 'unconfirmed',
  'refund failed': 'failed',
  'can be refunded': 'none',
  'can be refunded in part': 'none',
  'its twin was refunded': 'none',
  'check its twin first': 'none',
  'its twin is recorded as refunded': 'none',
  'ask your lead first': 'none',
  'waits for approval': 'none',
  'approved, not sent yet': 'none',
  'cannot be refunded': 'none',
  'nothing left': 'none',
  'refundable: not shown': 'none',
  'refund pending': 'pending',
};

/** `orders show` for people. */
export function showOrder({ code, stdout }: Ran, id: string): Said {
  const [head = '', ...lines] = stdout.split('\n');
  // On a narrow screen the head goes on in the next line.
  const words = `${head}${head.endsWith(',') ? ' ' : '  '}${lines[0]?.startsWith(' ') || lines[0] === 'environment' ? lines[0].trim() : ''}`;
  const parts = words
    .replaceAll(/sandbox\s+environment/g, '')
    .trim()
    .split(/ {2,}/);
  if (parts[0] !== id) throw new UnknownWords(`no head of an order: ${head}`);
  // `paid, refund failed, can be refunded`: the status, and what comes first.
  const [, ...about] = (parts[1] ?? '').split(', ');
  const word = about.join(', ');
  const first = firstWords[word] ?? firstWords[about[0] ?? ''] ?? (stateOrCase(word) as Case);
  const money = /^order {3,}(?:\D*? )?(-?\d+) +(-?\d+) +(-?\d+)$/m.exec(stdout);
  const listed = (words: RegExp) => words.exec(stdout)?.[1] ?? '';
  const named: Named = {
    'made twice': listed(/^MADE (?:TWICE|\d+ TIMES)\??:.*?(rf_\d+(?:(?:,| and)\s+rf_\d+)*)/m),
    appeared: listed(/^APPEARED:[\s\S]*?the order\s+shows\s+(rf_\d+(?:(?:,| and)\s+rf_\d+)*)/m),
  };
  const many = /^MADE \d+ TIMES/m.exec(stdout)?.[0];
  const doubt = /the service says amount_refunded \S+, but|charges add up to/.test(stdout);
  // A screen that is longer than the terminal says at its end what it says at its beginning.
  const end = stdout.lastIndexOf(`\n\n${id}  `);
  if (end !== -1 && !stdout.startsWith(stdout.slice(end + 2)))
    throw new UnknownWords(`another end than its beginning: ${stdout.slice(end)}`);
  const whole = end === -1 ? stdout : stdout.slice(0, end);
  const steps = whole.slice(whole.lastIndexOf('\n\n'));
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
  const text = stdout.replaceAll(/\s+/g, ' ');
  const before = { ...sums };
  for (const [pattern, state] of unshown)
    for (const [, amount] of text.matchAll(pattern))
      if (before[state] !== Number(amount)) add(state, Number(amount));
  return sums;
}

const unshown: readonly (readonly [RegExp, State])[] = [
  [/(?:UNCONFIRMED|NOT MADE) refund of (\d+) MXN/g, 'unconfirmed'],
  [/RECORDED MADE \S+ says (\d+) MXN were paid back/g, 'recorded made'],
  [
    /SETTLED BY HAND \S+ recorded on [^;]{1,30} that the refund of (\d+) MXN (?:(?!SETTLED)[^;])* was NOT made (?:(?!SETTLED)[^;])*; it may still go through/g,
    'recorded not made',
  ],
  [/GONE\W+(?:refund of )?(\d+) MXN/g, 'gone'],
];

function stateOfRecord(by: string, more: string): State {
  if (/\bfailed\b/.test(more)) return 'failed';
  if (/\bpending\b/.test(more)) return 'pending';
  // Beside what paydesk makes of it stands the service's own word, if paydesk does not know that.
  const own = / (made|unconfirmed|appeared|elsewhere|made twice)(?: \(\S+\))?$/.exec(` ${more.trim()}`)?.[1];
  if (own !== undefined) return own as State;
  if (by.startsWith('made twice') || by.startsWith('one of these is ours')) return 'made twice';
  if (by.startsWith('elsewhere')) return 'elsewhere';
  // A person recorded that it was made, and the order shows it: that is what made means.
  if (/^probably ours: .*, recorded by \S+ as made$/.test(by)) return 'made';
  if (by.startsWith('probably ours')) return by.includes('as not made') ? 'appeared' : 'unconfirmed';
  if (/^(?:ana|bob)( \(probably: the reply was lost\))?$/.test(by)) return 'made';
  throw new UnknownWords(`nobody is known who made it: ${by}`);
}

/** A table of orders: its STATUS is the service's word, or what comes first. */
export function ordersTable({ code, stdout }: Ran, id: string): Said {
  const row = tableOf(stdout, 'ID').find((one) => one.ID === id);
  if (row === undefined) return { exit: code ?? -1, offers: false };
  const refunded = row.REFUNDED ?? row.REFUND;
  if (row.STATUS === undefined || refunded === undefined) throw new UnknownWords('no STATUS or no REFUNDED');
  return {
    exit: code ?? -1,
    first: [firstInStatus(row.STATUS)],
    back: amountIn(refunded),
    offers: true,
  };
}

// A narrow table has a short word for one of the service, and none for ours.
function firstInStatus(status: string): string {
  const isServices =
    /^(?:paid|not refundable|ask your lead|refunded|partially_refunded|part_ref|pre_auth|declined|pre_authorized|not shown|-)$/.test(
      status,
    );
  return isServices ? 'none' : stateOrCase(status);
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
  if (!isAsked && !/^(?:refused|MADE TWICE|stop|error|unknown|unconfirmed|not found)/m.test(text))
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

/** The list where a person picks an order: one line for each. `created` is the time of the order, as it stands there. */
export function pickedList({ code, stdout }: Ran, created: string): Said {
  const rows = tableOf(stdout.replaceAll(/^> /gm, '  '), 'CREATED UTC');
  const row = rows.find((one) => one['CREATED UTC'] === created);
  if (rows.length === 0 && !/no order/.test(stdout))
    throw new UnknownWords(`no list: ${stdout.slice(0, 300)}`);
  // Orders that cannot be refunded are left out.
  const word = row?.STATUS?.replace(/^twin, /, '');
  return { exit: code ?? -1, first: [word === undefined ? 'not there' : firstInStatus(word)] };
}

/** The words for the buyer: how much they call made, pending and failed, and whether something is still being checked. */
export function buyerWords({ code, stdout }: Ran): Said {
  const amounts = (pattern: RegExp) =>
    Array.from(stdout.matchAll(pattern), ([, amount]) => Number(amount)).reduce((sum, one) => sum + one, 0);
  const sums = {
    made: amounts(/(?:[Ww]e refunded|[Ll]e reembolsamos) (\d+) MXN/g),
    'recorded made': amounts(/(?:our records, a|registros, se realizó un) \w+ (?:of|de) (\d+) MXN/g),
    pending: amounts(/(\d+) MXN [^.]*(?:is under way|está en proceso)/g),
    failed: amounts(/(\d+) MXN [^.]*(?:did not go through|no se pudo completar)/g),
    'recorded not made': amounts(/(\d+) MXN [^.]*(?:was not made|no se realizó)/g),
  };
  const isChecked = /We are checking|Estamos revisando/.test(stdout);
  const told = Object.entries(sums).filter(([, sum]) => sum > 0);
  const isNothing =
    /Nothing has been refunded|No payment was made|No se ha hecho ningún|No se realizó ningún pago|was authorized|Se autorizó/.test(
      stdout,
    );
  if (!isChecked && told.length === 0 && !isNothing)
    throw new UnknownWords(`no words for a buyer: ${stdout.slice(0, 200)}`);
  return { exit: code ?? -1, sums: Object.fromEntries(told), row: isChecked ? 'unconfirmed' : 'none' };
}
