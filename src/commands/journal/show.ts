/** `journal show`: shows one change, what was sent, its history, and what to do now. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { column } from '../../api/resources.ts';
import { secondsOf } from '../../api/spec.ts';
import { planRowWords, replyWords, untilWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { orElse } from '../../errors.ts';
import {
  type AttemptRecord,
  archivedBy,
  attemptName,
  blockedUntil,
  changeOf,
  isOpen,
  isSentAgain,
  type Moment,
  otherAlarms,
  recordedState,
  repeatCommand,
  sentAgain,
  tooEarlyUntil,
  whoSent,
} from '../../journal/journal.ts';
import { gaveNothing } from '../../orders/orders.ts';
import { commandLine, plainCommand, profileNamed } from '../../profiles/profiles.ts';
import type { Block, Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { amountStyleOf, appearanceOf, columnsOfAttempt, madeBy, recordOf, saidBy } from './attempt-record.ts';
import { alarmSteps, nextSteps, outcomeWords, refundsShown, whose } from './attempt-words.ts';
import { fullTime, historyGrid, historyOf, type Look } from './history.ts';
import { askingFile, fromFlag, scopeOf } from './journal-scope.ts';
import { attemptOrOnly, changeArgument, orByNumber } from './meant-change.ts';

export const show = defineCommand({
  description:
    "Shows what was sent, what paydesk found out since, and what to do now. The id of an order, or the shop's own number, can be given instead if the order has only one change. Reads only the journal, except for that number.",
  arguments: [changeArgument(true)],
  flags: { from: fromFlag },
  examples: ['paydesk journal show i_7f3k2m9q', 'paydesk journal show i_7f3k2m9q --json | jq -r .verdict'],
  async run(here, { args: [change], flags: { from } }): Promise<undefined> {
    const ctx = await askingFile(here, from);
    const find = (id: string) => attemptOrOnly(ctx, id);
    await showAttempt(ctx, from === undefined ? await orByNumber(ctx, change, find) : await find(change));
  },
});

/** Prints one attempt with its history; first what a new read showed, if there was one. */
export async function showAttempt(ctx: Context, record: AttemptRecord, look?: Look): Promise<void> {
  const now = await ctx.journal.now();
  const open = isOpen(record, now);
  const early = open ? tooEarlyUntil(record, now) : undefined;
  const until = open ? blockedUntil(record) : undefined;
  const seconds = until === undefined ? undefined : Math.ceil(until / 1000);
  const words = seconds === undefined ? undefined : ctx.days.full(seconds * 1000);
  const style = amountStyleOf(ctx, record);
  const known = await ctx.journal.onSameOrder(record);
  const appears = await appearanceOf(ctx, record);
  const archived = await archivedWords(ctx, record);
  const evidence = await evidenceOf(ctx, record);
  const askedAt = await askedAtOf(ctx, record);
  const looked = look && {
    read_at: secondsOf(look.at) ?? null,
    changed: look.changed,
    outcome_before: look.was,
  };
  await ctx.out.own(
    { ...shownOf(record, now, seconds), ...appears, ...looked },
    () => [
      ...(look === undefined ? [] : [{ line: look.line, hang: 2 }]),
      ...attemptView(ctx, record, open, {
        known,
        appears: appears.may_appear_until,
        archived,
        evidence,
        askedAt,
        until: words,
        style,
        look,
        early: early === undefined ? undefined : ctx.shortTime(Math.ceil(early / 1000) * 1000),
      }),
    ],
    columnsOfAttempt(ctx, record),
  );
}

// When it was archived, and the command that shows all of it; undefined if it was not. The journal knows only the name of the file;
// a person knows its folder.
async function archivedWords(ctx: Context, { sent }: AttemptRecord): Promise<Cell | undefined> {
  const { archived, change } = sent;
  if (archived === undefined) return undefined;
  const rows = (await ctx.journal.settings()).flatMap((row) =>
    row.type === 'setting' ? (archivedBy(row) ?? []) : [],
  );
  const file = rows.find(({ at }) => at === archived.at)?.file;
  const all =
    file === undefined ? [] : [`; all of it: ${plainCommand('journal', 'show', change, '--from', file)}`];
  return [fullTime(archived.at), ...all];
}

/** Checks --columns before anything is written down. Throws CliError 'usage' for a name that `showAttempt` does not have. */
export async function checkShown(ctx: Context, record: AttemptRecord): Promise<void> {
  const names = Object.keys(shownOf(record, await ctx.journal.now(), undefined));
  ctx.out.checkColumns(names.map((name) => column(name, 'text')));
}

function shownOf(record: AttemptRecord, now: Moment, until: number | undefined): JsonObject {
  return {
    ...recordOf(record, now),
    blocked_until: until ?? null,
    request: { ...record.sent.request },
    history: record.verdicts.map(historyOf),
  };
}

interface Viewed {
  /** The attempts on its order. */
  readonly known: readonly AttemptRecord[];
  /** Until when it may still take effect though somebody recorded that it was not made, Unix seconds. */
  readonly appears: number | undefined;
  /** When it was archived, and where all of it is; undefined if it was not. */
  readonly archived: Cell | undefined;
  /** The command that writes the evidence for it; undefined if it is not a refund, or if only its outcome is left. */
  readonly evidence: string | undefined;
  /** When its approval was asked for, Unix milliseconds; undefined if it needed none, or if that is not known. */
  readonly askedAt: number | undefined;
  /** By when at the latest it is no longer open, and from when on a person may record that it was not made. */
  readonly until: string | undefined;
  readonly early: string | undefined;
  readonly style: AmountStyle;
  readonly look: Look | undefined;
}

function attemptView(
  ctx: Context,
  record: AttemptRecord,
  open: boolean,
  { known, appears: late, archived, evidence, askedAt, until, early, style, look }: Viewed,
): readonly Block[] {
  const { sent, verdicts } = record;
  const appears = late === undefined ? undefined : untilWords(ctx, late * 1000);
  const words = outcomeWords(record, open);
  const figure = (amount: number) => amountWords(amount, sent.currency, style);
  return [
    { line: [{ text: `${changeOf(record, style)}: ${words}`, style: open ? 'warn' : 'strong' }] },
    {
      grid: [...factsOf(record, figure, { evidence, known }), ...fact('archived', archived)].map(
        ([name, value]) => [{ text: name, style: 'faint' as const }, value],
      ),
      indent: 2,
    },
    ...(verdicts.length === 0 ? [] : [{ line: { text: 'history', style: 'strong' as const } }]),
    { grid: historyGrid(record, look, askedAt), indent: 2 },
    ...refundsShown(record, known).map(({ id, amount, chargeId }) => ({
      line: `refund ${id ?? 'without an id'}   ${figure(amount)}   charge ${chargeId}${whose(record, known, id)}`,
      indent: 2,
    })),
    ...[
      ...nextSteps(record, {
        open,
        until,
        early,
        appears,
        isJustRead: look?.at !== undefined,
        again:
          isSentAgain(record, known) || sentAgain(record, known)
            ? undefined
            : againCommand(ctx, record, style),
        asks: ctx.ask.interactive,
      }),
      ...alarmSteps(otherAlarms(record, known)),
    ].map((line, index) => ({
      line: `${index === 0 ? 'now:  ' : '      '}${line}`,
      hang: 6,
    })),
  ];
}

function againCommand(ctx: Context, record: AttemptRecord, amounts: AmountStyle): string {
  const { proof, currency, profile, note } = record.sent;
  const shown = {
    shortTime: (ms: number) => ctx.shortTime(ms),
    amounts,
    currency,
    profile,
    asked: { body: proof.body, note },
  };
  return repeatCommand(proof, shown, attemptName(record));
}

// What was sent, each fact with its name.
function factsOf(
  record: AttemptRecord,
  figure: (amount: number) => string,
  { evidence, known }: Pick<Viewed, 'evidence' | 'known'>,
): readonly (readonly [name: string, value: Cell])[] {
  const { sent } = record;
  const { proof, request, sendBy } = sent;
  const { created, link } = madeBy(record.verdicts) ?? {};
  const again = gaveNothing(recordedState(record)) ? sentAgain(record, known) : undefined;
  const said = saidBy(record);
  // The journal has an archived change only in short.
  const isKnown = sent.lost === undefined && sent.archived === undefined;
  const sentRequest = `${request.method} /${request.path} ${JSON.stringify(request.body ?? null)}`;
  return [
    ['change', `${sent.change}, attempt ${sent.attempt}`],
    ...fact('idempotency key', sent.idempotencyKey),
    ...fact('created', created),
    ...fact('link', link),
    ...fact('plan', planRowWords(sent)),
    ...fact('order', proof.orderId),
    ['account', `${sent.profile}, ${sent.account}`],
    ['sent', [fullTime(sent.time), ` by ${whoSent(sent)}`]],
    ...fact('reason', sent.reason),
    ...fact('asked by', proof.kind === 'refund' ? askedByWords(sent) : undefined),
    ...fact('hold', skippedHoldOf(sent)),
    ...fact('could be sent', isKnown ? ['until ', fullTime(sendBy)] : undefined),
    ...fact('request', isKnown ? sentRequest : undefined),
    ...proof.expected.map(
      ({ chargeId, amount }) =>
        ['asked for', `a refund of ${figure(-amount)} on charge ${chargeId}`] as const,
    ),
    ...fact('reply', said && [replyWords(said), ...saidRefunds(record, figure)]),
    ...fact('evidence', evidence),
    ...fact('note', sent.note),
    ...fact('sent again', again && `as ${again.sent.change} by ${whoSent(again.sent)}`),
    ...fact('ticket', sent.ticket),
    ...fact(
      'twin',
      sent.twins && `sent although its twin was refunded: --again named ${sent.twins.join(' and ')}`,
    ),
  ];
}

function askedByWords({ operator, askedBy = operator, approval }: AttemptRecord['sent']): string {
  return approval === undefined ? askedBy : `${askedBy}: ${approval}`;
}

// What a reply that said plainly yes showed about the refund, before any read.
function saidRefunds({ verdicts: [first] }: AttemptRecord, figure: (amount: number) => string) {
  const refunds = first?.by === 'reply' ? (first.refunds ?? []) : [];
  return refunds.flatMap(({ id = 'without an id', amount, createdAt }, index) => [
    `${index === 0 ? ':' : ';'} refund ${id} of ${figure(-amount)}`,
    ...(createdAt === undefined ? [] : [', made ', fullTime(createdAt * 1000)]),
  ]);
}

function fact(name: string, value: Cell | undefined): readonly (readonly [name: string, value: Cell])[] {
  return value === undefined ? [] : [[name, value]];
}

// Where to get the evidence: what the screen showed, the bytes that were sent and what the service said. In a team, the sender has
// it, not the desk.
async function evidenceOf(ctx: Context, { sent }: AttemptRecord): Promise<string | undefined> {
  const { change, profile, proof, lost, archived } = sent;
  if (proof.kind !== 'refund' || lost !== undefined || archived !== undefined) return undefined;
  const words = ['prove', change, '--to', 'proof.ndjson'];
  const sender = (await scopeOf(ctx, false))?.sender;
  if (sender !== undefined) return `at the sender (${sender.origin}): ${plainCommand(...words)}`;
  return `what was shown, sent and answered: ${commandLine(profileNamed(profile), ...words)}`;
}

// A change that was recorded before changes had this time: the team has the requests of the last days.
async function askedAtOf(ctx: Context, { sent }: AttemptRecord): Promise<number | undefined> {
  const { approval, askedAt } = sent;
  if (approval === undefined || askedAt !== undefined) return askedAt;
  const rules = await ctx.journal.rules().catch(orElse(() => undefined));
  const requests = await rules?.approvals().catch(orElse(() => undefined));
  return requests?.find(({ id }) => id === approval)?.asked.time;
}

function skippedHoldOf({ skippedHoldMs }: AttemptRecord['sent']): string | undefined {
  if (skippedHoldMs === undefined) return undefined;
  return `skipped with --no-hold: refund.hold was ${skippedHoldMs / 1000} s`;
}
