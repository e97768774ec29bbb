// What client libraries do to list all: a loop over axios that collects every order; written as lines of JSON at the end.
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { BASE_URL, API_KEY, AXIOS_FOLDER } = process.env;
const { default: axios } = createRequire(pathToFileURL(`${AXIOS_FOLDER}/`))('axios');
const client = axios.create({
  baseURL: BASE_URL,
  httpAgent: new Agent({ keepAlive: true }),
  headers: { authorization: `Bearer ${API_KEY}` },
});

const all = [];
for (let more = true; more; ) {
  const { data } = await client.get('/orders', { params: { limit: 250, next: all.at(-1)?.id } });
  all.push(...data.data);
  more = data.has_more;
}
for (let start = 0; start < all.length; start += 250) {
  const some = all.slice(start, start + 250);
  process.stdout.write(some.map((order) => `${JSON.stringify(order)}\n`).join(''));
}
process.exit();
