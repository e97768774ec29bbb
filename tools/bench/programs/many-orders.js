// A service of many orders, no two alike: `node many-orders.js ORDERS LATENCY_MS` prints its address. Every order is about 2.8 kB
// and is made when it is asked for, so memory stays flat. `POST /new` makes one order more, `POST /refunded?index=N` refunds one,
// `POST /latency?ms=N` changes how long each reply waits.
import { createServer } from 'node:http';

const [orders = 0, firstLatency = 0] = process.argv.slice(2).map(Number);
let latencyMs = firstLatency;
let refundedIndex = -1;
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const firsts =
  'Ana Luis María José Jürgen Zoë Søren Łukasz Ngọc Иван 小明 花子 สมชาย Fatima Olu Priya Chen Aiko Noah Emma'.split(
    ' ',
  );
const lasts =
  'Torres Ortega Hernández Weiß O’Brien Østergaard Żak Trần Петров 王 田中 ใจดี Haddad Adeyemi Sharma Wei Sato Smith Müller Peña'.split(
    ' ',
  );
const seconds =
  'Ríos Gómez Lang Berg Nowak Lê Ким 李 山本 ทอง Nasser Bello Rao Li Ito Brown Schmidt Ruiz Vega Cruz'.split(
    ' ',
  );
const newest = Math.floor(Date.now() / 1000) - 60;

// A mixture of the bits of a number, the same every time.
function mixed(number, salt) {
  let value = Math.imul(number ^ salt, 2654435761) ^ Math.imul(salt, 40503);
  value = Math.imul(value ^ (value >>> 15), 2246822519);
  return (value ^ (value >>> 13)) >>> 0;
}

function word(number, salt, length) {
  let text = '';
  for (let at = 0; at < length; at += 1) text += letters[mixed(number, salt + at * 7919) % 62];
  return text;
}

const size = 62 ** 4;
const factor = 9_999_991;
let inverse = 1n;
for (let [a, b, x, y] = [BigInt(factor), BigInt(size), 1n, 0n]; b !== 0n; ) {
  const q = a / b;
  [a, b] = [b, a % b];
  [x, y] = [y, x - q * y];
  inverse = ((x % BigInt(size)) + BigInt(size)) % BigInt(size);
}

// The last four characters say which order it is, and look as random as the others.
export function idOf(index) {
  let scrambled = Number((BigInt(index) * BigInt(factor)) % BigInt(size));
  let tail = '';
  for (let at = 0; at < 4; at += 1) {
    tail += letters[scrambled % 62];
    scrambled = Math.floor(scrambled / 62);
  }
  return `ord_${word(index, 11, 13)}${tail}`;
}

function indexOf(id) {
  let scrambled = 0;
  for (const letter of id.slice(-4).split('').toReversed())
    scrambled = scrambled * 62 + letters.indexOf(letter);
  const index = Number((BigInt(scrambled) * inverse) % BigInt(size));
  return idOf(index) === id && index < orders ? index : undefined;
}

let extra = [];

function orderText(index) {
  const id = idOf(index);
  const buyer = mixed(index, 5) % Math.max(1, Math.floor(orders / 4));
  const [first, last, second] = [firsts, lasts, seconds].map((list, at) => list[mixed(buyer, 20 + at) % 20]);
  const name = `${first} ${last} ${second}`;
  const amount = 5_000 + (mixed(index, 3) % 400_000);
  const refunded = mixed(index, 4) % 8 === 0 || index === refundedIndex;
  const created = newest - index * 31;
  const status = refunded ? 'refunded' : mixed(index, 6) % 30 === 0 ? 'pre_authorized' : 'paid';
  const auth = String(100_000 + (mixed(index, 8) % 899_999));
  const last4 = String(1_000 + (mixed(buyer, 9) % 8_999));
  const refund = `{"amount":-${amount},"auth_code":"${auth}","created_at":${created + 9000},"id":"6a20${word(index, 31, 20)}","object":"refund"}`;
  const address =
    '"street1":"Av. Insurgentes Sur 1602","city":"Ciudad de México","state":"CDMX","country":"mx"';
  const line = (place) =>
    `{"name":"Concert ticket, section ${place + 101}","description":"Admission for one person, general access from 19:00","unit_price":${amount},"quantity":1,"sku":"TKT-${place}-${index % 500}","tags":["tickets","music"],"brand":"Foro Sol","type":"physical","object":"line_item","id":"line_item_${word(index, 50 + place, 17)}","parent_id":"${id}","metadata":{"section":"${place + 101}","gate":"B"},"antifraud_info":{"trip_id":"12345","driver_id":"driv_1231","ticket_class":"economic","pickup_latlon":"23.4323456,-123.1234567","dropoff_latlon":"23.4323456,-123.1234567"}}`;
  return `{"id":"${id}","object":"order","livemode":false,"amount":${amount},"currency":"${mixed(index, 2) % 9 === 0 ? 'USD' : 'MXN'}","payment_status":"${status}","amount_refunded":${refunded ? amount : 0},"split_payment":false,"is_refundable":${!refunded},"customer_info":{"email":"buyer${buyer}@${lasts[buyer % 4 === 0 ? 0 : 17].toLowerCase()}.example.com","phone":"+52${1_000_000_000 + (mixed(buyer, 12) % 899_999_999)}","name":"${name}","corporate":false,"customer_id":"cus_${word(buyer, 13, 12)}","object":"customer_info","antifraud_info":{"account_created_at":1484040996,"first_paid_at":1485151007,"paid_transactions":4}},"shipping_contact":{"created_at":${created},"id":"ship_cont_${word(index, 14, 17)}","object":"shipping_contact","address":{${address},"residential":true,"object":"shipping_address","postal_code":"03940"}},"fiscal_entity":null,"channel":null,"metadata":{"shop_order":"A-${10_000_000 - index}","desk":"web"},"created_at":${created},"updated_at":${created + 30},"line_items":{"object":"list","has_more":false,"total":2,"data":[${line(0)},${line(1)}]},"shipping_lines":null,"tax_lines":null,"discount_lines":null,"charges":{"object":"list","has_more":false,"total":1,"data":[{"id":"6a1f${word(index, 32, 20)}","livemode":false,"created_at":${created},"currency":"${mixed(index, 2) % 9 === 0 ? 'USD' : 'MXN'}","monthly_installments":null,"device_fingerprint":null,"payment_method":{"name":"${name.toUpperCase()}","exp_month":"12","exp_year":"29","auth_code":"${auth}","object":"card_payment","type":"${mixed(index, 15) % 3 === 0 ? 'debit' : 'credit'}","last4":"${last4}","brand":"${mixed(buyer, 16) % 2 === 0 ? 'visa' : 'mastercard'}","issuer":"","account_type":"","country":"MX","fraud_score":29,"fraud_indicators":[],"normalized_device_fingerprint":null,"address":{${address},"zip":"03940","object":"address"}},"object":"charge","description":"Payment from order","is_refundable":${!refunded},"reference_id":null,"refunds":${refunded ? `{"object":"list","has_more":false,"total":1,"data":[${refund}]}` : 'null'},"status":"${status}","amount":${amount},"paid_at":${created + 12},"fee":1421,"customer_id":"cus_${word(buyer, 13, 12)}","order_id":"${id}","failure_code":null,"failure_message":null,"channel":null}]}}`;
}

function pageFrom(start, limit) {
  const count = Math.max(0, Math.min(limit, orders - start));
  const data = Array.from({ length: count }, (_, at) => orderText(start + at));
  return Buffer.from(
    `{"object":"list","has_more":${start + count < orders},"data":[${[...(start === 0 ? extra : []), ...data].join(',')}]}`,
  );
}

function madeNow() {
  return orderText(3)
    .replaceAll(idOf(3), 'ord_madejustnow00001')
    .replaceAll(/A-\d+/g, 'A-JUSTNOW')
    .replaceAll(/"created_at":\d+/g, `"created_at":${Math.floor(Date.now() / 1000)}`);
}

const server = createServer(({ url, method }, reply) => {
  const { searchParams, pathname } = new URL(url, 'http://localhost');
  if (method === 'POST') {
    if (pathname === '/latency') latencyMs = Number(searchParams.get('ms'));
    if (pathname === '/refunded') refundedIndex = Number(searchParams.get('index'));
    if (pathname === '/new') extra = [madeNow()];
    return reply.end('ok');
  }
  const [next, previous] = ['next', 'previous'].map((name) => searchParams.get(name));
  const limit = Number(searchParams.get('limit') ?? 20);
  const at = indexOf(next ?? previous ?? '');
  const start = previous === null ? (next === null ? 0 : (at ?? -1) + 1) : Math.max(0, (at ?? 0) - limit);
  const page = pageFrom(start, previous === null ? limit : Math.min(limit, at ?? 0));
  const send = () =>
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page);
  return latencyMs > 0 ? setTimeout(send, latencyMs) : send();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
