/** `customers show`: shows one customer. */

import { readOne, type Service, type WireRecord } from '../../api/api.ts';
import { type Customer, readCustomer, readOrder } from '../../api/records.ts';
import { customerColumns, resources } from '../../api/resources.ts';
import { CliError } from '../../errors.ts';
import { accountSpan, type Profile } from '../../profiles/profiles.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { type Context, defineCommand } from '../command.ts';
import { idArgument } from '../flags.ts';
import { type CustomerOrders, customerOrderBlocks, ordersOfCustomer } from './customer-orders.ts';

const { idExample } = resources.customers;

export const show = defineCommand({
  description:
    'paydesk looks for the customer page by page. -o list shows every field the service sent. With an index (paydesk index build) the newest orders of the customer are shown too.',
  arguments: [idArgument('customers', true)],
  flags: {},
  examples: [
    `paydesk -p demo customers show ${idExample}`,
    `paydesk -p demo customers show ${idExample} --json --no-input`,
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  async run(ctx, { args: [id] }) {
    ctx.out.checkColumns(customerColumns);
    const service = await ctx.service();
    const record = await readOne(ctx, service, 'customers', id, 'show');
    const orders =
      ctx.out.format === 'table' || ctx.out.format === 'list' ? await known(ctx, service, id) : undefined;
    await ctx.out.record(withOrders(ctx, record, orders), customerColumns, () => [
      ...customerView(record, service.profile),
      ...customerOrderBlocks(service.profile, id, orders),
    ]);
    return undefined;
  },
});

// In a list of fields, which is what a screen reader gets, each order is a field.
function withOrders(ctx: Context, record: WireRecord, orders: CustomerOrders | undefined): WireRecord {
  if (ctx.out.format !== 'list' || orders === undefined) return record;
  const lines = orders.newest.map((value) => {
    const {
      id = '-',
      created_at: at,
      payment_status: status = '-',
      amount,
      currency = '',
    } = readOrder(value) ?? {};
    return `${id}, ${ctx.days.show(at, 'day')}, ${status}, ${amount ?? '-'} ${currency}`.trimEnd();
  });
  return { ...record, value: { ...record.value, newest_orders: lines } };
}

// The customer is shown in any case.
async function known(ctx: Context, service: Service, id: string): Promise<CustomerOrders | undefined> {
  try {
    return await ordersOfCustomer(ctx, service, id);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`the orders are not shown: ${error.message}`);
    return undefined;
  }
}

function customerView(record: WireRecord, profile: Profile): readonly Block[] {
  const customer = readCustomer(record.value);
  if (customer === undefined) return [{ line: 'this record is not a customer' }];
  return [
    { line: [{ text: customer.id, style: 'strong' }, '  ', accountSpan(profile)] },
    { line: `name       ${customer.name ?? '-'}` },
    { line: `email      ${customer.email ?? '-'}` },
    { line: `phone      ${customer.phone ?? '-'}` },
    { line: `reference  ${customer.custom_reference ?? '-'}` },
    { line: ['created    ', { time: customer.created_at, precision: 'full' }] },
    ...sources(customer),
  ];
}

function sources(customer: Customer): readonly Block[] {
  const rows = (customer.payment_sources?.data ?? []).map((source): readonly Cell[] => [
    source.type ?? '-',
    source.reference ?? '-',
    { time: source.created_at, precision: 'day' },
    source.id ?? '-',
  ]);
  return rows.length === 0
    ? []
    : ['blank', { grid: [['PAYMENT SOURCE', 'REFERENCE', 'SINCE', 'ID'], ...rows] }];
}
