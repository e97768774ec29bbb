/** The money of an order as people see it: a row a charge, its details under it, and whether the sums agree. Pure. */

import {
  type ChargeMoney,
  negative,
  type OrderMoney,
  paidBy,
  readMoney,
  refundedSum,
} from '../../api/charges.ts';
import { type JsonObject, type Order, statuses, valueAt } from '../../api/spec.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';

// Under the first word after `charge 1`.
const under = ' '.repeat(10);

/** Blocks of the money; where it cannot be added up, why. */
export function moneyView(order: Order, value: JsonObject): readonly Block[] {
  const reading = readMoney(value);
  return 'money' in reading ? [moneyGrid(reading.money, value)] : unprovenMoney(order, reading.problem);
}

function moneyGrid(money: OrderMoney, value: JsonObject): Block {
  const refunded = refundedSum(money);
  const left = money.charges.reduce((sum, charge) => sum + (charge.counts ? charge.left : 0), 0);
  return {
    right: [1, 2, 3],
    grid: [
      [
        `MONEY (${money.currency ?? 'currency not shown'}, as the service counts)`,
        '   amount',
        ' refunded',
        '     left',
      ],
      ...money.charges.flatMap((charge) => [chargeRow(charge), [chargeDetail(charge, value.created_at)]]),
      ['order', String(money.amount), negative(refunded), String(left)],
      [agreement(money, refunded)],
      ...chargeSum(money, value).map((line) => [line]),
    ],
  };
}

function chargeRow(charge: ChargeMoney): readonly Cell[] {
  return [
    `charge ${charge.number}  ${charge.id}  ${paidBy(charge.value)}`,
    String(charge.amount),
    negative(charge.refunded),
    charge.counts || charge.left === 0 ? String(charge.left) : '-',
  ];
}

function chargeDetail({ value, status, isRefundable, counts }: ChargeMoney, createdAt: unknown): Cell {
  const method = value.payment_method;
  const auth = text(valueAt(method, ['auth_code']));
  const paidAt = value.paid_at;
  const paid = typeof paidAt === 'number' && status !== undefined;
  const before = [
    text(valueAt(method, ['brand'])),
    text(valueAt(method, ['name'])),
    paid && status === statuses.paid ? undefined : (status ?? 'status not shown'),
    text(value.failure_message),
  ].filter((fact) => fact !== undefined);
  const after = [
    auth === undefined ? undefined : `auth ${auth}`,
    counts && isRefundable === false ? 'the service says it is not refundable' : undefined,
  ].filter((fact) => fact !== undefined);
  return [
    `${under}${before.join(', ')}`,
    ...(paid
      ? [
          `${before.length === 0 ? '' : ', '}paid `,
          { time: paidAt, precision: 'clock', after: createdAt } as const,
        ]
      : []),
    after.map((fact) => `, ${fact}`).join(''),
  ];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// Two witnesses of the same sum; where they differ a person should know (service: order).
function agreement(money: OrderMoney, refunded: number): Cell {
  if (money.amountRefunded === undefined) return `${under}the service shows no amount_refunded`;
  const said = `${under}the service says amount_refunded ${money.amountRefunded}`;
  if (money.amountRefunded === refunded) return `${said}: agrees`;
  return {
    text: `${said}, its refund records add up to ${refunded}: they do not agree`,
    style: 'warn',
  };
}

function chargeSum(money: OrderMoney, value: JsonObject): readonly Cell[] {
  const paid = money.charges.filter((charge) => charge.counts || charge.refunded > 0);
  const sum = paid.reduce((total, charge) => total + charge.amount, 0);
  if (paid.length === 0 || sum === money.amount || value.payment_status === undefined) return [];
  return [{ text: `${under}charges add up to ${sum}, the order says ${money.amount}`, style: 'warn' }];
}

function unprovenMoney(
  { amount, currency, amount_refunded: refunded }: Order,
  problem: string,
): readonly Block[] {
  const money = amount === undefined ? 'not shown' : `${amount} ${currency ?? ''}`.trimEnd();
  return [
    { line: `MONEY  ${money}  refunded ${refunded ?? 'not shown'}` },
    { line: `the charges cannot be added up: ${problem}`, indent: 7 },
  ];
}
