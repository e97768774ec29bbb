/** An outcome that this machine could not write down: it is said in full, with the row to keep by hand. */

import { CliError } from '../errors.ts';
import type { Intent, Outcome } from '../journal/journal.ts';

/** An outcome of something that was tried: anything but a dry run. */
export type Ended = Exclude<Outcome, { verdict: 'dry_run' }>;

/** After an applied outcome was printed: throws CliError 'incomplete' when the journal does not hold it. */
export function checkRecorded(intent: Intent, outcome: Ended, what: string): void {
  const { unrecorded, refunds = [] } = outcome;
  if (unrecorded === undefined) return;
  const ids = refunds.map(({ id, amount }) => `refund ${id ?? 'without an id'} ${amount}`);
  throw new CliError('incomplete', [`${what}`, ...ids].join(', '), {
    opening: intent.kind === 'refund' ? 'THE REFUND WAS MADE:' : 'IT WAS DONE:',
    certain: `${isByReply(outcome) ? 'the service confirmed it' : 'a read of the order shows it'}; this machine could not write it down (${reasonOf(unrecorded.cause)})`,
    now: [
      'copy these lines into the ticket; do not repeat it; free some space, then:',
      ...keepByHand(outcome),
    ],
    cause: unrecorded.cause,
  });
}

function isByReply(outcome: Ended): boolean {
  return outcome.verdict === 'applied' && outcome.by === 'reply';
}

/** The command that resolves it later, and the row as JSON; nothing where the journal holds the outcome. */
export function keepByHand({ intent, unrecorded }: Ended): readonly string[] {
  if (unrecorded === undefined) return [];
  return [
    ...(intent === undefined ? [] : [`paydesk journal reconcile ${intent}`]),
    JSON.stringify(unrecorded.row),
  ];
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
