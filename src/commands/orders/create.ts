/** `orders create`: its flags and help. changes/create/new-order.ts creates the order. */

import { hostedPayment } from '../../api/spec.ts';
import { bodyFlag, createOrder, creationFlags, orderFlags, qrFlags } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';

const example = '--item Lamp:30000:1 --currency MXN';

export const create = defineCommand({
  description:
    'On a terminal paydesk asks for what is missing. --checkout and the flags after it say how the order is paid. --body reads the whole JSON body from a file and checks every field first.',
  arguments: [],
  flags: { ...orderFlags, body: bodyFlag(Object.keys(orderFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo orders create',
    `paydesk -p demo orders create ${example} --checkout ${hostedPayment} --method card --expires 7d --yes --json --no-input`,
  ],
  async run(ctx, { flags }) {
    const {
      body,
      confirm,
      'idempotency-key': idempotencyKey,
      again = [],
      qr = false,
      'no-qr': noQr = false,
      ...given
    } = flags;
    await createOrder(ctx, given, { body, confirm, idempotencyKey, again, qr, noQr });
    return undefined;
  },
});
