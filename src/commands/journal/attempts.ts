/** Finds attempts in the journal and lists them, in words that an operator can read to a customer. */

import { type AmountStyle, plainAmounts } from '../../amounts.ts';
import { type Column, fieldColumn } from '../../api/resources.ts';
import { type JsonObject, orderIdPattern } from '../../api/spec.ts';
import { scriptIdPattern } from '../../changes/changes.ts';
import { CliError, type ErrorSubject } from '../../errors.ts';
import { type AttemptRecord, alarmWords, type Moment, type VerdictRow } from '../../journal/journal.ts';
import type { Completer, Context } from '../command.ts';

export const attemptColumns: readonly Column[] = [
  // People read the list for these two, so they stay on narrow screens.
  { ...fieldColumn('intent', 'INTENT', 'id', 0), stays: true },
  fieldColumn('sent_at', 'SENT', 'time', 0),
  // For a creation: what it created.
  { ...fieldColumn('order', 'ORDER', 'id', 0), value: ({ order, created }) => order ?? created },
  fieldColumn('amount', 'AMOUNT', 'money', 0),
  { ...fieldColumn('outcome', 'OUTCOME', 'text', 0), stays: true, brief: { value: briefOutcome } },
  fieldColumn('kind', 'KIND', 'text', 100),
  fieldColumn('operator', 'BY', 'text', 100),
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

/**
 * The last attempt of an intent: by the journal's id of it, by a script's own (`--intent`), or by the id or link of what it
 * created. Throws CliError 'not_found', and 'usage' when a script's id stands for changes of several accounts.
 */
export async function attemptOf(ctx: Context, id: string): Promise<AttemptRecord> {
  const record =
    (await ctx.journal.attempts({ intent: id })).at(-1) ??
    (await attemptOfScript(ctx, id)) ??
    (await ctx.journal.attempts({})).findLast((one) => isCreatedBy(one, id));
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

/** The origin of the run's profile. Undefined means every account: with `all`, or when there is no profile. */
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

export async function showAttempts(ctx: Context, attempts: readonly AttemptRecord[]): Promise<void> {
  const now = await ctx.journal.now();
  const records = attempts.map((record) => recordOf(record, ctx.journal.isOpen(record, now)));
  const amountsOf = amountStyles(ctx, attempts);
  await ctx.out.ownList(
    columnsFor(attempts).map((column) => ({ ...column, amountsOf })),
    records,
  );
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

// A screen of 80 columns has room for one more column: the profile if several are listed, or else the kind, or else the names
// of payment links.
function columnsFor(attempts: readonly AttemptRecord[]): readonly Column[] {
  const differ = (of: (record: AttemptRecord) => string) => new Set(attempts.map(of)).size > 1;
  const profiles = differ(({ sent }) => sent.profile);
  const kinds = differ(({ sent }) => sent.proof.kind);
  const named = attempts.some((record) => nameOf(record) !== undefined);
  const first = profiles ? 'profile' : kinds ? 'kind' : named ? 'name' : undefined;
  const hasLinks = attempts.some(({ verdicts }) => verdicts.some(({ link }) => link !== undefined));
  const shown = [first, hasLinks ? 'link' : undefined];
  // A list of payment links is read for the links.
  const later = first === 'name' ? ['kind', 'operator', 'profile'] : [];
  return attemptColumns.map((column) => {
    if (shown.includes(column.name)) return { ...column, tableFrom: 0 };
    return later.includes(column.name) ? { ...column, tableFrom: 160 } : column;
  });
}

/** Whether a person must look: the attempt is unconfirmed, or its last verdict has an alarm. */
export function needsPerson(ctx: Context, record: AttemptRecord, now: Moment): boolean {
  return ctx.journal.isOpen(record, now) || record.verdicts.at(-1)?.alarm !== undefined;
}

const offerIntents: Completer = ({ flags }, known) => known.intents(flags.get('profile'));

const linkPattern = /^https?:\/\/\S{1,2000}$/;
const intentPattern = /^i_[A-Za-z0-9]{1,64}$/;

/** The journal's id of an intent, or a script's own, as an argument. */
export function intentArgument<const R extends boolean>(required: R) {
  return {
    name: 'intent',
    summary:
      "the journal's id, such as i_7f3k2m9q, the id that a script gave with --intent, or the id or link of what was created",
    required,
    offers: offerIntents,
    parse: (text: string): string => {
      if ([intentPattern, scriptIdPattern, linkPattern].some((pattern) => pattern.test(text))) return text;
      throw new CliError(
        'usage',
        `INTENT ${text}: not an id of the journal (such as i_7f3k2m9q), not an id that a script gave with --intent, and not the id or link of something created`,
        { certain: 'nothing was sent', now: ['paydesk journal list'] },
      );
    },
  } as const;
}

/** The alarm of an attempt in a few words; undefined when there is none, or somebody acknowledged it. */
export function alarmWordsOf({ verdicts }: AttemptRecord): string | undefined {
  const alarm = verdicts.at(-1)?.alarm;
  return alarm === undefined ? undefined : alarmWords[alarm];
}

/** Says what is known about an attempt. */
export function outcomeWords(record: AttemptRecord, open: boolean): string {
  const last = record.verdicts.at(-1);
  const alarm = alarmWordsOf(record);
  const by = acknowledgementOf(record)?.operator;
  return `${alarm === undefined ? '' : `${alarm}: `}${verdictWords(last, open)}${by === undefined ? '' : `; alarm acknowledged by ${by}`}`;
}

/** The row by which somebody ended its alarm; undefined when nobody did, or when it was raised again. */
export function acknowledgementOf({ verdicts }: AttemptRecord): VerdictRow | undefined {
  if (verdicts.at(-1)?.acknowledged === undefined) return undefined;
  return verdicts.findLast(
    ({ acknowledged, operator }) => acknowledged !== undefined && operator !== undefined,
  );
}

// The outcome for a narrow terminal: no more than `made, reply lost`.
function briefOutcome({ alarm, verdict, by, open, acknowledged_by: acknowledged }: JsonObject): string {
  if (alarm !== null) return alarm === 'duplicate' ? alarmWords.duplicate : 'ALARM';
  if (acknowledged !== null) return 'alarm ended';
  const byHand = by === 'person' ? ', by hand' : '';
  switch (verdict) {
    case 'applied':
      return by === 'read' ? 'made, reply lost' : `made${byHand}`;
    case 'rejected':
      return by === 'person' ? `not made${byHand}` : open === true ? 'refused so far' : 'refused';
    case 'not_sent':
      return 'not sent';
    default:
      return verdict === 'not_seen' && open !== true ? 'not found' : 'unconfirmed';
  }
}

function verdictWords(last: VerdictRow | undefined, open: boolean): string {
  switch (last?.verdict) {
    case 'applied':
      if (last.by === 'person') return `recorded as made, by ${last.operator ?? 'somebody'}`;
      return last.by === 'reply' ? 'made' : 'made: the reply was lost, the order shows it';
    case 'rejected':
      if (last.by === 'person') return `recorded as not made, by ${last.operator ?? 'somebody'}`;
      return last.confirmed === false ? 'refused, but not checked yet' : 'refused, nothing changed';
    case 'not_sent':
      return 'not sent, nothing changed';
    case 'not_seen':
      return open ? 'unconfirmed, not found yet' : 'not found; waiting period over; it may be tried again';
    default:
      return 'unconfirmed, may have been made';
  }
}

/** An attempt as one flat record. Times are Unix seconds, as the service's. */
export function recordOf(record: AttemptRecord, open: boolean): JsonObject {
  const { sent, verdicts } = record;
  const last = verdicts.at(-1);
  const charges = sent.proof.expected.map(({ chargeId }) => chargeId);
  const stated =
    last?.by === 'person' ? verdicts.findLast((row) => row.acknowledged === undefined) : undefined;
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

/** Whether an attempt created this: its id, its link, or, of a payment link, a part of its name in any case. */
export function hasCreated(record: AttemptRecord, what: string): boolean {
  return isCreatedBy(record, what) || (nameOf(record)?.toLowerCase().includes(what.toLowerCase()) ?? false);
}

function isCreatedBy({ verdicts }: AttemptRecord, id: string): boolean {
  const made = madeBy(verdicts);
  return made?.created === id || made?.link === id;
}

// The name that a payment link was given; undefined for other changes, and when its body was erased.
function nameOf({ sent: { proof, request } }: AttemptRecord): string | undefined {
  const name = proof.kind === 'checkout' ? request.body?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

// A later verdict, such as a person's, does not name what was created.
function madeBy(verdicts: readonly VerdictRow[]): VerdictRow | undefined {
  return verdicts.findLast(({ created, link }) => created !== undefined || link !== undefined);
}
