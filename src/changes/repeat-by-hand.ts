/** What a repeat under the same `--intent` says if a person recorded by hand what became of the change: who, when, and why. */

import type { Service } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import { type AttemptRecord, attemptName, type ChangeSubject } from '../journal/journal.ts';
import { commandLine } from '../profiles/profiles.ts';
import { byHandWords, unshownIn } from './by-hand-words.ts';
import { kindWords } from './change-words.ts';

/** `op7 recorded on … that the refund of 900 MXN of …, sent by root, was made (bank file); the order does not show it` */
export async function recordedWords(
  ctx: Context,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  record: AttemptRecord,
  order: JsonObject | undefined,
): Promise<string> {
  const unshown = order === undefined ? [] : await unshownIn(ctx, service, order);
  const isUnshown = unshown.some((one) => attemptName(one) === attemptName(record));
  return `${byHandWords(ctx, record)}${isUnshown ? '; the order does not show it' : ''}`;
}

/**
 * The error of a repeat when a person recorded that the change was not made. The service has not refused it, so this is no
 * `rejected`: paydesk refuses to send it again by itself.
 */
export function notMadeError(
  ctx: Context,
  { profile }: Pick<Service, 'profile'>,
  { kind, orderId }: ChangeSubject,
  record: AttemptRecord,
): CliError {
  const { intent } = record.sent;
  return new CliError('refused', byHandWords(ctx, record), {
    intent,
    orderId,
    profile: profile.name,
    certain: 'nothing was sent now; that it was not made is only what a person says',
    now: [
      ...(orderId === undefined ? [] : [commandLine(profile, 'orders', 'show', orderId)]),
      `paydesk journal show ${intent}`,
      `to send it again all the same (if that record is wrong, ${kindWords[kind].twice}):`,
      `the same command with --again ${attemptName(record)}`,
    ],
  });
}
