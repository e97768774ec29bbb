/**
 * How `journal list` and `journal show` word the outcome of an attempt, so that the words can be read to a
 * customer. Pure.
 */

import type { JsonObject } from '../../api/spec.ts';
import { blockedWords, changeOf, settleCommands } from '../../changes/changes.ts';
import type { AttemptRecord, VerdictRow } from '../../journal/journal.ts';
import { alarmWords, attemptName, changeKinds } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { commandLine } from '../../profiles/profiles.ts';

/** What is known of an attempt, in words. */
export function outcomeWords({ verdicts }: AttemptRecord, open: boolean): string {
  const last = verdicts.at(-1);
  const alarm = last?.alarm === undefined ? '' : `${alarmWords[last.alarm]}: `;
  return `${alarm}${verdictWords(last, open)}`;
}

function verdictWords(last: VerdictRow | undefined, open: boolean): string {
  switch (last?.verdict) {
    case 'applied':
      if (last.by === 'person') return `made, as ${last.why}`;
      return last.by === 'reply' ? 'made' : 'made: ours or identical, seen by a read';
    case 'rejected':
      if (last.by === 'person') return `not made, as ${last.why}`;
      return last.confirmed === false ? 'refused, not confirmed by a read' : 'refused, nothing moved';
    case 'not_sent':
      return 'not sent, nothing moved';
    case 'not_seen':
      return open ? 'being checked: not seen yet' : 'not seen, and its time is over';
    default:
      return 'being checked: it may have been made';
  }
}

/** The alarm of an attempt: what was seen, and where to look. Undefined: none. */
export function alarmLine(record: AttemptRecord): string | undefined {
  const { intent, proof } = record.sent;
  const last = record.verdicts.at(-1);
  if (last?.alarm === undefined) return undefined;
  const ids = (last.refunds ?? []).map(({ id }) => id ?? 'one without an id').join(' and ');
  const seen = last.alarm === 'duplicate' ? `the service lists ${ids}` : last.why;
  const on = proof.orderId === undefined ? '' : ` on ${proof.orderId}`;
  return `${alarmWords[last.alarm]}: ${changeOf(record)}${on}: ${seen}: paydesk journal show ${intent}`;
}

/** An attempt as one flat record. Times are Unix seconds, as the service's. */
export function recordOf(record: AttemptRecord, open: boolean): JsonObject {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const charges = sent.proof.expected.map(({ chargeId }) => chargeId);
  return {
    object: 'intent',
    intent: sent.intent,
    script_id: sent.given ?? null,
    attempt: sent.attempt,
    profile: sent.profile,
    account: sent.account,
    order: sent.proof.orderId ?? null,
    kind: sent.proof.kind,
    amount: sent.amount ?? null,
    currency: sent.currency ?? null,
    charges: charges.join(' '),
    verdict: last?.verdict ?? 'sent',
    outcome: outcomeWords(record, open),
    open,
    by: last?.by ?? null,
    alarm: last?.alarm ?? null,
    why: last?.why ?? null,
    sent_at: Math.floor(sent.time / 1000),
    verdict_at: last === undefined ? null : Math.floor(last.time / 1000),
    created: madeBy(verdicts)?.created ?? null,
    link: madeBy(verdicts)?.link ?? null,
    refunds: (last?.refunds ?? []).map(({ id }) => id ?? '').join(' '),
    operator: sent.operator,
    reason: sent.reason ?? null,
    note: sent.note ?? null,
    plan: sent.plan ?? null,
    ref: sent.ref ?? null,
    // If a person stated the outcome: who, and how they know.
    stated_by: last?.operator ?? null,
    stated_note: last?.note ?? null,
  };
}

// A later verdict, such as a person's, does not name what was created.
function madeBy(verdicts: readonly VerdictRow[]): VerdictRow | undefined {
  return verdicts.findLast(({ created, link }) => created !== undefined || link !== undefined);
}

/** What to do now about an attempt: one sentence or command per line. `until`: when it stops being open at the latest. */
export function nextSteps(
  record: AttemptRecord,
  open: boolean,
  until: string | undefined,
): readonly string[] {
  const { intent, proof } = record.sent;
  const last = record.verdicts.at(-1);
  if (last?.alarm === 'duplicate') return ['stop on this order and show your lead'];
  if (open) {
    const { provable: readable } = changeKinds[proof.kind];
    return [
      proof.orderId === undefined
        ? 'do not send it again before this is clear'
        : 'tell the buyer "it is being checked"; do not send it again anywhere else',
      ...(readable
        ? [`paydesk journal reconcile ${intent}`, blockedWords(until)]
        : record.sent.lost !== undefined && proof.orderId !== undefined
          ? [`look for it here: ${commandLine(accountOf(record), 'orders', 'show', proof.orderId)}`]
          : ['look for it at the service: no read of paydesk can show it']),
      'when you know which, one of:',
      ...settleCommands(intent),
    ];
  }
  if (last?.verdict === 'not_seen')
    return [`to send it again: the same command with --again ${attemptName(record)}`];
  return proof.orderId === undefined ? [] : [commandLine(accountOf(record), 'orders', 'show', proof.orderId)];
}

// The profile that it was sent with, so that the command reaches that account and not the default one.
function accountOf({ sent: { profile } }: AttemptRecord): Pick<Profile, 'kind' | 'name'> {
  return { kind: profile === 'environment' ? 'environment' : 'stored', name: profile };
}
