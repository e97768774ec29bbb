/** The rules of a team as a desk sees them: answered by the sender. */

import * as v from 'valibot';
import type { ApprovalRow, LimitFinding, LimitRow, TeamRules } from '../journal/journal.ts';
import type { Hop } from './hop.ts';
import type { RuleQuestion } from './rules-wire.ts';
import { hopPaths } from './wire.ts';

// The sender is trusted with what it says of its own rows.
const answerForm = <Answer>() => v.strictObject({ answer: v.custom<Answer>((value) => value !== undefined) });

type Answer<Question extends RuleQuestion> = Awaited<ReturnType<TeamRules[Question]>>;

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
    approvals: () => ask<Answer<'approvals'>>('approvals', {}),
    ask: (id, what) => ask<ApprovalRow>('ask', { id, what }),
    decide: (id, step, how) => ask<ApprovalRow>('decide', { id, step, ...how }),
    checkPlan: (plan) => ask<Answer<'checkPlan'>>('checkPlan', plan),
  };
}
