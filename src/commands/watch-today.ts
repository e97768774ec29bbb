/** `today --watch`: what is sent, waits, is unconfirmed or is refused, from now on, until Ctrl-C. */

import { pendingRequests } from '../changes/changes.ts';
import type { Context } from '../context/context.ts';
import { CliError } from '../errors.ts';
import {
  type AttemptRecord,
  attemptName,
  changeOf,
  needsPerson,
  pagesOf,
  sentBy,
} from '../journal/journal.ts';
import { recordedState } from '../orders/orders.ts';
import type { Profile } from '../profiles/profiles.ts';

const everyMs = 3_000;

interface Counts {
  readonly underWay: number;
  readonly waiting: number;
  readonly unconfirmed: number;
  readonly refused: number;
}

/** Shows the counts in a line that is refreshed in place, and a line above it for each change whose state is new. */
export async function watchToday(ctx: Context): Promise<undefined> {
  const { profile } = await ctx.service();
  const since = (await ctx.journal.now()).time;
  const told = new Map<string, string>();
  let words = 'reading the journal';
  const end = ctx.notes.progress(() => words);
  try {
    for (;;) {
      words = await look(ctx, profile, since, told).catch((error: unknown) => {
        if (!(error instanceof CliError) || error.kind !== 'network') throw error;
        return error.message;
      });
      await ctx.clock.sleep(everyMs, ctx.signal);
    }
  } catch (error) {
    const { aborted, reason } = ctx.signal;
    if (!aborted || !(reason instanceof CliError) || reason.kind !== 'interrupted') throw error;
    return undefined;
  } finally {
    end();
  }
}

// Says what is new, and returns the counts in words.
async function look(
  ctx: Context,
  profile: Profile,
  since: number,
  told: Map<string, string>,
): Promise<string> {
  const { origin, settings } = profile;
  const now = await ctx.journal.now();
  const young: AttemptRecord[] = [];
  for await (const page of pagesOf(ctx.journal, { origin, since }, { limit: 250 })) young.push(...page);
  for (const record of young.toReversed()) {
    const { sent } = record;
    const state = stateOf(record);
    if (told.get(attemptName(record)) === state) continue;
    told.set(attemptName(record), state);
    const order = sent.proof.orderId === undefined ? '' : ` on ${sent.proof.orderId}`;
    ctx.notes.note(
      `${ctx.timeOfDay(sent.time)} ${sentBy(sent)}: ${changeOf(record, settings)}${order}: ${state}`,
    );
  }
  const open = await ctx.journal.attempts({ origin, open: now });
  return countWords({
    underWay: open.filter(({ verdicts }) => verdicts.length === 0).length,
    waiting: (await pendingRequests(ctx)).length,
    unconfirmed: open.filter((one) => one.verdicts.length > 0 && needsPerson(one, now)).length,
    refused: young.filter(({ verdicts }) => verdicts.at(-1)?.verdict === 'rejected').length,
  });
}

function countWords({ underWay, waiting, unconfirmed, refused }: Counts): string {
  return `${underWay} under way, ${waiting} waiting for approval, ${unconfirmed} unconfirmed, ${refused} refused since the start. Ctrl-C ends`;
}

function stateOf(record: AttemptRecord): string {
  return record.verdicts.length === 0 ? 'under way' : recordedState(record);
}
