/** Tells whether two runs ask for the same change: the same request, the same words typed, or the same money. Pure. */

import { isDeepStrictEqual } from 'node:util';
import type { Change } from './change.ts';
import type { AttemptRecord, SentRow } from './rows/journal-rows.ts';

/** The kind of change, and what was typed for it. */
export interface Typed {
  readonly kind?: Change['kind'] | undefined;
  readonly asked?: Change['asked'];
  /** Whether real money is meant. Undefined if that is not compared. */
  readonly livemode?: boolean | undefined;
}

type Request = Pick<Change, 'kind' | 'request' | 'expected' | 'asked'>;

/**
 * Whether an attempt asked for the same, by its request or by what was typed: `7d`, typed twice, gives two requests with
 * different times.
 */
export function asksForSame(
  { proof, request, asked, lost }: SentRow,
  other: Typed & { readonly request?: Change['request'] | undefined },
): boolean {
  // Nobody knows what a lost row asked for, so it may have been this.
  if (lost !== undefined && lost === other.kind) return true;
  const parts = (one: Change['request'] | undefined) => [one?.method, one?.path, one?.body];
  if (sameJson(parts(request), parts(other.request))) return true;
  return proof.kind === other.kind && asked !== undefined && sameJson(asked, other.asked);
}

/** Whether an idempotency key was used for another request than this one. */
export function isOtherRequest(now: Typed, { sent }: Pick<AttemptRecord, 'sent'>): boolean {
  const { kind, asked } = now;
  return sent.proof.kind !== kind || isOtherMode(now, sent) || !sameJson(sent.asked, asked);
}

/** Whether an attempt is known to be of the other mode. Nobody knows that about a row that was lost. */
export function isOtherMode(
  { livemode }: { readonly livemode?: unknown },
  { proof, lost }: SentRow,
): boolean {
  return lost === undefined && livemode === !proof.livemode;
}

/** Whether the same money is asked for; if no records of money are expected, whether it is the same request. */
export function isEqual(asked: Request, { sent }: Pick<AttemptRecord, 'sent'>): boolean {
  const [now, before] = [asked.expected ?? [], sent.proof.expected ?? []];
  if (now.length === 0 && before.length === 0) return asksForSame(sent, asked);
  const parts = ({ method, path }: Change['request'], expected: typeof now) => [method, path, expected];
  return sameJson(parts(asked.request, now), parts(sent.request, before));
}

/** Whether two values are the same JSON. The order of keys does not matter; the order of items does. */
export function sameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(asWritten(one), asWritten(other));
}

// One of the two may come from the journal, which leaves out `undefined`.
function asWritten(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
