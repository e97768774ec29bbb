/** Ids of new records, in the forms of the document. */

import type { Random } from './random.ts';

/** Makes an id of each kind. */
export interface Ids {
  order(): string;
  customer(): string;
  lineItem(): string;
  shippingContact(): string;
  fiscalEntity(): string;
  paymentSource(): string;
  checkout(): string;
  /** Charges and refunds; the document shows no form. */
  plain(): string;
}

/** Ids out of a source of chance: the same source, the same ids. */
export function idsFrom(random: Random): Ids {
  return {
    order: () => `ord_${random.letters(17)}`,
    customer: () => `cus_${random.letters(17)}`,
    lineItem: () => `line_item_${random.letters(17)}`,
    shippingContact: () => `ship_cont_${random.letters(17)}`,
    fiscalEntity: () => `fis_ent_${random.letters(17)}`,
    paymentSource: () => `off_ref_${random.letters(17)}`,
    // Assumed: no prefix is documented for a checkout.
    checkout: () => random.hex(24),
    plain: () => random.hex(24),
  };
}
