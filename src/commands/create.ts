/** `orders create` and `checkout create`: their flags and help. changes/create/ creates the order or the payment link. */

import { hostedPayment } from '../api/spec.ts';
import {
  bodyFlag,
  createOrder,
  createPaymentLink,
  creationFlags,
  linkFlags,
  orderFlags,
  qrFlags,
} from '../changes/changes.ts';
import type { Input } from '../flags/flags.ts';
import { defineCommand } from './command.ts';

const newOrder = '--item Lamp:30000:1 --currency MXN';

export const createOrders = defineCommand({
  description:
    'On a terminal paydesk asks for what is missing. --checkout and the flags after it say how the order is paid. --body reads the whole JSON body from a file and checks every field first.',
  flags: { ...orderFlags, body: bodyFlag(Object.keys(orderFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo orders create',
    `paydesk -p demo orders create ${newOrder} --checkout ${hostedPayment} --method card --expires 7d --yes --json --no-input`,
  ],
  async run(ctx, { flags }): Promise<undefined> {
    const [given, how] = parted(flags);
    await createOrder(ctx, given, how);
  },
});

const newLink = '--name Lamp --item Lamp:30000:1 --currency MXN';

export const createCheckout = defineCommand({
  description:
    'The buyer pays for the items that you list. On a terminal paydesk asks for what is missing; --body reads the whole JSON body from a file. The service has no list of payment links: paydesk journal list --kind checkout shows those of this machine.',
  flags: { ...linkFlags, body: bodyFlag(Object.keys(linkFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo checkout create',
    `paydesk -p demo checkout create ${newLink} --installments 3,6 --yes --json --no-input`,
  ],
  async run(ctx, { flags }): Promise<undefined> {
    const [given, how] = parted(flags);
    await createPaymentLink(ctx, given, how);
  },
});

type HowFlags = Input<readonly [], typeof creationFlags & typeof qrFlags>['flags'] & {
  readonly body?: string;
};

// The flags that give fields of the body, and those that say how it is sent and shown.
function parted<Flags extends HowFlags>(flags: Flags) {
  const { body, confirm, 'idempotency-key': idempotencyKey, again = [], ...more } = flags;
  const { qr = false, 'no-qr': noQr = false, ...given } = more;
  return [given, { body, confirm, idempotencyKey, again, qr, noQr }] as const;
}
