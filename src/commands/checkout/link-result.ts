/** A payment link that was made, as people see it: the link first, then when it ends. The reply is not documented. Pure. */

import type { CheckoutCreateRequest, Column, JsonObject } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { accountLabel } from '../account.ts';
import { sumOf } from '../creation/items.ts';
import { fieldColumn } from '../field-column.ts';
import type { Applied } from '../outcome.ts';
import { journalWords } from '../send-named.ts';

/** Columns of a checkout for list and csv. */
export const checkoutColumns: readonly Column[] = [
  fieldColumn('id', 'ID', 'id'),
  fieldColumn('url', 'URL', 'text', 0),
  fieldColumn('status', 'STATUS', 'status'),
  fieldColumn('name', 'NAME', 'text'),
  fieldColumn('type', 'TYPE', 'text'),
  { ...fieldColumn('expires_at', 'EXPIRES_AT', 'time'), value: expiryOf },
  fieldColumn('livemode', 'LIVEMODE', 'flag'),
];

/** When a checkout ends, in either of the document's spellings (service: Endpoints 4 and 5). */
function expiryOf(checkout: JsonObject): unknown {
  return checkout.expires_at ?? checkout.expired_at;
}

/** The lines of a checkout that people hand on: its link and its end. */
export function linkLines(checkout: JsonObject): readonly Block[] {
  const { url } = checkout;
  const expiry = expiryOf(checkout);
  return [
    { line: typeof url === 'string' && url !== '' ? url : 'the answer shows no link' },
    expiry === undefined || expiry === null
      ? { line: 'the answer shows no expiry' }
      : { line: ['expires  ', { time: expiry, precision: 'full' }] },
  ];
}

/** Blocks of the result. `body` is what was sent. */
export function linkResult(
  { record, intent }: Applied,
  body: CheckoutCreateRequest,
  profile: Profile,
): readonly Block[] {
  const { id, status } = record.value;
  const { line_items: items, currency } = body.order_template;
  const amount = sumOf(items);
  return [
    {
      line: [
        {
          text: `created a payment link${amount === undefined ? '' : ` of ${amount} ${currency}`}`,
          style: 'good',
        },
        '    ',
        accountLabel(profile),
      ],
    },
    ...linkLines(record.value),
    {
      line: `checkout ${textOr(id, 'id not shown')}   ${textOr(status, 'status not shown')}${journalWords(intent)}`,
    },
  ];
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
