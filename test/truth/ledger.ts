/** What the service really holds of an order, kept by the test itself: who asked for what, and what became of it. */

import { doubted, type Scope } from './happenings.ts';
import { type Besides, type RowTruth, type State, type Truth, truthOf } from './truth.ts';

/** A refund record as the service has it; `strange`: with a status that nobody knows. */
export interface Held {
  readonly id: string;
  readonly charge: string;
  readonly amount: number;
  status: 'made' | 'pending' | 'failed' | 'gone' | 'strange';
}

/** What was asked for at once, and what the service made of it. */
export interface Request {
  /** The desk that sent it, or anybody else. */
  readonly by: 'ana' | 'bob' | 'others';
  readonly parts: readonly { readonly charge: string; readonly amount: number }[];
  readonly records: Held[];
  readonly isRefused: boolean;
  /** The service may still make it. */
  isLate: boolean;
  /** What somebody recorded while the order did not show it. */
  said?: 'made' | 'not made';
  /** Its states before the service changed it; the journal may not have read that yet. */
  before: readonly ReturnType<typeof stateOf>[];
  /** The alarm that somebody has dealt with. */
  acknowledged?: State;
}

export interface Ledger {
  readonly requests: Request[];
  readonly scope: Scope;
  /** The order's own sums contradict its records. */
  isDoubted: boolean;
}

/** What was paid by each charge of the order. */
export const paid: Readonly<Record<string, number>> = { ch_1: 7000, ch_2: 3000 };
/** What the row of the file asks for. */
export const rowParts: Readonly<Record<Scope, Request['parts']>> = {
  whole: [
    { charge: 'ch_1', amount: 7000 },
    { charge: 'ch_2', amount: 3000 },
  ],
  charge: [{ charge: 'ch_1', amount: 7000 }],
  part: [{ charge: 'ch_1', amount: 300 }],
};

/** The state of what a desk sent, as it must be called there. */
export function stateOf({
  parts,
  records,
  isRefused,
  said,
  acknowledged,
}: Request): Exclude<State, 'elsewhere'> | 'refused' {
  const has = (...some: readonly Held['status'][]) => records.filter(({ status }) => some.includes(status));
  if (isRefused) return 'refused';
  if (records.length === 0) return said === undefined ? 'unconfirmed' : `recorded ${said}`;
  if (has('strange').length > 0) return 'unconfirmed';
  if (has('made', 'pending').length > parts.length) return 'made twice';
  if (has('gone').length > 0) return 'gone';
  if (has('failed').length > 0) return 'failed';
  if (said === 'not made' && acknowledged !== 'appeared') return 'appeared';
  return has('pending').length > 0 ? 'pending' : 'made';
}

/** What went back, or is on its way, of a charge. */
export function backOf({ requests }: Ledger, charge: string, ...statuses: readonly Held['status'][]): number {
  return requests
    .flatMap(({ records }) => records)
    .filter((one) => one.charge === charge && statuses.includes(one.status))
    .reduce((sum, { amount }) => sum + amount, 0);
}

export function leftOf(ledger: Ledger, charge: string): number {
  return Math.max(0, (paid[charge] ?? 0) - backOf(ledger, charge, 'made', 'pending', 'strange'));
}

/** What is true for a desk, in the words of a situation. */
export function truthFor(desk: 'ana' | 'bob', ledger: Ledger): Truth {
  const own = ledger.requests.filter(({ by }) => by === desk);
  const others = ledger.requests.filter(({ by }) => by !== desk);
  const besides = besidesOf(ledger, own);
  const truthWith = (some: readonly Request[]) => {
    const refunds = [...some.flatMap(ownWords), ...others.flatMap(otherWords)];
    return truthOf(refunds.length === 0 ? 'nothing' : refunds.join(', '), besides);
  };
  const truth = truthWith(own);
  const behind = truthWith(own.filter((one) => !isAnswered(one, ledger)));
  const [now = { attempts: 'none', open: 'none' }, ...before] = journalsOf(own);
  const charges = new Set(rowParts[ledger.scope].map(({ charge }) => charge));
  const back = [...charges].reduce((sum, charge) => sum + backOf(ledger, charge, 'made'), 0);
  const row = rowOf(desk, ledger);
  // Whatever became of its parts, a row has one state.
  const ofRow = row?.isRefused === false ? truthOf(wordsOf(row), besides).row : unsent;
  const strange = Object.keys(paid).reduce((sum, charge) => sum + backOf(ledger, charge, 'strange'), 0);
  return {
    ...truth,
    first: [...new Set([...truth.first, ...behind.first])],
    ...(strange === 0 ? {} : { strange }),
    ...now,
    before,
    mustLook: now.open !== 'none' || (ledger.isDoubted && (desk === 'ana' || now.attempts !== 'none')),
    row: {
      ...ofRow,
      ...(ledger.isDoubted ? { state: 'doubt', compare: 7 } : {}),
      // A plan says only what became of what it sent itself.
      ...(row?.isRefused === true ? { ofPlan: 'refused' } : {}),
      back: truth.back === undefined ? undefined : back,
    },
  };
}

// As much went back, perhaps later: then it need not come first any more.
function isAnswered(request: Request, { requests }: Ledger): boolean {
  const there = requests
    .flatMap(({ records }) => records)
    .filter(({ status }) => /made|pending/.test(status));
  return (
    ['failed', 'recorded not made'].includes(stateOf(request)) &&
    request.parts.some(({ charge, amount }) =>
      there.some((one) => one.charge === charge && one.amount === amount),
    )
  );
}

function besidesOf(ledger: Ledger, own: readonly Request[]): Besides {
  const all = Object.values(paid).reduce((sum, amount) => sum + amount, 0);
  const charges = Object.keys(paid);
  const taken = charges.reduce(
    (sum, charge) => sum + backOf(ledger, charge, 'made', 'pending', 'strange'),
    0,
  );
  // What this desk recorded as made counts as paid back.
  const recorded = (charge: string) =>
    own
      .filter((one) => stateOf(one) === 'recorded made')
      .flatMap(({ parts }) => parts.filter((part) => part.charge === charge))
      .reduce((sum, { amount }) => sum + amount, 0);
  const isStrange = ledger.requests.some(({ records }) => records.some(({ status }) => status === 'strange'));
  // An alarm may come before figures that contradict each other.
  const stops = own
    .map(stateOf)
    .filter((state) => state === 'made twice' || state === 'appeared' || state === 'gone');
  return {
    left: charges.reduce((sum, charge) => sum + Math.max(0, leftOf(ledger, charge) - recorded(charge)), 0),
    // The service calls an order refunded of which as much went back as was paid.
    ...(own.some((one) => stateOf(one) === 'recorded not made') ? { mayRefund: 'not judged' } : {}),
    ...(taken >= all ? { mayRefund: false } : {}),
    ...(isStrange ? { back: 'nobody knows', left: 'nobody knows', first: ['unconfirmed', ...stops] } : {}),
    ...(ledger.isDoubted ? { ...doubted, first: ['doubt', 'unconfirmed', ...stops] } : {}),
  };
}

const unsent: RowTruth = { state: 'none', back: 0, compare: 8, status: 8 };
const mustLookAt: ReadonlySet<string> = new Set(['unconfirmed', 'made twice', 'appeared', 'gone', 'failed']);

// What the journal says of these: first what is so, and then what it may say of those that it has not read again.
function journalsOf(requests: readonly Request[]): readonly Pick<Truth, 'attempts' | 'open'>[] {
  let all: readonly (readonly { readonly state: string; readonly isOpen: boolean }[])[] = [[]];
  for (const one of requests) {
    const states = [stateOf(one), ...one.before].map((state) => ({
      state,
      isOpen: mustLookAt.has(state) && state !== one.acknowledged,
    }));
    all = states.flatMap((state) => all.map((some) => [...some, state]));
  }
  return all.map((some) => ({ attempts: namesOf(some), open: namesOf(some.filter(({ isOpen }) => isOpen)) }));
}

function namesOf(attempts: readonly { readonly state: string }[]): string {
  return attempts.length === 0
    ? 'none'
    : attempts
        .map(({ state }) => state)
        .toSorted()
        .join(' + ');
}

/** Whether no other refund touches the charges of the row, so that the row has the state of what was sent for it. */
export function isRowClear(desk: 'ana' | 'bob', ledger: Ledger): boolean {
  const charges = rowParts[ledger.scope].map(({ charge }) => charge);
  const row = rowOf(desk, ledger);
  const others = ledger.requests.filter(
    (one) => one !== row && one.parts.some(({ charge }) => charges.includes(charge)),
  );
  // Of a row that is short of money, everything that is not certain on its order may be the rest.
  const isCertain = ledger.requests.every((one) => one === row || ['made', 'refused'].includes(stateOf(one)));
  const isMade = row !== undefined && stateOf(row) === 'made';
  return (
    others.length === 0 && (isCertain || isMade) && new Set(row?.records.map(({ status }) => status)).size < 2
  );
}

// What was sent for the row: the first refund of ana.
function rowOf(desk: 'ana' | 'bob', { requests }: Ledger): Request | undefined {
  return desk === 'ana' ? requests.find(({ by }) => by === 'ana') : undefined;
}

// Of a request for several charges some may have failed.
function ownWords(request: Request): readonly string[] {
  const state = stateOf(request);
  if (state === 'refused') return [];
  const { records } = request;
  if (records.length > 0 && ['failed', 'pending', 'unconfirmed'].includes(state))
    return records.map(
      ({ status, amount }) =>
        `${statusWords[status]} ${amount}${status === 'failed' ? endedWord(request) : ''}`,
    );
  return [wordsOf(request)];
}

function wordsOf(request: Request): string {
  const state = stateOf(request);
  const some = state === 'made twice' ? request.records : request.parts;
  const sum = some.reduce((total, { amount }) => total + amount, 0);
  return `${state} ${sum}${endedWord(request)}`;
}

function endedWord(request: Request): string {
  return request.acknowledged === stateOf(request) ? ' acknowledged' : '';
}

const statusWords = {
  made: 'made',
  pending: 'pending',
  failed: 'failed',
  strange: 'unconfirmed',
  gone: 'gone',
};

// Of what others did only the records are known.
function otherWords({ records }: Request): readonly string[] {
  return records
    .filter(({ status }) => status !== 'gone')
    .map(
      ({ status, amount }) =>
        `${status === 'made' ? 'elsewhere' : statusWords[status]} ${amount}${status === 'failed' ? ' acknowledged' : ''}`,
    );
}
