/** `orders list`: shows orders page by page, with filters, and why orders were refunded. */

import type { Service, WireRecord } from '../../api/api.ts';
import type { JsonObject } from '../../api/json-values.ts';
import type { Column } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { orElse } from '../../errors.ts';
import { type KnownOrder, knownOrders, ordersWithRefunds, wentBackBy } from '../../orders/orders.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { feedIndex } from '../index/index-walk.ts';
import { pagingFlags, showList } from '../listing.ts';
import { isLeftNamed, leftColumn } from './left-column.ts';
import { statusColumn } from './open-status.ts';
import { filterFlags, orderFilters } from './order-filters.ts';
import { observeOrders } from './order-observer.ts';

export const list = defineCommand({
  description:
    'Shows one page and prints the command for the next one; --all reads every page. --status takes the word of the service, such as paid, pre_authorized or refunded, and none for orders without a status; for attempts to pay that failed: --charge-status declined. A time without a zone is in time.zone; --since is included, --until is not.',
  flags: { ...pagingFlags('orders'), ...filterFlags },
  examples: [
    'paydesk -p demo orders list --refundable --limit 5',
    'paydesk -p demo orders list --max 50 --csv --columns id,amount,currency,payment_status',
  ],
  async run(ctx, { flags }) {
    const service = await ctx.service();
    const { profile } = service;
    const only = flags.status ?? defaultStatus(ctx, profile);
    const asked = orderFilters(ctx, { ...flags, status: only }, service);
    const reasons = reasonColumns(ctx, service, isLeftNamed(ctx));
    const status = await statusColumn(ctx, service);
    const { columns, ...observer } = observeOrders(ctx, service, asked);
    // A walk backwards does not say what comes before its pages.
    const feed = flags.previous === undefined ? feedIndex(ctx, service, flags.next) : undefined;
    try {
      return await showList(ctx, 'orders', flags, asked.filters, {
        ...observer,
        columns: [...reasons.columns, ...columns, ...status.columns],
        onPage(page) {
          observer.onPage(page);
          feed?.page(page);
        },
        async beforeShown(records) {
          await reasons.lookUp(records);
          await status.lookUp(records);
        },
      });
    } finally {
      await feed?.end();
    }
  },
});

// Always mentions a filter that comes from the profile, so that nobody takes the filtered list for the complete one.
function defaultStatus(ctx: Context, { settings }: Profile): string | undefined {
  const status = settings['orders.status'];
  if (status !== undefined)
    ctx.notes.warn(`only orders with payment_status ${status}: the profile's orders.status says so`);
  return status;
}

// The columns REASON and NOTE, which say why orders were refunded, if the journal of this machine knows; and LEFT.
interface ReasonColumns {
  readonly columns: readonly Column[];
  /** Looks up the refunded orders of a page in the journal, before the page is shown; for LEFT all of them. */
  readonly lookUp: (records: readonly WireRecord[]) => Promise<void>;
}

interface Why {
  readonly reason: string;
  readonly note: string;
}

// Narrower terminals have no room for REASON and NOTE.
const tableFrom = 120;
const names = ['reason', 'note'] as const;

// If the journal cannot be read, this warns once and the list is still shown.
function reasonColumns(ctx: Context, service: Service, withLeft: boolean): ReasonColumns {
  const { columns = ctx.options.usualColumns } = ctx.options;
  const asked = columns?.some((name) => names.some((own) => own === name.trim()));
  let readable = withLeft || (asked ?? ctx.out.format === 'table');
  let known = new Map<unknown, KnownOrder>();
  let whys = new Map<unknown, Why>();
  // Asks the journal once for each page.
  const look = async (records: readonly WireRecord[]): Promise<void> => {
    const orders = records.map(({ value }) => value);
    const ids = ordersWithRefunds(orders);
    const wanted = withLeft ? orders : orders.filter(({ id }) => ids.has(String(id)));
    if (wanted.length === 0) return;
    for (const one of await knownOrders(ctx, service, wanted)) {
      known.set(one.order.id, one);
      whys.set(one.order.id, masked(ctx, whyOf(one)));
    }
  };
  const unreadable = orElse(({ message }) => {
    readable = false;
    ctx.notes.warn(`the reasons of refunds${withLeft ? ' and what is left' : ''} are not shown: ${message}`);
  });
  return {
    columns: [
      ...names.map((name) => ({
        name,
        title: name.toUpperCase(),
        kind: 'text' as const,
        tableFrom,
        derived: true as const,
        value: ({ id }: JsonObject) => whys.get(id)?.[name],
      })),
      leftColumn('left', (id) => known.get(id)),
    ],
    async lookUp(records) {
      [known, whys] = [new Map(), new Map()];
      if (readable) await look(records).catch(unreadable);
    },
  };
}

// Masks the note here, since it is not part of the service's record, which is masked elsewhere.
function masked({ redaction, out }: Context, { reason, note }: Why): Why {
  const isScreen = out.format === 'table' || out.format === 'list';
  const { value } = redaction.record({ value: { note } }, isScreen ? 'initials' : 'token');
  return { reason, note: String(value.note) };
}

function whyOf(order: KnownOrder): Why {
  const back = wentBackBy(order);
  const joined = (texts: readonly (string | undefined)[]): string =>
    [...new Set(texts.filter((text) => text !== undefined))].join(', ');
  return {
    reason: joined(back.map(({ sent }) => sent.reason)),
    note: joined(back.map(({ sent }) => sent.note)),
  };
}
