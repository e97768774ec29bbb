/** What to do now about a change of the journal: one sentence or command in each line. */

import { blockedWords, failedSteps, settleCommands } from '../../changes/changes.ts';
import {
  type AttemptRecord,
  acknowledgeCommand,
  attemptName,
  changeKinds,
  statementOn,
} from '../../journal/journal.ts';
import { commandLine, profileNamed } from '../../profiles/profiles.ts';

/**
 * What to do now about an attempt, one sentence or command in each line. `until` says when it is no longer open at the
 * latest.
 */
export function nextSteps(
  record: AttemptRecord,
  {
    open,
    until,
    early,
    appears,
    isJustRead,
  }: {
    readonly open: boolean;
    readonly until: string | undefined;
    /** From when on a person may record that it was not made; undefined if that is now. */
    readonly early: string | undefined;
    /** Until when it may still appear, if somebody recorded that it was not made. */
    readonly appears: string | undefined;
    readonly isJustRead: boolean;
  },
): readonly string[] {
  const { change, proof } = record.sent;
  const last = record.verdicts.at(-1);
  if (last?.alarm === 'failed' && !open)
    return failedSteps(profileNamed(record.sent.profile), proof.orderId, change);
  if (last?.alarm !== undefined && !open)
    return [
      'stop on this order and show your lead; when somebody has dealt with it:',
      acknowledgeCommand(change),
    ];
  if (open) {
    const settled = settleCommands(change);
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
      `paydesk journal settle ${change} --correct ${said.verdict === 'applied' ? '--not-applied' : '--applied'} --note TEXT`,
    ];
  if (last?.verdict === 'not_seen')
    return [`to send it again: the same command with --again ${attemptName(record)}`];
  return proof.orderId === undefined ? [] : [showOrder(record, proof.orderId)];
}

function appearingSteps({ sent: { change, proof } }: AttemptRecord, until: string): readonly string[] {
  // Of other changes no read tells it later.
  if (proof.kind !== 'refund') return [`it may still appear until ${until}`];
  return [
    `it may still appear until ${until}; to look whether it has:`,
    `paydesk journal reconcile ${change}`,
  ];
}

// The printed command must reach the account that the attempt was sent to, and not that of the default profile.
function showOrder({ sent: { profile } }: AttemptRecord, orderId: string): string {
  return commandLine(profileNamed(profile), 'orders', 'show', orderId);
}

/** Where the alarms of other attempts on the same order are ended. Nothing if there are none. */
export function alarmSteps(others: readonly AttemptRecord[]): readonly string[] {
  if (others.length === 0) return [];
  return [
    `${others.length === 1 ? 'an alarm' : `${others.length} alarms`} of the same order, MADE TWICE, ${others.length === 1 ? 'is ended' : 'are ended'} by:`,
    ...others.map(({ sent }) => acknowledgeCommand(sent.change)),
  ];
}
