// A table of all orders: one cli-table3 a page of 250.
import Table from 'cli-table3';
import { pages } from './walk.js';

for await (const orders of pages()) {
  const table = new Table({ head: ['ID', 'CREATED', 'STATUS', 'AMOUNT', 'REFUNDED', 'CARD'] });
  for (const { id, created_at, payment_status, amount, currency, amount_refunded, charges } of orders) {
    const created = new Date(created_at * 1000).toISOString().slice(0, 16);
    const { last4 } = charges.data[0].payment_method;
    table.push([id, created, payment_status, `${amount} ${currency}`, amount_refunded, `*${last4}`]);
  }
  console.log(table.toString());
}
