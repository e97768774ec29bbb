// A service of static pages on loopback: `node service.js ORDERS LATENCY_MS` prints its address.
// Every page is the same 250 orders of about 3 kB but for the ids, which are patched into a copy: O(1) a page, flat memory.
import { createServer } from 'node:http';
import { orderText } from './order-text.js';

const [orders = 0, latencyMs = 0] = process.argv.slice(2).map(Number);
const idOf = (index) => `ord_${String(index).padStart(17, '0')}`;
const placeholder = idOf(0);

const templates = new Map();

// The page of so many orders, and where its ids stand.
function templateOf(count, more) {
  const name = `${count} ${more}`;
  const known = templates.get(name);
  if (known !== undefined) return known;
  const data = Array.from({ length: count }, (_, index) => orderText(placeholder, index)).join(',');
  const page = Buffer.from(`{"object":"list","has_more":${more},"data":[${data}]}`);
  const places = [];
  const perOrder = orderText(placeholder, 0).split(placeholder).length - 1;
  for (let at = page.indexOf(placeholder); at !== -1; at = page.indexOf(placeholder, at + 1)) places.push(at);
  const template = { page, places, perOrder };
  templates.set(name, template);
  return template;
}

function pageFrom(start, limit) {
  const count = Math.max(0, Math.min(limit, orders - start));
  const { page, places, perOrder } = templateOf(count, start + count < orders);
  const copy = Buffer.from(page);
  for (const [place, at] of places.entries())
    copy.write(idOf(start + Math.floor(place / perOrder)), at, 'latin1');
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
