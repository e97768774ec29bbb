/** What a checkout looks like when it was made (service: Endpoints 4 and 5), as pure functions. */

import {
  type CheckoutCreateRequest,
  hostedPayment,
  isObject,
  type JsonObject,
  type OrderRequest,
} from '../../api/spec.ts';
import { checkoutAliases, checkoutDefaults } from '../assumptions.ts';
import type { RuleInputs } from './refund.ts';

type OrderCheckout = NonNullable<OrderRequest['checkout']>;

/** A payment link as it is answered. */
export function createLink(
  request: CheckoutCreateRequest,
  livemode: boolean,
  inputs: RuleInputs,
): JsonObject & { readonly id: string } {
  const { expired_at: expiry, ...fields } = request;
  const checkout = { ...issued(livemode, expiry, inputs), ...fields };
  return { ...checkout, url: `${checkoutDefaults.pageOrigin}/link/${checkout.slug}` };
}

/** The checkout inside an order as it is answered; one of type Integration has no page of its own. */
export function createOrderCheckout(
  request: OrderCheckout,
  livemode: boolean,
  inputs: RuleInputs,
): JsonObject {
  const { expires_at: expiry, ...fields } = request;
  const checkout = { ...issued(livemode, expiry, inputs), ...fields };
  return request.type === hostedPayment
    ? { ...checkout, url: `${checkoutDefaults.pageOrigin}/checkout/${checkout.slug}` }
    : checkout;
}

function issued(livemode: boolean, expiry: number | undefined, { now, ids }: RuleInputs) {
  const id = ids.checkout();
  return {
    id,
    object: 'checkout',
    livemode,
    status: checkoutDefaults.status,
    slug: id.slice(0, 12),
    created_at: now,
    // Assumed: the reply says expires_at, also where the request said expired_at.
    expires_at: expiry ?? now + checkoutDefaults.lifeSeconds,
  };
}

/** A body with the second spellings of the document put as the schemas have them; a field in both stays a fault. */
export function withoutAliases(body: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const name = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
      return [name === undefined || Object.hasOwn(body, name) ? key : name, value];
    }),
  );
}

/** The body of an order with the checkout inside it so spelled. */
export function withoutOrderAliases(body: unknown): unknown {
  if (!isObject(body) || body.checkout === undefined) return body;
  return { ...body, checkout: withoutAliases(body.checkout, checkoutAliases.order) };
}
