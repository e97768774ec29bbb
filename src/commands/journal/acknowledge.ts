/** `journal acknowledge`: a person has dealt with an alarm, such as a duplicate, and it is not raised again. */

import { amountWords } from '../../amounts.ts';
import { settleCommand } from '../../changes/changes.ts';
import { type Context, confirmFirst, dryRunShown, refuseAgentTo } from '../../context/context.ts';
import { about, exitCodes, orElse, refused } from '../../errors.ts';
import { flag } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  alarmText,
  appearedVerdict,
  attemptName,
  changeOf,
  isOpen,
  isPaidTwice,
  isWatched,
  needsPerson,
  otherAlarms,
  statementOn,
  type VerdictRow,
  whoSent,
} from '../../journal/journal.ts';
import { flagWords, plainCommand } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { amountStyleOf } from './attempt-record.ts';
import { alarmSteps, refundsShown } from './attempt-words.ts';
import { changeArgument, findAttempt, subjectOf } from './meant-change.ts';
import { noteProblem, unrecordable, wrongNote } from './settle-words.ts';
import { checkShown, showAttempt } from './show.ts';

export const acknowledge = defineCommand({
  description:
    'Ends an alarm, for example MADE TWICE, once somebody has dealt with it. paydesk reads the order first and shows every refund of it; nothing is sent. Until the alarm is acknowledged, paydesk sends no refund of an order that was refunded twice.',
  arguments: [changeArgument(true)],
  flags: { note: flag.text('TEXT', 'what was done about it, in ten letters or more') },
  examples: [
    'paydesk journal acknowledge i_7f3k2m9q --note "the shop keeps it as a voucher, ticket 8851"',
    'paydesk journal acknowledge ticket-8840 --note "bank recalled the second one" --yes --json --no-input',
  ],
  async run(ctx, { args: [id], flags: { note } }) {
    refuseAgentTo(ctx, 'acknowledges an alarm');
    if (note === undefined && !ctx.ask.interactive) throw unrecordable(`missing --note: say ${done}`);
    const record = await findAttempt(ctx, id);
    return about(subjectOf(record), () => acknowledgeAlarm(ctx, record, note));
  },
});

async function acknowledgeAlarm(
  ctx: Context,
  record: AttemptRecord,
  typed: string | undefined,
): Promise<number | undefined> {
  const { change } = record.sent;
  const would = `would read the order again and end the alarm of ${change}: ${alarmText(record) ?? 'it has none'}`;
  if (await dryRunShown(ctx, { action: 'acknowledge', change }, would)) return undefined;
  await checkShown(ctx, record);
  await refuseUnlessAlarmed(ctx, record);
  const problem = typed === undefined ? undefined : noteProblem(typed, done);
  if (typed !== undefined && problem !== undefined) throw wrongNote(typed, problem);
  if (!ctx.ask.interactive && !ctx.options.yes)
    throw unrecordable('missing --yes: it says that somebody has dealt with the alarm', [
      plainCommand('journal', 'acknowledge', change, ...flagWords({ note: typed ?? 'TEXT', yes: true })),
    ]);
  const seen = await shownToPerson(ctx, record);
  const note = typed ?? (await askNote(ctx, record));
  const { orderId } = record.sent.proof;
  const left = await alarmsLeft(ctx, seen);
  const isFreed = orderId !== undefined && (isPaidTwice(seen) || appearedVerdict(seen) !== undefined);
  const freed = isFreed
    ? ` ${left.length === 0 ? freedWords(orderId, seen) : stoppedWords(orderId, left)}`
    : '';
  await confirmFirst(ctx, `End this alarm?${freed}`, 'the alarm stays');
  const { record: after, added } = await ctx.journal.acknowledge(record, note);
  if (added === undefined) ctx.notes.warn(`${change}: nothing to acknowledge any more`);
  const known = new Set(seen.verdicts.flatMap(idsIn));
  const more = added === undefined ? [] : idsIn(added).filter((one) => !known.has(one));
  if (more.length > 0) ctx.notes.warn(`the order shows more than before: ${more.join(' and ')}: look at it`);
  if (left.length > 0 && orderId !== undefined) ctx.notes.warn(stoppedWords(orderId, left));
  await showAttempt(ctx, after);
  const isLeft = more.length > 0 || needsPerson(after, await ctx.journal.now());
  return isLeft ? exitCodes.unconfirmed : 0;
}

const done = 'what was done about it';

function askNote(ctx: Context, record: AttemptRecord): Promise<string> {
  const message = `What was done about it? (${alarmText(record) ?? ''})`;
  return ctx.ask.text({ message, flag: '--note TEXT', check: (text) => noteProblem(text, done) });
}

// A person decides on what the order shows now, so it is read again before the question. If it cannot be read, the person decides
// on what the journal has.
async function shownToPerson(ctx: Context, record: AttemptRecord): Promise<AttemptRecord> {
  if (!ctx.ask.interactive || ctx.options.yes) return record;
  const { record: now, evidence } = await ctx.journal.reconcile(record);
  const { sent } = now;
  // Otherwise the journal would refuse the acknowledgement only after the last answer.
  if (evidence?.shows === 'unreadable' && isWatched(now))
    throw refused(
      `${sent.proof.orderId ?? sent.change} cannot be read now: ${evidence.problem}`,
      ['run the same command again when it can be read'],
      { certain: 'nothing was recorded', ownCode: 'order_unreadable' },
    );
  const style = amountStyleOf(ctx, now);
  const last = now.verdicts.at(-1);
  ctx.notes.show([
    { line: `${alarmText(now) ?? 'no alarm any more'}: ${changeOf(now, style)}` },
    {
      line: `${sent.proof.orderId ?? sent.change}, sent ${ctx.days.full(sent.time)} by ${whoSent(sent)}`,
      indent: 2,
    },
    { line: last?.why ?? '', indent: 2 },
    ...refundsShown(now, await ctx.journal.onSameOrder(now)).map(({ id, amount, createdAt }) => ({
      line: [
        `refund ${id ?? 'without an id'}   ${amountWords(amount, sent.currency, style)}   `,
        createdAt === undefined ? 'no time shown' : { time: createdAt, precision: 'full' as const },
      ],
      indent: 2,
    })),
  ]);
  return now;
}

// Money that a person recorded as paid back still counts while the order does not show it.
function freedWords(orderId: string, record: AttemptRecord): string {
  const said = statementOn(record);
  const freed = `It then stops no refund of ${orderId}`;
  if (said?.verdict !== 'applied') return `${freed}.`;
  return `${freed}, but one needs --again ${attemptName(record)} while it does not show the refund that ${said.operator ?? 'somebody'} recorded as made.`;
}

function idsIn({ refunds = [] }: VerdictRow): readonly string[] {
  return refunds.flatMap(({ id }) => id ?? []);
}

// The same refunds may raise an alarm for another attempt too. That attempt is read now, so that the person does not find its alarm
// later.
async function alarmsLeft(ctx: Context, record: AttemptRecord): Promise<readonly AttemptRecord[]> {
  const others = (await ctx.journal.onSameOrder(record)).filter(
    (one) => attemptName(one) !== attemptName(record),
  );
  if (!isPaidTwice(record)) return otherAlarms(record, others);
  // What cannot be read now is read again by the next command.
  for (const other of others.filter((one) => isWatched(one)))
    await ctx.journal.reconcile(other, { once: true }).catch(orElse(() => undefined));
  return otherAlarms(record, await ctx.journal.onSameOrder(record));
}

// While another attempt has an alarm too, refunds of the order stay blocked.
function stoppedWords(orderId: string, left: readonly AttemptRecord[]): string {
  const changes = left.map(({ sent }) => sent.change).join(' and ');
  const stands = left.length === 1 ? 'another alarm stands' : 'other alarms stand';
  return `${orderId} is still not refunded: ${stands}, MADE TWICE, that of ${changes}.`;
}

async function refuseUnlessAlarmed(ctx: Context, record: AttemptRecord): Promise<void> {
  const { change } = record.sent;
  const last = record.verdicts.at(-1);
  const certain = 'nothing was recorded';
  if (isOpen(record, await ctx.journal.now()))
    throw refused(
      `${change} is still unconfirmed: settle it, there is no alarm to acknowledge`,
      [
        `paydesk journal reconcile ${change}`,
        'when you know whether it was made:',
        settleCommand({ ...record.sent.proof, change, asks: ctx.ask.interactive }, '--applied'),
      ],
      { certain, ownCode: 'earlier_unconfirmed' },
    );
  if (last?.alarm !== undefined) return;
  const words = last?.acknowledged === undefined ? 'has no alarm' : 'is acknowledged already';
  const others = otherAlarms(record, await ctx.journal.onSameOrder(record));
  throw refused(`${change} ${words}`, [`paydesk journal show ${change}`, ...alarmSteps(others)], {
    certain,
    ownCode: 'no_alarm',
  });
}
