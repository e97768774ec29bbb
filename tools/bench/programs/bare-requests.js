// The same requests one after the other by bare fetch: `node bare-requests.js JSON`, a list of { method, url, body }, or a file
// with such a list.
import { readFileSync } from 'node:fs';

const { BASE_URL, API_KEY } = process.env;
const [, , list] = process.argv;
for (const { method, url, body } of JSON.parse(list.startsWith('[') ? list : readFileSync(list, 'utf8'))) {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(`${BASE_URL}${url}`, { method, headers, body });
  const { id } = await response.json();
  if (method === 'POST') console.log(id);
}
