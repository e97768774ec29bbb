/** Lets a person pick an order from the newest ones that can be refunded or captured. */

import type { Service, WireRecord } from '../../api/api.ts';
import { countingCharges, paidBy } from '../../api/charges.ts';
import { readOrder } from '../../api/records.ts';
import { idOf, itemsOf, type JsonObject } from '../../api/spec.ts';
import type { PickedOrder } from '../../changes/changes.ts';
import { CliError } from '../../errors.ts';
import { aboutMoney, commandLine } from '../../profiles/profiles.ts';
import type { Choice } from '../../terminal/terminal.ts';
import type { Context } from '../command.ts';
import { usage } from '../flags.ts';
import { createTwins } from './order-twins.ts';

const mostOffered = 100;
const mostRead = 1_000;

export interface Pickable {
  /** What messages call them: `refundable`. */
  readonly kind: string;
  readonly accepts: (order: JsonObject) => boolean;
  /** The flags of `orders list` that show the same orders. */
  readonly listFlags: readonly string[];
}

/** Offers up to 100 fitting orders out of the newest 1000. The person types any part of one to find it. */
export async function pickOrder(ctx: Context, service: Service, offer: Pickable): Promise<PickedOrder> {
  if (!ctx.ask.interactive)
    throw usage('missing ID: say which order', [
      commandLine(service.profile, 'orders', 'list', ...offer.listFlags),
    ]);
  const found = await readSome(ctx, service, offer);
  const message = aboutMoney(service.profile, 'Which order?');
  const id = await ctx.ask.search({ message, flag: 'ID', choices: found.map(orderChoice) });
  const twins = createTwins();
  twins.add(found.map(({ value }) => value));
  return { id, twin: twins.of({ id }) };
}

async function readSome(
  ctx: Context,
  service: Service,
  { kind, accepts }: Pickable,
): Promise<readonly WireRecord[]> {
  const found: WireRecord[] = [];
  let read = 0;
  const endProgress = ctx.notes.progress(() => `${found.length} ${kind} orders`);
  try {
    for await (const { records } of service.pages('orders', { limit: mostOffered })) {
      const fitting = records.filter(({ value }) => accepts(value));
      found.push(...fitting.slice(0, mostOffered - found.length));
      read += records.length;
      if (read >= mostRead || found.length >= mostOffered) break;
    }
  } finally {
    endProgress();
  }
  if (found.length > 0) return found;
  throw new CliError(
    'refused',
    `there is no ${kind} order${read < mostRead ? '' : ` among the first ${read}`}`,
    { certain: 'nothing was sent', now: [commandLine(service.profile, 'orders', 'list')] },
  );
}

// The buyer comes first and is cut if it is too long; card, amount and id come last and are shown whole.
function orderChoice(record: WireRecord): Choice<string> {
  const order = readOrder(record.value);
  const id = idOf(record) ?? '';
  const { name, email } = order?.customer_info ?? {};
  const money = `${order?.amount ?? '-'} ${order?.currency ?? ''}`.trim();
  return { value: id, label: joined([name, email]), tail: joined([cardOf(record.value), money, id]) };
}

function cardOf(order: JsonObject): string {
  const counting = countingCharges(order).map(({ value }) => value);
  const [first, second] = counting.length > 0 ? counting : itemsOf(order.charges);
  if (first === undefined) return '';
  return second === undefined ? paidBy(first) : 'split';
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}
