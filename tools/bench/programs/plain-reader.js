// Orders as lines of JSON: node:http, parsed and written page by page, nothing checked.
import { pages } from './walk.js';

for await (const orders of pages()) {
  const text = orders.map((order) => `${JSON.stringify(order)}\n`).join('');
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
