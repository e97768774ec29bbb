/** `checkout create`: its flags and help. changes/create/payment-link.ts creates the link. */

import { bodyFlag, createPaymentLink, creationFlags, linkFlags, qrFlags } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';

const example = '--name Lamp --item Lamp:30000:1 --currency MXN';

export const create = defineCommand({
  description: [
    'The buyer pays for the items that you list. On a terminal paydesk asks for what is missing.',
    'With --body paydesk reads the whole JSON body from a file and checks every field before it sends anything.',
    'The service has no list of payment links: paydesk journal list --kind checkout shows those that were made on this machine.',
  ].join(' '),
  arguments: [],
  flags: { ...linkFlags, body: bodyFlag(Object.keys(linkFlags)), ...qrFlags, ...creationFlags },
  examples: [
    'paydesk -p demo checkout create',
    `paydesk -p demo checkout create ${example} --expires 7d --method card --method cash --dry-run`,
    `paydesk -p demo checkout create ${example} --installments 3,6 --yes --json --no-input`,
  ],
  exits: [0, 2, 3, 4, 5, 6, 7, 9, 130],
  async run(ctx, { flags }) {
    const { body, confirm, intent, again = [], qr = false, 'no-qr': noQr = false, ...given } = flags;
    await createPaymentLink(ctx, given, { body, confirm, intent, again, qr, noQr });
    return undefined;
  },
});
