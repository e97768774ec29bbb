/** An attempt of the journal as one flat record, its columns, and lists of attempts with the columns that tell them apart. */

import { type AmountStyle, plainAmounts } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { approvalColumns, type Column, column, type Field, field, recordFrom } from '../../api/resources.ts';
import { secondsOf } from '../../api/spec.ts';
import { messagesIn, untilWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import {
  type AttemptRecord,
  approvalFields,
  isOpen,
  type Moment,
  namedRefunds,
  needsPerson,
  recordedState,
  statementOn,
  type VerdictRow,
} from '../../journal/journal.ts';
import { acknowledgementOf, appearsUntil, refundStates } from '../../orders/orders.ts';
import { briefOutcome, kindOf, longestOutcome, outcomeWords } from './attempt-words.ts';

interface Recorded extends AttemptRecord {
  /** Whether the attempt blocks its order. */
  readonly blocks: boolean;
  /** A person must look: then `journal list --open` shows it. */
  readonly open: boolean;
  readonly last: VerdictRow | undefined;
  readonly made: VerdictRow | undefined;
  /** What a person recorded about the outcome. */
  readonly stated: VerdictRow | undefined;
  readonly ended: VerdictRow | undefined;
}

export const attemptColumns: readonly (Column | Field<Recorded>)[] = [
  // People read the list for these two, so they stay on narrow screens.
  field('change', 'id', ({ sent }) => sent.change, { tableFrom: 0, stays: true }),
  field('sent_at', 'time', ({ sent }) => secondsOf(sent.time), {
    title: 'SENT',
    tableFrom: 0,
    below: () => 'sent',
  }),
  field('order', 'id', ({ sent }) => sent.proof.orderId, {
    tableFrom: 0,
    below: ({ order }) => (order === null ? 'created' : 'order'),
    // For a creation: what it created.
    value: ({ order, created }) => order ?? created,
  }),
  field('amount', 'money', ({ sent }) => sent.amount, {
    tableFrom: 0,
    // Refused attempts and other kinds have sums of their own, so that they are not added to what was refunded.
    summed: ({ amount, kind, state }) => [`amount: ${asWord(kind)}, ${asWord(state)}`, amount],
  }),
  field(
    'outcome',
    'text',
    (record) =>
      `${outcomeWords(record, record.blocks)}${record.sent.lost === undefined ? '' : '; its record is lost'}`,
    {
      tableFrom: 0,
      stays: true,
      least: longestOutcome,
      brief: { value: (record) => briefOutcome(record) },
    },
  ),
  field('kind', 'text', (record) => kindOf(record), { tableFrom: 100, isMissed: true }),
  field('operator', 'text', ({ sent }) => sent.operator, { title: 'BY', tableFrom: 100, isMissed: true }),
  field('profile', 'text', ({ sent }) => sent.profile, { tableFrom: 120 }),
  field('note', 'text', ({ sent }) => sent.note, { tableFrom: 140 }),
  field('name', 'text', nameOf),
  field('created', 'id', ({ made }) => made?.created),
  field('link', 'link', ({ made }) => made?.link),
  field('attempt', 'integer', ({ sent }) => sent.attempt),
  field('account', 'text', ({ sent }) => sent.account),
  field('currency', 'text', ({ sent }) => sent.currency),
  field('charges', 'text', ({ sent }) => sent.proof.expected.map(({ chargeId }) => chargeId).join(' ')),
  field('verdict', 'text', ({ last }) => last?.verdict ?? 'sent'),
  field('state', 'text', (record) => refundStates.find((one) => one === recordedState(record))),
  field('open', 'flag', ({ open }) => open),
  field('by', 'text', ({ last }) => last?.by, { title: 'SHOWN BY' }),
  field('alarm', 'text', ({ last }) => last?.alarm),
  field('why', 'text', ({ last }) => last?.why),
  field('verdict_at', 'time', endedAt),
  field('refunds', 'text', (record) =>
    namedRefunds(record)
      .map(({ id }) => id ?? '')
      .join(' '),
  ),
  field('reason', 'text', ({ sent }) => sent.reason),
  ...approvalColumns,
  // The twins that --again named.
  field('twins', 'text', ({ sent }) => sent.twins?.join(' ')),
  field('idempotency_key', 'text', ({ sent }) => sent.idempotencyKey),
  field('plan', 'text', ({ sent }) => sent.plan),
  field('ref', 'text', ({ sent }) => sent.ref),
  field('stated_by', 'text', ({ stated }) => stated?.operator, { title: 'RECORDED BY' }),
  field('stated_note', 'text', ({ stated }) => stated?.note, { title: 'HOW KNOWN' }),
  field('acknowledged_by', 'text', ({ ended }) => ended?.operator),
  field('acknowledged_note', 'text', ({ ended }) => ended?.note, { title: 'DONE ABOUT IT' }),
  column('http_status', 'integer', { title: 'HTTP' }),
  column('type', 'text'),
  column('code', 'text'),
  column('log_id', 'text', { title: 'LOG ID' }),
  column('message', 'text'),
  column('released_by', 'text', { title: 'RELEASED BY' }),
  column('released_with', 'text', { title: 'RELEASED WITH' }),
  column('desk', 'text'),
];

// When the outcome was recorded that the change has now: a read that shows the same later does not move it.
function endedAt(record: AttemptRecord): number | undefined {
  const { verdicts } = record;
  const state = recordedState(record);
  const stateAfter = (index: number) => recordedState({ ...record, verdicts: verdicts.slice(0, index + 1) });
  const before = verdicts.findLastIndex((_, index) => stateAfter(index) !== state);
  return secondsOf(verdicts[before + 1]?.time ?? verdicts.at(-1)?.time);
}

/**
 * The columns of a list, with columns for the other people of its refunds: who asked, if somebody else sent it, and who approved.
 * A narrow terminal shows them below the row. A table without such refunds does not have them.
 */
export function withOthers(columns: readonly Column[], rows: readonly JsonObject[]): readonly Column[] {
  return columns.map((column) => {
    const { name, title } = column;
    if (name !== 'asked_by' && name !== 'approved_by') return column;
    const other = (row: JsonObject) => (name === 'asked_by' && row[name] === row.operator ? null : row[name]);
    if (!rows.some((row) => typeof other(row) === 'string')) return column;
    const words = name.replace('_', ' ');
    return { ...column, tableFrom: 0, least: title.length, brief: { value: other }, below: () => words };
  });
}

function asWord(value: unknown): string {
  return typeof value === 'string' ? value : 'not made';
}

/** Until when a change that somebody recorded as not made may still take effect; no field if it no longer can. */
export async function appearanceOf({ journal, clock }: Context, record: AttemptRecord) {
  const until = await appearsUntil(journal, record, clock.now());
  return until === undefined ? {} : { may_appear_until: Math.ceil(until / 1000) };
}

/** The columns of one attempt, with its amount as its profile shows it. */
export function columnsOfAttempt(ctx: Context, record: AttemptRecord): readonly Column[] {
  const style = amountStyleOf(ctx, record);
  return attemptColumns
    .filter(({ kind }) => kind === 'money')
    .map((column) => ({ ...column, amountsOf: () => style }));
}

/** How the amounts of an attempt are shown: as the profile with which it was sent says. */
export function amountStyleOf({ profiles }: Context, { sent }: AttemptRecord): AmountStyle {
  return profiles.amountStyle(sent.profile);
}

/** An attempt as one flat record. Times are Unix seconds, as the service's. */
export function recordOf(record: AttemptRecord, now: Moment): JsonObject {
  const { sent, verdicts } = record;
  const said = statementOn(record);
  const row = {
    ...record,
    blocks: isOpen(record, now),
    open: needsPerson(record, now),
    last: verdicts.at(-1),
    made: madeBy(verdicts),
    stated:
      said?.acknowledged === undefined ? said : verdicts.findLast((one) => one.acknowledged === undefined),
    ended: acknowledgementOf(record),
  };
  return {
    ...recordFrom('change', attemptColumns, row),
    ...approvalFields(sent),
    ...replyOf(saidBy(record)),
    // Only in a team.
    ...(sent.stamp?.desk === undefined ? {} : { desk: sent.stamp.desk }),
    // Only for what an agent sent.
    ...(sent.released === undefined
      ? {}
      : { released_by: sent.released.by, released_with: sent.released.with }),
    // Only for a refund that was sent with --no-hold although refund.hold was set: for how many seconds.
    ...(sent.skippedHoldMs === undefined ? {} : { skipped_hold: sent.skippedHoldMs / 1000 }),
    // An archived change: the rest of it is in a file.
    ...(sent.archived === undefined ? {} : { archived: true }),
  };
}

/**
 * What the service said in the last reply that was not a plain yes, or else the status of the last reply. A later read does not
 * change it.
 */
export function saidBy({ verdicts }: Pick<AttemptRecord, 'verdicts'>): VerdictRow['error'] {
  return (
    verdicts.findLast(({ error }) => error !== undefined)?.error ??
    verdicts.findLast(({ received }) => received !== undefined)?.received
  );
}

/** What a reply says, as fields for scripts. */
export function replyOf({ httpStatus, type, code, logId, details }: VerdictRow['error'] = {}): JsonObject {
  const [message] = messagesIn(details);
  return {
    http_status: httpStatus ?? null,
    type: type ?? null,
    code: code ?? null,
    log_id: logId ?? null,
    message: message ?? null,
  };
}

/** The name that a payment link was given. Undefined for other changes, and if its body was erased. */
function nameOf({ sent: { proof, request } }: AttemptRecord): string | undefined {
  const name = proof.kind === 'checkout' ? request.body?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** The verdict that names what was created. A later one, such as a person's, does not name it. */
export function madeBy(verdicts: readonly VerdictRow[]): VerdictRow | undefined {
  return verdicts.findLast(({ created, link }) => created !== undefined || link !== undefined);
}

/** How a list of attempts was asked for. */
interface Asked {
  /** Whether the list was asked for by the name of a person. */
  readonly isOfPerson?: boolean;
  /** There are more than these. */
  readonly hasMore?: boolean;
}

/** Shows attempts. The columns of a table are those that fit all of them. */
export async function showAttempts(
  ctx: Context,
  attempts: readonly AttemptRecord[],
  asked: Asked = {},
): Promise<void> {
  await showRecords(ctx, columnsFor(attempts, asked), [attempts], asked.hasMore);
}

/** Shows attempts page by page, however many there are. The columns of a table are those that fit the first page. */
export async function showAttemptPages(
  ctx: Context,
  pages: AsyncIterable<readonly AttemptRecord[]>,
  asked: Asked = {},
): Promise<void> {
  const walk = pages[Symbol.asyncIterator]();
  const { value: first = [] } = await walk.next();
  async function* all(): AsyncGenerator<readonly AttemptRecord[]> {
    yield first;
    for (let next = await walk.next(); next.done !== true; next = await walk.next()) yield next.value;
  }
  await showRecords(ctx, columnsFor(first, asked), all());
}

async function showRecords(
  ctx: Context,
  columns: readonly Column[],
  pages: Iterable<readonly AttemptRecord[]> | AsyncIterable<readonly AttemptRecord[]>,
  hasMore = false,
): Promise<void> {
  const now = await ctx.journal.now();
  async function* records(): AsyncGenerator<JsonObject> {
    for await (const page of pages)
      for (const record of page) yield { ...recordOf(record, now), ...(await appearanceOf(ctx, record)) };
  }
  const amountsOf = amountStyles(ctx);
  const shown = columns.map((column) => ({
    ...column,
    amountsOf,
    ...(column.name === 'outcome' ? { value: (record: JsonObject) => withAppearing(ctx, record) } : {}),
  }));
  await ctx.out.ownList(shown, records(), { hasMore });
}

function withAppearing(ctx: Context, { outcome, may_appear_until: until }: JsonObject): unknown {
  return typeof until === 'number'
    ? `${String(outcome)}; it may still go through until ${untilWords(ctx, until * 1000)}`
    : outcome;
}

// The amounts of each attempt are shown as its own profile says, since a list may have those of several.
function amountStyles({ profiles }: Context): (record: JsonObject) => AmountStyle {
  const styles = new Map<string, AmountStyle>();
  return ({ profile }) => {
    if (typeof profile !== 'string') return plainAmounts;
    const style = styles.get(profile) ?? profiles.amountStyle(profile);
    styles.set(profile, style);
    return style;
  };
}

// At 80 columns one more column fits: the profile if there are several, else the person if there are several, else the kind if kinds
// differ, else the person. Two accounts must never look alike, so with several profiles PROFILE, time and amount stay, and the id of
// the order goes below its row. For the name of a person the time loses its clock or its day before anything else goes. Whoever
// lists payment links wants to see their names, and the links below. The outcome is never cut for any of them; where kinds
// differ, it tells the kind by its verb.
function columnsFor(attempts: readonly AttemptRecord[], { isOfPerson = false }: Asked): readonly Column[] {
  const differ = (of: (record: AttemptRecord) => string) => new Set(attempts.map(of)).size > 1;
  const profiles = differ(({ sent }) => sent.profile);
  const kinds = differ(({ sent }) => sent.proof.kind);
  const rows = attempts.map(({ sent }) => ({ operator: sent.operator, ...approvalFields(sent) }));
  const own = withOthers(attemptColumns, rows);
  const people =
    isOfPerson || differ(({ sent }) => sent.operator) || own.some((one, at) => one !== attemptColumns[at]);
  const named = attempts.some((record) => nameOf(record) !== undefined);
  const hasLinks = attempts.some(({ verdicts }) => verdicts.some(({ link }) => link !== undefined));
  const onlyLinks = attempts.every(({ sent }) => sent.proof.kind === 'checkout');
  const names = onlyLinks && named;
  const more = kinds ? 'kind' : names ? undefined : 'operator';
  const shown = profiles || people ? undefined : more;
  const first = profiles || names ? ['sent_at', 'amount'] : [];
  const later = names ? ['kind', 'operator', ...(profiles ? [] : ['profile'])] : [];
  const ofTeam = attempts.some(({ sent }) => sent.stamp?.desk !== undefined);
  return own.map((column) => {
    if (ofTeam && column.name === 'desk') return { ...column, tableFrom: 120 };
    if (profiles && column.name === 'profile')
      return { ...column, tableFrom: 0, stays: true, least: longestProfile };
    if (people && column.name === 'operator') return { ...column, tableFrom: 0, stays: true };
    if (people && !profiles && column.name === 'sent_at') return { ...column, brief: { title: 'SENT' } };
    if (hasLinks && column.name === 'link') return { ...column, tableFrom: 0, below: () => 'link' };
    if (names && column.name === 'name') return { ...column, tableFrom: 0, early: true };
    if (first.includes(column.name)) return { ...column, early: true };
    // If a link is shown, its id is needed only on wide screens.
    if (onlyLinks && column.name === 'order')
      return { ...column, title: 'CREATED', tableFrom: hasLinks ? 120 : 0 };
    if (kinds && column.name === 'outcome') return { ...column, brief: { value: verbOutcome } };
    if (column.name === shown) return { ...column, tableFrom: shown === 'kind' ? 0 : 80 };
    return later.includes(column.name) ? { ...column, tableFrom: 160 } : column;
  });
}

// Names of profiles are rarely longer, but may have up to 63 letters.
const longestProfile = 20;

const verbOutcome = (record: JsonObject): string => briefOutcome(record, String(record.kind));
