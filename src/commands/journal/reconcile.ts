/** `journal reconcile`: reads orders again to find out what became of unconfirmed changes. */

import { blockedWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { about, exitCodes } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  attemptName,
  blockedUntil,
  changeOf,
  isOpen,
  isReadable,
  leavesUntil,
  type Moment,
  mayStillLeave,
  needsPerson,
  openAttempts,
  type Resolved,
  recordedState,
} from '../../journal/journal.ts';
import { defineCommand } from '../command.ts';
import { amountStyleOf, attemptColumns, showAttempts } from './attempt-record.ts';
import { outcomeWords } from './attempt-words.ts';
import type { Look } from './history.ts';
import { elsewhereLines, scopeOf } from './journal-scope.ts';
import { dueIn, namesProfile, readAll, readFew, type Unread, warnOfAlarms } from './look-again.ts';
import { changeArgument, findAttempt, subjectOf } from './meant-change.ts';
import { checkShown, showAttempt } from './show.ts';

export const reconcile = defineCommand({
  description:
    'Reads the orders of unconfirmed changes and of watched refunds again and records what became of them; it sends nothing. Without CHANGE it checks the three oldest unconfirmed changes of the account and 20 watched refunds, with --all every one. An alarm, such as a duplicate, stays until journal acknowledge ends it.',
  arguments: [changeArgument(false)],
  flags: {
    all: flag.switch('every unconfirmed change of all accounts; with -p, of that account only'),
  },
  examples: ['paydesk journal reconcile i_7f3k2m9q', 'paydesk journal reconcile --all --quiet'],
  exits: {
    0: 'nothing is left to do',
    7: 'a person must look: a change is unconfirmed, or has an alarm',
  },
  async run(ctx, { args: [change], flags }) {
    if (change !== undefined && flags.all === true) {
      throw usage('CHANGE and --all contradict each other');
    }
    if (change !== undefined) return reconcileOne(ctx, change);
    const everything = flags.all === true;
    const scope = await scopeOf(ctx, everything && ctx.options.profile === undefined);
    const origin = scope?.origin;
    if (ctx.options.dryRun) return showDue(ctx, await dueIn(ctx, origin, everything));
    ctx.out.checkColumns(attemptColumns);
    const { before, reread, unread, isMore } = await (everything ? readAll : readFew)(ctx, origin);
    const now = await ctx.journal.now();
    const isShown = ({ sent }: AttemptRecord) => reread.some((one) => one.sent.change === sent.change);
    // A person also needs to see what no read can decide, and what cannot be decided yet.
    const left = await openAttempts(ctx.journal, { origin });
    const all = [...reread, ...left.filter((one) => !isShown(one))];
    const alarmed = reread.filter((one) => needsPerson(one, now));
    const shown = toShow(ctx, all, before, now);
    await showAttempts(ctx, shown);
    const made = watchedLine(shown, before);
    if (made !== undefined) ctx.notes.note(made);
    if (isMore === true)
      ctx.notes.note(`more refunds are watched; to look at every one: paydesk journal reconcile --all`);
    warnOfOpen(ctx, all, now, unread);
    warnOfAlarms(ctx, all);
    // If rows of the journal are lost, there may be unconfirmed changes that the journal does not show.
    const isWhole = (await ctx.journal.problem()) === undefined;
    if (reread.length + left.length === 0 && isWhole)
      ctx.notes.note(`nothing is unconfirmed${scope === undefined ? '' : ` with profile ${scope.name}`}`);
    for (const line of await elsewhereLines(ctx, scope)) ctx.notes.note(line);
    return left.length + alarmed.length === 0 && isWhole ? 0 : exitCodes.unconfirmed;
  },
});

async function reconcileOne(ctx: Context, id: string): Promise<number | undefined> {
  const record = await findAttempt(ctx, id);
  return about(subjectOf(record), () => reconcileAttempt(ctx, record));
}

async function reconcileAttempt(ctx: Context, before: AttemptRecord): Promise<number | undefined> {
  // A person named this attempt, so a refund that was made is read even when it is not due.
  const due = isReadable(before, await ctx.journal.now()) ? [before] : [];
  if (ctx.options.dryRun) return showDue(ctx, due);
  await checkShown(ctx, before);
  const looked = due.length === 0 ? undefined : await ctx.journal.reconcile(before);
  const record = looked?.record ?? before;
  warnOfAlarms(ctx, [record]);
  await showAttempt(ctx, record, await lookOf(ctx, before, looked));
  return needsPerson(record, await ctx.journal.now()) ? exitCodes.unconfirmed : 0;
}

// Says that the order was read again, when, and what that changed.
async function lookOf(ctx: Context, before: AttemptRecord, looked: Resolved | undefined): Promise<Look> {
  const now = await ctx.journal.now();
  const words = (record: AttemptRecord) => outcomeWords(record, isOpen(record, now));
  const was = words(before);
  if (looked === undefined) {
    const { operator } = before.sent;
    const line = !isOpen(before, now)
      ? 'already certain; not read again'
      : mayStillLeave(before, now)
        ? `not read again: the run of ${operator} may still send it until ${ctx.days.full(Math.ceil(leavesUntil(before) / 1000) * 1000)}, so the order proves nothing before; run this again then`
        : 'not read again: paydesk cannot look it up';
    return { line, at: undefined, was, changed: false };
  }
  const { orderId } = before.sent.proof;
  const at = ctx.clock.now();
  const read = `${orderId ?? 'the newest orders'} again at ${ctx.timeOfDay(at)}`;
  const { record, evidence } = looked;
  const is = words(record);
  if (evidence?.shows === 'unreadable')
    return {
      line: `tried to read ${read}: ${evidence.problem}; nothing changed`,
      at: undefined,
      was,
      changed: false,
    };
  const changed = was !== is;
  if (record.verdicts.at(-1)?.verdict === 'not_seen' && isOpen(record, now)) {
    const seen = orderId === undefined ? 'the newest orders do' : 'the order does';
    return {
      line: `still unconfirmed: read again at ${ctx.timeOfDay(at)}, ${seen} not show it`,
      at,
      was,
      changed,
    };
  }
  const line = changed ? `it was "${was}", and is now "${is}"` : 'nothing changed';
  return { line: `read ${read}: ${line}`, at, was, changed };
}

// What somebody must look at comes first, then the rest, each with the newest first. With --quiet, the rest is only what this run
// has found out.
function toShow(
  ctx: Context,
  records: readonly AttemptRecord[],
  before: readonly AttemptRecord[],
  now: Moment,
): readonly AttemptRecord[] {
  const isOpen = (record: AttemptRecord) => needsPerson(record, now);
  const known = new Map(
    before.map(({ sent, verdicts }) => [attemptName({ sent }), verdicts.at(-1)] as const),
  );
  const isNew = ({ sent, verdicts }: AttemptRecord) => {
    const [last, earlier] = [verdicts.at(-1), known.get(attemptName({ sent }))];
    return last?.verdict !== earlier?.verdict || last?.alarm !== earlier?.alarm;
  };
  const inTime = records.toSorted((one, other) => other.sent.time - one.sent.time);
  const rest = inTime.filter((one) => !isOpen(one) && (!ctx.options.quiet || isNew(one)));
  return [...inTime.filter(isOpen), ...rest];
}

// Nobody asked for refunds that were already made: this says why they are in the list. `before`: the attempts before this run.
function watchedLine(shown: readonly AttemptRecord[], before: readonly AttemptRecord[]): string | undefined {
  const isQuiet = (record: AttemptRecord) => recordedState(record) === 'made';
  const known = new Set(before.filter(isQuiet).map(attemptName));
  const watched = shown.filter((record) => isQuiet(record) && known.has(attemptName(record)));
  const [first, second] = watched;
  if (first === undefined) return undefined;
  const which = second === undefined ? `${first.sent.change} was` : `${watched.length} of these were`;
  return `${which} made before; paydesk read ${second === undefined ? 'its order' : 'their orders'} again in case a refund shows twice`;
}

// A table may cut the outcome; what to do now is written in full, below it.
function warnOfOpen(ctx: Context, records: readonly AttemptRecord[], now: Moment, unread: Unread): void {
  const named = namesProfile(records);
  for (const record of records.filter((one) => isOpen(one, now))) {
    const { change, proof } = record.sent;
    const until = blockedUntil(record);
    const blocked = blockedWords(
      until === undefined ? undefined : ctx.days.full(Math.ceil(until / 1000) * 1000),
    );
    const on = proof.orderId === undefined ? '' : ` on ${proof.orderId}`;
    const problem = unread.get(change);
    const outcome = problem === undefined ? outcomeWords(record, true) : unreadWords(problem);
    ctx.notes.warn(
      `${changeOf(record, amountStyleOf(ctx, record))}${on}${named(record)}: ${outcome}; ${blocked}: paydesk journal show ${change}`,
    );
  }
}

// Repeating what was known before would read as if this run had looked and the order did not show it.
function unreadWords(problem: string): string {
  return `unconfirmed, and could not be looked up: ${problem}; nothing new is known`;
}

// A dry run does not read the order, because paydesk writes down what a read proves.
async function showDue(ctx: Context, due: readonly AttemptRecord[]): Promise<undefined> {
  const changes = due.map(({ sent }) => sent.change);
  await ctx.out.dryRun({ action: 'reconcile', changes }, () => [
    { line: due.length === 0 ? 'would read nothing: no change needs it' : 'would read again:' },
    ...due.map((record) => ({
      line: `${record.sent.change}, ${changeOf(record, amountStyleOf(ctx, record))}`,
      indent: 2,
    })),
  ]);
}
