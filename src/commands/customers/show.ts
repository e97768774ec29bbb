/** `customers show`, `list` and `export`: one customer, all of them page by page, or every one into a file. */

import { amountWords } from '../../amounts.ts';
import { longPages, readOne, type Service, type WireRecord } from '../../api/api.ts';
import { idOf, type JsonObject, textIn } from '../../api/json-values.ts';
import { type Customer, readCustomer, readOrder } from '../../api/records.ts';
import { customerColumns, resources } from '../../api/resources.ts';
import type { Context, Days } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, orElse, withParts } from '../../errors.ts';
import type { ExportRow } from '../../exports/exports.ts';
import { typedId } from '../../flags/flags.ts';
import { readHits } from '../../index/index.ts';
import { accountLabel, accountSpan, commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { daysOfFile, daysOfFlag, exportFlags } from '../export/export-flags.ts';
import { type ExportJob, runExport } from '../export/export-run.ts';
import { pagingFlags, showList } from '../listing.ts';
import { isBuyer } from '../orders/order-filters.ts';
import { fold } from '../orders/search/fold-text.ts';
import { customerNamesOf, type NearBuyers, nearBuyers } from '../orders/search/near-buyers.ts';

const { idExample } = resources.customers;

export const show = defineCommand({
  description:
    'paydesk looks for the customer page by page. -o list shows every field that the service sent. With an index (paydesk index build) the newest orders of the customer are shown too.',
  arguments: [
    {
      name: 'id',
      summary: 'id of the customer, or the whole e-mail address',
      required: true,
      parse: (text: string): string => (emailPattern.test(text) ? text : typedId('customers', text, 'ID')),
    },
  ],
  examples: [
    `paydesk -p demo customers show ${idExample}`,
    `paydesk -p demo customers show ${idExample} --json --no-input`,
  ],
  async run(ctx, { args: [name] }): Promise<undefined> {
    ctx.out.checkColumns(customerColumns);
    const service = await ctx.service();
    const record = emailPattern.test(name)
      ? await customerWithEmail(ctx, service, name)
      : await readOne(ctx, service, 'customers', name, 'show').catch(
          orElse(async (error) => {
            throw await withMeant(ctx, service, error, name);
          }),
        );
    const id = idOf(record) ?? name;
    const names = namesOf(record, id, ctx.redaction.isOn());
    const orders =
      ctx.out.format === 'table' || ctx.out.format === 'list' ? await known(ctx, service, names) : undefined;
    await ctx.out.record(withOrders(ctx, record, orders, service.profile), customerColumns, (masked) => [
      ...customerView(masked.value, service.profile),
      ...customerOrderBlocks(service.profile, names, orders),
    ]);
  },
});

// An order may have the e-mail of a customer and no id, so the search by e-mail finds more.
function namesOf({ value }: WireRecord, id: string, isMasked: boolean): readonly string[] {
  const email = textIn(value.email) ?? '';
  return emailPattern.test(email) && !isMasked ? [email, id] : [id];
}

const emailPattern = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

// Two customers may have one address, so the list is read to its end. Throws CliError 'usage' with the customers to choose from.
async function customerWithEmail(ctx: Context, service: Service, email: string): Promise<WireRecord> {
  const { profile } = service;
  let read = 0;
  const found: WireRecord[] = [];
  const near = ctx.redaction.isOn() ? undefined : nearBuyers([email], 'customer');
  const endProgress = ctx.notes.progress(() => (read === 0 ? '' : `${read} customers read`));
  try {
    for await (const { records } of longPages(service, 'customers', {})) {
      read += records.length;
      found.push(...records.filter(({ value }) => fold(String(value.email)) === fold(email)));
      for (const record of records) near?.see(idOf(record), customerNamesOf(record.value));
    }
  } finally {
    endProgress();
  }
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only;
  if (only === undefined)
    throw new CliError('not_found', `${accountLabel(profile)} has no customer with the e-mail ${email}`, {
      certain: `all ${counted(read, 'customer')} were read`,
      now: [
        ...meantCustomers(profile, near),
        'a buyer may have paid without being a customer:',
        commandLine(profile, 'orders', 'find', email),
      ],
    });
  throw new CliError('usage', `${counted(found.length, 'customer')} have the e-mail ${email}: say which`, {
    now: found.map((one) => commandLine(profile, 'customers', 'show', String(idOf(one)))),
  });
}

// Adds the customers whose ids are nearly the one that no customer has.
async function withMeant(ctx: Context, service: Service, error: CliError, id: string): Promise<CliError> {
  if (error.kind !== 'not_found' || ctx.redaction.isOn()) return error;
  const near = nearBuyers([id], 'customer');
  try {
    for await (const { records } of longPages(service, 'customers', {}))
      for (const record of records) near.see(idOf(record), customerNamesOf(record.value));
  } catch (failed) {
    // Without all customers it offers those that were read.
    if (!(failed instanceof CliError)) throw failed;
  }
  return withParts(error, { now: [...meantCustomers(service.profile, near), ...(error.parts.now ?? [])] });
}

function meantCustomers(profile: Profile, near: NearBuyers | undefined): readonly string[] {
  return (near?.offers() ?? []).flatMap(({ who, words }) => [
    `did you mean ${who}?`,
    commandLine(profile, 'customers', 'show', ...words),
  ]);
}

// In a list of fields, which is what a screen reader gets, each order is a field.
function withOrders(
  ctx: Context,
  record: WireRecord,
  orders: CustomerOrders | undefined,
  profile: Profile,
): WireRecord {
  if (ctx.out.format !== 'list' || orders === undefined) return record;
  const lines = orders.newest.map((value) => {
    const { id, at, status, amount } = shownOf(value, profile);
    return `${id}, ${ctx.days.show(at, 'day')}, ${status}, ${amount}`;
  });
  return { ...record, value: { ...record.value, newest_orders: lines } };
}

// If the index cannot be read, that is a warning, and the customer is shown without orders.
async function known(
  ctx: Context,
  service: Service,
  names: readonly string[],
): Promise<CustomerOrders | undefined> {
  return ordersOfCustomer(ctx, service, names).catch(
    orElse(({ message }): undefined => {
      ctx.notes.warn(`the orders are not shown: ${message}`);
    }),
  );
}

function customerView(record: JsonObject, profile: Profile): readonly Block[] {
  const customer = readCustomer(record);
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

/** The orders of a customer that are shown, which were read just now, and how many orders there are. */
interface CustomerOrders {
  readonly newest: readonly JsonObject[];
  readonly count: number;
  /** Whether the first name of the customer finds them all. */
  readonly isByFirst: boolean;
  /** How many orders of the account had their texts forgotten. The index no longer knows whose they are. */
  readonly forgotten: number;
}

const shown = 5;

/** Looks in the index. Undefined if there is none. Throws CliError 'refused' if it does not open. */
async function ordersOfCustomer(
  ctx: Context,
  service: Service,
  names: readonly string[],
): Promise<CustomerOrders | undefined> {
  const index = await ctx.index.open(service.profile);
  if (index === undefined) return undefined;
  const find = (some: readonly string[]) => {
    const fields = some.map(fold).flatMap((name) => [`e${name}`, `k${name}`, `x${name}`]);
    return index.scan({
      groups: [fields],
      accepts: (text) => text.split('\t').some((field) => fields.includes(field)),
    });
  };
  const hits = await find(names);
  const reading = readHits(service, hits.slice(0, shown));
  const records = (await Array.fromAsync(reading.orders)).flat();
  return {
    newest: records
      .map(({ record }) => record.value)
      .filter((order) => names.some((name) => isBuyer(name)(order))),
    count: hits.length,
    isByFirst: (await find(names.slice(0, 1))).length === hits.length,
    forgotten: index.status().forgotten,
  };
}

function shownOf(order: JsonObject, { settings }: Profile) {
  const { id = '-', created_at: at, payment_status: status = '-', amount, currency } = readOrder(order) ?? {};
  return { id, at, status, amount: amount === undefined ? '-' : amountWords(amount, currency, settings) };
}

// An order on a narrow screen: its id on a line of its own, so that the id is not broken.
function orderLines([at = '-', status = '-', amount = '-', id = '-']: readonly Cell[]): readonly Block[] {
  return [{ line: id }, { line: [at, '  ', status, '  ', amount].flat(), indent: 2 }];
}

/** The orders as lines of a screen, with the commands that find all of them. */
function customerOrderBlocks(
  profile: Profile,
  names: readonly string[],
  orders: CustomerOrders | undefined,
): readonly Block[] {
  // A search in the index does not find what was forgotten either.
  const live = (orders?.forgotten ?? 0) > 0 ? ['--live'] : [];
  const all = (orders?.isByFirst === false ? names : names.slice(0, 1)).map((name): Block => {
    return { line: commandLine(profile, 'orders', 'find', '--customer', name, ...live), indent: 2 };
  });
  if (orders === undefined)
    return ['blank', { line: 'orders, with what was paid and what went back:' }, ...all];
  const rows = orders.newest.map((value): readonly Cell[] => {
    const { id: orderId, at, status, amount } = shownOf(value, profile);
    return [{ time: at, precision: 'day' }, { status }, amount, orderId];
  });
  return [
    'blank',
    rows.length === 0
      ? { line: 'the index has no order of this customer' }
      : {
          grid: [['ORDER', 'STATUS', 'AMOUNT', 'ID'], ...rows],
          right: [2],
          narrow: rows.flatMap(orderLines),
        },
    ...(orders.forgotten === 0 ? [] : [{ line: forgottenWords(orders) }]),
    {
      line: `${orders.count === 0 ? '' : `${orders.count} in the index; `}all orders of this customer, with their sums:`,
    },
    ...all,
  ];
}

function forgottenWords({ forgotten }: CustomerOrders): string {
  return `the index forgot the texts of ${forgotten} orders (index forget); some may be of this customer`;
}

export const list = defineCommand({
  description: 'Shows one page and prints the command for the next one; --all reads every page.',
  flags: pagingFlags('customers'),
  examples: [
    'paydesk -p demo customers list --limit 5',
    'paydesk -p demo customers list --all --ndjson --no-input',
  ],
  run: (ctx, { flags }) => showList(ctx, 'customers', flags, []),
});

const exportCustomers = defineCommand({
  description:
    'Reads every page and writes NDJSON, JSON or CSV as the pages come. With --to the file gets its name when it is complete, with a manifest beside it. --resume goes on with an export that was interrupted.',
  flags: exportFlags,
  examples: [
    'paydesk -p demo customers export --csv --columns id,name,email',
    'paydesk -p demo customers export --to customers.csv.gz',
  ],
  run: (ctx, { flags }) =>
    runExport(ctx, flags, async () => {
      const zoned = daysOfFlag(ctx, flags.tz);
      return {
        resource: 'customers',
        row: resources.customers,
        columns: resources.customers.columns,
        words: flags.tz === undefined ? [] : ['--tz', flags.tz],
        query: () => ({ resource: 'customers', zone: flags.tz ?? ctx.zone() }),
        rows: (query) => {
          const days = query === undefined ? zoned : daysOfFile(ctx, query.zone);
          return {
            rowsOf: (record) => ({ rows: [rowOf(days, record)], problems: [] }),
            closingLines: () => [],
          };
        },
      } satisfies ExportJob;
    }),
});

function rowOf(days: Days, record: WireRecord): ExportRow {
  return {
    record,
    id: idOf(record),
    currency: undefined,
    status: undefined,
    day: () => days.day(record.value.created_at),
    amount: 0,
  };
}

export { exportCustomers as export };
