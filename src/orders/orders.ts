/** The door of the orders: what is known about an order is decided here, and every screen says that. */

export * from './buyer-words.ts';
export * from './known-order.ts';
export * from './look-up.ts';
export * from './meant-order.ts';
export * from './order-cases.ts';
export * from './refund-facts.ts';
export * from './twin-words.ts';
export * from './twins.ts';
export * from './what-followed.ts';
