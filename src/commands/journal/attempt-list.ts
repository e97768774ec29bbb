/** Shows lists of attempts, with the columns that tell them apart. */

import { type AmountStyle, plainAmounts } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, column } from '../../api/resources.ts';
import { untilWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { type AttemptRecord, approvalFields, isOpen } from '../../journal/journal.ts';
import { attemptColumns, mayAppear, nameOf, recordOf, withOthers } from './attempt-record.ts';
import { briefOutcome } from './attempt-words.ts';

/** How a list of attempts was asked for. */
interface Asked {
  /** Somebody typed the name of a person. */
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
  const columns = columnsFor(first, asked);
  // A later page may be of a desk of a team, and a file needs the columns of all.
  const isThere = columns.some(({ name }) => name === deskColumn.name);
  const { tableFrom: _, ...inFiles } = deskColumn;
  await showRecords(ctx, isThere ? columns : [...columns, inFiles], all());
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
      for (const record of page)
        yield { ...recordOf(record, isOpen(record, now)), ...mayAppear(ctx, record) };
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
    ? `${String(outcome)}; it may still appear until ${untilWords(ctx, until * 1000)}`
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
  const ofTeam = attempts.some(({ sent }) => sent.stamp?.desk !== undefined) ? [deskColumn] : [];
  return [...own, ...ofTeam].map((column) => {
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
    if (column.name === shown) return { ...column, tableFrom: shown === 'kind' ? 0 : 80 };
    return later.includes(column.name) ? { ...column, tableFrom: 160 } : column;
  });
}

// In a team whose desks have names.
const deskColumn = column('desk', 'text', { tableFrom: 120 });

// Names of profiles are rarely longer, and may have 63 letters.
const longestProfile = 20;

const verbOutcome = (record: JsonObject): string => briefOutcome(record, String(record.kind));
