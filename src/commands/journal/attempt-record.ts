/** An attempt of the journal as one flat record, and its columns. */

import type { AmountStyle } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { type Column, fieldColumn } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { type AttemptRecord, approvalFields, statementOn, type VerdictRow } from '../../journal/journal.ts';
import { acknowledgementOf, recordedState, refundStates, untilMayAppear } from '../../orders/orders.ts';
import { briefOutcome, longestOutcome, outcomeWords } from './attempt-words.ts';

export const attemptColumns: readonly Column[] = [
  // People read the list for these two, so they stay on narrow screens.
  { ...fieldColumn('change', 'CHANGE', 'id', 0), stays: true },
  { ...fieldColumn('sent_at', 'SENT', 'time', 0), below: () => 'sent' },
  // For a creation: what it created.
  {
    ...fieldColumn('order', 'ORDER', 'id', 0),
    below: ({ order }) => (order === null ? 'created' : 'order'),
    value: ({ order, created }) => order ?? created,
  },
  {
    ...fieldColumn('amount', 'AMOUNT', 'money', 0),
    // What was refused, or is of another kind, is in no sum of what was refunded.
    summed: ({ amount, kind, state }) => [`amount: ${asWord(kind)}, ${asWord(state)}`, amount],
  },
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
  fieldColumn('state', 'STATE', 'text'),
  fieldColumn('open', 'UNCONFIRMED', 'flag'),
  fieldColumn('by', 'SHOWN BY', 'text'),
  fieldColumn('alarm', 'ALARM', 'text'),
  fieldColumn('why', 'WHY', 'text'),
  fieldColumn('verdict_at', 'VERDICT AT', 'time'),
  fieldColumn('refunds', 'REFUNDS', 'text'),
  fieldColumn('reason', 'REASON', 'text'),
  fieldColumn('asked_by', 'ASKED BY', 'text'),
  fieldColumn('approved_by', 'APPROVED BY', 'text'),
  fieldColumn('approved_at', 'APPROVED', 'time'),
  fieldColumn('request', 'REQUEST', 'id'),
  fieldColumn('ticket', 'TICKET', 'text'),
  fieldColumn('twins', 'TWINS', 'text'),
  fieldColumn('idempotency_key', 'IDEMPOTENCY KEY', 'text'),
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
  fieldColumn('released_by', 'RELEASED BY', 'text'),
  fieldColumn('released_with', 'RELEASED WITH', 'text'),
];

/**
 * The columns of a list with those of who else had a hand in its refunds: who asked, if somebody else sent it, and who approved. A
 * narrow terminal has them below the row. Without such a refund a table does not have them.
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

/** Until when a change may still take effect that somebody recorded as not made; nothing if it no longer can. */
export function mayAppear(ctx: Context, record: AttemptRecord): { readonly may_appear_until?: number } {
  const until = untilMayAppear(record, ctx.clock.now());
  return until === undefined ? {} : { may_appear_until: Math.ceil(until / 1000) };
}

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
    object: 'change',
    change: sent.change,
    idempotency_key: sent.idempotencyKey ?? null,
    attempt: sent.attempt,
    profile: sent.profile,
    account: sent.account,
    order: sent.proof.orderId ?? null,
    kind: sent.proof.kind,
    amount: sent.amount ?? null,
    currency: sent.currency ?? null,
    charges: charges.join(' '),
    verdict: last?.verdict ?? 'sent',
    state: refundStates.find((one) => one === recordedState(record)) ?? null,
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
    // Only in a team.
    ...(sent.stamp?.desk === undefined ? {} : { desk: sent.stamp.desk }),
    ...approvalFields(sent),
    // Only of what an agent sent.
    ...(sent.released === undefined
      ? {}
      : { released_by: sent.released.by, released_with: sent.released.with }),
    // Only of a refund that was sent with --no-hold although refund.hold was set: for how many seconds.
    ...(sent.skippedHoldMs === undefined ? {} : { skipped_hold: sent.skippedHoldMs / 1000 }),
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

/** What the service said in the last reply that was no plain yes, or else the status of the reply. A later read keeps it. */
export function saidBy({ verdicts }: Pick<AttemptRecord, 'verdicts'>): VerdictRow['error'] {
  return (
    verdicts.findLast(({ error }) => error !== undefined)?.error ??
    verdicts.findLast(({ received }) => received !== undefined)?.received
  );
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
