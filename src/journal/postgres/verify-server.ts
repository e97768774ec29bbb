/** Checks every row of a team's server against this machine's copy, for `team verify` and `journal verify`. */

import type { StoredRow } from '../chain.ts';
import { attemptKey } from '../journal-rows.ts';
import type { Verification } from '../journal-store.ts';
import { comparedRows } from './compared-rows.ts';
import type { Desk } from './desk.ts';
import type { Mirror } from './mirror.ts';
import { serverDiffers } from './server-errors.ts';

/** What a check of the whole journal found, and of its server. */
export interface ServerVerification extends Verification {
  /** How the server is another one than this machine remembers, in words; undefined if it is not. */
  readonly change: string | undefined;
  readonly isAccepted: boolean;
  /** Of how many changes the bodies were erased at the server, and now here too. */
  readonly erased: number;
}

/** What is checked: a server, and the copy of its rows. */
export interface Verified {
  readonly desk: Desk;
  readonly mirror: Mirror;
  readonly place: string;
}

/** Reads every row of the server, checks the chain, and compares the rows with the copy. */
export async function verifyRows({ desk, mirror, place }: Verified, head?: string): Promise<Verification> {
  const found = await desk.allRows();
  return comparedRows(found, await mirror.rows(), { place, head });
}

/** The same, and whether the server is the one that this machine remembers: see `verifyServer` of TeamJournal. */
export async function verifyServer(
  { desk, mirror, place }: Verified,
  { head, accept }: { readonly head?: string | undefined; readonly accept: boolean },
): Promise<ServerVerification> {
  const found = await desk.allRows();
  const { problem, change, memory } = found;
  if (problem !== undefined || memory === undefined)
    throw serverDiffers(problem ?? { problem: 'is a standby', now: [] }, place);
  const mirrored = await mirror.rows();
  const verification = comparedRows(found, mirrored, { place, head });
  const isWhole = verification.findings.length === 0;
  const isAccepted = accept && change !== undefined && isWhole && verification.knowsHead !== false;
  if (isAccepted) await mirror.accept(memory);
  const erased = isWhole ? await eraseToo(mirror, mirrored, found.rows) : 0;
  return { ...verification, change: change?.problem, isAccepted, erased };
}

// What a lead has erased must not stay here. The hash of a body stays, so the chain is as provable as before.
async function eraseToo(
  mirror: Mirror,
  mirrored: readonly StoredRow[],
  rows: readonly StoredRow[],
): Promise<number> {
  const isErased = ({ body, body_hash: hash }: StoredRow) => body === null && hash !== null;
  const gone = new Set(rows.filter(isErased).map(({ seq }) => seq));
  const kept = mirrored.filter(({ seq, body }) => body !== null && gone.has(seq));
  if (kept.length > 0) await mirror.erase(kept);
  return new Set(kept.map(attemptKey)).size;
}
