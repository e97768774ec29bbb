// Checks a file of `paydesk prove`, or the manifest of an export and the file beside it, without paydesk: node check-proof.mjs FILE KEY
// KEY is `desk_key` of `paydesk profile show`. Get it from the desk, and not from the file.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [file, key] = process.argv.slice(2);
const stop = (code, words) => {
  console.error(words);
  process.exit(code);
};
const fail = (why) => stop(1, `${file}: NOT GENUINE: ${why}`);
if (key === undefined)
  stop(2, 'usage: node check-proof.mjs FILE KEY, where KEY is desk_key of paydesk profile show at the desk');
// What is no key, or no line of a proof.
process.on('uncaughtException', ({ message }) => fail(message));
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

let bytes;
try {
  bytes = readFileSync(file);
} catch ({ message }) {
  stop(2, `${file} cannot be read: ${message}`);
}
const isManifest = bytes.includes('"object": "export_manifest"');
if (!isManifest && !bytes.includes('"object":"proof'))
  stop(2, `${file}: not a file of prove, nor a manifest (of an export, give FILE.manifest.json)`);
// A proof ends with a line, and a manifest with a field, that signs what stands before it. The manifest was closed there.
const ending = isManifest
  ? /,\n {2}"signature": "([A-Za-z0-9+/]+=*)"\n\}\n$/
  : /(?<=\n)\{"object":"proof_signature","signature":"([A-Za-z0-9+/]+=*)"\}\n$/;
const end = bytes.lastIndexOf(isManifest ? ',' : '\n', bytes.length - 2) + (isManifest ? 0 : 1);
const [, signature] = bytes.toString().match(ending) ?? [];
if (signature === undefined) fail('the last line is no signature');
const signed = Buffer.concat([bytes.subarray(0, end), Buffer.from(isManifest ? '\n}\n' : '')]);
const raw = Buffer.from(signature, 'base64');
if (raw.toString('base64') !== signature) fail('the last line is no signature');
const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
if (!verify(null, signed, publicKey, raw)) fail('it was changed, or another key signed it');

if (isManifest) {
  const { file: name, sha256: sum, problems_file: problems, ...about } = JSON.parse(signed);
  for (const [beside, right] of [[name, sum], ...(problems ? [[problems, about.problems_sha256]] : [])]) {
    const [path, found] = [join(dirname(file), beside), createHash('sha256')];
    await pipeline(createReadStream(path), found).catch(({ message }) => {
      stop(2, `${path}, which it is about, cannot be read: ${message}`);
    });
    if (found.digest('hex') !== right) fail(`${path} is not the file that it is about: its SHA-256 differs`);
  }
  if (!about.complete) console.log(`NOT COMPLETE: ${about.why_not}`);
  console.log(`${file}: genuine, and ${name} beside it is as exported, ${about.rows} rows`);
  process.exit();
}

const [about, ...refunds] = signed
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
if (about.refunds !== refunds.length) fail(`it names ${about.refunds} refunds and holds ${refunds.length}`);
for (const line of refunds) {
  for (const { seq, row, body, body_hash, prev, hash } of line.rows) {
    if (body !== null && sha256(body) !== body_hash) fail(`row ${seq}: its body was changed`);
    if (sha256(`${prev}\n${body_hash ?? ''}\n${row}`) !== hash) fail(`row ${seq} was changed`);
  }
  const { change, order, refunds: ids, operator, asked_by: asker, approved_by: approver } = line;
  const sent = new Date(line.sent_at * 1000).toISOString().replace('.000Z', 'Z');
  const amount = line.amount_text ?? `${line.amount} ${line.currency}`;
  const auth = line.auth_code ? `, auth code ${line.auth_code}` : '';
  const asked = asker && asker !== operator ? `, asked by ${asker}` : '';
  const by = `by ${operator}${asked}${approver ? `, approved by ${approver}` : ''}`;
  console.log(`${sent}  ${order}  ${amount}  ${line.state ?? 'not made'}`);
  console.log(`  ${ids || 'no id of a refund'}${auth}, ${by}, ${change}`);
  if (line.acknowledged_by)
    console.log(`  alarm acknowledged by ${line.acknowledged_by}: ${line.acknowledged_note ?? 'no note'}`);
}
// One change of a whole order may have made several refunds.
const many = (number, one) => `${number} ${one}${number === 1 ? '' : 's'}`;
const both = (changes, made) => `${many(changes, 'change')}, ${many(made, 'refund')}`;
const sums = about.sums.map(
  ({ refunds: changes, records = changes, state, amount, currency, amount_text: text }) => {
    const count = records > changes ? both(changes, records) : changes;
    return `, ${count} ${state ?? 'not made'}: ${text ?? `${amount} ${currency}`}`;
  },
);
const made = about.sums.reduce((sum, { refunds: changes, records = changes }) => sum + records, 0);
const all = made > refunds.length ? both(refunds.length, made) : many(refunds.length, 'refund');
console.log(`${about.account ?? 'several accounts'}, ${about.about}${sums.join('')}`);
for (const { change, order } of about.lost_records ?? [])
  console.log(
    `NOT IN IT: ${change} on ${order ?? 'no known order'}: its record was lost in a repair of the journal`,
  );
console.log(`${file}: genuine, ${all}`);
