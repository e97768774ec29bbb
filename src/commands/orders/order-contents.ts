/** What `orders show` draws below its first block: the money of each charge with the sums, and its refunds. Pure. */

import {
  type AmountStyle,
  amountWords,
  digits,
  figuresIn,
  figureWords,
  placesOf,
  scaled,
} from '../../amounts.ts';
import {
  type ChargeMoney,
  hasNoCharges,
  leftToRefund,
  type OrderMoney,
  paidBy,
  type RefundRecord,
  refundedSum,
  sumOfRefunds,
} from '../../api/charges.ts';
import { filledText, isWholeNumber, type JsonObject, textIn, valueAt } from '../../api/json-values.ts';
import { shownCharges, shownRefunds, tookMoney } from '../../api/payment.ts';
import type { Order } from '../../api/records.ts';
import { isTime, meaningOfStatus, shortStatuses, statuses } from '../../api/spec.ts';
import { type RefundOrigins, sentBy } from '../../changes/changes.ts';
import { approvalFields } from '../../journal/journal.ts';
import {
  chargesLeft,
  type KnownOrder,
  type RefundState,
  recordedMade,
  styleOfState,
  toldRefunds,
} from '../../orders/orders.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { salesView } from './order-items.ts';

/** `origins`: who sent the refunds, as far as the journal knows it. */
export function orderContents(
  order: Order,
  known: KnownOrder,
  origins: RefundOrigins,
  settings: AmountStyle,
): readonly Block[] {
  const { reading, order: value } = known;
  return [
    ...('money' in reading
      ? [moneyGrid(reading.money, known, settings)]
      : unprovenMoney(order, value, reading.problem, settings)),
    ...refundsView(known, origins, settings),
    ...salesView(order, value, settings),
  ];
}

// These indents align text under the first word after `REFUNDS`, and after `charge 1`.
const underHeading = ' '.repeat(9);
const underCharge = ' '.repeat(10);

function moneyGrid(money: OrderMoney, known: KnownOrder, style: AmountStyle): Block {
  const { order: value } = known;
  const refunded = refundedSum(money);
  const { charges, recorded, counted } = chargesLeft(money, recordedMade(known));
  const left = leftToRefund({ charges });
  const figure = figuresIn(money.currency, style);
  const paidBack =
    counted === recorded
      ? ', and counts as paid back'
      : `, more than the ${figure(counted)} that was left of it`;
  const byHand = `${underCharge}${figure(recorded)} was recorded as made by hand${paidBack}`;
  const heading = `MONEY (${money.currency ?? 'currency not shown'}, in the service's units)`;
  const titles = ['   amount', ' refunded', '     kept'];
  // Beside a warning, that the sums agree would sound as if all were well.
  const unlike = disagreement(money, refunded, style);
  const isWarned = known.first !== undefined || known.neverArrived.length > 0;
  const agreed = unlike ?? (isWarned ? undefined : matches);
  // Where the sums agree and there is room, one line is enough.
  const isAgreed = agreed === matches;
  const rowsWith = (headOf: (charge: ChargeMoney) => ChargeHead, isOneLine: boolean) => [
    ...charges.flatMap((charge) => [
      ...chargeRows(charge, headOf(charge), money, style),
      ...between(charge, money, figure),
      ...unseenOf(charge, known, figure),
      [chargeDetail(charge, value.created_at, figuresIn(money.currency, style))],
    ]),
    ...figureRows(
      isOneLine ? `order${matches.slice('order'.length)}` : 'order',
      [money.amount, -refunded, left],
      money,
      style,
    ),
    ...(isOneLine || agreed === undefined ? [] : [[agreed]]),
    ...(recorded === 0 ? [] : [[{ text: byHand, style: 'bad' } as const]]),
    ...chargeSum(money, value, style).map((line) => [line]),
  ];
  const right = [1, 2, 3];
  return {
    right,
    grid: [[heading, ...titles], ...rowsWith(headInOneLine, isAgreed)],
    narrow: [{ line: heading }, { right, grid: [['', ...titles], ...rowsWith(headInTwoLines, false)] }],
  };
}

const matches = `${underCharge}refund total matches the service`;

/** What comes before the figures of a charge, and what is on a line of its own below them. */
type ChargeHead = readonly [name: string, below?: string];

function headInOneLine({ number, id, value }: ChargeMoney): ChargeHead {
  return [`charge ${number}  ${id}  ${paidBy(value)}`];
}

// A narrow terminal has no room for the id next to the figures.
function headInTwoLines({ number, id, value }: ChargeMoney): ChargeHead {
  return [`charge ${number}  ${paidBy(value)}`, `${underCharge}${id}`];
}

function chargeRows(
  charge: ChargeMoney,
  [name, below]: ChargeHead,
  money: OrderMoney,
  style: AmountStyle,
): readonly (readonly Cell[])[] {
  const left = leftToRefund({ charges: [charge] }) || (charge.left === 0 ? 0 : undefined);
  const rows = figureRows(name, [charge.amount, -charge.refunded, left], money, style);
  return below === undefined ? rows : [...rows, [below]];
}

// What is neither refunded nor kept of a charge: without it, its figures would not add up. `charge.left` counts what a person
// recorded as made.
function between(
  charge: ChargeMoney,
  { charges }: OrderMoney,
  figure: ReturnType<typeof figuresIn>,
): readonly (readonly Cell[])[] {
  const sumOfState = (state: RefundRecord['meaning']) =>
    sumOfRefunds(charge.refunds.filter(({ meaning }) => meaning === state));
  const recorded = (charges.find(({ id }) => id === charge.id)?.left ?? charge.left) - charge.left;
  return Object.entries({
    pending: sumOfState('pending'),
    unconfirmed: sumOfState('unconfirmed'),
    'recorded made': recorded,
  })
    .filter(([, sum]) => sum !== 0)
    .map(([state, sum]) => [`${underCharge}${state} ${figure(sum)}: neither refunded nor kept`]);
}

// What is in the figure that is kept, though it may have gone back: the order does not show it.
function unseenOf(
  { id }: ChargeMoney,
  { refunds }: KnownOrder,
  figure: ReturnType<typeof figuresIn>,
): readonly (readonly Cell[])[] {
  const unseen = { unconfirmed: 'may have gone back', gone: 'went back, and is not shown any more' };
  const isUnseen = (state: RefundState): state is keyof typeof unseen => state in unseen;
  return refunds.flatMap(({ state, record, attempt, mayAppear }) => {
    if (record !== undefined || !isUnseen(state) || (state === 'unconfirmed' && !mayAppear)) return [];
    const expected = attempt?.sent.proof.expected.filter(({ chargeId }) => chargeId === id) ?? [];
    return expected.map(({ amount }) => [
      { text: `${underCharge}${state} ${figure(-amount)}: ${unseen[state]}`, style: 'warn' } as const,
    ]);
  });
}

// A row of the service's integers. If decimals are declared, the same amounts follow in the row below, since a narrow terminal has
// no room for both side by side.
function figureRows(
  name: string,
  amounts: readonly (number | undefined)[],
  { currency }: OrderMoney,
  style: AmountStyle,
): readonly (readonly Cell[])[] {
  const cells = (write: (amount: number) => string | undefined) =>
    amounts.map((amount) => (amount === undefined ? '-' : (write(amount) ?? '-')));
  const row = [name, ...cells((amount) => digits(amount, style))];
  if (placesOf(currency, style) === undefined) return [row];
  return [row, [`${underCharge}in ${currency}`, ...cells((amount) => scaled(amount, currency, style))]];
}

// The time, the code of the payment and the fee follow the status on one line of 80 characters.
function shortStatus(status: string | undefined): string {
  return status === undefined ? 'status not shown' : (shortStatuses.get(status) ?? status);
}

function chargeDetail(
  { value, status, isRefundable, counts }: ChargeMoney,
  createdAt: unknown,
  figure: ReturnType<typeof figuresIn>,
): Cell {
  const method = value.payment_method;
  const auth = filledText(valueAt(method, ['auth_code']));
  const paidAt = value.paid_at;
  const paid = typeof paidAt === 'number' && status !== undefined && tookMoney(value);
  const before = [
    filledText(valueAt(method, ['brand'])),
    filledText(valueAt(method, ['name'])),
    paid && status === statuses.paid ? undefined : shortStatus(status),
    filledText(value.failure_message),
  ].filter((fact) => fact !== undefined);
  // Of a charge that took no money, they would look as if money had moved.
  const took = meaningOfStatus(status) !== 'none';
  const after = [
    auth === undefined || !took ? undefined : `auth ${auth}`,
    typeof value.fee === 'number' && took ? `fee ${figure(value.fee)}` : undefined,
    counts && isRefundable === false ? 'the service says it is not refundable' : undefined,
  ].filter((fact) => fact !== undefined);
  return [
    `${underCharge}${before.join(', ')}`,
    ...(paid
      ? [
          `${before.length === 0 ? '' : ', '}paid `,
          { time: paidAt, precision: 'clock', after: createdAt } as const,
        ]
      : []),
    after.map((fact) => `, ${fact}`).join(''),
  ];
}

// amount_refunded should be the sum of the refund records (service: order). A person should know when it is not.
// Undefined if the sums agree.
function disagreement(money: OrderMoney, refunded: number, style: AmountStyle): Cell | undefined {
  const figure = figuresIn(money.currency, style);
  if (money.amountRefunded === undefined) return `${underCharge}the service shows no amount_refunded`;
  if (money.amountRefunded === refunded)
    return money.doubt === undefined
      ? undefined
      : { text: `${underCharge}the sums do not agree: ${money.doubt}`, style: 'warn' };
  if (money.doubt === undefined) {
    const refunds = money.charges.flatMap((charge) => charge.refunds);
    const state = refunds.some(({ meaning }) => meaning === 'pending') ? 'pending' : 'unconfirmed';
    return `${underCharge}the service says amount_refunded ${figure(money.amountRefunded)}, with what is ${state}`;
  }
  return {
    text: `${underCharge}the service says amount_refunded ${figure(money.amountRefunded)}, but its refunds add up to ${figure(refunded)}`,
    style: 'warn',
  };
}

function chargeSum(money: OrderMoney, value: JsonObject, style: AmountStyle): readonly Cell[] {
  const figure = figuresIn(money.currency, style);
  const paid = money.charges.filter((charge) => charge.counts || charge.refunds.length > 0);
  const sum = paid.reduce((total, charge) => total + charge.amount, 0);
  if (paid.length === 0 || sum === money.amount || value.payment_status === undefined) return [];
  return [
    {
      text: `${underCharge}charges add up to ${figure(sum)}, the order says ${figure(money.amount)}`,
      style: 'warn',
    },
  ];
}

function unprovenMoney(
  { amount, currency, amount_refunded: refunded }: Order,
  value: JsonObject,
  problem: string,
  style: AmountStyle,
): readonly Block[] {
  const money = amount === undefined ? 'not shown' : amountWords(amount, currency, style);
  return [
    {
      line: `MONEY  ${money}  refunded ${refunded === undefined ? 'not shown' : figureWords(refunded, currency, style)}`,
    },
    {
      line: hasNoCharges(value)
        ? 'no charges on this order yet'
        : `its charges cannot be added up: ${problem}`,
      indent: 7,
    },
  ];
}

/**
 * Two lines for each refund that the order shows, also where its money cannot be added up; the second one has its id. A narrow
 * terminal has one more line, which says who made it.
 */
function refundsView(known: KnownOrder, origins: RefundOrigins, style: AmountStyle): readonly Block[] {
  // As it is shown: the bank's code may be masked.
  const { order } = known;
  const tell = toldRefunds(known);
  const figure = figuresIn(textIn(order.currency), style);
  const lists = shownCharges(order).items.map((charge) => ({ charge, ...shownRefunds(order, charge) }));
  const cells = lists.flatMap(({ charge, items }, at) =>
    items.map((refund) => ({
      money: [
        '',
        `${at + 1} ${paidBy(charge)}`,
        isWholeNumber(refund.amount) ? figure(refund.amount) : 'not shown',
        { time: isTime(refund.created_at) ? refund.created_at : undefined, precision: 'zoned' },
      ] satisfies readonly Cell[],
      // Somebody who asks the bank about a refund that failed would be told of the payment.
      auth: (tell(refund).state === 'failed' ? undefined : textIn(refund.auth_code)) ?? '-',
      by: sentBy(origins, textIn(refund.id) ?? ''),
      below: [idOfRefund(refund, origins, tell(refund).state)],
    })),
  );
  // Why it is not, the money above says.
  const isComplete = lists.every(({ problem }) => problem === undefined);
  const missing: readonly Block[] = isComplete
    ? []
    : [{ line: { text: 'this list is not complete', style: 'warn' }, indent: underHeading.length }];
  if (cells.length === 0) return [];
  const titles = ['REFUNDS', 'from charge', 'amount', 'when'];
  const right = [2];
  const grid = [
    [...titles, 'auth', 'by'],
    ...cells.flatMap(({ money: first, auth, by, below }) => [[...first, auth, by], below]),
  ];
  const narrow = [
    titles,
    ...cells.flatMap(({ money: first, auth, by, below }) => [
      first,
      [`${underHeading}auth ${auth}  ${by}`],
      below,
    ]),
  ];
  return ['blank', { grid, right, narrow: [{ grid: narrow, right }] }, ...missing];
}

// The state of a refund that was simply made is not worth showing; then the service's own word is shown instead, if it has one.
function idOfRefund(refund: JsonObject, origins: RefundOrigins, state: RefundState): Cell {
  const { id = 'not shown', status } = { id: textIn(refund.id), status: textIn(refund.status) };
  const { reason, row, approval = approvalFields() } = origins?.get(id) ?? {};
  const { ticket, request, approved_at: approvedAt } = approval;
  const style = styleOfState(state);
  const word =
    style !== undefined
      ? `${state}${status === undefined || status === state ? '' : ` (${status})`}`
      : status;
  return [
    `${underHeading}id ${id}${reason === undefined ? '' : `  ${reason}`}`,
    ...(sentBy(origins, id) === 'elsewhere' ? ['  not sent from here: ask your lead who did'] : []),
    ...(row === undefined ? [] : [`  plan ${row}`]),
    ...(ticket === null ? [] : [`  ticket ${ticket}`]),
    ...(request === null ? [] : [`  request ${request}`]),
    ...(approvedAt === null ? [] : ['  approved ', { time: approvedAt, precision: 'zoned' } as const]),
    ...(word === undefined ? [] : ['  ', { text: word, style: style ?? 'strong' } as const]),
  ];
}
