/** What became of an attempt, in words that begin with its state and that an operator can read to a customer; and what to do about it now. */

import type { JsonObject } from '../../api/json-values.ts';
import {
  blockedWords,
  failedSteps,
  kindWords,
  settleCommand,
  settleCommands,
} from '../../changes/changes.ts';
import {
  type AttemptRecord,
  acknowledgeCommand,
  alarmWords,
  attemptName,
  type ChangeKind,
  changeKinds,
  type FoundRefund,
  foundTwice,
  namedByReply,
  namedRefunds,
  notMadeBy,
  ownRefunds,
  recordedState,
  statementOn,
} from '../../journal/journal.ts';
import { acknowledgementOf, isAnswered, stateMeans } from '../../orders/orders.ts';
import { commandLine, profileNamed } from '../../profiles/profiles.ts';

/** Says what is known about an attempt. `open`: it blocks its order. */
export function outcomeWords(record: AttemptRecord, open: boolean): string {
  const by = acknowledgementOf(record)?.operator;
  const closed = by === undefined ? '' : `; alarm acknowledged by ${by}`;
  return `${recordedState(record)}${moreWords(record, open)}${closed}`;
}

function moreWords(record: AttemptRecord, open: boolean): string {
  const last = record.verdicts.at(-1);
  const said = statementOn(record);
  switch (recordedState(record)) {
    case 'made':
      if (last?.by !== 'read' || namedByReply(record).length > 0) return '';
      return notMadeBy(record) === undefined
        ? `: the reply ${isAnswered(record) ? 'did not confirm it' : 'was lost'}, the order shows ${record.sent.proof.kind === 'refund' ? 'such a refund' : 'it'}`
        : ', the order shows it';
    case 'made twice':
      return '';
    case 'pending':
      return `: ${stateMeans.pending}`;
    case 'failed':
      return `${last?.verdict === 'applied' ? ' after it was made' : ''}: ${stateMeans.failed}`;
    case 'gone':
      return `: ${stateMeans.gone}`;
    case 'appeared':
      return `: the order shows it, and ${notMadeBy(record) ?? 'somebody'} had recorded that it was not made`;
    case 'unconfirmed':
      return `: ${unconfirmedWhy(record, open)}`;
    case 'recorded made':
      return `, by ${last?.operator ?? 'somebody'}`;
    case 'recorded not made': {
      const kept = said === last ? '' : '; it did not go through until the end of the waiting period';
      return `, by ${said?.operator ?? 'somebody'}${kept}`;
    }
    case 'refused':
    case 'not sent':
      return ', nothing changed';
  }
}

function unconfirmedWhy({ sent, verdicts }: AttemptRecord, open: boolean): string {
  const last = verdicts.at(-1);
  if (last?.alarm !== undefined) return alarmWords[last.alarm];
  if (last?.verdict === 'rejected') return 'refused, but not checked yet';
  if (last?.verdict !== 'not_seen') return 'it may have been made';
  const where = sent.proof.orderId === undefined ? 'the newest orders do' : 'the order does';
  return open
    ? `${where} not show it`
    : `it never arrived: ${where} not show it, and its waiting period is over`;
}

/**
 * The outcome of a record (attempt-record.ts) for a narrow terminal: its state, in `longestOutcome` characters at most. With a
 * `kind`, it says what was made, or is unconfirmed.
 */
export function briefOutcome({ state, verdict }: JsonObject, kind = 'refund'): string {
  const [, { made, noun } = kindWords.refund] =
    Object.entries(kindWords).find(([name]) => name === kind) ?? [];
  if (state === 'made') return made;
  return `${noun}${typeof state === 'string' ? state : verdict === 'not_sent' ? 'not sent' : 'refused'}`;
}

/** The length of the longest outcome that `briefOutcome` writes. */
export const longestOutcome = 'recorded not made'.length;

/** The kind of what was sent; also for a change whose record is lost, if the witness knows it. */
export function kindOf({ sent: { lost, proof } }: AttemptRecord): ChangeKind {
  return lost === undefined || lost === 'unknown' ? proof.kind : lost;
}

/** The refunds that are named with an attempt and, if it was made twice, those that were sent again in its place. */
export function refundsShown(record: AttemptRecord, known: readonly AttemptRecord[]): readonly FoundRefund[] {
  const named = namedRefunds(record);
  if (recordedState(record) !== 'made twice') return named;
  const ids = new Set(named.map(({ id }) => id));
  return [...named, ...foundTwice(record, known).filter(({ id }) => !ids.has(id))];
}

/**
 * Says which of several equal refunds is whose: the one that the reply named is ours; another may be from another attempt of this
 * journal.
 */
export function whose(record: AttemptRecord, known: readonly AttemptRecord[], id = ''): string {
  if (recordedState(record) !== 'made twice') return '';
  const ours = namedByReply(record);
  if (ours.includes(id)) return '   ours';
  const other = known.find(
    (one) => attemptName(one) !== attemptName(record) && ownRefunds(one).some((refund) => refund.id === id),
  );
  if (other !== undefined) return `   sent from here as ${other.sent.change}`;
  return ours.length === 0 ? '' : '   ours again, or elsewhere';
}

// ── What to do now ──────────────────────────────────────────────────────────────────────────────

/** What to do now about an attempt, one sentence or command per line. `until`: by then at the latest it is no longer open. */
export function nextSteps(
  record: AttemptRecord,
  {
    open,
    until,
    early,
    appears,
    isJustRead,
    again,
    asks,
  }: {
    readonly open: boolean;
    readonly until: string | undefined;
    /** From when on a person may record that it was not made; undefined if that is now. */
    readonly early: string | undefined;
    /** Until when it may still go through, if somebody recorded that it was not made. */
    readonly appears: string | undefined;
    readonly isJustRead: boolean;
    /** The command that sends it again; undefined if somebody did. */
    readonly again: string | undefined;
    /** Whether a person can be asked. */
    readonly asks: boolean;
  },
): readonly string[] {
  const { change, proof } = record.sent;
  const last = record.verdicts.at(-1);
  if (last?.alarm === 'failed' && !open)
    return again === undefined
      ? ['it was sent again; when somebody has dealt with it:', acknowledgeCommand(change)]
      : failedSteps(profileNamed(record.sent.profile), proof.orderId, change);
  if (last?.alarm !== undefined && !open)
    return [
      'leave this order alone, and show your lead; when somebody has dealt with it:',
      acknowledgeCommand(change),
    ];
  if (open) {
    const settled = settleCommands({ ...proof, change, asks });
    const [made = '', notMade = ''] = settled;
    const { provable: readable } = changeKinds[proof.kind];
    return [
      proof.orderId === undefined
        ? 'do not send it again before this is clear'
        : 'tell the buyer "it is being checked"; do not send it again anywhere else',
      ...(readable
        ? [
            ...(isJustRead ? ['in a few minutes, read it again:'] : []),
            `paydesk journal reconcile ${change}`,
            blockedWords(until),
          ]
        : record.sent.lost !== undefined && proof.orderId !== undefined
          ? [`look for it here: ${showOrder(record, proof.orderId)}`]
          : ["look for it on the service's own screen; paydesk cannot look it up"]),
      'when you know whether it was made, one of:',
      ...(early === undefined ? settled : [made, `from ${early} on:`, notMade]),
    ];
  }
  const said = statementOn(record);
  if (said !== undefined && said.acknowledged === undefined)
    return [
      ...(appears === undefined ? [] : appearingSteps(record, appears)),
      ...(proof.orderId === undefined ? [] : [showOrder(record, proof.orderId)]),
      'if that record is wrong:',
      settleCommand(
        { ...proof, change, asks },
        '--correct',
        said.verdict === 'applied' ? '--not-applied' : '--applied',
      ),
    ];
  if (last?.verdict === 'not_seen' && again !== undefined) {
    if (proof.orderId === undefined || (last.refunds ?? []).length === 0) return ['to send it again:', again];
    return [
      'the order shows another refund since; what can still be refunded:',
      showOrder(record, proof.orderId),
    ];
  }
  return proof.orderId === undefined ? [] : [showOrder(record, proof.orderId)];
}

function appearingSteps({ sent: { change, proof } }: AttemptRecord, until: string): readonly string[] {
  // For other changes, no later read can tell that.
  if (proof.kind !== 'refund') return [`it may still go through until ${until}`];
  return [
    `it may still go through until ${until}; to look whether it has:`,
    `paydesk journal reconcile ${change}`,
  ];
}

// The printed command must reach the account that the attempt was sent to, and not that of the default profile.
function showOrder({ sent: { profile } }: AttemptRecord, orderId: string): string {
  return commandLine(profileNamed(profile), 'orders', 'show', orderId);
}

/** The commands that end the alarms of other attempts on the same order. Nothing if there are none. */
export function alarmSteps(others: readonly AttemptRecord[]): readonly string[] {
  if (others.length === 0) return [];
  return [
    `${others.length === 1 ? 'an alarm' : `${others.length} alarms`} of the same order, MADE TWICE, ${others.length === 1 ? 'is ended' : 'are ended'} by:`,
    ...others.map(({ sent }) => acknowledgeCommand(sent.change)),
  ];
}
