/**
 * A refund or a capture of one order: paydesk reads the order, shows it, and reads it again right before the sending. If the
 * money of the order changed in between, nothing is sent.
 */

import { type OpenService, readOne, type WireRecord } from '../api/api.ts';
import { moneyOf } from '../api/charges.ts';
import { exactly, type JsonObject } from '../api/json-values.ts';
import { orderColumns } from '../api/resources.ts';
import type { Context } from '../context/context.ts';
import { about, CliError } from '../errors.ts';
import { usage } from '../flags/flags.ts';
import { type AttemptRecord, type Change, changeOf, stateWords } from '../journal/journal.ts';
import { recordShown, type Twin, withMeantOrder } from '../orders/orders.ts';
import { commandLine, flagWords, type Profile } from '../profiles/profiles.ts';
import { GoBack } from '../terminal/terminal.ts';
import type { TypedAmount } from '../typed-amounts.ts';
import { byHandLines } from './by-hand-words.ts';
import { makeChange, type PlannedChange, warnByHand } from './change.ts';
import { type Confirmation, checkOrderConfirmable, confirmAgain } from './confirm-change.ts';
import { type missingIn, requiredBy } from './may-change.ts';
import { driftOf, moneyBefore } from './money-changed.ts';
import { madeWords, originsOf } from './refund/known-refunds.ts';
import { onlyGiven } from './repeat.ts';

/** The order that was named, and the flags that refunds and captures share. */
export interface OrderAsked {
  /** Undefined when no order was named. `pick` then lets a person choose one. */
  readonly id: string | undefined;
  /** The shop's own number or a part of its id was typed: `pick` finds it without asking. */
  readonly isName?: boolean;
  readonly confirm: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly again: readonly string[];
  /** A refund does not wait after the yes (`--no-hold`). */
  readonly noHold?: boolean | undefined;
  /** `command`: makes the command with which a script changes the order of an id. */
  readonly pick: (service: OpenService, command?: (id: string) => string) => Promise<PickedOrder>;
}

export interface PickedOrder {
  readonly id: string;
  /** Another order that the person may have meant: same buyer, same amount, a few minutes apart. */
  readonly twin: Twin | undefined;
  /** The order before it in the list, to find it again in one request. */
  readonly neighbour?: string | undefined;
}

interface OrderChange {
  readonly kind: 'refund' | 'capture';
  /** The flags that were typed. A later run with the same `--idempotency-key` must have the same ones. */
  readonly asked: Readonly<Record<string, string | number | undefined>>;
  /** All its flags as they were typed, for an example of the whole command. */
  readonly typed?: OrderChange['asked'];
  /** Checks the flags against the profile's settings, before any request. Throws CliError 'usage'. */
  readonly check?: (profile: Profile) => void;
  /** What `refund.require` asks for and was not given. */
  readonly missing?: (profile: Profile) => ReturnType<typeof missingIn>;
  /** Plans the change for this order. Throws CliError 'refused' when the order does not allow it. */
  readonly plan: (read: OrderRead) => Promise<PlannedChange>;
}

export interface OrderRead {
  readonly kind: OrderChange['kind'];
  readonly asked: OrderAsked;
  readonly service: OpenService;
  readonly id: string;
  readonly order: JsonObject;
  /** A person picked the order; no argument named it. */
  readonly isPicked: boolean;
  readonly twin: Twin | undefined;
}

/**
 * Carries out a refund or a capture, from the typed flags to the printed result. Throws CliError for every outcome that is
 * not a plain success.
 */
export function changeOrder(ctx: Context, asked: OrderAsked, change: OrderChange): Promise<void> {
  const { id: orderId, idempotencyKey } = asked;
  return about({ orderId, idempotencyKey }, () => changeNamedOrder(ctx, asked, change));
}

async function changeNamedOrder(ctx: Context, typed: OrderAsked, change: OrderChange): Promise<void> {
  ctx.out.checkColumns(orderColumns);
  const service = await ctx.service({ purpose: 'change', kind: change.kind });
  const { profile } = service;
  const whole = (id: string) => exampleOf(profile, { ...typed, id }, change, []);
  const asked =
    typed.isName === true
      ? { ...typed, id: (await typed.pick(service, ctx.options.dryRun ? undefined : whole)).id }
      : typed;
  const { id: typedId, confirm, idempotencyKey, again } = asked;
  const { kind } = change;
  change.check?.(profile);
  const required = change.missing?.(profile) ?? [];
  const flags = required.map((name) => `--${name}`);
  const missing = [...(typedId === undefined ? ['ID'] : []), ...flags];
  const example = exampleOf(profile, asked, change, flags);
  const line = { command: `orders ${kind}`, missing, example };
  const checkConfirmable = () => checkOrderConfirmable(ctx, { profile, confirm, id: typedId }, line);
  if (missing.length > 0) checkConfirmable();
  if (!ctx.ask.interactive && required.length > 0)
    throw usage(`missing ${flags.join(', ')}: ${requiredBy(required, profile)}`, [
      example,
      `paydesk orders ${kind} --help`,
    ]);
  if (idempotencyKey !== undefined && typedId === undefined)
    throw usage('missing ID: --idempotency-key needs the order');
  const repeat = { kind, idempotencyKey, asked: onlyGiven({ order: typedId, ...change.asked }), again };
  const plan = async () => {
    const planned = await planChange(ctx, service, asked, change);
    // This is checked last, so that nobody adds --yes only to hear then that it cannot be sent.
    checkConfirmable();
    return planned;
  };
  await makeChange(ctx, service, repeat, () => orderColumns, plan);
}

// The command as it was typed, with what it lacks as words to replace.
function exampleOf(
  profile: Profile,
  { id = 'ID', again, idempotencyKey, noHold }: OrderAsked,
  { kind, asked, typed = asked }: OrderChange,
  required: readonly string[],
): string {
  const lacking = required.flatMap((flag) => [flag, flag === '--reason' ? 'REASON' : 'TEXT']);
  const yes = profile.mode === 'production' ? ['--confirm', id] : ['--yes'];
  const repeats = flagWords({ again, 'idempotency-key': idempotencyKey, 'no-hold': noHold });
  return commandLine(profile, 'orders', kind, id, ...flagWords(typed), ...lacking, ...repeats, ...yes);
}

// Picks and reads the order, and plans its change. The change is checked against the order as the person saw it last.
async function planChange(
  ctx: Context,
  service: OpenService,
  asked: OrderAsked,
  { kind, plan }: Pick<OrderChange, 'kind' | 'plan'>,
): Promise<PlannedChange> {
  const { id: typedId, again, pick } = asked;
  const picked: PickedOrder = typedId === undefined ? await pick(service) : { id: typedId, twin: undefined };
  const { id, twin, neighbour } = picked;
  const read = () => readOne(ctx, service, 'orders', id, 'change', neighbour);
  // The sender of a team may be far away, so both are asked at once. What was open may have changed the order since.
  const early = service.profile.sender === undefined ? undefined : read();
  early?.catch(() => undefined);
  const closed = await checkNotOpen(ctx, service, { kind, orderId: id, again });
  const order = await ((closed.length === 0 && early) || read()).catch(async (error: unknown) => {
    throw await withMeantOrder(ctx, service, error, id);
  });
  await recordShown(ctx, service, [order.value]);
  if (kind === 'refund') await ctx.journal.refuseDuplicate({ service, orderId: id, order: order.value });
  const isPicked = typedId === undefined;
  const complete = async (planned: PlannedChange): Promise<PlannedChange> => {
    const { change, confirmation, replan } = planned;
    const byHand = await byHandLines(ctx, service, { ...order.value, id }, change);
    const checks = [...byHand, ...(planned.checks ?? [])];
    warnByHand(ctx, byHand);
    let shown = order;
    const checkFresh = async (fresh: WireRecord) => {
      await askIfChanged(ctx, service, id, [shown, fresh], confirmation);
      await planned.checkFresh(fresh);
      shown = fresh;
    };
    return {
      ...planned,
      replan: replan && (() => orPickedAgain(replan)),
      change: { ...change, orderId: id },
      closed,
      shown: order,
      checks,
      checkFresh,
    };
  };
  // Going back from the first question about an order leads to the question which order.
  const orPickedAgain = async (make: () => Promise<PlannedChange>): Promise<PlannedChange> => {
    try {
      return await complete(await make());
    } catch (error) {
      if (!isPicked || !(error instanceof GoBack)) throw error;
      return planChange(ctx, service, asked, { kind, plan });
    }
  };
  return orPickedAgain(() => plan({ kind, asked, service, id, order: order.value, isPicked, twin }));
}

interface OrderYes {
  readonly change: Pick<Change, 'amount' | 'currency'>;
  readonly typed?: TypedAmount | undefined;
  /** The flags of the command that asks for the same without a question. */
  readonly words: readonly string[];
  /** What `--again` names in that command; if absent, what was typed. */
  readonly names?: readonly string[];
  /** Whose money it is, before the question. */
  readonly about?: string | undefined;
}

/** How a person says yes to a change of an order. */
export function orderConfirmation(
  { kind, id, service: { profile }, asked: { confirm, again, idempotencyKey } }: OrderRead,
  { change: { amount, currency }, typed, words, names = again, about: whose }: OrderYes,
): Confirmation {
  const repeats = flagWords({ again: names, 'idempotency-key': idempotencyKey });
  const command = commandLine(profile, 'orders', kind, id, ...words, ...repeats);
  const does = kind === 'refund' ? 'Send back' : 'Capture';
  return { profile, confirm, command, does, about: whose, order: { id, amount, currency, typed } };
}

// Refuses an order that has an unconfirmed change or a refund that was made twice, before anything is shown or asked. It reads the order
// again first and returns the attempts whose outcome became known. The check that counts comes later, under the order's lock.
async function checkNotOpen(
  ctx: Context,
  service: OpenService,
  order: Pick<Change, 'kind' | 'again'> & { readonly orderId: string },
): Promise<readonly AttemptRecord[]> {
  const closed = await ctx.journal.refuseOpen({ service, ...order });
  for (const record of closed) {
    const what = changeOf(record, service.profile.settings);
    ctx.notes.note(
      `the earlier ${what}, looked up again: ${stateWords(record)}: paydesk journal show ${record.sent.change}`,
    );
  }
  return closed;
}

// Refuses when the money of the order changed since it was shown. When only other fields changed, it names them and asks
// again.
async function askIfChanged(
  ctx: Context,
  service: OpenService,
  id: string,
  [shown, fresh]: readonly [WireRecord, WireRecord],
  confirmation: Confirmation,
): Promise<void> {
  const difference = moneyChanged(shown, fresh, confirmation.profile);
  if (difference !== undefined) {
    const made = await newRefundWords(ctx, service, [shown, fresh]);
    throw new CliError('refused', `${id} has changed since it was shown: ${difference}${made}`, {
      ownCode: 'order_changed',
      now: [
        'look at the order again:',
        commandLine(confirmation.profile, 'orders', 'show', id),
        ...(confirmation.command === undefined ? [] : ['then, if it is still meant:', confirmation.command]),
      ],
    });
  }
  const fields = changedFields(shown, fresh);
  if (fields.length === 0) return;
  ctx.notes.warn(`${id} has changed since it was shown, but its money has not: ${fields.join(', ')}`);
  await confirmAgain(ctx, confirmation);
}

// When the first refund that was not shown was made, and by whom; empty if there is none.
async function newRefundWords(
  ctx: Context,
  service: OpenService,
  [shown, fresh]: readonly [WireRecord, WireRecord],
): Promise<string> {
  const refundsOf = ({ value }: WireRecord) =>
    moneyOf(value)?.charges.flatMap(({ refunds }) => refunds) ?? [];
  const before = new Set(refundsOf(shown).map(({ id }) => id));
  const refund = refundsOf(fresh).find(({ id }) => !before.has(id));
  return refund === undefined ? '' : madeWords(ctx, await originsOf(ctx, service, fresh.value))(refund);
}

const moneyFields = ['amount', 'amount_refunded', 'payment_status', 'is_refundable', 'currency', 'charges'];

// If the money cannot be read, its fields are compared as they are.
function moneyChanged(shown: WireRecord, fresh: WireRecord, profile: Profile): string | undefined {
  const before = moneyBefore(shown.value);
  if (before !== undefined) return driftOf(before, fresh.value, [], profile);
  return (
    changedFields(shown, fresh)
      .filter((name) => moneyFields.includes(name))
      .join(', ') || undefined
  );
}

/** The names of the fields that are not as they were shown. */
export function changedFields(
  shown: Pick<WireRecord, 'value'>,
  fresh: Pick<WireRecord, 'value'>,
): readonly string[] {
  const names = new Set([...Object.keys(shown.value), ...Object.keys(fresh.value)]);
  const text = (value: unknown) => JSON.stringify(value, exactly);
  return [...names].filter((name) => text(shown.value[name]) !== text(fresh.value[name]));
}
