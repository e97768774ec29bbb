// A loop over axios that writes every page as lines of JSON as soon as it is there.
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

let next;
for (let more = true; more; ) {
  const { data } = await client.get('/orders', { params: { limit: 250, next } });
  const text = data.data.map((order) => `${JSON.stringify(order)}\n`).join('');
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  next = data.data.at(-1)?.id;
  more = data.has_more;
}
process.exit();
