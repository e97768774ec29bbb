/** Says what is known about the refund records that orders show: their states, who sent them, why, and the note. Pure. */

import { type AmountStyle, amountWords } from '../amounts.ts';
import { itemsOf, type JsonObject } from '../api/json-values.ts';
import { meaningOfRefund } from '../api/spec.ts';
import {
  type AttemptRecord,
  isMadeRefund,
  namedByReply,
  ownRefunds,
  recordedBy,
  recordedState,
  type SentRow,
  unconfirmedLike,
  type VerdictRow,
  whoSent,
} from '../journal/journal.ts';
import type { KnownOrder } from './known-order.ts';
import {
  gaveNothing,
  isNeverArrived,
  type KnownRefund,
  type RefundState,
  stateMeans,
} from './refund-states.ts';
import { hasRoom } from './what-followed.ts';

/** What the journal knows about one refund record. */
export interface RecordedRefund {
  readonly change: string;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  /** The name of the person who sent it. */
  readonly operator: string;
  /**
   * The same, with the desk that sent it. If only a read found the refund, another desk may have sent an equal one, and the text
   * says so.
   */
  readonly by: string;
  readonly knownBy: 'reply' | 'read' | 'person' | 'sender';
  readonly isSure: boolean;
  readonly sent: SentRow;
}

/** Maps the id of each refund that was made here, or that failed, to what the journal knows about it. */
export function recordedRefunds(attempts: readonly AttemptRecord[]): ReadonlyMap<string, RecordedRefund> {
  return new Map(
    attempts.flatMap((record) => {
      const { sent, verdicts } = record;
      const last = verdicts.at(-1);
      if (last === undefined) return [];
      const { change, reason, note, operator } = sent;
      const facts = { change, reason, note, operator, by: whoSent(sent), knownBy: last.by, sent };
      const named = new Set(namedByReply(record));
      return ownRefunds(record).flatMap(({ id }): [string, RecordedRefund][] => {
        if (id === undefined) return [];
        const isSure = last.by !== 'read' || named.has(id);
        const reply = isAnswered(record) ? 'did not confirm it' : 'was lost';
        const by = isSure ? facts.by : `${facts.by} (probably: the reply ${reply})`;
        return [[id, { ...facts, by, isSure }]];
      });
    }),
  );
}

/** Whether the service answered an attempt, whatever it said. */
export function isAnswered({ verdicts }: AttemptRecord): boolean {
  return verdicts.some(({ error, received }) => error !== undefined || received !== undefined);
}

/** What is known about a refund record. */
interface ToldRefund {
  readonly state: RefundState;
  /** Undefined if this machine did not send it, or does not know yet whether it did. */
  readonly facts: RecordedRefund | undefined;
  /** The attempt that sent it, or probably did. */
  readonly attempt: AttemptRecord | undefined;
}

/** Returns a function that says what is known about a refund record of an order. */
export function toldRefunds({
  refunds,
  attempts,
}: Pick<KnownOrder, 'refunds' | 'attempts'>): (refund: JsonObject) => ToldRefund {
  const facts = recordedRefunds(attempts);
  const known = new Map(refunds.map((one) => [one.record?.id, one]));
  return (refund) => {
    const { id, status } = refund;
    const name = typeof id === 'string' ? id : '';
    const own = facts.get(name);
    const { state, attempt } = known.get(name) ?? {};
    if (state !== undefined) return { state, facts: own, attempt };
    // The money of the order cannot be read, so the record's own status says what it is.
    const meaning = meaningOfRefund(status);
    if (meaning !== 'made' || own !== undefined) {
      const sender = attempts.find(({ sent }) => sent.change === own?.change);
      return { state: meaning, facts: own, attempt: sender };
    }
    // But whether it is the one that nobody has confirmed yet, nobody knows.
    const awaited = unconfirmedLike(attempts, refund);
    return { state: awaited === undefined ? 'elsewhere' : 'unconfirmed', facts: undefined, attempt: awaited };
  };
}

/** The attempts whose money went back, or is on its way. If the money of the order cannot be read, those that the journal calls made. */
export function wentBackBy({
  reading,
  refunds,
  attempts,
}: Pick<KnownOrder, 'reading' | 'refunds' | 'attempts'>): readonly AttemptRecord[] {
  if ('problem' in reading)
    return attempts.filter((one) => isMadeRefund(one) && !gaveNothing(recordedState(one)));
  const back = refunds.filter(({ state }) => state !== 'unconfirmed' && !gaveNothing(state));
  return [...new Set(back.flatMap(({ attempt }) => attempt ?? []))];
}

/** The ids of those orders that may have refunds. Only for these can the journal know who made a refund. */
export function ordersWithRefunds(orders: readonly JsonObject[]): ReadonlySet<string> {
  const may = orders.filter(
    ({ amount_refunded: refunded, charges }) =>
      refunded !== 0 || itemsOf(charges).some(({ refunds }) => itemsOf(refunds).length > 0),
  );
  return new Set(may.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}

/** The row by which somebody ended the alarm of an attempt; undefined when nobody did, or when it was raised again. */
export function acknowledgementOf({ verdicts }: AttemptRecord): VerdictRow | undefined {
  if (verdicts.at(-1)?.acknowledged === undefined) return undefined;
  return verdicts.findLast(
    ({ acknowledged, operator }) => acknowledged !== undefined && operator !== undefined,
  );
}

/** What to expect from a refund that was recorded as not made, once all of its order has gone back. */
export const nothingLeftWords = 'nothing is left, so the service should refuse it';

/** What to say about the state of a refund in one line; undefined if it was made once and the order shows it. */
export function stateWhy(
  refund: KnownRefund,
  currency: string | undefined,
  amounts: AmountStyle,
  known?: Pick<KnownOrder, 'reading'>,
) {
  const { state, record, attempt, amount } = refund;
  const ended = attempt && acknowledgementOf(attempt);
  const done = ended === undefined ? '' : `, acknowledged by ${ended.operator ?? 'somebody'}`;
  const journal = (verb: string) =>
    attempt === undefined ? '' : `${done}: paydesk journal ${verb} ${attempt.sent.change}`;
  const who = attempt === undefined ? 'somebody' : recordedBy(attempt);
  const sum = amount === undefined ? 'a refund' : amountWords(amount, currency, amounts);
  switch (state) {
    case 'made':
    case 'elsewhere':
      return undefined;
    case 'gone':
      return `${sum}: ${stateMeans.gone}${journal('show')}`;
    case 'pending':
      return `${record?.id ?? 'a refund'} is pending: ${stateMeans.pending}`;
    case 'failed':
      return `${record?.id ?? 'a refund'} of ${sum} failed after it was made: ${stateMeans.failed}${done}`;
    case 'unconfirmed':
      if (record !== undefined && record.meaning !== 'made')
        return `${record.id} has the status ${record.status ?? ''}, which paydesk does not know`;
      if (isNeverArrived(refund)) return `${sum} was sent and never arrived${journal('show')}`;
      return record === undefined
        ? `a refund sent from here is unconfirmed${journal('reconcile')}`
        : `probably ours and not confirmed yet${journal('reconcile')}`;
    case 'made twice':
      return `made twice${journal('show')}`;
    case 'appeared':
      return `${who} recorded that it was not made, and it appeared${journal('show')}`;
    case 'recorded made':
      return `${sum} was recorded as made by ${who}, and the order does not show it${journal('show')}`;
    case 'recorded not made':
      return `${who} recorded that ${sum} was not made, and ${known !== undefined && attempt !== undefined && !hasRoom(known, attempt) ? nothingLeftWords : 'it may still go through'}${journal('show')}`;
  }
}
