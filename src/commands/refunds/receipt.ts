/** `refunds receipt`: the words for the buyer about one refund that was sent from this machine, or about those of an order. */

import { readOne } from '../../api/api.ts';
import { orderIdPattern } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { attemptOf, changeArgument, changesOn } from '../journal/attempts.ts';
import { checkCopy, copyFlag, tellBuyer } from '../orders/for-buyer.ts';

export const receipt = defineCommand({
  description:
    'Reads the order again and writes a text to paste for the buyer: how much went back, to which card, when, and what a bank can look for. It says that money went back only if the order shows it. --lang es writes Spanish; receipt.days and receipt.template of the profile say how long a refund takes, and in which words.',
  arguments: [changeArgument(true)],
  flags: { copy: copyFlag },
  examples: [
    'paydesk refunds receipt i_7f3k2m9q --lang es',
    'paydesk refunds receipt i_7f3k2m9q --json --no-input',
  ],
  async run(ctx, { args: [id], flags }): Promise<undefined> {
    checkCopy(ctx, flags.copy);
    const [only, ...more] = (await changesOn(ctx, id)).filter(({ sent }) => sent.proof.kind === 'refund');
    if (only === undefined && orderIdPattern.test(id)) {
      const service = await ctx.service({ shown: id });
      const { value } = await readOne(ctx, service, 'orders', id, 'show');
      ctx.notes.note(
        `no refund of ${id} was sent from here: these words are about all refunds that it shows`,
      );
      await tellBuyer(ctx, service, value, { copy: flags.copy === true });
      return undefined;
    }
    const record =
      only === undefined || more.length > 0 ? await attemptOf(ctx, id, ['refunds', 'receipt']) : only;
    const { proof, change, account, profile: named } = record.sent;
    const { orderId } = proof;
    if (proof.kind !== 'refund' || orderId === undefined)
      throw new CliError('usage', `${id} is no refund`, {
        change,
        now: [`paydesk journal show ${change}`],
      });
    await ctx.useProfileOf({ account, profile: named });
    const service = await ctx.service({ shown: orderId });
    const { value } = await readOne(ctx, service, 'orders', orderId, 'show');
    await tellBuyer(ctx, service, value, { copy: flags.copy === true, of: record });
  },
});
