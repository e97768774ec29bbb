/** `--intent`: a script's own id of what it wants once. A repeat gives the recorded outcome and sends nothing. */

import type { Service } from '../api/api.ts';
import { readMoney } from '../api/charges.ts';
import { type Column, chargeIdPattern, type JsonObject, valueAt } from '../api/spec.ts';
import type { ChangeSubject, Intent, Outcome } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { accountLabel } from './account.ts';
import type { Context } from './command.ts';
import { flag, usage } from './command.ts';
import { changeWords } from './kind-words.ts';
import { refundedSum } from './orders/money-view.ts';
import { type Applied, appliedOrThrow, isDryRun, showDryRun } from './outcome.ts';
import type { Ended } from './unrecorded.ts';

const intentIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The flag of every change that can be repeated safely. */
export const intentFlag = flag.of<string>({
  value: 'ID',
  summary: "a script's own id of this change: the same ID again gives the recorded outcome",
  parse: (text, name) => {
    if (intentIdPattern.test(text)) return text;
    throw usage(`${name} ${text}: letters, digits and . _ : - only, 128 at most`);
  },
});

/**
 * `--again`: names the refund or attempt that this repeats, as the refusal printed it. Each name works for one sending, so
 * that arrow-up and Enter sends nothing again.
 */
export const againFlag = flag.of<readonly string[]>({
  value: 'ID,…',
  summary: 'the refund or attempt that this repeats (the refusal says which ID); each ID works once',
  parse: (text, name) => {
    const ids = text.split(',');
    if (ids.every((id) => chargeIdPattern.test(id))) return ids;
    throw usage(`${name} ${text}: ids, as the refusal gives them, with commas between them`);
  },
});

/** What is compared when the same id comes again; absent values are left out. */
export function askedFor(values: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Throws CliError 'usage' for an `--intent` without an order: the same order under the same id, or it is something else. */
export function checkOrderNamed(orderId: string | undefined, intentId: string | undefined): void {
  if (intentId !== undefined && orderId === undefined) throw usage('missing ID: --intent repeats one order');
}

/** What was asked for under a script's id. */
export type Repeat = Pick<Intent, 'kind' | 'intentId' | 'asked' | 'again'>;

/** The columns of what a command makes, where `record` shows it. */
export type ColumnsOf = (record: JsonObject) => readonly Column[];

/**
 * Shows the recorded outcome of an earlier run under the same id; undefined when a new attempt is due. Throws as the
 * outcome says: 'rejected', or 'unknown' while it is open; 'refused' when the id was used for something else.
 */
export async function showRecorded(
  ctx: Context,
  service: Pick<Service, 'profile' | 'keyFingerprint'>,
  { kind, intentId, asked = {}, again }: Repeat,
  columnsOf: ColumnsOf,
): Promise<Applied | undefined> {
  if (intentId === undefined) return undefined;
  const { profile } = service;
  const recorded = await ctx.journal.recorded(intentId, { kind, asked, again, service });
  if (recorded === undefined || isDryRun(recorded.outcome)) return undefined;
  return showRepeat(ctx, profile, { ...recorded, outcome: recorded.outcome, intentId }, columnsOf);
}

/**
 * What was made now. Undefined where nothing was sent now, which is then shown: after a dry run, and where another run
 * under the same id was first. Throws as the outcome says.
 */
export async function appliedNow(
  ctx: Context,
  profile: Profile,
  { intent, outcome }: { readonly intent: Intent; readonly outcome: Outcome },
  columnsOf: ColumnsOf,
): Promise<Applied | undefined> {
  if (isDryRun(outcome)) return showDryRun(ctx, outcome);
  if (outcome.recorded === undefined) return appliedOrThrow(ctx, profile, intent, outcome);
  const { intentId = '' } = intent;
  await showRepeat(ctx, profile, { change: intent, outcome, intentId }, columnsOf);
  return undefined;
}

interface Recorded {
  readonly intentId: string;
  readonly change: ChangeSubject;
  readonly outcome: Ended;
}

async function showRepeat(
  ctx: Context,
  profile: Profile,
  { intentId, change, outcome }: Recorded,
  columnsOf: ColumnsOf,
): Promise<Applied> {
  const before = `${intentId} was ${beforeWords[outcome.verdict]} before, journal ${outcome.intent ?? ''}`;
  const isShown = ctx.options.dryRun && outcome.verdict === 'applied' && outcome.alarm === undefined;
  if (!isShown) ctx.notes.note(`${before}; nothing was sent now`);
  const applied = appliedOrThrow(ctx, profile, change, outcome);
  const view = [
    { line: [`applied before: ${changeWords(change)}   `, accountLabel(profile)] },
    ...madeLines(change, applied),
    ...moneyLines(applied),
  ];
  if (ctx.options.dryRun) {
    await showDryRepeat(ctx, applied, before, view);
    return applied;
  }
  const { record } = applied;
  await ctx.out.record(record, columnsFor(change, columnsOf(record.value)), () => view);
  return applied;
}

const beforeWords: Readonly<Record<Ended['verdict'], string>> = {
  applied: 'applied',
  rejected: 'refused',
  not_sent: 'tried',
  unknown: 'sent',
  not_seen: 'sent',
};

// The fields of any dry run: there is no request, since nothing would be sent.
async function showDryRepeat(
  ctx: Context,
  { intent, verdict }: Applied,
  before: string,
  view: readonly Block[],
): Promise<void> {
  const checks = [`${before}: nothing would be sent`];
  const request = { method: null, path: null, body: null };
  await ctx.out.dryRun({ ...request, checks, intent: intent ?? null, verdict }, () => [
    { line: `would send nothing: ${before}` },
    ...view,
    { line: 'nothing was sent (--dry-run)' },
  ]);
}

// Where what was made cannot be read again, the journal's row stands for it, and that row's id is the journal's.
function columnsFor({ kind, orderId }: ChangeSubject, columns: readonly Column[]): readonly Column[] {
  const of = kind === 'api' ? undefined : orderId;
  const made = (record: JsonObject) => ({ ...record, id: record.created ?? of });
  return columns.map((column) => ({
    ...column,
    value: (record) => column.value(record.object === 'intent' ? made(record) : record),
  }));
}

// Which order a creation made, and its link; of a payment link the journal holds nothing.
function madeLines({ kind }: ChangeSubject, { record: { value } }: Applied): readonly Block[] {
  if (kind !== 'order') return [];
  const id = value.object === 'intent' ? value.created : value.id;
  const url = valueAt(value, ['checkout', 'url']);
  return [
    ...(typeof id === 'string' ? [{ line: `order    ${id}` }] : []),
    ...(typeof url === 'string' ? [{ line: url }] : []),
  ];
}

// What went back, and what is left now.
function moneyLines({ record, refunds = [] }: Applied): readonly Block[] {
  const reading = readMoney(record.value);
  if (refunds.length === 0) return [];
  const lines = refunds.map(({ id, amount, chargeId }) => ({
    line: `refund   ${id ?? 'no id shown'}   ${amount} on charge ${chargeId}`,
    hang: 9,
  }));
  if (!('money' in reading)) return lines;
  const { money } = reading;
  const refunded = refundedSum(money);
  return [
    ...lines,
    { line: `money    ${refunded} refunded of ${money.amount}; ${money.amount - refunded} left` },
  ];
}
