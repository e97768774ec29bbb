/** What to do when a row could not be written: what is wrong with the journal decides what helps. Pure. */

import { CliError, type OwnCode } from '../errors.ts';

/** The refusal of a verdict because another desk recorded one first. So it is certain that this one is not in the journal. */
export class RecordedFirst extends CliError {}

/** Why it could not be written. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * What to do, in lines: `first`, what helps, and `then` before the command that is printed next. Space on this machine does not
 * bring back the server of a team, nor let somebody in who was removed.
 */
export function mendLines(cause: unknown, first: string, then = 'then:'): readonly string[] {
  if (isSignInRefused(cause)) return [first, ...(cause.parts.now ?? []), then];
  const words = isOfTeam(cause) ? 'wait until the server of the team answers' : 'free some space';
  return [`${first}; ${words}, ${then}`];
}

/** Whether the server of a team answers, and does not let this person in. What its refusal says to do helps. */
export function isSignInRefused(cause: unknown): cause is CliError {
  return cause instanceof CliError && cause.parts.ownCode === 'team_sign_in_refused';
}

/** Whether the journal that could not be written is that of a team. */
export function isOfTeam(cause: unknown): boolean {
  return cause instanceof CliError && ofServer.has(cause.parts.ownCode);
}

/** As of when this machine has what the team recorded, while the server is away: `what the team recorded is as of 05:05:12`. */
export function awayWords(
  { asOf }: { readonly asOf: number | undefined },
  shortTime: (ms: number) => string,
): string {
  return asOf === undefined
    ? 'this machine has no copy of what the team recorded'
    : `what the team recorded is as of ${shortTime(asOf)}`;
}

// What the server of a team answered, or that it did not answer.
const ofServer: ReadonlySet<OwnCode | undefined> = new Set<OwnCode>([
  'team_server_away',
  'team_sign_in_refused',
  'team_server_refused',
  'team_record_unknown',
]);
