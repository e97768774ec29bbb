/** `checkout create`: its flags and help. changes/create/payment-link.ts creates the link. */

import { bodyFlag, createPaymentLink, creationFlags, linkFlags, qrFlags } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';

const example = '--name Lamp --item Lamp:30000:1 --currency MXN';

export const create = defineCommand({
  description:
    'The buyer pays for the items that you list. On a terminal paydesk asks for what is missing; --body reads the whole JSON body from a file. The service has no list of payment links: paydesk journal list --kind checkout shows those of this machine.',
  arguments: [],
  flags: { ...linkFlags, body: bodyFlag(Object.keys(linkFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo checkout create',
    `paydesk -p demo checkout create ${example} --installments 3,6 --yes --json --no-input`,
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
    await createPaymentLink(ctx, given, { body, confirm, idempotencyKey, again, qr, noQr });
    return undefined;
  },
});
