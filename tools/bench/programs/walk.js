// Walking all orders with node:http and a connection that is kept: what the plain programs share.
import { Agent, get } from 'node:http';

const { BASE_URL, API_KEY } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { authorization: `Bearer ${API_KEY}` };

/** The reply to one page of 250, its body unread. */
export function askForPage(next) {
  const cursor = next === undefined ? '' : `&next=${next}`;
  return new Promise((resolve, reject) => {
    get(`${BASE_URL}/orders?limit=250${cursor}`, { agent, headers }, resolve).on('error', reject);
  });
}

/** Pages of parsed orders, one after the other. */
export async function* pages() {
  let next;
  for (let more = true; more; ) {
    const chunks = [];
    for await (const chunk of await askForPage(next)) chunks.push(chunk);
    const { data, has_more } = JSON.parse(Buffer.concat(chunks).toString());
    yield data;
    next = data.at(-1)?.id;
    more = has_more;
  }
  agent.destroy();
}
