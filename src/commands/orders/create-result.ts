/** An order that was made, as people see it. The reply is not documented, so anything may be missing from it. Pure. */

import { type JsonObject, type Order, type OrderRequest, readOrder } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { accountLabel, commandLine } from '../account.ts';
import { linkLines } from '../checkout/link-result.ts';
import type { Applied } from '../outcome.ts';
import { journalWords } from '../send-named.ts';

/** Blocks of the result. `body` is what was sent. */
export function createResult(
  { record, by, intent }: Applied,
  body: OrderRequest,
  profile: Profile,
): readonly Block[] {
  const order = orderIn(record.value);
  const checkout = checkoutOf(record.value);
  const { amount, currency = body.currency, payment_status: status } = order ?? {};
  return [
    {
      line: [
        { text: `created an order${amount === undefined ? '' : ` of ${amount} ${currency}`}`, style: 'good' },
        '    ',
        accountLabel(profile),
      ],
    },
    { line: `order    ${order?.id ?? 'id not shown'}   ${status ?? 'no status yet'}${journalWords(intent)}` },
    ...(checkout.url === undefined ? [] : linkLines(checkout)),
    ...(by === 'read'
      ? [{ line: 'seen by a read, since no usable answer came: it is ours or identical' }]
      : []),
    ...(order === undefined ? [] : [{ line: `next: ${commandLine(profile, 'orders', 'show', order.id)}` }]),
  ];
}

// Where the order itself could not be read again, the journal's record names it.
function orderIn(value: JsonObject): Order | undefined {
  return value.object === 'intent' ? readOrder({ id: value.created }) : readOrder(value);
}

/** The checkout inside an order; empty where the reply shows none. */
export function checkoutOf({ checkout }: JsonObject): JsonObject {
  return typeof checkout === 'object' && checkout !== null ? { ...checkout } : {};
}
