/** The routes that take changes from desks. Each id is one change, however often it comes and from whom. It is sent at most once. */

import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../errors.ts';
import { changeIdPattern, type Evidence, type HowResolved } from '../../journal/journal.ts';
import { resolveOne } from '../../journal/read-again.ts';
import {
  type EndLine,
  handOverForm,
  type ResolveRequest,
  resolveForm,
  withdrawForm,
} from '../change-wire.ts';
import { maxBytes } from '../wire.ts';
import { ChangeStream, endReply } from './change-stream.ts';
import { makeHandedOver } from './handed-change.ts';
import {
  type AskedChange,
  type ChangesParts,
  calledAt,
  closeId,
  endOfKnown,
  otherChange,
  shortTimeIn,
  stamped,
} from './known-change.ts';
import {
  type Asker,
  badRequest,
  canBeOf,
  type HopContext,
  needRole,
  RefusedRequest,
  readBody,
  type SenderApp,
  stopping,
} from './routes.ts';

/** A running change, or a running closing of an id. */
interface Running {
  readonly member: string;
  /** The digest of what was handed over; undefined when closing an id. */
  readonly digest: string | undefined;
  readonly stream: ChangeStream;
  readonly stop: AbortController;
  /** Resolves after the journal was asked: with the refusal, if it does not begin. */
  readonly begun: Promise<RefusedRequest | undefined>;
  readonly over: Promise<void>;
}

export interface Changes {
  /** How many are under way. */
  readonly count: number;
  /** Takes nothing new. Resolves when the last change has ended. */
  stop(): Promise<void>;
}

export function addChanges(app: SenderApp, parts: ChangesParts): Changes {
  const running = new Map<string, Running>();
  let isStopping = false;
  const start = (
    { asker, account, id }: AskedChange,
    digest: string | undefined,
    act: (stream: ChangeStream, signal: AbortSignal) => Promise<EndLine>,
  ): Running => {
    const key = `${account.name} ${id}`;
    const [stream, stop] = [new ChangeStream(parts.clock), new AbortController()];
    const begun = Promise.withResolvers<RefusedRequest | undefined>();
    stream.onFirst = () => begun.resolve(undefined);
    const run = async () => {
      let end: EndLine | undefined;
      try {
        end = await act(stream, stop.signal);
      } catch (error) {
        // Whatever else went wrong, something may have been sent: without an end the desk asks again, and the journal knows.
        if (error instanceof RefusedRequest) begun.resolve(error);
        else parts.report(error);
      }
      running.delete(key);
      stream.end(end);
      begun.resolve(undefined);
    };
    const entry = { member: asker.member, digest, stream, stop, begun: begun.promise, over: run() };
    running.set(key, entry);
    return entry;
  };
  const find = ({ account, asker, id }: AskedChange): Running | undefined => {
    const found = running.get(`${account.name} ${id}`);
    if (found !== undefined && found.member !== asker.member) throw otherChange();
    return found;
  };

  app.post('/v1/changes/:account', async (context) => {
    needRole(context.var.asker, 'operator', 'send changes');
    const handed = await readBody(context, handOverForm, maxBytes.change);
    const asked = askedIn(context, handed.change, handed.what.idempotencyKey);
    const digest = hash('sha256', JSON.stringify(handed));
    const known = find(asked);
    if (known?.digest !== undefined && known.digest !== digest) throw otherChange();
    if (known === undefined && isStopping) throw stopping();
    // No await between check and start: two requests with one id must not both be first.
    const run =
      known ??
      start(asked, digest, (stream, signal) =>
        makeHandedOver(parts, asked, {
          handed,
          stream,
          signal,
        }),
      );
    return await replyOf(run);
  });

  app.get('/v1/changes/:account/:id', async (context) => {
    needRole(context.var.asker, 'operator', 'send changes');
    const asked = askedIn(context, idIn(context), context.req.query('idempotencyKey'));
    const known = find(asked);
    if (known !== undefined) return await replyOf(known);
    return endReply((await endOfKnown(parts, asked)) ?? { unknown: true });
  });

  app.post('/v1/changes/:account/:id/withdraw', async (context) => {
    needRole(context.var.asker, 'operator', 'send changes');
    const { idempotencyKey } = await readBody(context, withdrawForm, maxBytes.join);
    const asked = askedIn(context, idIn(context), idempotencyKey);
    for (let before = find(asked); before !== undefined; before = find(asked)) {
      before.stop.abort(
        new CliError('interrupted', 'taken back by the desk', { certain: 'nothing was sent' }),
      );
      await before.over;
    }
    return await replyOf(start(asked, undefined, () => closeId(parts, asked)));
  });

  addResolve(app, parts);
  return {
    get count() {
      return running.size;
    },
    async stop() {
      isStopping = true;
      while (running.size > 0) await Promise.all([...running.values()].map(({ over }) => over));
    },
  };
}

function askedIn({ var: { asker, account } }: HopContext, id: string, idempotencyKey?: string): AskedChange {
  return {
    asker,
    account,
    id,
    idempotencyKey: idempotencyKey === undefined || idempotencyKey.length > 200 ? undefined : idempotencyKey,
  };
}

function idIn(context: HopContext): string {
  const id = context.req.param('id') ?? '';
  if (changeIdPattern.test(id)) return id;
  throw badRequest('not an id of a change');
}

async function replyOf({ begun, stream }: Running): Promise<Response> {
  const refused = await begun;
  if (refused !== undefined) throw refused;
  return stream.reply();
}

// ── Reading an attempt again ───────────────────────────────────────────────────────────────────────

const timeoutMs = 60_000;

/** A person must confirm this read first. */
class ToConfirm extends CliError {
  readonly evidence: Evidence;

  constructor(evidence: Evidence) {
    super('refused', 'a person has to look at what was read', { certain: 'nothing was recorded' });
    this.evidence = evidence;
  }
}

function addResolve(app: SenderApp, parts: ChangesParts): void {
  app.post('/v1/changes/:account/:id/resolve', async (context) => {
    const { asker, account } = context.var;
    const asked = await readBody(context, resolveForm, maxBytes.change);
    // A viewer may have it read again. Recording a statement needs more.
    const states = asked.statement !== undefined || asked.acknowledgement !== undefined;
    needRole(context.var.asker, states ? 'operator' : 'viewer', 'record what became of a change');
    const id = context.req.param('id') ?? '';
    const records = await parts.store.attempts({ change: id });
    const record = records.find(({ sent }) => sent.attempt === asked.attempt);
    if (record === undefined || !canBeOf(record, account))
      throw new RefusedRequest(
        404,
        new CliError('not_found', `the journal of this account has no change ${id}`, {
          certain: 'nothing was recorded',
        }),
      );
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
