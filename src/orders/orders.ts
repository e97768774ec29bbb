/** Exports what this folder decides: what is known about an order, so that every screen says the same. */

export * from './buyer-words.ts';
export * from './known-order.ts';
export * from './look-up.ts';
export * from './meant-order.ts';
export * from './order-cases.ts';
export * from './recorded-refunds.ts';
export * from './refund-states.ts';
export * from './twin-words.ts';
export * from './twins.ts';
export * from './what-followed.ts';
