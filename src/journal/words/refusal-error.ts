/** The errors when the journal refuses: an unconfirmed change, a repeat, a lock of another run, a row that is not written. */

import { figureWords, plainAmounts } from '../../amounts.ts';
import { CliError, messageOf, refused, withParts } from '../../errors.ts';
import { commandLine, profileNamed } from '../../profiles/profiles.ts';
import type { RefusalCode } from '../../refusal-codes.ts';
import { verdictOf } from '../attempt-state.ts';
import { changeKinds } from '../change.ts';
import type { Refusal } from '../guards.ts';
import { madeRefunds } from '../questions/paid-twice.ts';
import { recordedBy } from '../questions/verdicts-say.ts';
import { type AttemptRecord, attemptName, type SentRow, whoSent } from '../rows/journal-rows.ts';
import { isSameAddress, marksOf } from '../same-account.ts';
import { appearedError, paidTwiceError } from './alarm-words.ts';
import { LimitRefusal } from './limit-words.ts';
import {
  changeOf,
  differenceWords,
  type HowShown,
  hasEqualWords,
  named,
  onceMoreWords,
  RecordedFirst,
  repeatCommand,
  showCommand,
} from './refusal-words.ts';

/** The error of a run that sent nothing. `subject`: the order, or the change in words. */
export function refusalError(
  refusal: Refusal,
  subject: string,
  shown: HowShown = { shortTime: (ms) => new Date(ms).toISOString(), amounts: plainAmounts },
): CliError {
  const error = errorOf(refusal, subject, shown);
  const ownCode = codes[refusal.why];
  if (!('attempt' in refusal)) return ownCode === undefined ? error : withParts(error, { ownCode });
  const { change, idempotencyKey, proof } = refusal.attempt.sent;
  // The key of another change would look as if it were that of this one.
  const key = refusal.why === 'other_parameters' ? { idempotencyKey } : {};
  return withParts(error, { ownCode, change, orderId: proof.orderId, ...key });
}

const codes: Readonly<Record<Refusal['why'], RefusalCode | undefined>> = {
  busy: 'order_busy',
  open: 'earlier_unconfirmed',
  paid_twice: 'made_twice',
  not_seen: 'earlier_not_seen',
  made: 'repeat',
  appeared: 'appeared',
  equal: 'repeat',
  unshown: 'recorded_made',
  used_up: 'again_used',
  nothing_to_repeat: 'again_unknown',
  too_early: 'too_early',
  unread: 'order_unreadable',
  other_parameters: 'key_of_other_change',
  unprovable: 'unprovable',
  // Its cause says why.
  journal: undefined,
  unwritten: 'recorded_elsewhere',
  stopped: undefined,
};

function errorOf(refusal: Refusal, subject: string, shown: HowShown): CliError {
  switch (refusal.why) {
    case 'busy':
      return busyError(refusal, subject, shown);
    case 'open':
      return openError(refusal, subject, shown);
    case 'paid_twice':
      return paidTwiceError(refusal, subject, shown);
    case 'not_seen':
    case 'made':
      return triedError(refusal, shown);
    case 'appeared':
      return appearedError(refusal, subject, shown);
    case 'equal':
      return equalError(refusal, shown);
    case 'unshown':
      return unshownError(refusal, subject, shown);
    case 'used_up':
      return usedUpError(refusal, shown);
    case 'nothing_to_repeat':
      return refused(
        `--again ${refusal.name}: no such earlier ${subject.startsWith('this ') ? 'change' : `refund of ${subject}`}`,
        ['run it without --again: if paydesk refuses, it prints the ID that --again needs'],
      );
    case 'too_early':
      return tooEarlyError(refusal, shown);
    case 'unread':
      return refused(
        `${subject} cannot be read now: ${refusal.problem}`,
        ['run the same command again when it can be read'],
        { certain: 'nothing was recorded' },
      );
    case 'other_parameters':
      return refused(differenceWords(refusal.attempt.sent, refusal.now), [showCommand(refusal.attempt)]);
    case 'unprovable':
      return refused(
        `paydesk could not check afterwards whether it was made: ${refusal.problem}`,
        showOrder(subject, shown.profile),
      );
    case 'journal':
      return journalError(refusal, shown);
    case 'unwritten':
      return unwrittenError(refusal, subject);
    case 'stopped':
      return refusal.cause instanceof CliError
        ? refusal.cause
        : new CliError('internal', `stopped: ${String(refusal.cause)}`, {
            certain: 'nothing was sent',
            cause: refusal.cause,
          });
  }
}

function tooEarlyError(
  { attempt, until }: Extract<Refusal, { why: 'too_early' }>,
  { shortTime, amounts }: HowShown,
): CliError {
  const { change, proof } = attempt.sent;
  // The next whole second: at that time it is not too early any more.
  const time = shortTime(Math.ceil(until / 1000) * 1000);
  return new CliError('refused', `the ${changeOf(attempt, amounts)} can still arrive until ${time}`, {
    certain: 'nothing was recorded',
    now: [
      ...(changeKinds[proof.kind].provable
        ? ['first let paydesk look:', `paydesk journal reconcile ${change}`]
        : []),
      // Then comes the command as it was typed (`settle`, `simulator reset`).
      `wait until ${time}; if it is still not there, run:`,
    ],
  });
}

function busyError(
  { owner }: Extract<Refusal, { why: 'busy' }>,
  subject: string,
  { shortTime, profile }: HowShown,
): CliError {
  const who = owner === undefined ? 'another run' : `${owner.operator} (${owner.command})`;
  const since = owner === undefined ? '' : ` since ${shortTime(owner.since)}`;
  return refused(`${subject} is being changed by ${who}${since}`, [
    'wait for that run to end, then look:',
    ...showOrder(subject, profile),
  ]);
}

function showOrder(subject: string, profile: string | undefined): readonly string[] {
  if (profile === undefined || subject.startsWith('this ')) return [];
  return [commandLine(profileNamed(profile), 'orders', 'show', subject)];
}

function triedError(
  { why, attempt }: Extract<Refusal, { why: 'not_seen' | 'made' }>,
  shown: HowShown,
): CliError {
  const { amounts, asked, profile = attempt.sent.profile } = shown;
  const { kind, orderId, body } = attempt.sent.proof;
  const repeat = repeatCommand(
    { kind, orderId, body: asked?.body ?? body },
    { ...shown, profile, currency: attempt.sent.currency },
    attemptName(attempt),
  );
  const [what, next] =
    why === 'made'
      ? ['the same change was made before', 'if you want a second one:']
      : ['sent before; nobody saw it arrive', 'to send it again all the same:'];
  return refused(`${what}: ${named(attempt, amounts)}`, [showCommand(attempt), next, repeat]);
}

// The check before the preview says the same; this is for a refund that was made since then.
function equalError(
  {
    charge,
    amount,
    refundId,
    createdAt,
    maker,
    again,
    orderId = '',
    request,
  }: Extract<Refusal, { why: 'equal' }>,
  shown: HowShown,
): CliError {
  const { amounts, currency, profile, shortTime } = shown;
  const when = createdAt === undefined ? '' : `, made at ${shortTime(createdAt * 1000)}`;
  const figure = figureWords(-amount, currency, amounts);
  const repeat = repeatCommand(
    { kind: 'refund', orderId, body: { ...request.body, charge_id: String(charge) } },
    { ...shown, profile: profile ?? '' },
    [...again, refundId].join(','),
  );
  const show = profile === undefined ? [] : [commandLine(profileNamed(profile), 'orders', 'show', orderId)];
  const error = refused(
    hasEqualWords({ number: charge, orderId }, { id: refundId, figure, made: `${when}${makerWords(maker)}` }),
    [...show, onceMoreWords, repeat],
  );
  return withParts(error, { equalTo: refundId });
}

function makerWords(maker: AttemptRecord | undefined): string {
  if (maker === undefined) return ', elsewhere';
  const { note } = maker.sent;
  return ` by ${whoSent(maker.sent)}${note === undefined ? '' : `: ${note}`}`;
}

function unshownError(
  { attempt, name, again, orderId, request }: Extract<Refusal, { why: 'unshown' }>,
  subject: string,
  shown: HowShown,
): CliError {
  const { amounts, profile = attempt.sent.profile, currency = attempt.sent.currency } = shown;
  const repeat = repeatCommand(
    { kind: 'refund', orderId, body: request.body },
    { ...shown, profile, currency },
    [...again, name].join(','),
  );
  const what = `a ${changeOf(attempt, amounts)} of ${subject}`;
  const by = recordedBy(attempt);
  return refused(`${what} was recorded as made by hand, by ${by}, and the order does not show it`, [
    'first ask whether the buyer got it; see who recorded it, and why:',
    showCommand(attempt),
    'to refund all the same (if that record is right, the buyer gets this besides):',
    repeat,
  ]);
}

function journalError(
  { cause, left }: Extract<Refusal, { why: 'journal' }>,
  { amounts }: HowShown,
): CliError {
  if (cause instanceof LimitRefusal) return new LimitRefusal(cause.finding, amounts);
  if (cause instanceof CliError) return cause;
  const now =
    'nothing is sent without a journal: free some space, or check the state folder (paydesk help environment)';
  const parts = { ownCode: 'journal_unwritable', cause } as const;
  return refused(`the journal cannot be written: ${messageOf(cause)}`, [now, ...takeBackSteps(left)], parts);
}

function unwrittenError(
  { attempt, row, cause }: Extract<Refusal, { why: 'unwritten' }>,
  subject: string,
): CliError {
  if (cause instanceof RecordedFirst)
    return new CliError('refused', `another desk recorded something about ${subject} at the same moment`, {
      certain: 'that counts; nothing was sent now, and nothing was recorded',
      now: [showCommand(attempt)],
      cause,
    });
  return new CliError('unconfirmed', `the result for ${subject} could not be recorded: ${messageOf(cause)}`, {
    opening: 'not recorded:',
    certain: `${row.verdict.replaceAll('_', ' ')}: ${row.why}; the journal may or may not contain that; nothing was sent now`,
    now: [
      showCommand(attempt),
      'free some space, wait for other runs to end, or check the state folder (paydesk help environment)',
      'then run the same command again',
    ],
    cause,
  });
}

function openError(
  { attempt, account }: Extract<Refusal, { why: 'open' }>,
  subject: string,
  shown: HowShown,
): CliError {
  const { sent } = attempt;
  const verb = changeKinds[sent.proof.kind].provable ? 'reconcile' : 'show';
  const elsewhere = account !== undefined && !isSameAddress(marksOf(sent), account);
  return new CliError('refused', `${earlierWords(sent, subject, shown)} is still unconfirmed`, {
    certain: elsewhere
      ? `nothing was sent; the earlier one went to ${sent.origin} (profile ${sent.profile}), this one would go to ${account.origin}, and both may be the same account`
      : 'nothing was sent',
    now: [`paydesk journal ${verb} ${sent.change}`],
  });
}

// `an earlier refund of 900 MXN on ord_… (05:05:12, by root)`. After a repair, time and name may not be known.
function earlierWords(sent: SentRow, subject: string, { shortTime, amounts }: HowShown): string {
  const what = changeOf({ sent }, amounts);
  const on = sent.proof.orderId === undefined ? '' : ` on ${subject}`;
  const facts = sent.lost === undefined ? ` (${shortTime(sent.time)}, by ${whoSent(sent)})` : '';
  return `an earlier ${what}${on}${facts}`;
}

function usedUpError(
  { name, attempt }: Extract<Refusal, { why: 'used_up' }>,
  { shortTime, amounts }: HowShown,
): CliError {
  const { sent } = attempt;
  const [refund] = madeRefunds(attempt);
  const next = verdictOf(attempt)?.verdict === 'applied' ? refund?.id : attemptName(attempt);
  return new CliError(
    'refused',
    `--again ${name} was used already, at ${shortTime(sent.time)}: ${named(attempt, amounts)}`,
    {
      certain: 'nothing was sent now',
      now: [
        showCommand(attempt),
        ...(next === undefined
          ? []
          : [`if you want one more, use ${next}: the same command, with --again ${next}`]),
      ],
    },
  );
}

// A commit that failed at its last step may be in the file, and the row that takes it back could not be written.
function takeBackSteps(left: string | undefined): readonly string[] {
  if (left === undefined) return [];
  return [
    'it was NOT sent, but the journal may say "sent"; in two minutes:',
    `paydesk journal settle ${left} --not-applied --note TEXT`,
  ];
}
