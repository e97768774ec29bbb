/** The rules of a team as a desk sees them: answered by the sender. */

import * as v from 'valibot';
import { refused } from '../../errors.ts';
import type { ApprovalRow, LimitFinding, LimitRow, PlanFinding, TeamRules } from '../../journal/journal.ts';
import type { RuleQuestion } from '../rules-wire.ts';
import { hopPaths, maxBytes } from '../wire.ts';
import type { Hop } from './hop.ts';

// The sender is trusted with what it says of its own rows.
const answerForm = <Answer>() => v.strictObject({ answer: v.custom<Answer>((value) => value !== undefined) });

type Answer<Question extends RuleQuestion> = Awaited<ReturnType<TeamRules[Question]>>;

// What the limits say to a plan, by the text of its file.
async function givePlan(hop: Hop, account: string, text: string): Promise<PlanFinding> {
  refuseTooLarge(text);
  const request = { method: 'POST', path: hopPaths.plans(account), body: text } as const;
  return (await hop.ask(request, answerForm<PlanFinding>())).answer;
}

/** Throws CliError 'refused' for the text of a plan that no sender takes. */
export function refuseTooLarge(text: string): void {
  if (Buffer.byteLength(text) > maxBytes.plan)
    throw refused('the plan has more than 16 MB, which is the most that a sender takes', [
      'split the file, and plan each part',
    ]);
}

/** Asks nothing before it is first used. `member`: whose token the desk has. */
export function createRemoteRules(
  hop: Hop,
  { account, member }: { readonly account: string; readonly member: string },
): TeamRules {
  const ask = async <Found>(question: RuleQuestion, body: object): Promise<Found> => {
    const path = hopPaths.rules(account, question);
    return (await hop.ask({ method: 'POST', path, body }, answerForm<Found>())).answer;
  };
  return {
    member: () => Promise.resolve(member),
    limits: () => ask<Answer<'limits'>>('limits', {}),
    setLimits: (changes) => ask<readonly LimitRow[]>('setLimits', changes),
    checkRefund: async (refund) => (await ask<LimitFinding | null>('checkRefund', refund)) ?? undefined,
    opened: (orderId) => ask<Answer<'opened'>>('opened', { orderId }),
    approvals: () => ask<Answer<'approvals'>>('approvals', {}),
    ask: (id, what) => ask<ApprovalRow>('ask', { id, what }),
    decide: (id, step, how) => ask<ApprovalRow>('decide', { id, step, ...how }),
    checkPlan: (text) => givePlan(hop, account, text),
  };
}
