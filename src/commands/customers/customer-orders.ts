/** The newest orders of a customer, as far as the index of this machine finds them. */

import type { Service, WireRecord } from '../../api/api.ts';
import { readOrder } from '../../api/records.ts';
import type { JsonObject } from '../../api/spec.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import type { Context } from '../command.ts';
import { fold } from '../orders/fold-text.ts';
import { isBuyer } from '../orders/order-filters.ts';
import { readHits } from '../orders/read-hits.ts';

/** The orders of a customer that are shown, read just now, and how many there are. */
export interface CustomerOrders {
  readonly newest: readonly JsonObject[];
  readonly count: number;
  /** Of how many orders of the account the texts were forgotten. The index does not know any more whose they are. */
  readonly forgotten: number;
}

const shown = 5;

/** Looks in the index. Undefined if there is none. Throws CliError 'refused' if it does not open. */
export async function ordersOfCustomer(
  ctx: Context,
  service: Service,
  id: string,
): Promise<CustomerOrders | undefined> {
  const index = await ctx.index.open(service.profile);
  if (index === undefined) return undefined;
  const holds = fold(id);
  const fields = [`k${holds}`, `x${holds}`];
  const hits = await index.scan({
    groups: [fields],
    accepts: (text) => text.split('\t').some((field) => fields.includes(field)),
  });
  const records: WireRecord[] = [];
  const reading = readHits(service, hits.slice(0, shown));
  for await (const some of reading.orders) records.push(...some.map(({ record }) => record));
  const isTheirs = isBuyer(id);
  return {
    newest: records.map(({ value }) => value).filter(isTheirs),
    count: hits.length,
    forgotten: index.status().forgotten,
  };
}

// An order on a narrow screen: its id on a line of its own, so that it is not broken.
function orderLines([at = '-', status = '-', amount = '-', id = '-']: readonly Cell[]): readonly Block[] {
  return [{ line: id }, { line: [at, '  ', status, '  ', amount].flat(), indent: 2 }];
}

/** The orders as lines of a screen, with the command that finds all of them. */
export function customerOrderBlocks(
  profile: Profile,
  id: string,
  orders: CustomerOrders | undefined,
): readonly Block[] {
  // A search in the index does not find what was forgotten either.
  const live = (orders?.forgotten ?? 0) > 0 ? ['--live'] : [];
  const all = commandLine(profile, 'orders', 'find', '--customer', id, ...live);
  if (orders === undefined) return ['blank', { line: 'orders:' }, { line: all, indent: 2 }];
  const rows = orders.newest.map((value): readonly Cell[] => {
    const {
      id: orderId = '-',
      created_at: at,
      payment_status: status,
      amount,
      currency,
    } = readOrder(value) ?? {};
    return [
      { time: at, precision: 'day' },
      { status: status ?? '-' },
      amount === undefined ? '-' : `${amount} ${currency ?? ''}`.trim(),
      orderId,
    ];
  });
  const more = orders.count > rows.length || rows.length === 0;
  return [
    'blank',
    ...(rows.length === 0 ? [{ line: 'the index has no order of this customer' }] : []),
    ...(rows.length === 0
      ? []
      : [
          {
            grid: [['ORDER', 'STATUS', 'AMOUNT', 'ID'], ...rows],
            right: [2],
            narrow: rows.flatMap(orderLines),
          },
        ]),
    ...(orders.forgotten === 0
      ? []
      : [
          {
            line: `the index forgot the texts of ${orders.forgotten} orders (index forget); some may be of this customer`,
          },
        ]),
    ...(more || orders.forgotten > 0
      ? [{ line: `${orders.count} in the index; all, and new ones too:` }, { line: all, indent: 2 }]
      : []),
  ];
}
