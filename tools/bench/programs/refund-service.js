// A service of one order at a time, the first and only one of its list: `node refund-service.js` prints its address.
// Whatever id is asked for next is the order, not refunded yet. `GET /requests` gives what was asked since then.
import { createServer } from 'node:http';

let id;
let refunded = false;
let requests = [];

const listOf = (...data) => ({ object: 'list', has_more: false, total: data.length, data });

function order() {
  const part = { livemode: false, amount: 35_000, currency: 'MXN', is_refundable: !refunded };
  const status = refunded ? 'refunded' : 'paid';
  const refund = { id: `rf_${id}`, object: 'refund', amount: -35_000 };
  const refunds = refunded ? listOf(refund) : null;
  const charge = { ...part, id: `ch_${id}`, object: 'charge', status, refunds };
  const money = { amount_refunded: refunded ? part.amount : 0, payment_status: status };
  return { ...part, ...money, id, object: 'order', charges: listOf(charge) };
}

function answer({ method, url }) {
  if (method === 'POST') {
    refunded = true;
    return order();
  }
  const { searchParams } = new URL(url, 'http://localhost');
  const asked = searchParams.get('previous') ?? searchParams.get('next');
  if (asked === null) return listOf(order());
  if (asked !== id) [id, refunded, requests] = [asked, false, []];
  return listOf();
}

const server = createServer(async (request, reply) => {
  const { method, url } = request;
  const chunks = await request.toArray();
  const isOrder = url !== '/requests';
  const body = isOrder ? answer(request) : requests;
  if (isOrder) requests.push({ method, url, body: Buffer.concat(chunks).toString() || undefined });
  reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
