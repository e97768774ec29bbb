/** An attempt of the journal as one flat record, and the columns in which lists of attempts show it. */

import { type AmountStyle, plainAmounts } from '../../amounts.ts';
import { type Column, fieldColumn } from '../../api/resources.ts';
import type { JsonObject } from '../../api/spec.ts';
import { acknowledgementOf, mayAppearUntil, untilWords } from '../../changes/changes.ts';
import { type AttemptRecord, broughtBy, statementOn, type VerdictRow } from '../../journal/journal.ts';
import type { Context } from '../command.ts';
import { briefOutcome, longestOutcome, outcomeWords } from './attempt-words.ts';

export const attemptColumns: readonly Column[] = [
  // People read the list for these two, so they stay on narrow screens.
  { ...fieldColumn('intent', 'INTENT', 'id', 0), stays: true },
  { ...fieldColumn('sent_at', 'SENT', 'time', 0), below: () => 'sent' },
  // For a creation: what it created.
  {
    ...fieldColumn('order', 'ORDER', 'id', 0),
    below: ({ order }) => (order === null ? 'created' : 'order'),
    value: ({ order, created }) => order ?? created,
  },
  fieldColumn('amount', 'AMOUNT', 'money', 0),
  {
    ...fieldColumn('outcome', 'OUTCOME', 'text', 0),
    stays: true,
    least: longestOutcome,
    brief: { value: (record) => briefOutcome(record) },
  },
  { ...fieldColumn('kind', 'KIND', 'text', 100), isMissed: true },
  {
    ...fieldColumn('operator', 'BY', 'text', 100),
    isMissed: true,
    value: ({ operator, brought_by: member }) => bySaid(operator, member, ', brought by '),
    brief: { value: ({ operator, brought_by: member }) => bySaid(operator, member, ', by ') },
  },
  fieldColumn('profile', 'PROFILE', 'text', 120),
  fieldColumn('note', 'NOTE', 'text', 140),
  fieldColumn('name', 'NAME', 'text'),
  fieldColumn('created', 'CREATED', 'id'),
  fieldColumn('link', 'LINK', 'link'),
  fieldColumn('attempt', 'ATTEMPT', 'integer'),
  fieldColumn('account', 'ACCOUNT', 'text'),
  fieldColumn('currency', 'CURRENCY', 'text'),
  fieldColumn('charges', 'CHARGES', 'text'),
  fieldColumn('verdict', 'VERDICT', 'text'),
  fieldColumn('open', 'UNCONFIRMED', 'flag'),
  fieldColumn('by', 'SHOWN BY', 'text'),
  fieldColumn('alarm', 'ALARM', 'text'),
  fieldColumn('why', 'WHY', 'text'),
  fieldColumn('verdict_at', 'VERDICT AT', 'time'),
  fieldColumn('refunds', 'REFUNDS', 'text'),
  fieldColumn('reason', 'REASON', 'text'),
  fieldColumn('twins', 'TWINS', 'text'),
  fieldColumn('script_id', 'SCRIPT ID', 'text'),
  fieldColumn('plan', 'PLAN', 'text'),
  fieldColumn('ref', 'REF', 'text'),
  fieldColumn('stated_by', 'RECORDED BY', 'text'),
  fieldColumn('stated_note', 'HOW KNOWN', 'text'),
  fieldColumn('acknowledged_by', 'ACKNOWLEDGED BY', 'text'),
  fieldColumn('acknowledged_note', 'DONE ABOUT IT', 'text'),
  fieldColumn('http_status', 'HTTP', 'integer'),
  fieldColumn('type', 'TYPE', 'text'),
  fieldColumn('code', 'CODE', 'text'),
  fieldColumn('log_id', 'LOG ID', 'text'),
  fieldColumn('message', 'MESSAGE', 'text'),
];

// Who made a change that somebody else brought into the journal of a team.
function bySaid(operator: unknown, member: unknown, link: string): unknown {
  return typeof member === 'string' && member !== operator ? `${String(operator)}${link}${member}` : operator;
}

/** How a list of attempts was asked for. */
interface Asked {
  /** Somebody typed what was created, so when it was sent says more than its name. */
  readonly isSearched?: boolean;
  /** Somebody typed the name of a person. */
  readonly isOfPerson?: boolean;
}

export async function showAttempts(
  ctx: Context,
  attempts: readonly AttemptRecord[],
  asked: Asked = {},
): Promise<void> {
  const now = await ctx.journal.now();
  const records = attempts.map((record) => ({
    ...recordOf(record, ctx.journal.isOpen(record, now)),
    ...mayAppear(ctx, record),
  }));
  const amountsOf = amountStyles(ctx, attempts);
  await ctx.out.ownList(
    columnsFor(attempts, asked).map((column) => ({
      ...column,
      amountsOf,
      ...(column.name === 'outcome' ? { value: (record: JsonObject) => withAppearing(ctx, record) } : {}),
    })),
    records,
  );
}

/** Until when a change may still take effect that somebody recorded as not made; nothing if it no longer can. */
export function mayAppear(ctx: Context, record: AttemptRecord): { readonly may_appear_until?: number } {
  const until = mayAppearUntil(ctx.journal, record, ctx.clock.now());
  return until === undefined ? {} : { may_appear_until: Math.ceil(until / 1000) };
}

function withAppearing(ctx: Context, { outcome, may_appear_until: until }: JsonObject): unknown {
  return typeof until === 'number'
    ? `${String(outcome)}; it may still appear until ${untilWords(ctx, until * 1000)}`
    : outcome;
}

// The amounts of each attempt are shown as its own profile says, since a list may have those of several.
function amountStyles(
  { profiles }: Context,
  attempts: readonly AttemptRecord[],
): (record: JsonObject) => AmountStyle {
  const names = new Set(attempts.map(({ sent }) => sent.profile));
  const styles = new Map([...names].map((name) => [name, profiles.amountStyle(name)] as const));
  return ({ profile }) => (typeof profile === 'string' ? styles.get(profile) : undefined) ?? plainAmounts;
}

// A screen of 80 columns has room for one more column: the profile if several are listed, or else who sent it if several people
// did, or else the kind. Rows of two accounts must never look alike, so the profile stays, and so do money and time; the id of the
// order then stands below its row. For the name of a person the time loses its clock or its day before anything else goes. Whoever
// lists payment links wants to see their names, and the links below. The outcome is never cut for any of them; where kinds
// differ, it tells the kind by its verb.
function columnsFor(
  attempts: readonly AttemptRecord[],
  { isSearched = false, isOfPerson = false }: Asked,
): readonly Column[] {
  const differ = (of: (record: AttemptRecord) => string) => new Set(attempts.map(of)).size > 1;
  const profiles = differ(({ sent }) => sent.profile);
  const kinds = differ(({ sent }) => sent.proof.kind);
  const people = isOfPerson || differ(({ sent }) => `${sent.operator} ${broughtBy(sent)}`);
  const named = attempts.some((record) => nameOf(record) !== undefined);
  const hasLinks = attempts.some(({ verdicts }) => verdicts.some(({ link }) => link !== undefined));
  const onlyLinks = attempts.every(({ sent }) => sent.proof.kind === 'checkout');
  const names = onlyLinks && named;
  const shown = [kinds && !profiles && !people ? 'kind' : undefined];
  const first = profiles || names || isSearched ? ['sent_at', 'amount'] : [];
  const later = names ? ['kind', 'operator', ...(profiles ? [] : ['profile'])] : [];
  const ofTeam = attempts.some(({ sent }) => sent.stamp?.desk !== undefined) ? [deskColumn] : [];
  return [...attemptColumns, ...ofTeam].map((column) => {
    if (profiles && column.name === 'profile')
      return { ...column, tableFrom: 0, stays: true, least: longestProfile };
    if (people && column.name === 'operator') return { ...column, tableFrom: 0, stays: true };
    if (people && !profiles && column.name === 'sent_at') return { ...column, brief: { title: 'SENT' } };
    if (hasLinks && column.name === 'link') return { ...column, tableFrom: 0, below: () => 'link' };
    if (names && column.name === 'name') return { ...column, tableFrom: 0, early: true };
    if (first.includes(column.name)) return { ...column, early: true };
    // Where a link is shown, its id is needed on wide screens only.
    if (onlyLinks && column.name === 'order')
      return { ...column, title: 'CREATED', tableFrom: hasLinks ? 120 : 0 };
    if (kinds && column.name === 'outcome') return { ...column, brief: { value: verbOutcome } };
    if (shown.includes(column.name)) return { ...column, tableFrom: 0 };
    return later.includes(column.name) ? { ...column, tableFrom: 160 } : column;
  });
}

// In a team whose desks have names.
const deskColumn = fieldColumn('desk', 'DESK', 'text', 120);

// Names of profiles are rarely longer, and may have 63 letters.
const longestProfile = 20;

const verbOutcome = (record: JsonObject): string => briefOutcome(record, String(record.kind));

/** The columns of one attempt, with its amount as its profile shows it. */
export function columnsOfAttempt(ctx: Context, record: AttemptRecord): readonly Column[] {
  const style = amountStyleOf(ctx, record);
  return attemptColumns
    .filter(({ kind }) => kind === 'money')
    .map((column) => ({ ...column, amountsOf: () => style }));
}

/** How the amounts of an attempt are shown: as the profile says that it was sent with. */
export function amountStyleOf({ profiles }: Context, { sent }: AttemptRecord): AmountStyle {
  return profiles.amountStyle(sent.profile);
}

/** An attempt as one flat record. Times are Unix seconds, as the service's. */
export function recordOf(record: AttemptRecord, open: boolean): JsonObject {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const charges = sent.proof.expected.map(({ chargeId }) => chargeId);
  const said = statementOn(record);
  const stated =
    said?.acknowledged === undefined ? said : verdicts.findLast((row) => row.acknowledged === undefined);
  const ended = acknowledgementOf(record);
  return {
    object: 'intent',
    intent: sent.intent,
    script_id: sent.given ?? null,
    attempt: sent.attempt,
    profile: sent.profile,
    account: sent.account,
    order: sent.proof.orderId ?? null,
    kind: sent.proof.kind,
    amount: sent.amount ?? null,
    currency: sent.currency ?? null,
    charges: charges.join(' '),
    verdict: last?.verdict ?? 'sent',
    outcome: outcomeWords(record, open),
    open,
    by: last?.by ?? null,
    alarm: last?.alarm ?? null,
    why: last?.why ?? null,
    sent_at: Math.floor(sent.time / 1000),
    verdict_at: last === undefined ? null : Math.floor(last.time / 1000),
    name: nameOf(record) ?? null,
    created: madeBy(verdicts)?.created ?? null,
    link: madeBy(verdicts)?.link ?? null,
    refunds: (last?.refunds ?? []).map(({ id }) => id ?? '').join(' '),
    operator: sent.operator,
    // Only of history that somebody brought into the journal of a team.
    ...(broughtBy(sent) === undefined ? {} : { brought_by: broughtBy(sent) ?? null }),
    // Only in a team.
    ...(sent.stamp?.desk === undefined ? {} : { desk: sent.stamp.desk }),
    ...(sent.approvedBy === undefined ? {} : { approved_by: sent.approvedBy }),
    ...(sent.imported === undefined ? {} : { imported: true }),
    // The rest of it is in a file.
    ...(sent.archived === undefined ? {} : { archived: true }),
    reason: sent.reason ?? null,
    note: sent.note ?? null,
    // What --again named of twins.
    twins: sent.twins?.join(' ') ?? null,
    plan: sent.plan ?? null,
    ref: sent.ref ?? null,
    // Set when a person recorded the outcome: who it was, and how they know.
    stated_by: stated?.operator ?? null,
    stated_note: stated?.note ?? null,
    acknowledged_by: ended?.operator ?? null,
    acknowledged_note: ended?.note ?? null,
    ...replyOf(saidBy(record)),
  };
}

/** What the service said in the last reply that was no plain yes. A later read keeps it. */
export function saidBy({ verdicts }: Pick<AttemptRecord, 'verdicts'>): VerdictRow['error'] {
  return verdicts.findLast(({ error }) => error !== undefined)?.error;
}

/** What a reply says for itself, as fields for scripts. */
export function replyOf({
  httpStatus,
  type,
  code,
  logId,
  details = [],
}: VerdictRow['error'] = {}): JsonObject {
  const [message] = details.flatMap((one) => one.message ?? one.debugMessage ?? []);
  return {
    http_status: httpStatus ?? null,
    type: type ?? null,
    code: code ?? null,
    log_id: logId ?? null,
    message: message ?? null,
  };
}

/** The name that a payment link was given. Undefined for other changes, and if its body was erased. */
export function nameOf({ sent: { proof, request } }: AttemptRecord): string | undefined {
  const name = proof.kind === 'checkout' ? request.body?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** The verdict that names what was created. A later one, such as a person's, does not name it. */
export function madeBy(verdicts: readonly VerdictRow[]): VerdictRow | undefined {
  return verdicts.findLast(({ created, link }) => created !== undefined || link !== undefined);
}
