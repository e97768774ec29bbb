/** Waits between the yes to refunds and the first sending, so that somebody can still stop them (`refund.hold`). */

import type { Context } from '../context/context.ts';
import { refused } from '../errors.ts';
import { flag } from '../flags/flags.ts';
import type { Profile } from '../profiles/profiles.ts';

const stepMs = 1000;

export const noHoldFlag = flag.switch(
  'send at once after the yes, whatever refund.hold says; the journal records that',
);

/** Throws CliError 'refused' for `--no-hold` if the policy of this machine sets `refund.hold`, or at a desk of a team. */
export function checkNoHold(
  { policy }: Pick<Context, 'policy'>,
  { sender, settings }: Profile,
  noHold: boolean | undefined,
): void {
  if (noHold !== true || settings['refund.hold'] === 0) return;
  const hasPolicyHold = /[1-9]/.test(policy.limits['refund.hold'] ?? '');
  if (!hasPolicyHold && sender === undefined) return;
  const who = hasPolicyHold ? 'the policy of this machine' : 'the sender of the team';
  throw refused(
    `--no-hold: ${who} wants refunds to wait (refund.hold)`,
    ['run the command without --no-hold'],
    'hold_skipped',
  );
}

/** The length of the hold that `--no-hold` skips, for the journal (milliseconds); undefined if it skips none. */
export function skippedHold({ settings }: Profile, noHold: boolean | undefined): number | undefined {
  return noHold === true ? settings['refund.hold'] || undefined : undefined;
}

/**
 * Waits as long as the account wants, and shows how much of that is left. The order is read again afterwards. Rejects when the
 * run is stopped.
 */
export async function hold(
  { notes, clock, signal, options }: Pick<Context, 'notes' | 'clock' | 'signal' | 'options'>,
  { settings }: Profile,
  noHold: boolean | undefined,
): Promise<void> {
  const ms = settings['refund.hold'];
  if (ms === 0 || noHold === true || options.dryRun) return;
  const until = clock.monotonic() + ms;
  const left = () => Math.max(0, until - clock.monotonic());
  const words = () => `sending in ${Math.ceil(left() / 1000)} s, Ctrl-C stops it; nothing was sent yet`;
  notes.note(`${words()} (refund.hold)`);
  const end = notes.progress(words);
  try {
    while (left() > 0) await clock.sleep(Math.min(stepMs, left()), signal);
  } finally {
    end();
    if (signal.aborted)
      notes.note('stopped while it waited: nothing was sent, so the journal has nothing of it');
  }
}
