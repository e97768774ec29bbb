/** What the journal commands share: which attempts are meant, how they are listed and shown. */

import { type Column, fieldColumn } from '../../api/resources.ts';
import { type JsonObject, orderIdPattern } from '../../api/spec.ts';
import { changeOf, scriptIdPattern } from '../../changes/changes.ts';
import { CliError, type ErrorSubject } from '../../errors.ts';
import type { AttemptRecord, Moment, VerdictRow } from '../../journal/journal.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { Completer, Context } from '../command.ts';
import { nextSteps, outcomeWords, recordOf } from './describe-attempt.ts';

/** The columns of a list of attempts. */
export const attemptColumns: readonly Column[] = [
  // People read the list for these two, so they stay on narrow screens.
  { ...fieldColumn('intent', 'INTENT', 'id', 0), stays: true },
  fieldColumn('sent_at', 'SENT', 'time', 0),
  // Of a creation: what it created.
  { ...fieldColumn('order', 'ORDER', 'id', 0), value: ({ order, created }) => order ?? created },
  fieldColumn('amount', 'AMOUNT', 'money', 0),
  { ...fieldColumn('outcome', 'OUTCOME', 'text', 0), stays: true },
  fieldColumn('kind', 'KIND', 'text', 100),
  fieldColumn('operator', 'BY', 'text', 100),
  fieldColumn('profile', 'PROFILE', 'text', 120),
  fieldColumn('note', 'NOTE', 'text', 140),
  fieldColumn('created', 'CREATED', 'id'),
  // An id is never cut, and half a link is of no use.
  fieldColumn('link', 'LINK', 'id'),
  fieldColumn('attempt', 'ATTEMPT', 'integer'),
  fieldColumn('account', 'ACCOUNT', 'text'),
  fieldColumn('currency', 'CURRENCY', 'text'),
  fieldColumn('charges', 'CHARGES', 'text'),
  fieldColumn('verdict', 'VERDICT', 'text'),
  fieldColumn('open', 'OPEN', 'flag'),
  fieldColumn('by', 'SHOWN BY', 'text'),
  fieldColumn('alarm', 'ALARM', 'text'),
  fieldColumn('why', 'WHY', 'text'),
  fieldColumn('verdict_at', 'VERDICT AT', 'time'),
  fieldColumn('refunds', 'REFUNDS', 'text'),
  fieldColumn('reason', 'REASON', 'text'),
  fieldColumn('script_id', 'SCRIPT ID', 'text'),
  fieldColumn('plan', 'PLAN', 'text'),
  fieldColumn('ref', 'REF', 'text'),
  fieldColumn('stated_by', 'STATED BY', 'text'),
  fieldColumn('stated_note', 'HOW KNOWN', 'text'),
];

/**
 * The last attempt of an intent, by the journal's id of it or by a script's own (`--intent`). Throws CliError 'not_found', and
 * 'usage' when a script's id stands for changes of several accounts.
 */
export async function attemptOf(ctx: Context, id: string): Promise<AttemptRecord> {
  const record = (await ctx.journal.attempts({ intent: id })).at(-1) ?? (await attemptOfScript(ctx, id));
  if (record !== undefined) return record;
  throw new CliError('not_found', `the journal of this machine has no ${id}`, {
    ...(intentPattern.test(id) ? { intent: id } : { scriptId: id }),
    now: orderIdPattern.test(id)
      ? [`paydesk journal list --all-profiles --order ${id}`]
      : ['paydesk journal list --all-profiles'],
  });
}

async function attemptOfScript(ctx: Context, scriptId: string): Promise<AttemptRecord | undefined> {
  const origin = ctx.options.profile === undefined ? undefined : await originOf(ctx, false);
  const found = await ctx.journal.attempts({ given: scriptId, origin });
  const intents = [...new Map(found.map(({ sent }) => [sent.intent, sent.profile] as const))];
  if (intents.length < 2) return found.at(-1);
  throw new CliError('usage', `${scriptId} was used for ${intents.length} changes: say which`, {
    scriptId,
    now: intents.map(([intent, profile]) => `${intent} of profile ${profile}`),
  });
}

/** What an error about an attempt names for scripts. */
export function subjectOf({ sent }: AttemptRecord): ErrorSubject {
  const { intent, given: scriptId, proof, profile } = sent;
  return { intent, scriptId, orderId: proof.orderId, profile };
}

/** The origin of the run's profile. Undefined, which means all: with `all`, or where there is no profile. */
export async function originOf(ctx: Context, all: boolean): Promise<string | undefined> {
  if (all) return undefined;
  try {
    return (await ctx.profiles.open()).profile.origin;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'auth' && ctx.options.profile === undefined)
      return undefined;
    throw error;
  }
}

/** Prints attempts as a list. */
export async function showAttempts(ctx: Context, attempts: readonly AttemptRecord[]): Promise<void> {
  const now = await ctx.journal.now();
  const records = attempts.map((record) => recordOf(record, ctx.journal.isOpen(record, now)));
  await ctx.out.ownList(columnsFor(attempts), records);
}

// 80 columns have room for one more: the profile if there are several, else the kind.
function columnsFor(attempts: readonly AttemptRecord[]): readonly Column[] {
  const differ = (of: (record: AttemptRecord) => string) => new Set(attempts.map(of)).size > 1;
  const profiles = differ(({ sent }) => sent.profile);
  const first = profiles ? 'profile' : differ(({ sent }) => sent.proof.kind) ? 'kind' : undefined;
  const hasLinks = attempts.some(({ verdicts }) => verdicts.some(({ link }) => link !== undefined));
  const shown = [first, hasLinks ? 'link' : undefined];
  return attemptColumns.map((column) => (shown.includes(column.name) ? { ...column, tableFrom: 0 } : column));
}

/** Whether a person must look: the attempt is unconfirmed, or its last verdict has an alarm. */
export function needsPerson(ctx: Context, record: AttemptRecord, now: Moment): boolean {
  return ctx.journal.isOpen(record, now) || record.verdicts.at(-1)?.alarm !== undefined;
}

/** Prints one attempt with its history. */
export async function showAttempt(ctx: Context, record: AttemptRecord): Promise<void> {
  const open = ctx.journal.isOpen(record, await ctx.journal.now());
  const until = open ? ctx.journal.blockedUntil(record) : undefined;
  const seconds = until === undefined ? undefined : Math.ceil(until / 1000);
  const words = seconds === undefined ? undefined : ctx.fullTime(seconds * 1000);
  await ctx.out.own(shownOf(record, open, seconds), () => attemptView(record, open, words));
}

/** Throws CliError 'usage' for a name in --columns that `showAttempt` does not have; called before anything is written down. */
export function checkShown(ctx: Context, record: AttemptRecord): void {
  const names = Object.keys(shownOf(record, false, undefined));
  ctx.out.checkColumns(names.map((name) => fieldColumn(name, name.toUpperCase(), 'text')));
}

function shownOf(record: AttemptRecord, open: boolean, until: number | undefined): JsonObject {
  return {
    ...recordOf(record, open),
    blocked_until: until ?? null,
    request: { ...record.sent.request },
    history: record.verdicts.map(historyOf),
  };
}

// Times are Unix seconds, as in the record around it.
function historyOf({ time, verdict, by, why, alarm, operator, note }: VerdictRow): JsonObject {
  return { verdict_at: Math.floor(time / 1000), verdict, by, why, alarm, operator, note };
}

function attemptView(record: AttemptRecord, open: boolean, until: string | undefined): readonly Block[] {
  const { sent, verdicts } = record;
  const { proof, request, neighbour, sendBy } = sent;
  const { created, link } = recordOf(record, open);
  const faint = (text: string) => ({ text, style: 'faint' as const });
  const at = (ms: number) => ({ time: Math.floor(ms / 1000), precision: 'full' as const });
  const refunds = verdicts.at(-1)?.refunds ?? [];
  const words = outcomeWords(record, open);
  return [
    { line: [{ text: `${changeOf(record)}: ${words}`, style: open ? 'warn' : 'strong' }] },
    {
      grid: [
        [faint('intent'), `${sent.intent}, attempt ${sent.attempt}`],
        ...(sent.given === undefined ? [] : [[faint('script id'), sent.given]]),
        ...(typeof created === 'string' ? [[faint('created'), created]] : []),
        ...(typeof link === 'string' ? [[faint('link'), link]] : []),
        ...(proof.orderId === undefined ? [] : [[faint('order'), proof.orderId]]),
        [faint('account'), `${sent.profile}, ${sent.account}`],
        [faint('sent'), [at(sent.time), ` by ${sent.operator}`]],
        ...(sent.lost === undefined
          ? [
              [faint('not after'), at(sendBy)],
              [
                faint('request'),
                `${request.method} /${request.path} ${JSON.stringify(request.body ?? null)}`,
              ],
            ]
          : []),
        ...proof.expected.map(({ chargeId, amount }) => [
          faint('expected'),
          `${amount} on charge ${chargeId}`,
        ]),
        ...(neighbour === undefined ? [] : [[faint('located after'), neighbour]]),
        ...(sent.note === undefined ? [] : [[faint('note'), sent.note]]),
      ],
      indent: 2,
    },
    ...(verdicts.length === 0 ? [] : [{ line: { text: 'history', style: 'strong' as const } }]),
    {
      grid: verdicts.map(({ time, verdict, why, note }) => [
        at(time),
        verdict.replaceAll('_', ' '),
        note === undefined ? why : `${why}: ${note}`,
      ]),
      indent: 2,
    },
    ...refunds.map(({ id, amount, chargeId }) => ({
      line: `refund ${id ?? 'without an id'}   ${amount}   charge ${chargeId}`,
      indent: 2,
    })),
    ...nextSteps(record, open, until).map((line, index) => ({
      line: `${index === 0 ? 'now:  ' : '      '}${line}`,
    })),
  ];
}

const offerIntents: Completer = ({ flags }, known) => known.intents(flags.get('profile'));

const intentPattern = /^i_[A-Za-z0-9]{1,64}$/;

/** The journal's id of an intent, or a script's own, as an argument. */
export function intentArgument<const R extends boolean>(required: R) {
  return {
    name: 'intent',
    summary: "the journal's id, such as i_7f3k2m9q, or the id that a script gave with --intent",
    required,
    offers: offerIntents,
    parse: (text: string): string => {
      if (intentPattern.test(text) || scriptIdPattern.test(text)) return text;
      throw new CliError(
        'usage',
        `INTENT ${text}: neither an id of the journal, which looks like i_7f3k2m9q, nor one that a script gave with --intent`,
        { certain: 'nothing was sent', now: ['paydesk journal list'] },
      );
    },
  } as const;
}
