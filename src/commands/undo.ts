/** `undo`: says what can still be done about a change: the last one of this machine, unless another is named. It sends nothing. */

import { plainAmounts } from '../amounts.ts';
import type { Context } from '../context/context.ts';
import { orElse } from '../errors.ts';
import {
  type AttemptRecord,
  acknowledgeCommand,
  type ChangeKind,
  changeWords,
  isReadable,
  recordedBy,
  recordedState,
} from '../journal/journal.ts';
import { commandLine, profileNamed } from '../profiles/profiles.ts';
import { defineCommand } from './command.ts';
import { outcomeWords } from './journal/attempt-words.ts';
import { scopeOf } from './journal/journal-scope.ts';
import { attemptOrOnly, changeArgument } from './journal/meant-change.ts';

export const undo = defineCommand({
  description:
    'Nothing that the service has made can be undone: it documents no way to take back a refund, a capture or a new order. This says what became of the last change, and what a shop can do now. It sends nothing.',
  arguments: [changeArgument(false)],
  examples: ['paydesk undo', 'paydesk undo i_7f3k2m9q --json'],
  async run(ctx, { args: [name] }): Promise<undefined> {
    const found = name === undefined ? await lastOne(ctx) : await attemptOrOnly(ctx, name, ['undo']);
    const record = found && (await lookedAt(ctx, found));
    if (record === undefined) {
      await ctx.out.own({ object: 'undo', change: null, state: null, steps: [] }, () => [
        { line: 'nothing was sent from this machine, so there is nothing to undo' },
      ]);
      return undefined;
    }
    const { change, proof, time } = record.sent;
    const steps = stepsAfter(record);
    const subject = { ...record.sent, kind: proof.kind, orderId: proof.orderId };
    const state = recordedState(record);
    const printed = { object: 'undo', change, kind: proof.kind, order: proof.orderId ?? null, state, steps };
    await ctx.out.own(printed, () => [
      {
        line: `${name === undefined ? 'the last change' : 'this change'}: ${changeWords(subject, plainAmounts)}, ${ctx.days.full(time)}   ${change}`,
        hang: 2,
      },
      {
        line: `${state === 'failed' ? 'it' : 'it is'} ${outcomeWords(record, state === 'unconfirmed')}`,
        hang: 2,
      },
      'blank',
      ...steps.map((line) => (line.startsWith('paydesk ') ? { line, indent: 2 } : { line })),
    ]);
  },
});

// Reads the change again: it may have failed since, or have been made. If it cannot be read now, the journal says what is known.
async function lookedAt(ctx: Context, record: AttemptRecord): Promise<AttemptRecord> {
  const isRead = isReadable(record, await ctx.journal.now());
  if (!isRead || ctx.options.dryRun) return record;
  const untold = (why: string): undefined => {
    ctx.notes.warn(`${unread(record)}: ${why}`);
  };
  const looked = await ctx.journal.reconcile(record).catch(orElse(({ message }) => untold(message)));
  if (looked?.evidence?.shows === 'unreadable') untold(looked.evidence.problem);
  return looked?.record ?? record;
}

function unread({ sent }: AttemptRecord): string {
  return `${sent.proof.orderId ?? sent.change} could not be read again, so this is what was known before`;
}

async function lastOne(ctx: Context): Promise<AttemptRecord | undefined> {
  const origin = (await scopeOf(ctx, false))?.origin;
  const [last] = await ctx.journal.list({ origin }, { limit: 1 });
  return last;
}

// What to do now: sentences, and below them commands.
function stepsAfter(record: AttemptRecord): readonly string[] {
  const { change, proof } = record.sent;
  const show = `paydesk journal show ${change}`;
  switch (recordedState(record)) {
    case 'not sent':
      return ['it never left this machine: there is nothing to undo'];
    case 'refused':
      return ['the service refused it, and nothing changed: there is nothing to undo'];
    case 'failed':
      return ['the money did not go back: there is nothing to undo; see what to do now:', show];
    case 'recorded not made':
      return ['somebody recorded that it was not made; if that is wrong:', show];
    case 'unconfirmed':
      return [
        'nobody knows yet whether it was made; find out before anything else:',
        `paydesk journal reconcile ${change}`,
      ];
    case 'made twice':
    case 'appeared':
    case 'gone':
      return [
        'leave this order alone, and show your lead; when somebody has dealt with it:',
        acknowledgeCommand(change),
      ];
    // The buyer does not have that money yet, so nobody asks them to pay again.
    case 'pending':
      return [
        'it is under way, and the service documents no way to stop it; to see what became of it:',
        `paydesk journal reconcile ${change}`,
      ];
    case 'recorded made':
      if (proof.kind !== 'refund') return madeSteps[proof.kind](record);
      // Here too, nobody knows whether the buyer has the money.
      return [
        `${recordedBy(record)} recorded that it was made, and no read has shown that: find out first whether the money went back:`,
        `paydesk journal reconcile ${change}`,
        noWayBack,
      ];
    case 'made':
      return madeSteps[proof.kind](record);
  }
}

const noWayBack = 'a refund cannot be taken back: the service documents no way';

const madeSteps: Readonly<Record<ChangeKind, (record: AttemptRecord) => readonly string[]>> = {
  refund: (record) => [
    noWayBack,
    'if the buyer is to pay again, write to them, and send a link for the same amount:',
    linkFor(record),
  ],
  capture: ({ sent: { profile, proof } }) => [
    'a capture cannot be released any more; to give the money back:',
    commandLine(profileNamed(profile), 'orders', 'refund', proof.orderId ?? 'ID'),
  ],
  order: () => ['the service documents no way to delete an order: do not tell the buyer about it'],
  checkout: () => ['the service documents no way to withdraw a link: do not send it to anybody'],
  api: ({ sent: { change } }) => [
    'paydesk does not know what that request did; the reply is in the journal:',
    `paydesk journal show ${change}`,
  ],
};

function linkFor({ sent: { profile, amount, currency, proof } }: AttemptRecord): string {
  const item = `Order ${proof.orderId ?? ''}:${amount ?? 'AMOUNT'}:1`;
  return commandLine(
    profileNamed(profile),
    'checkout',
    'create',
    '--name',
    `Order ${proof.orderId ?? ''}`,
    '--item',
    item,
    '--currency',
    currency ?? 'CUR',
  );
}
