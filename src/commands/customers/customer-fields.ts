/** The fields of a customer that a search looks at. Pure. */

import { itemsOf, type JsonObject } from '../../api/spec.ts';
import { field, foldedFields, metadataFields, type SearchableOrder } from '../orders/order-matching.ts';

/** The fields of a customer (service: customer), each also without case and accents. */
export function customerFields(customer: JsonObject): SearchableOrder {
  return foldedFields([
    ...field('name', customer.name, 'part'),
    ...field('email', customer.email, 'part'),
    ...field('phone', customer.phone, 'phone'),
    ...field('id', customer.id, 'idPart'),
    ...field('reference', customer.custom_reference, 'part'),
    ...itemsOf(customer.payment_sources).flatMap((source) => [
      ...field('source', source.reference, 'part'),
      ...field('source', source.id, 'idPart'),
    ]),
    ...metadataFields(customer.metadata),
  ]);
}
