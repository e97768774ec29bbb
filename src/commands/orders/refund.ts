/** `orders refund` and `orders capture`: their flags and help. changes/ makes the refund and the capture. */

import { blankOrQuote, resources, withoutAround } from '../../api/resources.ts';
import {
  chargeIdPattern,
  type ReasonWords,
  refundReasons,
  refundReasonValues,
  statuses,
} from '../../api/spec.ts';
import {
  againFlag,
  captureOrder,
  idempotencyKeyFlag,
  noHoldFlag,
  nothingAllowed,
  refundOrder,
  sendApproved,
} from '../../changes/changes.ts';
import { amountFlag } from '../../flags/amount-flag.ts';
import { type Completer, flag, orderArgument, recordId, usage } from '../../flags/flags.ts';
import { requestPattern } from '../../journal/journal.ts';
import { allocateWays } from '../../plans/plans.ts';
import { defineCommand } from '../command.ts';
import { namedOrder, type Pickable } from './search/pick-order.ts';

const { captureExample, idExample } = resources.orders;
const [firstReason] = refundReasonValues;
const refundable: Pickable = {
  kind: 'refundable',
  accepts: ({ unfit }) => unfit === undefined,
  whyNot: ({ unfit }) => unfit?.words,
  limit: nothingAllowed,
  listFlags: ['--refundable'],
};

// TAB offers the charges of the order that was already typed.
const offerCharges: Completer = async ({ args: [order], flags }, known) =>
  order === undefined ? [] : known.charges(order, flags.get('profile'));

export const refund = defineCommand({
  description: [
    'ID alone refunds the whole order; --charge refunds one charge, and with --amount a part of it. On a terminal paydesk asks for what is missing, and sends nothing before you say yes. The refund is sent at most once, even if the reply is lost.',
    `Reasons: ${refundReasonValues.map((value) => `${value} (${refundReasons[value].words})`).join(', ')}`,
  ].join('\n'),
  arguments: [orderArgument(false)],
  flags: {
    charge: flag.of<string>({
      value: 'CH',
      summary: 'one charge: its id, its number in orders show, or *4242',
      offers: offerCharges,
      parse: chargeName,
    }),
    amount: amountFlag("part of a charge, in the service's units: 23000; with amounts.decimals also 230.00"),
    reason: flag.choice(refundReasonValues, 'R', 'the reason that the service is told', {
      meanings: Object.fromEntries(refundReasonValues.map((value) => [value, refundReasons[value].words])),
      // As help and the question say it, and as people do.
      otherWords: Object.fromEntries(
        refundReasonValues.flatMap((value) => {
          const reason: ReasonWords = refundReasons[value];
          return [reason.words, ...(reason.also ?? [])].map((word) => [word, value] as const);
        }),
      ),
    }),
    note: flag.text('TEXT', 'private note, kept only in the journal'),
    'only-confirm': flag.switch('ask only for the yes; what is not given is left out'),
    confirm: flag.id('orders', 'ID', 'the order id again: counts as yes in production'),
    'no-hold': noHoldFlag,
    'idempotency-key': idempotencyKeyFlag,
    again: againFlag,
    approved: flag.of<string>({
      value: 'R',
      summary: 'with a team: send the refund that somebody else has approved, just as it was asked for',
      conflicts: ['charge', 'amount', 'reason', 'note', 'only-confirm', 'again', 'allocate'],
      parse: (text, name) => {
        if (requestPattern.test(text)) return text;
        throw usage(`${name} ${text}: not the id of a request, such as r_7f3k2m9q (paydesk approvals list)`);
      },
    }),
    allocate: flag.choice(
      allocateWays,
      'HOW',
      'spread --amount over the charges of the order: makes a plan with a row for each, and asks',
      { conflicts: ['charge', 'confirm', 'idempotency-key', 'only-confirm'] },
    ),
    to: flag.text('PLAN', 'with --allocate: the file of the plan; without it ORDER.plan', { writes: true }),
  },
  examples: [
    `paydesk -p demo orders refund ${idExample} --charge 1 --amount 300 --reason ${firstReason}`,
    `paydesk -p demo orders refund ${idExample} --charge 1 --amount 200 --yes --json --no-input`,
  ],
  async run(
    ctx,
    {
      args: [name],
      flags: {
        confirm,
        'idempotency-key': idempotencyKey,
        again = [],
        amount: typed,
        'only-confirm': onlyConfirm,
        'no-hold': noHold,
        allocate,
        to,
        approved,
        ...what
      },
    },
  ) {
    const id = () => (name === undefined ? undefined : recordId('orders', name, 'ID'));
    if (approved !== undefined) {
      await sendApproved(ctx, approved, { id: id(), confirm, idempotencyKey, noHold });
      return undefined;
    }
    if (allocate !== undefined) {
      const { refundInParts } = await import('../refunds/in-parts.ts');
      await refundInParts(ctx, { id: id(), typed, again, allocate, to, noHold, ...what });
      return undefined;
    }
    if (to !== undefined) throw usage('--to names the plan of --allocate, which is missing');
    await refundOrder(
      ctx,
      { ...namedOrder(ctx, name, refundable), confirm, idempotencyKey, again, noHold },
      { ...what, typed, onlyConfirm, amount: typed?.amount },
    );
    return undefined;
  },
});

function chargeName(text: string, name: string): string {
  const charge = withoutAround(text, blankOrQuote);
  if (chargeIdPattern.test(charge)) return charge;
  throw usage(`${name} ${text}: not a charge: its id, its number in orders show, or *4242`);
}

const authorized: Pickable = {
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
    await captureOrder(ctx, { ...namedOrder(ctx, typed, authorized), confirm, idempotencyKey, again });
    return undefined;
  },
});
