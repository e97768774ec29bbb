/** Plans a change from a desk again, and refuses it if the result differs: a desk may say anything. Pure. */

import { moneyOf } from '../api/charges.ts';
import type { JsonObject } from '../api/json-values.ts';
import { readOrder } from '../api/records.ts';
import { checkoutCreateRequest, checkRequest, orderRequest, refundRequest } from '../api/request-bodies.ts';
import { paths } from '../api/spec.ts';
import { type CliError, refused } from '../errors.ts';
import type { Change } from '../journal/journal.ts';
import { checkMode, type Profile } from '../profiles/profiles.ts';
import { orderOf, parseHeader, parsePath, refuseMoneyRoute, refuseOverrides } from './api-request.ts';
import { checkCapturable } from './capture-order.ts';
import { totalOf } from './create/new-order.ts';
import { sumOfItems } from './create/sale-flags.ts';
import { refuseUnfit } from './may-change.ts';
import { decideRefund } from './refund/decide-refund.ts';
import type { Counting } from './refund/refund-limit.ts';

type Asked = Pick<
  Change,
  'kind' | 'orderId' | 'request' | 'expected' | 'tolerated' | 'amount' | 'currency' | 'reason' | 'note'
>;

/** What follows from the body of a change and from its order. */
type Planned = Partial<
  Pick<Change, 'orderId' | 'request' | 'expected' | 'tolerated' | 'amount' | 'currency' | 'reason'>
>;

/**
 * Throws CliError 'refused' unless a change is just what follows from its body and from the order as it is now. `fresh`: the order;
 * undefined for a change that belongs to none.
 */
export function refuseForged(
  asked: Asked,
  fresh: JsonObject | undefined,
  profile: Profile,
  counting: Counting,
): void {
  refuseUnfit(asked, profile);
  const planned = plannedFrom({ asked, fresh, profile, counting });
  const other = Object.entries(planned).find(
    ([name, value]) => plain(value) !== plain(Object.entries(asked).find(([key]) => key === name)?.[1]),
  );
  if (other !== undefined) throw forged(`its ${other[0]} is not what follows from the request and the order`);
}

interface PlannedAgain {
  readonly asked: Asked;
  readonly fresh: JsonObject | undefined;
  readonly profile: Profile;
  readonly counting: Counting;
}

function plannedFrom(again: PlannedAgain): Planned {
  const { asked, fresh, profile } = again;
  const { kind, orderId, request } = asked;
  if (orderId !== undefined && fresh?.id !== orderId) throw forged('it is about another order');
  if (fresh !== undefined) checkMode(fresh, profile);
  switch (kind) {
    case 'refund':
      return plannedRefund(again);
    case 'capture':
      return plannedCapture(again);
    case 'order': {
      const checked = checkRequest(orderRequest, request.body);
      if ('faults' in checked) throw forged('its body is no order');
      const { body } = checked;
      return creation(paths.orders, body, totalOf(body), body.currency);
    }
    case 'checkout': {
      const checked = checkRequest(checkoutCreateRequest, request.body);
      if ('faults' in checked) throw forged('its body is no payment link');
      const { order_template: sale } = checked.body;
      const path = profile.settings['checkouts.path'];
      return creation(path, checked.body, sumOfItems(sale.line_items), sale.currency);
    }
    case 'api':
      return checkedApi(asked);
  }
}

function plannedRefund({ asked, fresh, profile, counting }: PlannedAgain): Planned {
  const { request, reason, note } = asked;
  const checked = checkRequest(refundRequest, request.body);
  if (fresh === undefined || 'faults' in checked) throw forged('its body is no refund');
  const { charge_id: charge, amount, reason: sentReason } = checked.body;
  // The guards of the journal check whether an equal refund was made before: they know which rows of a plan may be equal.
  const again = moneyOf(fresh)?.charges.flatMap(({ refunds }) => refunds.map(({ id }) => id)) ?? [];
  const refund = { charge, amount, reason: sentReason, note, again };
  const { change } = decideRefund(refund, fresh, profile, { counting });
  const { request: sent, expected, tolerated, amount: sum, currency } = change;
  const what = { request: sent, expected, tolerated, amount: sum, currency };
  return reason === undefined ? what : { ...what, reason: sentReason };
}

function plannedCapture({ asked: { orderId = '' }, fresh, profile }: PlannedAgain): Planned {
  if (fresh === undefined) throw forged('it is about no order');
  checkCapturable(fresh, profile);
  const { amount, currency } = readOrder(fresh) ?? {};
  return { request: { method: 'POST', path: paths.capture(orderId) }, amount, currency };
}

function creation(path: string, body: JsonObject, amount: number | undefined, currency: string): Planned {
  return { orderId: undefined, request: { method: 'POST', path, body }, amount, currency };
}

// The checks of `api METHOD PATH`. Nothing else may follow from such a request.
function checkedApi({ request }: Asked): Planned {
  const { method, path, body, headers } = request;
  refuseMoneyRoute(method, path);
  refuseOverrides(path, body);
  const checked = Object.entries(headers ?? {}).map(([name, value]) => parseHeader(`${name}:${value}`, name));
  return {
    orderId: orderOf(path, body),
    request: { method, path: parsePath(path), body, headers: headers && Object.fromEntries(checked) },
    expected: undefined,
    amount: undefined,
  };
}

function forged(what: string): CliError {
  return refused(
    `the desk asks for a change that it may not ask for: ${what}`,
    ['run the same command again'],
    'other_change',
  );
}

// A value in the form of the journal: what is undefined is absent, and the order of keys does not matter.
function plain(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
