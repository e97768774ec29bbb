/** A capture as people see it: what would be captured, and what was. Pure. */

import { itemsOf, type JsonObject, type Order, readOrder } from '../../api/spec.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { Applied } from '../outcome.ts';
import { requestLine } from '../request-line.ts';
import { journalWords } from '../send-named.ts';
import { titleLine } from '../title.ts';
import { brandAndCard } from './card.ts';

/** What a person sees before saying yes. */
export function capturePreview(value: JsonObject, profile: Profile): readonly Block[] {
  const order = readOrder(value);
  const { name, email } = order?.customer_info ?? {};
  const buyer = [name, email].filter((part) => part !== undefined && part !== '').join('  ');
  const status = order?.payment_status ?? 'status not shown';
  return [
    titleLine('CAPTURE AN ORDER', profile, 'strong'),
    {
      line: [`order   ${order?.id ?? ''}  ${status}  `, { time: order?.created_at, precision: 'day' }],
      hang: 8,
    },
    { line: `buyer   ${buyer === '' ? 'not shown' : buyer}`, hang: 8 },
    ...itemsOf(order?.charges).map(
      (charge, index): Block => ({
        line: `from    charge ${index + 1}, ${brandAndCard(charge)}, ${typeof charge.id === 'string' ? charge.id : 'no id shown'}`,
        hang: 8,
      }),
    ),
    { line: { text: `  THIS CAPTURE  ${moneyOf(order)}   all that was authorized`, style: 'strong' } },
    requestLine(undefined),
  ];
}

function moneyOf(order: Order | undefined): string {
  return `${order?.amount ?? 'amount not shown'} ${order?.currency ?? ''}`.trimEnd();
}

/** What was captured. */
export function captureResult({ record, by, intent }: Applied, profile: Profile): readonly Block[] {
  const order = readOrder(record.value);
  return [
    titleLine(`captured ${moneyOf(order)}`, profile, 'good'),
    {
      line: `order    ${order?.id ?? ''}   ${order?.payment_status ?? 'status not shown'}${journalWords(intent)}`,
    },
    ...(by === 'read' ? [{ line: 'confirmed by a read, since no usable answer came' }] : []),
  ];
}
