/** Answers the desks' questions about the journal: those of the store's port, for one account only. */

import type * as v from 'valibot';
import { livemodeOf } from '../../api/spec.ts';
import {
  type AttemptFilter,
  copyName,
  isQuery,
  type JournalStore,
  limitPrefix,
} from '../../journal/journal.ts';
import { type Question, questionForms } from '../journal-wire.ts';
import { memberPrefix } from '../sender.ts';
import { maxBytes } from '../wire.ts';
import { badRequest, canBeOf, needRole, readBody, type SenderAccount, type SenderApp } from './routes.ts';

type Asked<Q extends Question> = v.InferOutput<(typeof questionForms)[Q]>;
type Answers = {
  readonly [Q in Question]: (
    store: JournalStore,
    account: SenderAccount,
    asked: Asked<Q>,
  ) => Promise<unknown>;
};

const answers: Answers = {
  attempts: async (store, account, { query }) => {
    if (!isQuery(query)) throw badRequest('the desk asks the journal a question about all attempts at once');
    return (await store.attempts(query)).filter((record) => canBeOf(record, account));
  },
  list: (store, account, { filter, page }) => store.list({ ...filter, ...ofAccount(account) }, page),
  async operators(store, account) {
    const names = await store.operators(account.service.profile.origin);
    const sent = await Promise.all(
      names.map((operator) => store.list({ ...ofAccount(account), operator }, { limit: 1 })),
    );
    const members = (await store.settings(memberPrefix))
      .filter((row) => row.account === account.service.profile.account)
      .map(({ name }) => name.slice(memberPrefix.length));
    return [...new Set([...names.filter((_, at) => (sent[at]?.length ?? 0) > 0), ...members])];
  },
  settings: async (store, { service }, { name }) => {
    const rows = await store.settings(name);
    // Members and closed ids are stored as settings too, but are private.
    return rows.filter(
      ({ account, name }) =>
        account === service.profile.account && (name.startsWith(limitPrefix) || !name.includes('/')),
    );
  },
  newest: async () => null,
  wholeCheckAt: async (store) => (await store.wholeCheckAt()) ?? null,
};

function ofAccount({ service }: SenderAccount): Pick<AttemptFilter, 'origin' | 'livemode'> {
  const { origin, mode } = service.profile;
  return { origin, livemode: livemodeOf[mode] };
}

/**
 * Adds the route for questions. Pass another store than the one for changes: a change counts everything that its store was asked
 * about as seen.
 */
export function addAnswers(app: SenderApp, store: JournalStore): void {
  app.post('/v1/journal/:account/:question', async (context) => {
    needRole(context.var.asker, 'viewer', 'see the journal');
    const name = context.req.param('question');
    if (!isQuestion(name)) throw badRequest('the desk asks the journal a question that nobody can answer');
    const answer = await answerTo(name, context.var.account, store, (form) =>
      readBody(context, form, maxBytes.question),
    );
    const [newest, problem, copies] = await Promise.all([
      store.newest(),
      store.problem(),
      store.settings(copyName),
    ]);
    return context.json({ answer, newest, problem, copy: copies.at(-1) });
  });
}

async function answerTo<Q extends Question>(
  name: Q,
  account: SenderAccount,
  store: JournalStore,
  read: (form: (typeof questionForms)[Q]) => Promise<Asked<Q>>,
): Promise<unknown> {
  return await answers[name](store, account, await read(questionForms[name]));
}

function isQuestion(name: string): name is Question {
  return Object.hasOwn(questionForms, name);
}
