/** `orders capture`: its flags and help. changes/capture-order.ts captures the order. */

import { resources } from '../../api/resources.ts';
import { statuses } from '../../api/spec.ts';
import { againFlag, captureOrder, idempotencyKeyFlag } from '../../changes/changes.ts';
import { flag, orderArgument } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { namedOrder, type Pickable } from './search/pick-order.ts';

const { captureExample } = resources.orders;
const offer: Pickable = {
  kind: statuses.preAuthorized,
  accepts: ({ order }) => order.payment_status === statuses.preAuthorized,
  listFlags: ['--status', statuses.preAuthorized],
};

export const capture = defineCommand({
  description:
    'Captures the whole authorized amount; the service documents no way to capture a part. You confirm a capture like a refund.',
  arguments: [orderArgument(false)],
  flags: {
    confirm: flag.id('orders', 'ID', 'the order id again: counts as yes in production'),
    'idempotency-key': idempotencyKeyFlag,
    again: againFlag,
  },
  examples: [
    `paydesk -p demo orders capture ${captureExample} --dry-run`,
    `paydesk -p demo orders capture ${captureExample} --yes --json --no-input`,
  ],
  async run(ctx, { args: [typed], flags: { confirm, 'idempotency-key': idempotencyKey, again = [] } }) {
    await captureOrder(ctx, { ...namedOrder(ctx, typed, offer), confirm, idempotencyKey, again });
    return undefined;
  },
});
