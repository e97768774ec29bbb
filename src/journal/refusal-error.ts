/** The errors when the journal refuses: an unconfirmed change, a repeat, a lock of another run, a row that is not written. */

import { type AmountStyle, amountWords, figureWords, plainAmounts, typedForm } from '../amounts.ts';
import type { JsonObject } from '../api/spec.ts';
import { CliError, withParts } from '../errors.ts';
import { commandLine, plainCommand, profileNamed } from '../profiles/profiles.ts';
import { alarmText, paidTwiceWords, whoMadeLines } from './alarm-words.ts';
import { verdictOf } from './attempt-state.ts';
import type { Refusal } from './guards.ts';
import { changeKinds } from './intent.ts';
import { type AttemptRecord, attemptName, type SentRow, sentBy } from './journal-rows.ts';
import { provable } from './judge-read.ts';
import { LimitRefusal } from './limit-words.ts';
import { notMadeBy } from './said-by-hand.ts';
import { isSameAddress, marksOf } from './same-account.ts';
import { sameJson, type Typed } from './same-request.ts';
import { namedByReply } from './unconfirmed.ts';
import { isOfTeam, mendLines, RecordedFirst, reasonOf } from './unwritten-words.ts';

/** The error of a run that sent nothing. `subject`: the order, or the change in words. */
export function refusalError(
  refusal: Refusal,
  subject: string,
  shown: HowShown = { shortTime: (ms) => new Date(ms).toISOString(), amounts: plainAmounts },
): CliError {
  const error = errorOf(refusal, subject, shown);
  if (!('attempt' in refusal)) return error;
  const { intent, given: scriptId, proof } = refusal.attempt.sent;
  return withParts(error, { intent, scriptId, orderId: proof.orderId });
}

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
      return triedError(refusal, subject, shown);
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
      return new CliError('refused', `${subject} cannot be read now: ${refusal.problem}`, {
        certain: 'nothing was recorded',
        now: ['run the same command again when it can be read'],
      });
    case 'other_parameters':
      return refused(differenceWords(refusal.attempt.sent, refusal.now), [showCommand(refusal.attempt)]);
    case 'unprovable':
      return new CliError(
        'refused',
        `paydesk could not check afterwards whether it was made: ${refusal.problem}`,
        {
          certain,
        },
      );
    case 'journal':
      return journalError(refusal, shown);
    case 'unwritten':
      return unwrittenError(refusal, subject);
    case 'stopped':
      return refusal.cause instanceof CliError
        ? refusal.cause
        : new CliError('internal', `stopped: ${String(refusal.cause)}`, { certain, cause: refusal.cause });
  }
}

/** How an error shows times and amounts. */
export interface HowShown {
  /** Unix milliseconds in, `05:05:12` out. */
  readonly shortTime: (ms: number) => string;
  readonly amounts: AmountStyle;
  /** The currency of the change that was refused, and the profile that it would be sent with. */
  readonly currency?: string | undefined;
  readonly profile?: string | undefined;
  /** The body and the note of that change. A printed command repeats them. */
  readonly asked?: Pick<SentRow['proof'], 'body'> & { readonly note?: string | undefined };
}

const certain = 'nothing was sent';

function refused(message: string, now: readonly string[]): CliError {
  return new CliError('refused', message, { certain, now });
}

function showCommand({ sent }: AttemptRecord): string {
  return `paydesk journal show ${sent.intent}`;
}

function tooEarlyError(
  { attempt, until }: Extract<Refusal, { why: 'too_early' }>,
  { shortTime, asked }: HowShown,
): CliError {
  const { intent, proof } = attempt.sent;
  // The next whole second: at that time it is not too early any more.
  const time = shortTime(Math.ceil(until / 1000) * 1000);
  return new CliError('refused', `it can still arrive until ${time}`, {
    certain: 'nothing was recorded',
    now: [
      ...(provable(proof.kind) ? ['first let paydesk look:', `paydesk journal reconcile ${intent}`] : []),
      `wait until ${time}; if it is still not there, run:`,
      // What was typed need not be typed again.
      plainCommand('journal', 'settle', intent, '--not-applied', '--note', asked?.note || 'TEXT'),
    ],
  });
}

function busyError(
  { owner }: Extract<Refusal, { why: 'busy' }>,
  subject: string,
  { shortTime }: HowShown,
): CliError {
  const who = owner === undefined ? 'another run' : `${owner.operator} (${owner.command})`;
  const since = owner === undefined ? '' : ` since ${shortTime(owner.since)}`;
  return refused(`${subject} is being changed by ${who}${since}`, [
    'wait for that run to end, then look: paydesk journal list --open',
  ]);
}

function triedError(
  { why, attempt }: Extract<Refusal, { why: 'not_seen' | 'made' }>,
  subject: string,
  shown: HowShown,
): CliError {
  const { amounts, asked, profile = attempt.sent.profile } = shown;
  const { kind, orderId, body } = attempt.sent.proof;
  const repeat = repeatCommand(
    { kind, orderId, body: asked?.body ?? body },
    { ...shown, profile, currency: attempt.sent.currency },
    attemptName(attempt),
  );
  if (why === 'made' && verdictOf(attempt)?.by === 'person')
    return refused(byHandWords(attempt, subject, amounts), askFirst(attempt, repeat));
  const [what, next] =
    why === 'made'
      ? ['the same change was made before', 'if you want a second one:']
      : ['sent before; nobody saw it arrive', 'to send it again all the same:'];
  return refused(`${what}: ${named(attempt, amounts)}`, [showCommand(attempt), next, repeat]);
}

function equalError(
  { chargeId, amount, refundId, again }: Extract<Refusal, { why: 'equal' }>,
  { amounts, currency }: HowShown,
): CliError {
  const error = refused(
    `charge ${chargeId} already has a refund of ${figureWords(-amount, currency, amounts)}: ${refundId}`,
    [`if you want a second one: the same command with --again ${[...again, refundId].join(',')}`],
  );
  return withParts(error, { equalTo: refundId });
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
  return refused(
    `${byHandWords(attempt, subject, amounts)}, and the order does not show it`,
    askFirst(attempt, repeat),
  );
}

function byHandWords(attempt: AttemptRecord, subject: string, amounts: AmountStyle): string {
  const by = verdictOf(attempt)?.operator ?? 'somebody';
  return `a ${changeWords(attempt.sent, amounts)} of ${subject} was recorded as made by hand, by ${by}`;
}

function askFirst(attempt: AttemptRecord, repeat: string): readonly string[] {
  return [
    'first ask whether the buyer got it; see who recorded it, and why:',
    showCommand(attempt),
    'to refund all the same (the buyer is then paid twice if that record is right):',
    repeat,
  ];
}

function journalError(
  { cause, left }: Extract<Refusal, { why: 'journal' }>,
  { amounts }: HowShown,
): CliError {
  if (cause instanceof LimitRefusal) return new LimitRefusal(cause.finding, amounts);
  if (cause instanceof CliError) return cause;
  return new CliError('refused', `the journal cannot be written: ${reasonOf(cause)}`, {
    certain,
    now: [
      'nothing is sent without a journal: free some space, or check the state folder (paydesk help environment)',
      ...leftWords(left),
    ],
    cause,
  });
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
  const again = plainCommand('journal', 'reconcile', attempt.sent.intent);
  return new CliError('unknown', `the result for ${subject} could not be recorded: ${reasonOf(cause)}`, {
    opening: 'not recorded:',
    certain: `${row.verdict.replaceAll('_', ' ')}: ${row.why}; the journal may or may not contain that; nothing was sent now`,
    now: isOfTeam(cause)
      ? [...mendLines(cause, 'nothing is lost: the order shows it again'), again]
      : [
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
  const verb = provable(sent.proof.kind) ? 'reconcile' : 'show';
  const elsewhere = account !== undefined && !isSameAddress(marksOf(sent), account);
  return new CliError('refused', `${earlierWords(sent, subject, shown)} is still unconfirmed`, {
    certain: elsewhere
      ? `nothing was sent; the earlier one went to ${sent.origin} (profile ${sent.profile}), this one would go to ${account.origin}, and both may be the same account`
      : 'nothing was sent',
    now: [`paydesk journal ${verb} ${sent.intent}`],
  });
}

function paidTwiceError(
  { attempt, refunds }: Extract<Refusal, { why: 'paid_twice' }>,
  subject: string,
  { shortTime, amounts }: HowShown,
): CliError {
  const { amount, currency, time } = attempt.sent;
  const what = paidTwiceWords({ amount, currency, refunds }, amounts);
  return refused(`${subject} was ${what} (${shortTime(time)}, by ${sentBy(attempt.sent)})`, [
    'do not refund this order; show your lead:',
    showCommand(attempt),
    ...acknowledgeLines(attempt),
  ]);
}

// `an earlier refund of 900 MXN on ord_… (05:05:12, by root)`. A repair may not know time and name.
function earlierWords(sent: SentRow, subject: string, { shortTime, amounts }: HowShown): string {
  const what = changeWords(sent, amounts).replace(/^a /, '');
  const on = sent.proof.orderId === undefined ? '' : ` on ${subject}`;
  const facts = sent.lost === undefined ? ` (${shortTime(sent.time)}, by ${sentBy(sent)})` : '';
  return `an earlier ${what}${on}${facts}`;
}

function appearedError(
  refusal: Extract<Refusal, { why: 'appeared' }>,
  subject: string,
  shown: HowShown,
): CliError {
  const { attempt, verdict } = refusal;
  if (verdict.alarm === 'duplicate') return twiceError(refusal, subject, shown);
  const { amounts } = shown;
  const known = `nothing was sent now; ${verdict.why}`;
  const isLate = verdict.verdict === 'applied' && notMadeBy(attempt) !== undefined;
  const now = [showCommand(attempt), ...(isLate ? acknowledgeLines(attempt) : [])];
  if (verdict.alarm !== undefined) {
    const ids = (verdict.refunds ?? []).map(({ id }) => id ?? 'one refund without an id').join(' and ');
    const { sent } = attempt;
    const after = { sent, verdicts: [...attempt.verdicts, verdict] };
    const what = `${changeWords(sent, amounts)} on ${subject}, ${sent.intent}: ${alarmText(after) ?? ''}`;
    return new CliError('unknown', ids === '' ? what : `${what}\n${ids}`, {
      opening: 'stop:',
      certain: known,
      now: ['stop on this order and show your lead:', ...now],
    });
  }
  const what = verdict.verdict === 'applied' ? 'was made after all' : 'is unconfirmed again';
  return new CliError('refused', `an earlier change ${what}: ${named(attempt, amounts)}`, {
    certain: known,
    now,
  });
}

function twiceError(
  { attempt, verdict, sentAs }: Extract<Refusal, { why: 'appeared' }>,
  subject: string,
  { amounts, shortTime }: HowShown,
): CliError {
  const { time: sentAt, operator } = attempt.sent;
  const ids = (verdict.refunds ?? []).map(({ id }) => id ?? 'one without an id');
  const ours = namedByReply(attempt);
  const who = whoMadeLines({ refunds: ids, ours, sentAt, operator, sentAs }, shortTime);
  return new CliError(
    'unknown',
    `${subject} shows the ${changeWords(attempt.sent, amounts)} more than once\n${ids.join(' and ')}`,
    {
      opening: 'PAID BACK TWICE:',
      certain: ['nothing was sent now', ...who, 'paydesk cannot take a refund back'].join('; '),
      now: ['stop on this order and show your lead:', showCommand(attempt), ...acknowledgeLines(attempt)],
    },
  );
}

function acknowledgeLines({ sent }: AttemptRecord): readonly string[] {
  return ['when somebody has dealt with it:', `paydesk journal acknowledge ${sent.intent} --note TEXT`];
}

function usedUpError(
  { name, attempt }: Extract<Refusal, { why: 'used_up' }>,
  { shortTime, amounts }: HowShown,
): CliError {
  const { sent } = attempt;
  const [refund] = verdictOf(attempt)?.refunds ?? [];
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

// A whole command to copy, if the body of the request holds all its options.
function repeatCommand(
  { kind, orderId, body }: Pick<SentRow['proof'], 'kind' | 'orderId' | 'body'>,
  { amounts, currency, profile, asked }: HowShown & { readonly profile: string },
  name: string,
): string {
  if (kind !== 'refund' || orderId === undefined) return `the same command with --again ${name}`;
  const { charge_id: charge, amount, reason } = body ?? {};
  const parts = [
    ...(typeof charge === 'string' ? ['--charge', charge] : []),
    ...(typeof amount === 'number' ? ['--amount', typedForm(amount, currency, amounts)] : []),
    ...(typeof reason === 'string' ? ['--reason', reason] : []),
    ...(asked?.note === undefined ? [] : ['--note', asked.note]),
  ];
  return commandLine(profileNamed(profile), 'orders', 'refund', orderId, ...parts, '--again', name);
}

// A commit that failed at its last step may be in the file, and the row that takes it back could not be written.
function leftWords(left: string | undefined): readonly string[] {
  if (left === undefined) return [];
  return [
    'it was NOT sent, but the journal may say "sent"; in two minutes:',
    `paydesk journal settle ${left} --not-applied --note TEXT`,
  ];
}

/** An attempt in a few words: its journal id, the change with its amount, the verdict. */
export function named(attempt: AttemptRecord, amounts: AmountStyle): string {
  const { sent } = attempt;
  const verdict = verdictOf(attempt)?.verdict ?? 'sent, result not recorded';
  return `${sent.intent}, ${changeWords(sent, amounts)}, ${verdict.replaceAll('_', ' ')}`;
}

// In the words of the commands: `refund of 23000 MXN`, `order creation of 300 MXN`, `POST /charges`.
function changeWords(
  { proof: { kind }, amount, currency, request, lost }: SentRow,
  amounts: AmountStyle,
): string {
  if (lost !== undefined)
    return lost === 'unknown' ? 'a change whose record is lost' : `${lost} whose record is lost`;
  if (kind === 'api') return `${request.method} /${request.path}`;
  return `${changeKinds[kind].noun}${amount === undefined ? '' : ` of ${amountWords(amount, currency, amounts)}`}`;
}

// `the script id ticket-8840 (--intent) was used for another change: recorded with amount 300; asked for now with amount 500`
function differenceWords({ given, proof, asked }: SentRow, now: Typed): string {
  const was = `the script id ${given ?? ''} (--intent) was used for another change`;
  if (now.kind !== undefined && now.kind !== proof.kind)
    return `${was}: recorded as ${proof.kind}, asked for now as ${now.kind}`;
  if (now.livemode !== undefined && now.livemode !== proof.livemode)
    return `${was}: recorded in ${modeOf(proof.livemode)}, asked for now in ${modeOf(now.livemode)}`;
  if (asked === undefined || now.asked === undefined) return was;
  const [before, after] = [fieldsOf(asked), fieldsOf(now.asked)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.has(name) !== after.has(name) || !sameJson(before.get(name), after.get(name)),
  );
  const said = (fields: ReadonlyMap<string, unknown>) =>
    names.map((name) => (fields.has(name) ? `${name} ${short(fields.get(name))}` : `no ${name}`)).join(', ');
  return `${was}: recorded with ${said(before)}; asked for now with ${said(after)}`;
}

function modeOf(livemode: boolean): string {
  return livemode ? 'production' : 'sandbox';
}

// Names every field of a request body by itself.
function fieldsOf({ body, ...asked }: JsonObject): ReadonlyMap<string, unknown> {
  const ofBody = Object.entries(body ?? {}).map(([name, value]) => [`body.${name}`, value] as const);
  return new Map<string, unknown>([...Object.entries(asked), ...ofBody]);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}
