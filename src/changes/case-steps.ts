/** Says what to do about an open case of an order, instead of a command that refunds or captures it. */

import type { Context } from '../context/context.ts';
import {
  type AppearedRefund,
  acknowledgeCommand,
  changeKinds,
  changeOf,
  isFailedLate,
  type PaidTwice,
  type UnconfirmedChange,
} from '../journal/journal.ts';
import {
  type AfterFailure,
  afterFailure,
  hasRoom,
  type KnownOrder,
  nothingLeftWords,
  type OrderCase,
} from '../orders/orders.ts';
import type { Block } from '../terminal/terminal.ts';
import { untilWords } from './by-hand-words.ts';

/** Said in the first block and in the last lines: the first block may have gone off the screen. */
export const stopWords = 'do not refund this order; show your lead';

// What follows is a command that the lead runs.
const forLead = `${stopWords}. For your lead:`;

/** The command that finds out about refunds that were made twice. */
export function checkTwiceCommand({ change }: Pick<PaidTwice, 'change'>): string {
  return `paydesk journal reconcile ${change}`;
}

/** The command that records a refund that appeared or, if it is recorded, shows how to end the case. */
export function appearedCommand({ record, isRecorded }: AppearedRefund): string {
  return `paydesk journal ${isRecorded ? 'show' : 'reconcile'} ${record.sent.change}`;
}

// `ord_…: appeared; record it: paydesk journal reconcile i_…`. Undefined if the journal knows the case: then the line that every
// command begins with says it.
function unrecordedLine(orderId: string, one: OrderCase): string | undefined {
  if (one.is === 'made twice' && !one.isKnown)
    return `${orderId}: ${one.is}; check it: ${checkTwiceCommand(one.twice)}`;
  if (one.is !== 'appeared' || one.refund.isRecorded) return undefined;
  return `${orderId}: ${one.is}; record it: ${appearedCommand(one.refund)}`;
}

/** Warns about what an order shows and the journal does not know yet, with the command that records it. */
export function warnOfUnrecorded({ notes }: Pick<Context, 'notes'>, { order, cases }: KnownOrder): void {
  for (const line of cases.flatMap((one) => unrecordedLine(String(order.id), one) ?? [])) notes.warn(line);
}

/** What to do next about a case of an order, instead of a command that refunds or captures. */
export function caseSteps(ctx: Context, one: OrderCase, known: KnownOrder): readonly Block[] {
  const [words, command] = stepOf(ctx, one, known);
  return ['blank', { line: words }, { line: command, indent: 2 }];
}

function stepOf(ctx: Context, one: OrderCase, known: KnownOrder): readonly [words: string, command: string] {
  switch (one.is) {
    case 'unconfirmed':
      return [
        one.isShown
          ? `the order shows such a ${changeKinds[one.change.kind].noun}; confirm it first:`
          : `first find out what became of the unconfirmed ${changeKinds[one.change.kind].noun}:`,
        findOutCommand(one.change),
      ];
    case 'made twice':
      return one.isKnown
        ? [
            `${forLead} what was sent, what paydesk has found since, and how to resolve this:`,
            `paydesk journal show ${one.twice.change}`,
          ]
        : ['first check whether the buyer was paid twice:', checkTwiceCommand(one.twice)];
    case 'appeared':
      return [
        one.refund.isRecorded
          ? `${forLead} what was sent, who recorded that, and how to resolve this:`
          : `${stopWords}. Record in the journal what the order shows:`,
        appearedCommand(one.refund),
      ];
    case 'recorded made':
      return [
        'who recorded that and why, and how to correct it if it is wrong:',
        `paydesk journal show ${one.record.sent.change}`,
      ];
    case 'gone':
      return one.record.verdicts.at(-1)?.alarm === 'gone'
        ? [
            `${forLead} what was sent, what the service replied, and how to resolve this:`,
            `paydesk journal show ${one.record.sent.change}`,
          ]
        : [
            'record in the journal what the order shows:',
            `paydesk journal reconcile ${one.record.sent.change}`,
          ];
    case 'failed':
      return ['see what was sent, and when it failed:', `paydesk journal show ${one.record.sent.change}`];
    case 'recorded not made':
      return [
        `until ${untilWords(ctx, one.until)} the ${changeOf(one.record, ctx.profiles.amountStyle(one.record.sent.profile))} may still go through: ${
          one.again === undefined
            ? 'if it is sent again before then, the buyer may be paid twice'
            : `${one.again.sent.operator} sent the same again at ${ctx.shortTime(one.again.sent.time)} (${one.again.sent.change}), ${
                !hasRoom(known, one.record)
                  ? `and ${nothingLeftWords}; if it shows all the same, the buyer was paid twice`
                  : 'so the buyer would be paid twice'
              }`
        }. See who recorded that it was not made, and why:`,
        `paydesk journal show ${one.record.sent.change}`,
      ];
  }
}

/** Whether what failed can go back now. */
export function isToRefund(after: AfterFailure, { whyNot }: Pick<KnownOrder, 'whyNot'>): boolean {
  return after.is === 'left' && whyNot === undefined;
}

/**
 * How refunds that failed are closed: the last lines, since a person does everything else first. While the journal has no alarm about
 * one, there is none to end. And nobody has dealt with it while that money can go back again.
 */
export function closingSteps(known: KnownOrder): readonly Block[] {
  return known.cases.flatMap((one): readonly Block[] => {
    if (one.is !== 'failed') return [];
    const { change } = one.record.sent;
    const after = afterFailure(known, one);
    const isAlarm = isFailedLate(one.record);
    if (isAlarm && (isToRefund(after, known) || after.is === 'on its way')) return [];
    const [words, command] = isAlarm
      ? [
          'last of all, once that is checked and the buyer knows, end the alarm about what failed:',
          acknowledgeCommand(change),
        ]
      : ['record in the journal that it failed:', `paydesk journal reconcile ${change}`];
    return [
      { line: words, hang: 2 },
      { line: command, indent: 2 },
    ];
  });
}

/** The command that reads the order again, or shows what is known where no read can tell. */
export function findOutCommand({ change, kind }: Pick<UnconfirmedChange, 'change' | 'kind'>): string {
  return `paydesk journal ${changeKinds[kind].provable ? 'reconcile' : 'show'} ${change}`;
}
