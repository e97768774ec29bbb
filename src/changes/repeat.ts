/**
 * `--idempotency-key` and `--again`: a script that runs again with the same `--idempotency-key` gets the recorded outcome, and nothing is sent.
 */

import { figuresIn } from '../amounts.ts';
import { moneyOf } from '../api/charges.ts';
import { type JsonObject, valueAt } from '../api/json-values.ts';
import type { Column } from '../api/resources.ts';
import { chargeIdPattern } from '../api/spec.ts';
import type { Context } from '../context/context.ts';
import { flag, usage } from '../flags/flags.ts';
import {
  type AttemptRecord,
  type Change,
  type ChangeSubject,
  changeWords,
  type Ended,
  type Outcome,
} from '../journal/journal.ts';
import { accountSpan, type Profile } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { notMadeError, recordedWords, unshownIn } from './by-hand-words.ts';
import { type Applied, appliedOrThrow, type EndedAt, isDryRun, showDryRun } from './outcome.ts';
import { moneyAfter } from './refund/refund-screens.ts';

export const idempotencyKeyPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export const idempotencyKeyFlag = flag.of<string>({
  value: 'ID',
  summary:
    'a name of your own for this change: with the same ID again, paydesk sends nothing and shows the recorded result',
  parse: (text, name) => {
    if (idempotencyKeyPattern.test(text)) return text;
    throw usage(`${name} ${text}: letters, digits and . _ : - only, 128 at most`);
  },
});

/**
 * Names the refund or attempt that this change repeats. The refusal prints that name. Each name works for one sending, so
 * somebody who presses arrow-up and Enter does not send twice.
 */
export const againFlag = flag.of<readonly string[]>({
  value: 'ID,…',
  summary:
    "allow a repeat: ID is the earlier refund or change, or a twin's refund (the refusal names it); each ID works once",
  parse: (text, name) => {
    const ids = text.split(',');
    if (ids.every((id) => chargeIdPattern.test(id))) return ids;
    throw usage(`${name} ${text}: use the ids that the refusal names, with commas between them`);
  },
});

/** How paydesk recognises that the same `--idempotency-key` means the same change. */
export type Repeat = Pick<Change, 'kind' | 'idempotencyKey' | 'asked' | 'again'>;

/** Chooses the columns for the record that a change returned. */
export type ColumnsOf = (record: JsonObject) => readonly Column[];

/**
 * Shows the outcome of an earlier run with the same `--idempotency-key`, or of a run that handed over the very same change and
 * was stopped. Returns undefined when there was no earlier run, or when a new attempt is allowed. Throws CliError 'rejected' or
 * 'unconfirmed' when that was the outcome, 'refused' when the id was used for another change.
 */
export async function showRecorded(
  ctx: Context,
  service: EndedAt,
  { kind, idempotencyKey, asked = {}, again }: Repeat,
  columnsOf: ColumnsOf,
): Promise<Applied | undefined> {
  const recorded = await ctx.journal.recorded(idempotencyKey, { kind, asked, again, service });
  if (recorded === undefined || isDryRun(recorded.outcome)) return undefined;
  const earlier = {
    ...recorded,
    outcome: recorded.outcome,
    idempotencyKey: idempotencyKey ?? 'this command',
  };
  return showRepeat(ctx, service, earlier, columnsOf);
}

/**
 * Returns the change that this run made. Returns undefined after a dry run, and when another run with the same `--idempotency-key` was
 * faster: then it shows the outcome of that run. Throws CliError for every outcome that is not a plain success.
 */
export async function appliedNow(
  ctx: Context,
  service: EndedAt,
  { change, outcome }: { readonly change: Change; readonly outcome: Outcome },
  columnsOf: ColumnsOf,
): Promise<Applied | undefined> {
  if (isDryRun(outcome)) return showDryRun(ctx, outcome);
  if (outcome.recorded === undefined) return appliedOrThrow(ctx, service, change, outcome);
  const { idempotencyKey = '' } = change;
  await showRepeat(ctx, service, { change: change, outcome, idempotencyKey }, columnsOf);
  return undefined;
}

interface Recorded {
  /** The idempotency key, or what else says which run it was. */
  readonly idempotencyKey: string;
  readonly change: ChangeSubject;
  readonly outcome: Ended;
}

async function showRepeat(
  ctx: Context,
  service: EndedAt,
  { idempotencyKey, change, outcome }: Recorded,
  columnsOf: ColumnsOf,
): Promise<Applied> {
  const { profile } = service;
  const { byHand } = outcome;
  const said = byHand && (await recordedWords(ctx, service, byHand, outcome.order?.value));
  const words = wordsBefore[outcome.state] ?? 'made before';
  const before = `${idempotencyKey} was ${words}, journal ${outcome.change ?? ''}`;
  const isMade = outcome.verdict === 'applied' && outcome.alarm === undefined && outcome.state !== 'failed';
  const isShown = ctx.options.dryRun && isMade;
  if (!isShown) ctx.notes.note(`${before}; nothing was sent now`);
  if (byHand !== undefined && outcome.verdict === 'rejected')
    throw notMadeError(ctx, service, change, byHand);
  const applied = await appliedOrThrow(ctx, service, change, outcome);
  if (said !== undefined && !isShown) ctx.notes.warn(`settled by hand: ${said}`);
  const view = [
    { line: [`${words}: ${changeWords(change, profile.settings)}   `, accountSpan(profile)] },
    ...(said === undefined || !isShown ? [] : [{ line: said }]),
    ...madeLines(change, applied),
    ...moneyLines(change, applied, profile, await unshownIn(ctx, service, applied.record.value)),
  ];
  if (ctx.options.dryRun) {
    await showDryRepeat(ctx, applied, before, view);
    return applied;
  }
  const { record } = applied;
  await ctx.out.record(record, columnsFor(change, columnsOf(record.value)), () => view);
  return applied;
}

// What is not among these was made.
const wordsBefore: Partial<Record<Ended['state'], string>> = {
  failed: 'sent and failed before',
  pending: 'sent before and is pending',
  refused: 'refused before',
  unconfirmed: 'sent before',
  'not sent': 'tried before',
  'recorded made': 'recorded as made before',
  'recorded not made': 'recorded as not made before',
};

// Prints the fields that every dry run prints; method, path and body are null, because nothing would be sent.
async function showDryRepeat(
  ctx: Context,
  { change, verdict }: Applied,
  before: string,
  view: readonly Block[],
): Promise<void> {
  const checks = [`${before}: nothing would be sent`];
  const request = { method: null, path: null, body: null };
  await ctx.out.dryRun({ ...request, checks, change: change ?? null, verdict }, () => [
    { line: `would send nothing: ${before}` },
    ...view,
    { line: 'nothing was sent (--dry-run)' },
  ]);
}

// If the order cannot be read again, the record comes from the journal. Its ID column then shows the order's id.
function columnsFor({ kind, orderId }: ChangeSubject, columns: readonly Column[]): readonly Column[] {
  const of = kind === 'api' ? undefined : orderId;
  const made = (record: JsonObject) => ({ ...record, id: record.created ?? of, url: record.link });
  return columns.map((column) => ({
    ...column,
    value: (record, keys) => column.value(record.object === 'change' ? made(record) : record, keys),
  }));
}

// What was created, and where it is paid: as the journal keeps both, or as the order shows them now.
function madeLines({ kind }: ChangeSubject, { record: { value }, created, link }: Applied): readonly Block[] {
  if (kind !== 'order' && kind !== 'checkout') return [];
  const id = created ?? value.id;
  const url = link ?? valueAt(value, ['checkout', 'url']);
  return [
    ...(typeof id === 'string' ? [{ line: `${kind.padEnd(9)}${id}` }] : []),
    ...(typeof url === 'string' ? [{ line: url }] : []),
  ];
}

// One line for each refund, then one line with the refunded sum and what is left.
function moneyLines(
  { currency }: ChangeSubject,
  { record, refunds = [] }: Applied,
  { settings }: Profile,
  unshown: readonly AttemptRecord[],
): readonly Block[] {
  if (refunds.length === 0) return [];
  const figure = figuresIn(currency, settings);
  const lines = refunds.map(({ id, amount, chargeId }) => ({
    line: `refund   ${id ?? 'no id shown'}   ${figure(amount)} on charge ${chargeId}`,
    hang: 9,
  }));
  const money = moneyOf(record.value);
  return money === undefined ? lines : [...lines, ...moneyAfter(money, unshown, settings)];
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The object without the fields that are undefined. */
export function onlyGiven<const T extends object>(values: T): Given<T>;
export function onlyGiven(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Like `onlyGiven`, but returns undefined when no field is left. */
export function givenOrNothing<const T extends object>(values: T): Given<T> | undefined {
  const idempotencyKey = onlyGiven(values);
  return Object.keys(idempotencyKey).length === 0 ? undefined : idempotencyKey;
}
