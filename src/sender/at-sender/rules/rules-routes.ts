/** The route by which desks ask the rules of a team: limits, and requests for an approval. */

import { CliError } from '../../../errors.ts';
import { type RuleAsked, type RuleQuestion, ruleForms } from '../../rules-wire.ts';
import { hopPaths, maxBytes } from '../../wire.ts';
import { type Hop, needRole, RefusedRequest, readBody } from '../routes.ts';
import type { MemberRules, Rules } from './rules.ts';

type Answers = {
  readonly [Q in RuleQuestion]: (rules: MemberRules, asked: RuleAsked<Q>) => Promise<unknown>;
};

const answers: Answers = {
  limits: (rules) => rules.limits(),
  setLimits: (rules, changes) => rules.setLimits(changes),
  checkRefund: async (rules, refund) => (await rules.checkRefund(refund)) ?? null,
  opened: (rules, { orderId }) => rules.opened(orderId),
  approvals: (rules) => rules.approvals(),
  ask: (rules, { id, what }) => rules.ask(id, what),
  decide: (rules, { id, step, validMs, note }) => rules.decide(id, step, { validMs, note }),
};

/** Adds the route. Who may do what, the rules say. */
export function addRules(app: Hop, rules: Rules): void {
  app.post(hopPaths.rules(':account', ':question'), async (context) => {
    needRole(context, 'viewer', 'see the limits of the team');
    const name = context.req.param('question') ?? '';
    if (!isQuestion(name))
      throw new RefusedRequest(
        400,
        new CliError('usage', 'the desk asks what no rule can answer', { certain: 'nothing was sent' }),
      );
    const { asker, account } = context.var;
    const answer = await answerTo(name, rules.of(asker, account), (form) =>
      readBody(context, form, maxBytes.question),
    );
    return context.json({ answer });
  });
}

async function answerTo<Q extends RuleQuestion>(
  name: Q,
  rules: MemberRules,
  read: (form: (typeof ruleForms)[Q]) => Promise<RuleAsked<Q>>,
): Promise<unknown> {
  return await answers[name](rules, await read(ruleForms[name]));
}

function isQuestion(name: string): name is RuleQuestion {
  return Object.hasOwn(ruleForms, name);
}
