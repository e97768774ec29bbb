/** What is true of an order, as a situation writes it down in a few words, and what follows from that for every screen. */

/** The words for the state of a refund: these and no others. */
export const states = [
  'made',
  'pending',
  'failed',
  'unconfirmed',
  'recorded made',
  'recorded not made',
  'appeared',
  'made twice',
  'elsewhere',
  'gone',
] as const;
export type State = (typeof states)[number];

/** What a person must know first of an order. `none`: nothing; `doubt`: its figures contradict each other. */
export type Case = State | 'none' | 'doubt' | 'no mode';

/** Money by the state of its refunds, all positive. */
export type Sums = Readonly<Partial<Record<State, number>>>;

/** What became of a row of a file, or of a plan. */
export interface RowTruth {
  readonly state: State | 'none' | 'more' | 'doubt' | 'no mode';
  /** What a plan says of it, which knows only what it sent; absent: the same. */
  readonly ofPlan?: State | 'none' | 'refused';
  /** What went back for it; undefined if that is not judged. */
  readonly back: number | undefined;
  /** The exit code of `refunds compare`, and of `refunds status` and `apply`. */
  readonly compare: number;
  readonly status: number;
}

export interface Truth {
  /** All refunds, by state. */
  readonly sums: Sums;
  /** Of what is unconfirmed, what never arrived in its time: it was not made. */
  readonly neverArrived: number;
  /** Of what is unconfirmed, what the order shows with a status that nobody knows: a list of records has only that. */
  readonly strange?: number;
  /** The states of what this desk sent, one for each attempt, as `made + unconfirmed`; `none` if it sent nothing. */
  readonly attempts: string;
  /** The same of those that somebody must look at. */
  readonly open: string;
  /** What comes first. Two words if it is open which of them a list shows. */
  readonly first: readonly Case[];
  /** What went back; undefined if nobody can know it. */
  readonly back: number | undefined;
  /** What can still go back, as the service's figures say; undefined if nobody can know it. */
  readonly left: number | undefined;
  /** Whether another refund may be sent; undefined if screens may be careful here. */
  readonly mayRefund: boolean | undefined;
  /** Somebody must look: an unconfirmed change, or an alarm that nobody acknowledged. */
  readonly mustLook: boolean;
  readonly row: RowTruth;
  /** What the journal may say instead of `attempts` and `open`, which has not read yet what happened later. */
  readonly before?: readonly Pick<Truth, 'attempts' | 'open'>[];
}

/** What a situation says besides its refunds. */
export interface Besides {
  /** The amount of the order; absent: 1000. */
  readonly of?: number;
  readonly first?: Case | readonly Case[];
  readonly back?: number | 'nobody knows';
  readonly left?: number | 'nobody knows';
  readonly mayRefund?: boolean | 'not judged';
  readonly mustLook?: boolean;
  readonly row?: Partial<RowTruth>;
}

/** The most urgent first. */
const urgent: readonly State[] = [
  'unconfirmed',
  'made twice',
  'appeared',
  'gone',
  'recorded made',
  'failed',
  'recorded not made',
];
const alarms: readonly State[] = ['made twice', 'appeared', 'gone', 'failed'];
const stops: readonly Case[] = ['unconfirmed', 'made twice', 'appeared', 'gone', 'doubt', 'no mode'];
const wentBack: readonly State[] = ['made', 'made twice', 'appeared', 'elsewhere'];

/**
 * Reads `made 300, failed 100 acknowledged, unconfirmed 20 never arrived`: every refund with its state, that of the row first. `nothing`: no refund at all.
 * `made twice` has the sum of both. Throws if it is not written so.
 */
export function truthOf(text: string, besides: Besides = {}): Truth {
  const refunds = text === 'nothing' ? [] : text.split(', ').map(refundOf);
  const sums = sumsOf(refunds);
  const sumIn = (some: readonly State[]) => some.reduce((sum, state) => sum + (sums[state] ?? 0), 0);
  const back = besides.back ?? sumIn(wentBack);
  // What a person recorded as made counts as paid back.
  const left = besides.left ?? (besides.of ?? 1000) - sumIn([...wentBack, 'pending', 'recorded made']);
  const open = refunds.filter(({ isEnded }) => !isEnded).map(({ state }) => state);
  const said =
    besides.first ??
    urgent.find((state) => open.includes(state)) ??
    (open.includes('pending') ? ['none', 'pending'] : 'none');
  const first = typeof said === 'string' ? [said] : said;
  const isStopped = first.some((one) => stops.includes(one) || one === 'recorded made');
  const may =
    besides.mayRefund ??
    (first.includes('recorded not made') ? 'not judged' : !isStopped && Number(left) > 0);
  return {
    sums,
    neverArrived: refunds.reduce(
      (sum, { state, amount, isEnded }) => sum + (state === 'unconfirmed' && isEnded ? amount : 0),
      0,
    ),
    attempts: namesOf(refunds.filter(({ state }) => state !== 'elsewhere')),
    open: namesOf(
      refunds.filter(({ state, isEnded }) => !isEnded && (state === 'unconfirmed' || alarms.includes(state))),
    ),
    first,
    back: back === 'nobody knows' ? undefined : back,
    left: left === 'nobody knows' ? undefined : left,
    mayRefund: may === 'not judged' ? undefined : may,
    mustLook:
      besides.mustLook ??
      (open.includes('unconfirmed') ||
        open.some((state) => alarms.includes(state)) ||
        first.includes('doubt')),
    row: { ...rowOf(refunds[0], back === 'nobody knows' ? undefined : back), ...besides.row },
  };
}

interface Written {
  readonly state: State;
  readonly amount: number;
  /** Somebody acknowledged its alarm, or it never arrived within its time. */
  readonly isEnded: boolean;
}

function refundOf(text: string): Written {
  const state = states.findLast((one) => text.startsWith(`${one} `));
  const [, amount, ended] = /(\d+)( acknowledged| never arrived)?$/.exec(text) ?? [];
  if (state === undefined || amount === undefined) throw new Error(`not a refund and its state: ${text}`);
  return { state, amount: Number(amount), isEnded: ended !== undefined };
}

function namesOf(refunds: readonly Written[]): string {
  return refunds.length === 0
    ? 'none'
    : refunds
        .map(({ state }) => state)
        .toSorted()
        .join(' + ');
}

function sumsOf(refunds: readonly Written[]): Sums {
  const sums: Partial<Record<State, number>> = {};
  for (const { state, amount } of refunds) sums[state] = (sums[state] ?? 0) + amount;
  return sums;
}

const exits: Readonly<Record<State, readonly [compare: number, status: number]>> = {
  made: [0, 0],
  pending: [8, 8],
  failed: [8, 8],
  unconfirmed: [7, 7],
  'recorded made': [8, 0],
  'recorded not made': [8, 8],
  appeared: [7, 7],
  'made twice': [7, 7],
  elsewhere: [0, 8],
  gone: [7, 7],
};

function rowOf(own: Written | undefined, back: number | undefined): RowTruth {
  if (own === undefined) return { state: 'none', back, compare: 8, status: 8 };
  const { state, isEnded } = own;
  // More went back than the file says; that somebody dealt with it does not change that.
  if (state === 'made twice' && isEnded) return { state, back, compare: 8, status: 0 };
  // Nothing went back, and no read can say any more what became of it.
  if (state === 'unconfirmed' && isEnded)
    return { state: 'none', ofPlan: state, back, compare: 8, status: 7 };
  const [compare, status] = exits[state];
  return { state, back, compare, status };
}

/** What another desk knows, which has sent nothing: every record came from elsewhere, and what is not shown is not there. */
export function fromElsewhere(truth: Truth, of = 1000): Truth {
  const { made = 0, 'made twice': twice = 0, appeared = 0, elsewhere = 0, pending, failed } = truth.sums;
  const back = made + twice + appeared + elsewhere;
  const text = [
    ...(back > 0 ? [`elsewhere ${back}`] : []),
    ...(pending === undefined ? [] : [`pending ${pending}`]),
    ...(failed === undefined ? [] : [`failed ${failed} acknowledged`]),
  ].join(', ');
  const known = truthOf(text === '' ? 'nothing' : text, { of, mustLook: false });
  const more = twice > 0 ? { state: 'more' as const, compare: 8 } : {};
  return { ...known, attempts: 'none', open: 'none', row: { ...known.row, ...more } };
}
