/** What a refusal of the journal is called: the error a person reads. */

import { CliError } from '../errors.ts';
import { differenceWords } from './difference.ts';
import type { Refusal } from './guards.ts';
import type { AttemptRecord, SentRow } from './rows.ts';
import { provable } from './sight.ts';
import { verdictOf } from './standing.ts';

/** The error of a run in which nothing was sent. */
export function refusalError(refusal: Refusal, subject: string): CliError {
  const certain = 'nothing was sent';
  switch (refusal.why) {
    case 'busy': {
      const { owner } = refusal;
      const who = owner === undefined ? 'another run' : `${owner.operator} (${owner.command})`;
      const since = owner === undefined ? '' : ` since ${new Date(owner.since).toISOString()}`;
      return new CliError('refused', `${subject} is being changed by ${who}${since}`, {
        certain,
        now: ['wait for that run to end, then look: paydesk journal list --open'],
      });
    }
    case 'open':
      return new CliError('refused', `${subject} has an open outcome: ${named(refusal.attempt)}`, {
        certain,
        now: [
          `paydesk journal ${provable(refusal.attempt.sent.proof.kind) ? 'reconcile' : 'show'} ${refusal.attempt.sent.intent}`,
        ],
      });
    case 'not_seen':
      return new CliError('refused', `the same was tried before and not seen: ${named(refusal.attempt)}`, {
        certain,
        now: [
          `paydesk journal show ${refusal.attempt.sent.intent}`,
          'to send it again nevertheless: the same command with --again',
        ],
      });
    case 'made':
      return new CliError('refused', `the same was made before: ${named(refusal.attempt)}`, {
        certain,
        now: [
          `paydesk journal show ${refusal.attempt.sent.intent}`,
          'if a second one is meant: the same command with --again',
        ],
      });
    case 'appeared':
      return new CliError('refused', `an earlier attempt was made after all: ${named(refusal.attempt)}`, {
        certain: `${certain} now; ${refusal.verdict.why}`,
        now: [`paydesk journal show ${refusal.attempt.sent.intent}`],
      });
    case 'equal':
      return new CliError(
        'refused',
        `charge ${refusal.chargeId} already has a refund of ${-refusal.amount}: ${refusal.refundId}`,
        { certain, now: ['if a second one is meant: the same command with --again'] },
      );
    case 'other_parameters':
      return new CliError('refused', differenceWords(refusal.attempt.sent, refusal.now), {
        certain,
        now: [`paydesk journal show ${refusal.attempt.sent.intent}`],
      });
    case 'unprovable':
      return new CliError('refused', `the outcome could not be proved afterwards: ${refusal.problem}`, {
        certain,
      });
    case 'journal':
      if (refusal.cause instanceof CliError) return refusal.cause;
      return new CliError('refused', `the journal cannot be written: ${reasonOf(refusal.cause)}`, {
        certain,
        now: [
          'without a journal nothing is sent: free some space, or see to the state folder (paydesk help environment)',
          ...leftWords(refusal.left),
        ],
        cause: refusal.cause,
      });
    case 'unwritten':
      return new CliError(
        'unknown',
        `what became of ${subject} could not be written down: ${reasonOf(refusal.cause)}`,
        {
          certain: `${refusal.row.verdict.replaceAll('_', ' ')}: ${refusal.row.why}; whether the journal holds that is not certain; nothing was sent now`,
          now: [
            `paydesk journal show ${refusal.attempt.sent.intent}`,
            'free some space, wait for other runs to end, or see to the state folder (paydesk help environment)',
            'then run the same command again',
          ],
          cause: refusal.cause,
        },
      );
    case 'stopped':
      return refusal.cause instanceof CliError
        ? refusal.cause
        : new CliError('internal', `stopped: ${String(refusal.cause)}`, { certain, cause: refusal.cause });
  }
}

// A commit that failed at its last step may be in the file, and nothing more could be written after it.
function leftWords(left: string | undefined): readonly string[] {
  if (left === undefined) return [];
  return [
    `the journal may hold ${left} as sent, which blocks the order; it was not, so say so then:`,
    `paydesk journal settle ${left} --not-applied --note TEXT`,
  ];
}

/** An attempt in a few words: its journal id, what and how much, its verdict. */
export function named(attempt: AttemptRecord): string {
  const { sent } = attempt;
  const verdict = verdictOf(attempt)?.verdict ?? 'sent, no outcome recorded';
  return `${sent.intent}, ${changeWords(sent)}, ${verdict.replaceAll('_', ' ')}`;
}

// As commands say it: `refund of 23000 MXN`, `order creation of 300 MXN`, `POST /charges`.
function changeWords({ proof: { kind }, amount, currency, request }: SentRow): string {
  if (kind === 'api') return `${request.method} /${request.path}`;
  const noun = kind === 'order' || kind === 'checkout' ? `${kind} creation` : kind;
  return `${noun}${amount === undefined ? '' : ` of ${amount} ${currency ?? ''}`.trimEnd()}`;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
