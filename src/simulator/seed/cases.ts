/** The cases that the simulator's data hold, and the order in which they come, newest first. */

/** What happened to a charge of a seeded order. */
export type ChargeCase = 'paid' | 'declined' | 'pre_authorized' | 'locked';

/** One case of an order. */
export interface OrderCase {
  /** The charges, in shares of the amount; a declined one is an attempt at the share after it. */
  readonly charges: readonly ChargeCase[];
  /** What went back since: all of it, or some of the first charge that was paid. */
  readonly refunded?: 'all' | 'part' | 'first_charge';
  /** Bought by the same buyer for the same amount as the next older order, a few minutes after it. */
  readonly twin?: true;
  /** `full` fills every field of the document, `null` leaves null in all that may hold it. */
  readonly fields: 'usual' | 'full' | 'null';
  readonly currency?: 'USD';
}

const paid = { charges: ['paid'], fields: 'usual' } as const satisfies OrderCase;
const unpaid = { charges: [], fields: 'usual' } as const satisfies OrderCase;

/** They come round again after the last; the first ones are what a newcomer sees first. */
export const orderCases: readonly [OrderCase, ...OrderCase[]] = [
  { ...paid, twin: true },
  paid,
  { charges: ['paid', 'paid'], refunded: 'part', fields: 'full' },
  { charges: ['paid'], refunded: 'all', fields: 'usual', currency: 'USD' },
  { charges: ['pre_authorized'], fields: 'usual' },
  unpaid,
  { charges: ['paid', 'paid'], fields: 'usual' },
  { charges: ['declined', 'paid'], fields: 'full' },
  { charges: ['paid'], fields: 'null' },
  { charges: ['paid', 'paid', 'paid'], fields: 'usual' },
  { charges: ['paid', 'locked'], fields: 'usual' },
  { charges: ['paid'], refunded: 'part', fields: 'usual' },
  { ...unpaid, fields: 'null' },
  { charges: ['paid'], fields: 'full', currency: 'USD' },
  { charges: ['paid', 'paid'], refunded: 'first_charge', fields: 'usual' },
  paid,
  { charges: ['paid', 'paid'], refunded: 'all', fields: 'usual' },
  { charges: ['locked'], fields: 'usual' },
  { charges: ['pre_authorized', 'pre_authorized'], fields: 'full' },
  paid,
];
