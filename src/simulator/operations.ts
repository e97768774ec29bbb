/**
 * The operations between app.ts (HTTP) and rules/: each checks a body, loads the record, applies a rule and
 * stores the result.
 */

import { checkoutCreateRequest, checkRequest, orderRequest, refundRequest } from '../api/request-bodies.ts';
import { resources } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';
import { isObject, livemodeOf } from '../api/spec.ts';
import { checkoutAliases } from './assumptions.ts';
import type { Failure, Ruled } from './failures.ts';
import { badBody, notFound } from './failures.ts';
import type { StoredOrder } from './records.ts';
import { createLink, createOrder, withoutAliases, withoutOrderAliases } from './rules/order-and-checkout.ts';
import type { RuleInputs } from './rules/refund-and-capture.ts';
import { captureOrder, refundOrder } from './rules/refund-and-capture.ts';
import type { Store } from './store.ts';

/** POST orders/ID/refunds (service: Endpoints 1). */
export function refund(store: Store, id: string, body: JsonObject, inputs: RuleInputs): Ruled<StoredOrder> {
  if (store.get('orders', id) === undefined) return { failure: noOrder(id) };
  // `amount` without `charge_id` is judged by the rule, which sees the order: checked as if a charge were named.
  const named = body.charge_id === undefined ? { ...body, charge_id: 'any' } : body;
  const checked = checkRequest(refundRequest, named);
  if ('faults' in checked) return { failure: badBody(checked.faults) };
  const { charge_id: chargeId, ...rest } = checked.body;
  const request = body.charge_id === undefined ? rest : { ...rest, charge_id: chargeId };
  return store.changeOrder(id, (order) => refundOrder(order, request, inputs)) ?? { failure: noOrder(id) };
}

/** POST orders/ID/capture (service: Endpoints 3). */
export function capture(store: Store, id: string, body: JsonObject, { now }: RuleInputs): Ruled<StoredOrder> {
  if (store.get('orders', id) === undefined) return { failure: noOrder(id) };
  // Assumed: `{}` counts as no body; any field in it is refused (service: Endpoints 3).
  const faults = Object.keys(body).map((param) => unknownParameter(param));
  if (faults.length > 0) return { failure: badBody(faults) };
  return store.changeOrder(id, (order) => captureOrder(order, now)) ?? { failure: noOrder(id) };
}

/** POST orders (service: Endpoints 4). */
export function makeOrder(store: Store, body: JsonObject, inputs: RuleInputs): Ruled<JsonObject> {
  const checked = checkRequest(orderRequest, withoutOrderAliases(body));
  if ('faults' in checked) return { failure: badBody(checked.faults) };
  const customerId = checked.body.customer_info?.customer_id;
  const customer = customerId === undefined ? undefined : customerIn(store, customerId);
  if (customerId !== undefined && customer === undefined) {
    return { failure: notFound('customer', customerId, 'customer_info[customer_id]') };
  }
  const livemode = livemodeOf[store.identity().mode];
  const made = createOrder(checked.body, { ...inputs, livemode, customer });
  if ('value' in made) store.add('orders', made.value);
  return made;
}

/** POST of a payment link (service: Endpoints 5). */
export function makeCheckout(store: Store, body: JsonObject, inputs: RuleInputs): Ruled<JsonObject> {
  const checked = checkRequest(checkoutCreateRequest, withoutAliases(body, checkoutAliases.link));
  if ('faults' in checked) return { failure: badBody(checked.faults) };
  const customerId = checked.body.order_template.customer_info?.customer_id;
  if (customerId !== undefined && customerIn(store, customerId) === undefined) {
    return { failure: notFound('customer', customerId, 'order_template[customer_info][customer_id]') };
  }
  const made = createLink(checked.body, livemodeOf[store.identity().mode], inputs);
  store.add('checkouts', made);
  return { value: made };
}

// Assumed: charges cannot be made here; their payloads are not shown (service: Endpoints 6).
export function makeCharge(store: Store, orderId: string | undefined, body: JsonObject): Ruled<JsonObject> {
  if (orderId !== undefined && store.get('orders', orderId) === undefined) {
    return { failure: noOrder(orderId) };
  }
  const params = Object.keys(body);
  const faults = params.length === 0 ? [noPayload] : params.map((param) => unknownParameter(param));
  return { failure: badBody(faults) };
}

const noPayload = { kind: 'invalid', param: null, message: 'no payload of a charge is documented' } as const;

function unknownParameter(param: string) {
  return { kind: 'unknown', param, message: `${param} is not documented here` } as const;
}

function noOrder(id: string): Failure {
  return notFound(resources.orders.one, id);
}

function customerIn(store: Store, id: string): JsonObject | undefined {
  const text = store.get('customers', id);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(value) ? value : undefined;
}
