/** Reads attempts again for desks, and writes down what a person states about them: reconcile, settle, acknowledge. */

import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../errors.ts';
import type { Evidence, HowResolved } from '../../journal/journal.ts';
import { resolveOne } from '../../journal/read-again.ts';
import { type ResolveRequest, resolveForm } from '../change-wire.ts';
import { maxBytes } from '../wire.ts';
import { type ChangesParts, calledAt, shortTimeIn, stamped } from './known-change.ts';
import { type Asker, type Hop, isOfAccount, needRole, RefusedRequest, readBody } from './routes.ts';

const timeoutMs = 60_000;

/** The person has to be asked about this read first. */
class ToConfirm extends CliError {
  readonly evidence: Evidence;

  constructor(evidence: Evidence) {
    super('refused', 'a person has to look at what was read', { certain: 'nothing was recorded' });
    this.evidence = evidence;
  }
}

/** Adds the route that reads an attempt again. */
export function addResolve(app: Hop, parts: ChangesParts): void {
  app.post('/v1/changes/:account/:id/resolve', async (context) => {
    const { asker, account } = context.var;
    const asked = await readBody(context, resolveForm, maxBytes.change);
    // Whoever may look may have it read again. What a person states needs more.
    const states = asked.statement !== undefined || asked.acknowledgement !== undefined;
    needRole(context, states ? 'operator' : 'viewer', 'record what became of a change');
    const id = context.req.param('id') ?? '';
    const records = await parts.store.attempts({ change: id });
    const record = records.find(({ sent }) => sent.attempt === asked.attempt);
    if (record === undefined || !isOfAccount(record, account)) throw noSuchAttempt(id);
    const { clock, store } = parts;
    try {
      const {
        record: told,
        added,
        evidence,
        doubt,
      } = await resolveOne(
        {
          ...parts,
          service: calledAt(account.service, asked.profile),
          store: stamped(store, { asker, account, id, idempotencyKey: undefined }),
          timeoutMs,
          shortTime: shortTimeIn(clock, asked.zone),
        },
        record,
        howOf(asked, asker),
      );
      return context.json({ resolved: { record: told, added, evidence, doubt } });
    } catch (error) {
      if (error instanceof ToConfirm) return context.json({ confirm: error.evidence });
      throw error;
    }
  });
}

function howOf({ once, statement, acknowledgement, confirmed }: ResolveRequest, asker: Asker): HowResolved {
  const operator = asker.member;
  return {
    once,
    statement: statement && { ...statement, operator },
    acknowledgement: acknowledgement && { ...acknowledgement, operator },
    confirm: async (evidence) => {
      const read: unknown = JSON.parse(JSON.stringify(evidence));
      if (confirmed === undefined || !isDeepStrictEqual(confirmed.evidence, read))
        throw new ToConfirm(evidence);
      return confirmed.note;
    },
  };
}

function noSuchAttempt(id: string): RefusedRequest {
  return new RefusedRequest(
    404,
    new CliError('not_found', `the journal of this account has no change ${id}`, {
      certain: 'nothing was recorded',
    }),
  );
}
