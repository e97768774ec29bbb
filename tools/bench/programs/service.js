// A service of static pages on loopback: `node service.js ORDERS LATENCY_MS [latin]` prints its address.
// Every page is the same 250 orders (order-text.js) but for the ids, which are patched into a copy: O(1) a page, flat memory.
import { createServer } from 'node:http';
import { orderText } from './order-text.js';

const [orders = 0, latencyMs = 0] = process.argv.slice(2, 4).map(Number);
const latin = process.argv[4] === 'latin';
const idOf = (index) => `ord_${String(index).padStart(17, '0')}`;
const placeholder = idOf(0);

const templates = new Map();

// The page of so many orders, and where the id of which of them stands: in the order itself, and in `next_page_url`.
function templateOf(count, more) {
  const name = `${count} ${more}`;
  const known = templates.get(name);
  if (known !== undefined) return known;
  const next = more ? `http://127.0.0.1/orders?limit=${count}&next=${placeholder}` : null;
  const texts = [
    ...Array.from(
      { length: count },
      (_, index) => `${index === 0 ? '' : ','}${orderText(placeholder, index, latin)}`,
    ),
    `],"has_more":${more},"next_page_url":${JSON.stringify(next)},"previous_page_url":null}`,
  ];
  const parts = [Buffer.from('{"object":"list","data":['), ...texts.map((text) => Buffer.from(text))];
  const places = [];
  let start = 0;
  for (const [part, bytes] of parts.entries()) {
    const order = Math.min(part, count) - 1;
    for (let at = bytes.indexOf(placeholder); at !== -1; at = bytes.indexOf(placeholder, at + 1))
      places.push({ at: start + at, order });
    start += bytes.length;
  }
  const template = { page: Buffer.concat(parts), places };
  templates.set(name, template);
  return template;
}

function pageFrom(start, limit) {
  const count = Math.max(0, Math.min(limit, orders - start));
  const { page, places } = templateOf(count, start + count < orders);
  const copy = Buffer.from(page);
  for (const { at, order } of places) copy.write(idOf(start + order), at, 'latin1');
  return copy;
}

const server = createServer(({ url }, reply) => {
  const asked = new URL(url, 'http://localhost').searchParams;
  const next = asked.get('next');
  const start = next === null ? 0 : Number(next.slice(4)) + 1;
  const page = pageFrom(start, Number(asked.get('limit') ?? 20));
  const send = () =>
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page);
  if (latencyMs > 0) setTimeout(send, latencyMs);
  else send();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
