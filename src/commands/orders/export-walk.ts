/** What an export of orders does with each page: which orders pass, their rows, and what these add up to at the end. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import type { Page, Service, WireRecord } from '../../api/api.ts';
import { isObject, type JsonObject, textIn } from '../../api/json-values.ts';
import { tookMoney, wentBackOfCharge } from '../../api/payment.ts';
import type { TimeRange } from '../../api/spec.ts';
import type { Context, Days } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, orElse } from '../../errors.ts';
import type { ExportRow } from '../../exports/exports.ts';
import { rangeWords } from '../../flags/typed-time.ts';
import { recordedState } from '../../journal/journal.ts';
import {
  type KnownOrder,
  knownOrders,
  ordersWithRefunds,
  type RefundState,
  toldRefunds,
} from '../../orders/orders.ts';
import {
  createTally,
  groupOf,
  magnitude,
  meaningIn,
  negated,
  plus,
  type RefundGroup,
  sumOf,
  sumRefunds,
  wholeNumber,
} from '../../reports/reports.ts';
import type { RowMaker } from '../export/export-run.ts';
import { feedIndex } from '../index/index-walk.ts';
import { passing } from '../listing.ts';
import { type ShownRefunds, unshownFacts } from '../report/report-source.ts';
import { refundLines } from '../report/report-words.ts';
import type { OrderFilters } from './order-filters.ts';
import { type DateState, stopAtDate } from './order-observer.ts';
import { datedRows, orderRows, type RowQuery } from './order-rows.ts';

interface RowsAsked
  extends Omit<OrderFilters, 'range'>,
    Span,
    Pick<RowQuery, 'rows' | 'by' | 'amounts' | 'chargeStatus'> {
  readonly states: readonly RefundState[] | undefined;
  /** Whether a column says how much is left of each order. */
  readonly withLeft: boolean;
  /** Whether the first order that does not show everything ends the export. */
  readonly strict: boolean;
}

/** The range of an export, and the days of its time zone. */
export interface Span {
  readonly range: TimeRange;
  readonly days: Days;
}

export interface OrdersWalk extends RowMaker {
  /** Throws CliError 'usage' for a status that no order of the list has. */
  readonly checkStatuses: () => void;
  /** What is known about an order of the page that is read now, if its rows need that. */
  readonly knownOf: (orderId: unknown) => KnownOrder | undefined;
  /** Hands the last page to the index. */
  readonly end: () => Promise<void>;
}

/** Without the journal, all refunds would look as if somebody else had made them. That is said before anything is read. */
export async function refuseUnknown(ctx: Context, service: Service): Promise<void> {
  await knownOf(ctx, service, [], { withLeft: false });
}

/** Starts a walk, or goes on from the `state` of an earlier one. */
export function walkOrders(
  ctx: Context,
  service: Service,
  asked: RowsAsked,
  state: JsonObject | undefined,
): OrdersWalk {
  const { profile } = service;
  const { rows, by, filters, chargeStatus, amounts, states, range, days } = asked;
  // An export that is resumed begins in the middle of the list, and its first page has no known neighbour.
  const feed = feedIndex(ctx, service, undefined, { inTheMiddle: state !== undefined });
  const promised = by === 'created' && profile.settings['orders.order'] === 'newest-first';
  const dates = stopAtDate(promised, range.since, dateState(state ?? {}));
  const sums = createSums(state?.refunds);
  const fees = createChargeSums(state?.fees);
  const shown = shownIn(state);
  const chosen = new Set(Array.isArray(state?.chosen) ? state.chosen.map(String) : []);
  let passed: ReadonlySet<WireRecord> = new Set();
  let known: ReadonlyMap<unknown, KnownOrder> = new Map();
  let maybe: ReadonlySet<string> | undefined;
  const isOfState = ({ state: one }: { readonly state?: string | undefined }) =>
    states?.some((wanted) => wanted === one) ?? true;
  const toldOf = (order: JsonObject) => {
    const told = toldRefunds(known.get(order.id) ?? nothingKnown);
    return (refund: JsonObject) => {
      const one = told(refund);
      // What is known to be made need not be remembered.
      if (one.attempt !== undefined && recordedState(one.attempt) !== 'made')
        shown.set(String(refund.id), {
          change: one.attempt.sent.change,
          amount: magnitude(wholeNumber(refund.amount) ?? 0),
        });
      return one;
    };
  };
  const unshown = async () =>
    rows === 'refunds' && by === 'refunded' ? await unshownFacts(ctx, profile, range, shown) : [];
  const words = rangeWords(datedRows[rows][by], range, days.full);
  if (words !== undefined) ctx.notes.note(words);
  return {
    async onPage(page: Page) {
      const { records } = page;
      passed = new Set(await passing(filters, records));
      dates.add(records);
      const warning = dates.warning();
      if (warning !== undefined) ctx.notes.warn(warning);
      feed.page(page);
      // The filters are about orders, and a refund that no order shows belongs to one.
      maybe ??= new Set(filters.length === 0 ? [] : (await unshown()).flatMap(({ orderId = [] }) => orderId));
      for (const { value } of passed) if (maybe.has(String(value.id))) chosen.add(String(value.id));
      if (rows === 'refunds' || asked.withLeft) known = await knownOf(ctx, service, records, asked);
    },
    isDone: () => dates.reached,
    rowsOf(record) {
      if (!passed.has(record)) return { rows: [], problems: [] };
      const day = (at: unknown) => days.day(at);
      const referenceKeys = profile.settings['reference.keys'];
      const found = orderRows(record, { rows, by, range, chargeStatus, amounts, day, referenceKeys, toldOf });
      const [first] = found.problems;
      if (asked.strict && first !== undefined)
        throw new CliError('incomplete', `${first.order_id || 'an order'}: ${first.why}`);
      const own = found.rows.filter(isOfState);
      if (rows === 'refunds') for (const row of own) sums.add(row);
      if (rows === 'charges') for (const row of own) fees.add(row);
      return { ...found, rows: own };
    },
    state() {
      const { before, contradicted } = dates.state;
      return {
        id: before?.id,
        created_at: before?.createdAt,
        contradicted,
        refunds: sums.stored(),
        fees: fees.stored(),
        shown: [...shown].map(([id, { change, amount }]) => [id, change, String(amount)]),
        chosen: [...chosen],
      };
    },
    async closingLines() {
      const left = (await unshown()).filter(
        ({ orderId = '', amount, currency, state: one }) =>
          isOfState({ state: one }) &&
          (filters.length === 0 || chosen.has(orderId)) &&
          (amounts.isOpen || (amount !== undefined && amounts.holds(amount, currency))),
      );
      return [
        ...asked.leftOut(),
        ...refundLines(sums.lines(), left, profile.settings),
        ...fees.lines(profile.settings),
      ];
    },
    // A resumed export does not know which statuses the earlier orders had.
    checkStatuses: () => (state === undefined ? asked.checkStatuses() : undefined),
    knownOf: (id) => known.get(id),
    end: () => feed.end(),
  };
}

const nothingKnown = { refunds: [], attempts: [] };

// What is known about those orders that may have refunds, or about all of them.
async function knownOf(
  ctx: Context,
  service: Service,
  records: readonly WireRecord[],
  { withLeft }: Pick<RowsAsked, 'withLeft'>,
): Promise<ReadonlyMap<unknown, KnownOrder>> {
  const orders = records.map(({ value }) => value);
  const ids = ordersWithRefunds(orders);
  const wanted = withLeft ? orders : orders.filter(({ id }) => ids.has(String(id)));
  const all = await knownOrders(ctx, service, wanted).catch(
    orElse((cause) => {
      const what = `the export cannot say who made the refunds: ${cause.message}`;
      throw new CliError('refused', what, { ...cause.parts, cause });
    }),
  );
  return new Map(all.map((known) => [known.order.id, known]));
}

function shownIn(state: JsonObject | undefined): ShownRefunds {
  const shown: ShownRefunds = new Map();
  for (const [id, change, amount] of Array.isArray(state?.shown) ? state.shown : [])
    shown.set(String(id), { change: String(change), amount: wholeNumber(BigInt(String(amount))) ?? 0 });
  return shown;
}

function dateState({ id, created_at: createdAt, contradicted }: JsonObject): DateState {
  const known = typeof id === 'string' && typeof createdAt === 'number';
  return { before: known ? { id, createdAt } : undefined, contradicted: contradicted === true };
}

// ── What the rows add up to ──────────────────────────────────────────────────────────────────────

/** What the refunds of all pages add up to. A resumed export goes on from what the checkpoint has. */
function createSums(stored: unknown) {
  const tally = createTally(['refunds', 'amount', 'unsummed']);
  const add = ({ currency, meaning, ...figures }: RefundGroup): void => tally.add(meaning, currency, figures);
  const groups = (): readonly RefundGroup[] =>
    tally
      .lines('amount')
      .map(({ bucket, currency, sums }) => ({ currency, meaning: meaningIn(bucket), ...sums }));
  for (const one of Array.isArray(stored) ? stored : [])
    if (isObject(one))
      add({
        currency: textIn(one.currency),
        meaning: meaningIn(one.meaning),
        refunds: Number(one.refunds),
        amount: wholeNumber(BigInt(String(one.amount))) ?? 0,
        unsummed: Number(one.unsummed),
      });
  return {
    add({ state, currency, amount: shown }: ExportRow): void {
      const amount = wholeNumber(shown);
      const meaning = meaningIn(state);
      add(groupOf({ currency, meaning, amount: amount === undefined ? undefined : magnitude(amount) }));
    },
    lines: () => sumRefunds(groups()),
    // A large sum is a bigint, which JSON does not have.
    stored: () => groups().map((group) => ({ ...group, amount: String(group.amount) })),
  };
}

const chargeSums = ['charges', 'shows', 'fee', 'paid', 'back'] as const;

/**
 * What charges add up to in each currency: how many show a fee, the fees, what was paid, and what went back of it. A resumed export goes
 * on from what the checkpoint has.
 */
function createChargeSums(stored: unknown) {
  const tally = createTally(chargeSums);
  for (const one of Array.isArray(stored) ? stored : [])
    if (isObject(one)) {
      const sums = chargeSums.map((name) => [name, wholeNumber(BigInt(String(one[name]))) ?? 0]);
      tally.add('', textIn(one.currency), Object.fromEntries(sums));
    }
  return {
    add({ currency, fee: shown, record: { value } }: ExportRow): void {
      const fee = wholeNumber(shown);
      const isPaid = tookMoney(value);
      tally.add('', currency, {
        charges: 1,
        shows: fee === undefined ? 0 : 1,
        fee: fee ?? 0,
        paid: (isPaid ? wholeNumber(value.amount) : undefined) ?? 0,
        back: isPaid ? (wholeNumber(wentBackOfCharge(value)) ?? 0) : 0,
      });
    },
    lines(style: AmountStyle): readonly string[] {
      const all = tally.lines('paid');
      const [charges, shows] = (['charges', 'shows'] as const).map((name) =>
        Number(sumOf(all, ({ sums }) => sums[name])),
      );
      const fees = all
        .filter(({ sums }) => sums.shows > 0)
        .map(({ currency, sums }) => amountWords(sums.fee, currency, style));
      return [
        ...all.flatMap(({ currency, sums: { paid, back, fee, shows } }) => {
          const [one, other, rest] = [paid, back, plus(paid, negated(plus(back, fee)))].map((figure) =>
            amountWords(figure, currency, style),
          );
          const less = shows > 0 ? `; less that and the fees: ${rest}` : '';
          return paid > 0 ? [`paid: ${one}, of which ${other} went back so far${less}`] : [];
        }),
        ...(fees.length === 0
          ? []
          : [
              `fees: ${fees.join(' and ')}; ${shows} of ${counted(charges ?? 0, 'charge')} ${shows === 1 ? 'shows' : 'show'} one`,
            ]),
      ];
    },
    stored: () =>
      tally.lines('paid').map(({ currency, sums }) => ({
        currency,
        ...Object.fromEntries(chargeSums.map((name) => [name, String(sums[name])])),
      })),
  };
}
