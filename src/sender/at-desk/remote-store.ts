/** The journal and the team's rules as a desk sees them: the sender answers. Answers are reused for 3 seconds. */

import * as v from 'valibot';
import { CliError, refused } from '../../errors.ts';
import {
  type ApprovalRow,
  type AttemptFilter,
  type AttemptRecord,
  type Cursor,
  copyName,
  type JournalStore,
  type LimitFinding,
  type LimitRow,
  methodsOf,
  type PlanFinding,
  storeMethods,
  type TeamRules,
} from '../../journal/journal.ts';
import {
  answerForm,
  attemptsForm,
  type Question,
  type questionForms,
  type RuleQuestion,
  settingsForm,
  type TravellingFilter,
} from '../journal-wire.ts';
import { hopPaths, maxBytes } from '../wire.ts';
import type { Hop } from './hop.ts';

type Asked<Q extends Question> = v.InferInput<(typeof questionForms)[Q]>;
type Answer = v.InferOutput<typeof answerForm>;

interface RemoteStore extends JournalStore {
  /** Forgets all answers: something was sent or recorded. */
  forget(): void;
}

// An answer is used for this long. Before sending, the sender itself checks for later changes.
const knownMs = 3_000;

/** Connects on first use. `profile`: what this desk calls it; `account`: what the sender does. */
export function createRemoteStore(
  hop: Hop,
  {
    profile,
    account,
    monotonic,
  }: { readonly profile: string; readonly account: string; readonly monotonic: () => number },
): RemoteStore {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
  let signIn: CliError | undefined;
  let last: { readonly at: number; readonly answer: Promise<Answer> } | undefined;
  const ask = async <Q extends Question>(question: Q, asked: Asked<Q>): Promise<Answer> => {
    const key = `${question} ${JSON.stringify(asked)}`;
    const before = known.get(key);
    if (before !== undefined && monotonic() - before.at < knownMs) return await before.answer;
    // The sender counts each wrong token.
    if (signIn !== undefined) throw signIn;
    const path = hopPaths.journal(account, question);
    const answer = hop.ask({ method: 'POST', path, body: asked }, answerForm);
    last = { at: monotonic(), answer };
    known.set(key, last);
    // A failed question is asked again.
    answer.catch((error: unknown) => {
      known.delete(key);
      if (error instanceof CliError && error.kind === 'auth') signIn = error;
    });
    return await answer;
  };
  // Every answer also says in which state the journal is.
  const state = async (): Promise<Answer> =>
    last !== undefined && monotonic() - last.at < knownMs ? await last.answer : await ask('newest', {});
  const problem = async () => (await state()).problem;
  const recordsIn = ({ answer }: Answer): readonly AttemptRecord[] =>
    v.parse(attemptsForm, answer).map((record) => asOf(profile, record));
  return {
    ...methodsOf(storeMethods, atSender),
    place: `the journal of the sender ${hop.name}`,
    witness: undefined,
    attempts: async (query) => recordsIn(await ask('attempts', { query: travelling(query) })),
    async list(filter, { limit, before }) {
      const page = { limit, before: before && cursorOf(before) };
      return recordsIn(await ask('list', { filter: travelling(filter), page }));
    },
    operators: async () => v.parse(v.array(v.string()), (await ask('operators', {})).answer),
    async settings(name) {
      if (name !== copyName) return v.parse(settingsForm, (await ask('settings', { name })).answer);
      const { copy } = await state();
      return copy === undefined ? [] : [copy];
    },
    newest: async () => (await state()).newest,
    // The sender itself refuses changes while its journal is not whole. Here that is reported only if already known.
    async ready() {
      const found = last === undefined ? undefined : await problem();
      if (found === undefined) return;
      throw refused(`the journal of the sender is not whole: ${found}`, [
        'somebody at the sender has to look: paydesk journal verify',
      ]);
    },
    problem,
    wholeCheckAt: async () =>
      v.parse(v.nullable(v.number()), (await ask('wholeCheckAt', {})).answer) ?? undefined,
    // The sender checks its own rows.
    checkSome: () => Promise.resolve(undefined),
    forget() {
      known.clear();
      last = undefined;
    },
    close: () => undefined,
  };
}

/** A record with the profile of this desk: it may call the account otherwise than the sender does, and commands and amounts go by that. */
export function asOf(profile: string, { sent, verdicts }: AttemptRecord): AttemptRecord {
  return { sent: { ...sent, profile }, verdicts };
}

// The cursor may be a whole row: only its place is sent.
function cursorOf({ time, change, attempt }: Cursor): Cursor {
  return { time, change, attempt };
}

async function atSender(): Promise<never> {
  throw new CliError('refused', 'the journal of this account is at its sender', {
    certain: 'nothing was changed',
    now: ['whoever runs the sender can do this there'],
  });
}

// `beforeSending` is not sent: before sending, the sender's guards ask for themselves. Of the moment, only these parts are sent.
function travelling({ beforeSending: _, ...filter }: AttemptFilter): TravellingFilter {
  const { orderIds, made, again, open, madeByHand } = filter;
  return {
    ...filter,
    open: open && { skewed: open.skewed },
    madeByHand: madeByHand && { time: madeByHand.time, skewed: madeByHand.skewed, boot: madeByHand.boot },
    orderIds: orderIds && [...orderIds],
    made: made && [...made],
    again: again && [...again],
  };
}

// ── Rules ──────────────────────────────────────────────────────────────────────────────────────────

// The desk trusts what the sender says about its own rows.
const ruleAnswer = <Answer>() => v.strictObject({ answer: v.custom<Answer>((value) => value !== undefined) });

type RuleAnswer<Question extends RuleQuestion> = Awaited<ReturnType<TeamRules[Question]>>;

// What the limits say about a plan, from the text of its file.
async function givePlan(hop: Hop, account: string, text: string): Promise<PlanFinding> {
  refuseTooLarge(text);
  const request = { method: 'POST', path: hopPaths.plans(account), body: text } as const;
  return (await hop.ask(request, ruleAnswer<PlanFinding>())).answer;
}

/** Throws CliError 'refused' for a plan that is too large for any sender. */
export function refuseTooLarge(text: string): void {
  if (Buffer.byteLength(text) > maxBytes.plan)
    throw refused('the plan has more than 16 MB, which is the most that a sender takes', [
      'split the file, and plan each part',
    ]);
}

/** Connects on first use. `member`: whose token the desk has. */
export function createRemoteRules(
  hop: Hop,
  { account, member }: { readonly account: string; readonly member: string },
): TeamRules {
  const ask = async <Found>(question: RuleQuestion, body: object): Promise<Found> => {
    const path = hopPaths.rules(account, question);
    return (await hop.ask({ method: 'POST', path, body }, ruleAnswer<Found>())).answer;
  };
  return {
    member: () => Promise.resolve(member),
    limits: () => ask<RuleAnswer<'limits'>>('limits', {}),
    setLimits: (changes) => ask<readonly LimitRow[]>('setLimits', changes),
    checkRefund: async (refund) => (await ask<LimitFinding | null>('checkRefund', refund)) ?? undefined,
    opened: (orderId) => ask<RuleAnswer<'opened'>>('opened', { orderId }),
    approvals: () => ask<RuleAnswer<'approvals'>>('approvals', {}),
    ask: (id, what) => ask<ApprovalRow>('ask', { id, what }),
    decide: (id, step, how) => ask<ApprovalRow>('decide', { id, step, ...how }),
    checkPlan: (text) => givePlan(hop, account, text),
  };
}
