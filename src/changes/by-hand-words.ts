/**
 * What screens say about the changes of an order that somebody settled by hand, and about alarms that somebody acknowledged: who,
 * when, what and why.
 */

import type { Service } from '../api/api.ts';
import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import { type AttemptRecord, alarmWords, type VerdictRow } from '../journal/journal.ts';
import { changeOf } from './change-words.ts';

/** The changes of an order that somebody settled by hand, oldest first. None if the journal cannot be read. */
export async function settledByHand(
  ctx: Context,
  service: Service,
  orderId: string,
): Promise<readonly AttemptRecord[]> {
  try {
    return await ctx.journal.recordedByHand(service, orderId);
  } catch (error) {
    // Every other question to the journal already warns that it cannot be read.
    if (error instanceof CliError) return [];
    throw error;
  }
}

/**
 * `root recorded on 21 Nov 2026 05:20:00 UTC that the refund of 900 MXN of …, sent by root, was NOT made (asked the bank)`. If
 * the record was corrected, the last one stands there, or what the order showed later.
 */
export function byHandWords(ctx: Context, { sent, verdicts }: AttemptRecord): string {
  const said = verdicts.findLast(({ by, acknowledged }) => by === 'person' && acknowledged === undefined);
  const note = said?.note === undefined ? '' : ` (${said.note})`;
  const corrected = said?.corrects === true ? ', correcting an earlier record' : '';
  const change = changeOf({ sent, verdicts }, ctx.profiles.amountStyle(sent.profile));
  const who = said?.operator ?? 'somebody';
  const when = ctx.fullTime(said?.time ?? sent.time);
  const made = said?.verdict === 'applied' ? 'made' : 'NOT made';
  const last = verdicts.at(-1);
  const later =
    last?.by === 'person'
      ? ''
      : `; later the order showed ${last?.verdict === 'applied' ? 'it' : 'something else'}`;
  return `${who} recorded on ${when} that the ${change} of ${ctx.fullTime(sent.time)}, sent by ${sent.operator}, was ${made}${note}${corrected}${later}`;
}

/** The row by which somebody ended the alarm of an attempt; undefined when nobody did, or when it was raised again. */
export function acknowledgementOf({ verdicts }: AttemptRecord): VerdictRow | undefined {
  if (verdicts.at(-1)?.acknowledged === undefined) return undefined;
  return verdicts.findLast(
    ({ acknowledged, operator }) => acknowledged !== undefined && operator !== undefined,
  );
}

/** The changes of an order whose alarm somebody acknowledged, oldest first. None if the journal cannot be read. */
export async function acknowledgedAlarms(
  ctx: Context,
  service: Service,
  orderId: string,
): Promise<readonly AttemptRecord[]> {
  try {
    const attempts = await ctx.journal.attemptsOf(service, orderId);
    return attempts.filter((record) => acknowledgementOf(record) !== undefined);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/**
 * `root acknowledged on 21 Nov 2026 05:20:00 UTC that the refund of 900 MXN of …, sent by root, is there twice (recalled)`. For
 * other alarms it names the alarm.
 */
export function acknowledgedWords(ctx: Context, record: AttemptRecord): string {
  const { sent } = record;
  const ended = acknowledgementOf(record);
  const change = changeOf(record, ctx.profiles.amountStyle(sent.profile));
  const alarm = ended?.acknowledged ?? 'duplicate';
  const what =
    alarm === 'duplicate'
      ? `is there ${(ended?.refunds ?? []).length > 2 ? 'more than once' : 'twice'}`
      : `had this alarm: ${alarmWords[alarm]}`;
  const note = ended?.note === undefined ? '' : ` (${ended.note})`;
  return `${ended?.operator ?? 'somebody'} acknowledged on ${ctx.fullTime(ended?.time ?? sent.time)} that the ${change} of ${ctx.fullTime(sent.time)}, sent by ${sent.operator}, ${what}${note}`;
}

/** What follows for the next change of the order if such a record was wrong; undefined if nothing does. */
export function byHandRisk({ sent, verdicts }: AttemptRecord): string | undefined {
  if (verdicts.at(-1)?.verdict === 'applied' || sent.proof.kind !== 'refund') return undefined;
  return 'If it was made after all, this pays the buyer twice';
}
