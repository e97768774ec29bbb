import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexFileIn, openFile } from '../../../src/index/index-file.ts';
import { createSealer } from '../../../src/index/sealed-segments.ts';

// Reads every segment of an index from disk, opens its ids and its texts, and does nothing with them: what no search can do without.

const { HOME = '', BASE_URL = '' } = process.env;
const account = `${BASE_URL} service sandbox`;
const rules = { uid: undefined, notice: () => undefined };
const file = openFile(indexFileIn(join(HOME, '.local/state/paydesk/index'), account), rules);
if (file === undefined) throw new Error('there is no index');
const { keys } = JSON.parse(readFileSync(join(HOME, '.config/paydesk/keys.json'), 'utf8'));
const { key } = new Map<string, { readonly key: string }>(keys).get(`index ${file.key.id}`) ?? { key: '' };
const segments = file.unsealed(createSealer(Buffer.from(key, 'base64url'), account));
let bytes = 0;
for (const segment of segments.edges()) {
  const { ids, text } = segments.texts(segment);
  bytes += ids.length + text.length;
}
console.log(bytes);
