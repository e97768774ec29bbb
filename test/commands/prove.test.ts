/** `prove`: evidence in one signed file; what was changed in it is found by paydesk, and by the script that needs no paydesk. */

import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { standingAt } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import {
  captured,
  chargeOf,
  chargesOf,
  type Json,
  listOf,
  notReturnable,
  orderOf,
  refundedWhole,
} from '../harness/orders.ts';
import { inOneLine } from '../harness/ran.ts';
import { randomNumbers } from '../harness/seed.ts';
import { hangUp, json, reply } from '../harness/server.ts';
import { type Service, storeShop } from '../harness/service.ts';
import {
  at,
  clock,
  type Made,
  orderAt,
  refundAs,
  rowsOf,
  startDated,
  startRefunding,
} from '../reports/refunded-orders.ts';

const script = join(import.meta.dirname, '../../docs/check-proof.mjs');
const ids = ['ord_1', 'ord_2', 'ord_3'];

async function startProved(): Promise<Service> {
  const service = await startRefunding(
    ids.map((id, index) => orderAt(id, '2040-11-21T10:00:00Z', { amount: 10_000 + index })),
  );
  for (const id of ids) await refundAs(service, id === 'ord_3' ? 'jon' : 'mara', id);
  return service;
}

// Where nothing is written.
const unproved = startProved();
afterAll(async () => (await unproved)[Symbol.asyncDispose]());

const ask = (service: Service, ...words: readonly string[]) => service.run(words, { env: clock });
test('--page writes a page to print, which names the signed file and its SHA-256, and --check writes the same one', async () => {
  await using service = await startProved();
  const words = ['prove', 'this-month', '--to', 'proof.ndjson', '--page', 'proof.html'];
  const ran = await ask(service, ...words);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('page written: proof.html; the proof is proof.ndjson\n');
  const page = readFileSync(pathIn(service, 'proof.html'), 'utf8');
  expect(page).toContain(`<dd>proof.ndjson</dd>`);
  expect(page).toContain(`<dd>${sha256(readFileSync(pathIn(service), 'utf8'))}</dd>`);
  const cells = [...page.matchAll(/<tr role="row">(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([^<]*)</g)].map(([, text]) => text),
  );
  const time = '21 Nov 2040 15:31:12 UTC';
  expect(cells).toHaveLength(4);
  expect(cells[0]).toEqual([
    'Sent',
    'Order',
    'Amount',
    'Refund',
    'State',
    'Sent by',
    'Asked by',
    'Approved by',
    'Confirmed by',
  ]);
  expect(cells.find((row) => row[1] === 'ord_3')).toEqual([
    time,
    'ord_3',
    '10002 MXN',
    'rf_ord_3_1',
    'made',
    'jon',
    'jon',
    '-',
    'the reply',
  ]);
  // It is not the proof, and says so.
  expect((await ask(service, 'orders', 'export', '--verify', 'proof.html')).stdout).toContain('not signed');
  const again = await ask(service, 'prove', '--check', 'proof.ndjson', '--page', 'again.html');
  expect(again.code, again.stderr).toBe(0);
  expect(readFileSync(pathIn(service, 'again.html'), 'utf8')).toBe(page);
  // Nothing is replaced, and nothing is written for a file that was changed.
  expect((await ask(service, 'prove', '--check', 'proof.ndjson', '--page', 'again.html')).code).toBe(3);
  expect((await ask(service, ...words)).code).toBe(3);
  expect((await ask(service, ...words, '--force')).code).toBe(0);
  writeFileSync(pathIn(service), readFileSync(pathIn(service), 'utf8').replace('jon', 'ana'));
  expect((await ask(service, 'prove', '--check', 'proof.ndjson', '--page', 'bad.html')).code).toBe(3);
  expect(existsSync(pathIn(service, 'bad.html'))).toBe(false);
  expect((await ask(service, 'prove', 'this-month', '--to', 'p.ndjson', '--page', 'p.pdf')).code).toBe(2);
});

test('of one order it says that what was made elsewhere is not in it', async () => {
  await using service = await startProved();
  const ran = await ask(service, 'prove', 'ord_1', '--to', 'one.ndjson');
  expect(ran.code, ran.stderr).toBe(0);
  expect(inOneLine(ran.stderr)).toContain(
    'refunds of ord_1 that were made elsewhere are not in it; all that it shows: paydesk orders show ord_1',
  );
});

const sha256 = (text: string) => hash('sha256', text);
const pathIn = ({ home }: Service, name = 'proof.ndjson') => join(home.path, name);

async function proved(service: Service): Promise<{ readonly text: string; readonly key: string }> {
  const { code, stderr } = await ask(service, 'prove', 'this-month', '--to', 'proof.ndjson');
  if (code !== 0) throw new Error(stderr);
  const text = readFileSync(pathIn(service), 'utf8');
  return { text, key: String((rowsOf(text)[0] as Json).signed_by) };
}

test('each refund is in it with who, what was shown, the bytes that were sent, the reply and its rows in the journal', async () => {
  await using service = await startProved();
  const { text, key } = await proved(service);
  const [about, first = {}, , third, signature] = rowsOf(text);
  expect(about).toMatchObject({
    object: 'proof',
    refunds: 3,
    sums: [{ state: 'made', currency: 'MXN', refunds: 3, amount: 30_003 }],
  });
  const posts = service.requests.filter(({ method }) => method === 'POST');
  expect(first).toMatchObject({
    order: 'ord_1',
    operator: 'mara',
    reason: 'requested_by_client',
    approved_by: null,
    amount: 10_000,
    shown: { amount: 10_000, order: { amount: 10_000, amountRefunded: 0 } },
    sent: { method: 'POST', path: 'orders/ord_1/refunds', body: posts[0]?.body },
    amount_text: '10000 MXN',
    sent_at_iso: '2040-11-21T15:31:12Z',
    // The service answers with the order as it is then, and only the SHA-256 of that stays.
    reply: {
      http_status: 200,
      sha256: sha256(JSON.stringify(service.orders.find(({ id }) => id === 'ord_1'))),
      said: { verdict: 'applied', refunds: [{ id: 'rf_ord_1_1', amount: -10_000 }] },
    },
    reads: expect.arrayContaining([expect.objectContaining({ why: 'checked again: the service shows it' })]),
    recorded: [],
    noted: [],
  });
  expect(about?.replies).toContain('bytes of a reply are not kept');
  expect(text).not.toContain('Buyer Name');
  expect(third).toMatchObject({ order: 'ord_3', operator: 'jon' });
  expect((first.rows as readonly Json[]).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['sent', 'verdict']),
  );
  expect(signature).toMatchObject({ object: 'proof_signature' });
  // The same key stands in profile show, and its file is the owner's alone.
  const shown = await ask(service, 'profile', 'show', '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ desk_key: key });
  expect(statSync(join(JSON.parse(shown.stdout).config_folder, 'desk-key.pem')).mode & 0o777).toBe(0o600);
});

test('it names the account of its refunds, and says where the refunds are that were made elsewhere', async () => {
  await using service = await startProved();
  const { code, stderr } = await ask(service, 'prove', 'this-month', '--to', 'proof.ndjson');
  expect(code, stderr).toBe(0);
  const [about = {}, first = {}] = rowsOf(readFileSync(pathIn(service), 'utf8'));
  expect(about.account).toBe(first.account);
  expect(stderr).toContain(
    'refunds that were made elsewhere are not in it; a signed list of all: paydesk orders export --rows refunds --period this-month --to refunds.csv\n',
  );
});

test('a refund whose row was changed is named after the repair: by prove, its check and sums by operator', async () => {
  await using service = await startProved();
  const db = new DatabaseSync(join(service.home.path, '.local/state/paydesk/journal/journal.db'));
  db.exec(`UPDATE rows SET row = replace(row, '"mara"', '"nobody"') WHERE about = 'ord_2' AND type = 'sent'`);
  db.close();
  expect((await ask(service, 'journal', 'verify')).code).toBe(3);
  const repaired = await ask(service, 'journal', 'verify', '--repair', '--yes');
  const [, change = ''] = /how they ended is known: (i_\w+) on ord_2\n/.exec(repaired.stdout) ?? [];
  expect([repaired.code, change, repaired.stdout]).toEqual([
    7,
    expect.stringMatching(/^i_/),
    expect.not.stringContaining('cannot be changed'),
  ]);
  const lost = `1 change lost its record in a repair of the journal, so`;
  const written = await ask(service, 'prove', 'this-month', '--to', 'proof.ndjson');
  expect([written.code, inOneLine(written.stderr)]).toEqual([
    0,
    expect.stringContaining(`${lost} the file does not have what they made: ${change} on ord_2`),
  ]);
  const [about = {}] = rowsOf(readFileSync(pathIn(service), 'utf8'));
  expect(about).toMatchObject({ refunds: 2, lost_records: [{ change, order: 'ord_2' }] });
  const named = `NOT IN IT: ${change} on ord_2: its record was lost in a repair of the journal\n`;
  expect((await ask(service, 'prove', '--check', 'proof.ndjson')).stdout).toContain(named);
  const checked = spawnSync(process.execPath, [script, pathIn(service), String(about.signed_by)], {
    encoding: 'utf8',
  });
  expect(checked.stdout).toContain(named);
  const of = await ask(service, 'prove', 'ord_2', '--to', 'other.ndjson');
  expect([of.code, inOneLine(of.stderr)]).toEqual([
    3,
    expect.stringContaining(`${lost} there is nothing to prove it with: ${change} on ord_2`),
  ]);
  for (const words of [
    ['refunds', 'summary', '--by', 'operator', '--period', 'today'],
    ['refunds', 'list', '--period', 'today'],
  ])
    expect(inOneLine((await ask(service, ...words)).stderr)).toContain(
      `${lost} what they made counts as made elsewhere: ${change} on ord_2`,
    );
  for (const words of [
    ['--kind', 'refund'],
    ['--operator', 'mara'],
  ]) {
    const list = await ask(service, 'journal', 'list', ...words, '--ndjson');
    expect(rowsOf(list.stdout).map(({ order }) => order)).not.toContain('ord_2');
    expect(inOneLine(list.stderr)).toContain(
      `${lost} this list does not have what they made: ${change} on ord_2`,
    );
  }
  const [row = {}] = rowsOf(
    (await ask(service, 'journal', 'list', '--order', 'ord_2', '-o', 'ndjson')).stdout,
  );
  expect(row).toMatchObject({ change, kind: 'refund', outcome: 'made; its record is lost', open: false });
});

test('one refund is asked for by its change, its refund id or its order, and journal show prints the command', async () => {
  await using service = await startProved();
  const shown = await ask(service, 'journal', 'show', 'ord_1');
  const [, command = ''] =
    /evidence +what was shown, sent and answered: paydesk (.+)/.exec(shown.stdout) ?? [];
  const [, change = ''] = /^prove (i_\w+) --to proof.ndjson$/.exec(command) ?? [];
  for (const id of [change, 'rf_ord_1_1', 'ord_1']) {
    const { code, stderr } = await ask(service, 'prove', id, '--to', 'proof.ndjson', '--force');
    expect(code, stderr).toBe(0);
    // Only an order may have more than what was sent from here.
    expect(stderr === '', stderr).toBe(id !== 'ord_1');
    const rows = rowsOf(readFileSync(pathIn(service), 'utf8'));
    expect(rows.map(({ object, order }) => [object, order])).toEqual([
      ['proof', undefined],
      ['proved_refund', 'ord_1'],
      ['proof_signature', undefined],
    ]);
    expect(rows[0]).toMatchObject({ about: id, since: null, refunds: 1, account: rows[1]?.account });
  }
});

test('an id of an order that another account has too means the order of the account in use', async () => {
  const id = 'ord_2tQ7zRk9PwE5xNvAm';
  await using service = await startRefunding([orderAt(id, '2040-11-21T10:00:00Z')]);
  await refundAs(service, 'mara', id);
  const demo = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '', PAYDESK_OPERATOR: 'jon' };
  const words = ['-p', 'demo', 'orders', 'refund', id, '--charge', '1', '--amount', '200', '--yes'];
  const { code, stderr } = await service.run(words, { env: { ...clock, ...demo } });
  expect(code, stderr).toBe(0);
  const shown = await ask(service, 'journal', 'show', id, '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ order: id, operator: 'mara' });
  expect((await ask(service, 'prove', id, '--to', 'proof.ndjson')).code).toBe(0);
  expect(rowsOf(readFileSync(pathIn(service), 'utf8'))).toHaveLength(3);
});

test('a reply that proves nothing is in it, and the reads that decided are beside it', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => reply('<html>bad gateway</html>', 502, { 'content-type': 'text/html' }),
  });
  await ask(service, 'orders', 'refund', 'ord_1', '--yes');
  await ask(service, 'prove', 'ord_1', '--to', 'proof.ndjson');
  expect(rowsOf(readFileSync(pathIn(service), 'utf8'))[1]).toMatchObject({
    state: 'unconfirmed',
    reply: { http_status: 502, bytes: 24, sha256: sha256('<html>bad gateway</html>') },
  });
});

test.for([
  ['lastmonth', 'PERIOD lastmonth: not a period such as today', 2],
  ['ord_99', 'no refund of ord_99 was sent from here, so there is none to prove', 5],
  ['SO-99045', 'no refund SO-99045 was sent from here, so there is none to prove', 5],
  ['20261', 'PERIOD 20261: not a period such as today', 2],
  ['i_99', 'no refund i_99 was sent from here, so there is none to prove', 5],
  ['rf_99', 'refunds from elsewhere are shown on their order: paydesk orders find rf_99', 5],
  ['26fcb53497a4139026fd1f4b', 'no refund 26fcb53497a4139026fd1f4b was sent from here', 5],
  ['2026-13', 'PERIOD 2026-13: not a period such as today', 2],
  ['last month', 'PERIOD last month: not a period such as today', 2],
] as const)('prove %s is refused with what is wrong, and writes nothing', async ([what, words, exit]) => {
  const service = await unproved;
  const { code, stderr } = await ask(service, 'prove', what, '--to', 'proof.ndjson');
  expect([code, stderr]).toEqual([exit, expect.stringContaining(words)]);
  expect(existsSync(pathIn(service))).toBe(false);
});

test.each([
  ['ord_1', 'missing --to', 'paydesk prove ord_1 --to proof.ndjson'],
  ['proof.ndjson', 'missing --to', 'paydesk prove --check proof.ndjson'],
  [
    'last-month --check proof.ndjson',
    'PERIOD last-month and --check exclude each other',
    'paydesk prove --check proof.ndjson',
  ],
  ['last-month --to proof.csv', 'evidence is written as NDJSON', 'prove last-month --to proof.ndjson'],
  ['last-month --to proof.xlsx', 'evidence is written as NDJSON', 'prove last-month --to proof.ndjson'],
  ['--check proof.ndjson --signed-by abc', '--signed-by abc: not the key of a desk', 'desk_key'],
])('prove %s: %s, and what is meant', async (words, why, meant) => {
  const service = await unproved;
  const { code, stderr } = await ask(service, 'prove', ...words.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  expect(stderr).toContain(meant);
});

test('a capture is no refund, so prove does not prove it', async () => {
  const charge = chargeOf('ch_1', 5000, { status: 'pre_authorized' });
  await using service = await startDated({
    orders: [orderOf('ord_1', [charge], { payment_status: 'pre_authorized' })],
    onPost: (order = {}) => json(captured(order)),
  });
  const ran = await ask(service, 'orders', 'capture', 'ord_1', '--yes');
  expect(ran.code, ran.stderr).toBe(0);
  const { code, stderr } = await ask(service, 'prove', 'ord_1', '--to', 'proof.ndjson');
  expect([code, stderr]).toEqual([2, expect.stringContaining('ord_1 is no refund')]);
});

test('it holds no API key, and no private key', async () => {
  await using service = await startProved();
  const { text } = await proved(service);
  expect(text).not.toContain(service.env.PAYDESK_API_KEY);
  expect(text).not.toContain('PRIVATE');
});

test('with --redact it holds no note, and is genuine all the same', async () => {
  await using service = await startRefunding([orderAt('ord_1', '2040-11-21T10:00:00Z')]);
  const note = 'Ana Torres called';
  const refund = ['orders', 'refund', 'ord_1', '--reason', 'other', '--note', note, '--yes'];
  expect((await ask(service, ...refund)).code).toBe(0);
  expect((await proved(service)).text).toContain(note);
  const { code } = await ask(service, 'prove', 'this-month', '--to', 'masked.ndjson', '--redact');
  const text = readFileSync(pathIn(service, 'masked.ndjson'), 'utf8');
  expect([code, text]).toEqual([0, expect.not.stringContaining('Ana')]);
  expect(rowsOf(text)[1]).toMatchObject({ order: 'ord_1', note: null, sent: { body: null } });
  expect((await ask(service, 'prove', '--check', 'masked.ndjson')).code).toBe(0);
});

test('a refund whose reply was lost is in it, with what the reads showed', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => hangUp,
  });
  await ask(service, 'orders', 'refund', 'ord_1', '--yes');
  const { text } = await proved(service);
  const [about, refund] = rowsOf(text);
  expect(about).toMatchObject({ refunds: 1, sums: [{ state: 'unconfirmed', amount: 10_000 }] });
  expect(refund).toMatchObject({ order: 'ord_1', state: 'unconfirmed', reply: null });
});

// The service makes the refund pending, and it is made three days later, when nobody has read the order since.
async function startPending(service: Service): Promise<void> {
  await refundAs(service, 'mara', 'ord_1');
  await service.run(['journal', 'reconcile', '--all'], { env: nextDay });
  service.orders = [orderAt('ord_1', '2040-11-21T10:00:00Z', { refunds: [refundedAt('succeeded')] })];
}

const refundedAt = (status: string) => ({
  amount: 10_000,
  at: '2040-11-21T15:31:12Z',
  changes: { status },
});
const nextDay = standingAt('2040-11-24T15:31:12Z');
const pendingAnswer = {
  orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
  onPost(_: unknown, service: Service) {
    service.orders = [orderAt('ord_1', '2040-11-21T10:00:00Z', { refunds: [refundedAt('pending')] })];
    return json(service.orders[0]);
  },
};
const proveLater = ['prove', 'this-month', '--to', 'proof.ndjson'];

test('a pending refund that the service has made since is in it as made, with the read that says so', async () => {
  await using service = await startDated(pendingAnswer);
  await startPending(service);
  const { code, stderr } = await service.run(proveLater, { env: nextDay });
  expect(code, stderr).toBe(0);
  const [about, refund] = rowsOf(readFileSync(pathIn(service), 'utf8'));
  expect(about).toMatchObject({ sums: [{ state: 'made', refunds: 1 }], not_read: [] });
  expect(refund).toMatchObject({ order: 'ord_1', state: 'made' });
  expect(JSON.stringify(refund?.rows)).toContain('succeeded');
});

test('if a pending refund cannot be read again, stderr and the file say so, with the command that reads it', async () => {
  let isAway = false;
  await using service = await startDated({
    ...pendingAnswer,
    onPage: () => (isAway ? json({ object: 'error' }, 500) : undefined),
  });
  await startPending(service);
  isAway = true;
  const { code, stderr } = await service.run(proveLater, { env: nextDay });
  expect(code, stderr).toBe(0);
  const [about, refund] = rowsOf(readFileSync(pathIn(service), 'utf8'));
  const command = `paydesk journal reconcile ${String(refund?.change)}`;
  expect(refund).toMatchObject({ state: 'pending' });
  expect(about).toMatchObject({ not_read: [{ change: refund?.change, command }] });
  expect(stderr).toContain('1 refund could not be read again (');
  expect(stderr).toContain(command);
});

test('pending refunds are read four at the same time, so a service that hangs holds up all of them once', async () => {
  const pendingIds = ['ord_1', 'ord_2', 'ord_3', 'ord_4'];
  const orders = (refunds: readonly Made[]) =>
    pendingIds.map((id) => orderAt(id, '2040-11-21T10:00:00Z', { refunds }));
  const arrived = Promise.withResolvers<void>();
  let [holds, waiting] = [false, 0];
  await using service = await startDated({
    orders: orders([]),
    onPost(order, service) {
      const pending = orders([refundedAt('pending')]).find(({ id }) => id === order?.id) ?? {};
      service.orders = service.orders.map((one) => (one.id === pending.id ? pending : one));
      return json(pending);
    },
    onPage: () =>
      holds
        ? async (...answering) => {
            waiting += 1;
            if (waiting === pendingIds.length) arrived.resolve();
            await arrived.promise;
            return json({ object: 'error' }, 500)(...answering);
          }
        : undefined,
  });
  for (const id of pendingIds) await refundAs(service, 'mara', id);
  holds = true;
  const { code, stderr } = await service.run(proveLater, { env: nextDay });
  expect(code, stderr).toBe(0);
  const [about] = rowsOf(readFileSync(pathIn(service), 'utf8'));
  expect(about?.not_read).toHaveLength(4);
  expect(stderr).toMatch(
    /4 refunds could not be read again \(.*journal reconcile i_\w+; the others: not_read/,
  );
});

// It was made at 15:31 in UTC, which is the day after in Auckland.
test('--tz says in which zone the days of the period are, and is refused for one refund', async () => {
  await using service = await startProved();
  const prove = async (zone: string) => {
    const words = ['prove', '2040-11-22', '--tz', zone, '--to', 'proof.ndjson', '--force'];
    const { code, stderr } = await ask(service, ...words);
    expect(code, stderr).toBe(0);
    return rowsOf(readFileSync(pathIn(service), 'utf8'))[0];
  };
  expect(await prove('Pacific/Auckland')).toMatchObject({ refunds: 3, zone: 'Pacific/Auckland' });
  expect(await prove('UTC')).toMatchObject({ refunds: 0, zone: 'UTC' });
  const one = await ask(service, 'prove', 'ord_1', '--tz', 'UTC', '--to', 'proof.ndjson', '--force');
  expect([one.code, one.stderr]).toEqual([2, expect.stringContaining('--tz is the time zone of a period')]);
});

test('its sums have the declared decimals, as its refunds have', async () => {
  await using service = await startRefunding([orderAt('ord_1', '2040-11-21T10:00:00Z', { amount: 10_050 })]);
  await storeShop(service.home, service, { 'amounts.decimals.MXN': '2' });
  const env = { PAYDESK_BASE_URL: '', PAYDESK_MODE: '', PAYDESK_API_KEY: '', PAYDESK_PROFILE: 'shop' };
  const shop = (...words: readonly string[]) => service.run(words, { env: { ...clock, ...env } });
  await refundAs(service, 'mara', 'ord_1', env);
  expect((await shop('prove', 'today', '--to', 'proof.ndjson')).code).toBe(0);
  const [about = {}] = rowsOf(readFileSync(pathIn(service), 'utf8'));
  expect(about.sums).toMatchObject([{ amount: 10_050, amount_text: '10050 MXN (100.50)' }]);
  const total = ', 1 made: 10050 MXN (100.50)\n';
  expect((await shop('prove', '--check', 'proof.ndjson')).stdout).toContain(total);
  const words = [script, pathIn(service), String(about.signed_by)];
  expect(spawnSync(process.execPath, words, { encoding: 'utf8' }).stdout).toContain(total);
});

test('only refunds of the period and of this account are in it', async () => {
  await using service = await startProved();
  const { code } = await ask(service, 'prove', 'yesterday', '--to', 'none.ndjson');
  expect(code).toBe(0);
  expect(rowsOf(readFileSync(pathIn(service, 'none.ndjson'), 'utf8'))[0]).toMatchObject({ refunds: 0 });
});

test('it is genuine for paydesk and for the script, and not with another key', async () => {
  await using service = await startProved();
  const { key } = await proved(service);
  const checked = await ask(service, 'prove', '--check', 'proof.ndjson', '--json');
  expect([checked.code, JSON.parse(checked.stdout)]).toEqual([
    0,
    expect.objectContaining({
      ok: true,
      refunds: 3,
      proved: expect.arrayContaining([
        expect.objectContaining({
          order: 'ord_3',
          operator: 'jon',
          refunds: 'rf_ord_3_1',
          auth_code: '490215',
        }),
      ]),
    }),
  ]);
  const told = await ask(service, 'prove', '--check', 'proof.ndjson', '--utc');
  expect(told.stdout).toMatch(
    /21 Nov 2040 15:31:12 UTC {2}ord_3 {2}10002 MXN {2}made\n {2}rf_ord_3_1, auth code 490215, by jon, i_\w+\n.+ sandbox, from 1 Nov 2040 00:00:00 \S+ until 1 Dec 2040 00:00:00 UTC, 3 made: 30003 MXN\n/,
  );
  expect(execFileSync(process.execPath, [script, pathIn(service), key], { encoding: 'utf8' })).toMatch(
    /^2040-11-21T15:31:12Z {2}ord_1 {2}10000 MXN {2}made\n {2}rf_ord_1_1, auth code 490215, by mara, i_\w+\n[\s\S]*\n[^\n]+ sandbox, from 1 Nov 2040 00:00:00 \S+ until 1 Dec 2040 00:00:00 UTC, 3 made: 30003 MXN\n[^\n]*genuine, 3 refunds\n$/,
  );
  await using other = await startProved();
  const { key: foreign } = await proved(other);
  const refused = await ask(service, 'prove', '--check', 'proof.ndjson', '--signed-by', foreign);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('its signature does not fit')]);
  expect(spawnSync(process.execPath, [script, pathIn(service), foreign]).status).toBe(1);
  const missing = spawnSync(process.execPath, [script, pathIn(service, 'none.ndjson'), key], {
    encoding: 'utf8',
  });
  expect([missing.status, missing.stderr]).toEqual([
    2,
    expect.stringContaining('none.ndjson cannot be read'),
  ]);
});

const withRefundAt = ({ refunds, ...charge }: Json, created_at: number): Json => {
  const { data } = refunds as { readonly data: readonly Json[] };
  return { ...charge, refunds: listOf(...data.map((refund) => ({ ...refund, created_at }))) };
};

test('a change that made two refunds counts as both, and is said where the counts differ', async () => {
  await using service = await startDated({
    orders: [orderOf('ord_2', [chargeOf('ch_1', 7000), chargeOf('ch_2', 3000)])],
    onPost(order = {}, own) {
      const made = refundedWhole(order);
      const now = (charge: Json) => withRefundAt(charge, at('2040-11-21T15:31:12Z'));
      own.orders = [{ ...made, charges: listOf(...chargesOf(made).map(now)) }];
      return json(own.orders[0]);
    },
  });
  await refundAs(service, 'mara', 'ord_2');
  const { text, key } = await proved(service);
  expect(rowsOf(text)[0]).toMatchObject({ refunds: 1, sums: [{ refunds: 1, records: 2, amount: 10_000 }] });
  const check = await ask(service, 'prove', '--check', 'proof.ndjson');
  expect(check.stdout).toMatch(
    /, 1 change, 2 refunds made: 10000 MXN\n[^\n]*: 1 change, 2 refunds, as signed by this desk\n$/,
  );
  expect(execFileSync(process.execPath, [script, pathIn(service), key], { encoding: 'utf8' })).toMatch(
    /, 1 change, 2 refunds made: 10000 MXN\n[^\n]*: genuine, 1 change, 2 refunds\n$/,
  );
});

test('a refund that the service refused is not made, in words for paydesk and for the script', async () => {
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost: () => json(notReturnable, 428),
  });
  expect((await ask(service, 'orders', 'refund', 'ord_1', '--yes')).code).not.toBe(7);
  const { key } = await proved(service);
  const said = expect.stringContaining(', 1 not made: 10000 MXN\n');
  expect((await ask(service, 'prove', '--check', 'proof.ndjson')).stdout).toEqual(said);
  expect(execFileSync(process.execPath, [script, pathIn(service), key], { encoding: 'utf8' })).toEqual(said);
});

/** What somebody may do to a file. */
const damages: readonly ((
  lines: readonly string[],
  at: number,
  random: () => number,
) => readonly string[])[] = [
  // A digit of a figure, a letter, or any byte.
  (lines, at, random) => {
    const line = lines[at] ?? '';
    const place = Math.floor(random() * line.length);
    const other = line[place] === '7' ? '8' : '7';
    return lines.with(at, line.slice(0, place) + other + line.slice(place + 1));
  },
  (lines, at) => lines.toSpliced(at, 1),
  (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  (lines, at) => lines.with(at, `${lines[at]} `),
  (lines, at) => lines.with(at, (lines[at] ?? '').slice(1)),
  (lines, at) => lines.toSpliced(at, 2, lines[at + 1] ?? 'x', lines[at] ?? ''),
  (lines) => [...lines, '{"object":"proved_refund"}'],
];

// Every damage, and the short form tries the script with each of them twice.
const damagedCount = isLong ? 200 : 28;

test(`of ${damagedCount} damaged files none passes, by paydesk and by the script`, {
  timeout: 240_000,
}, async () => {
  await using service = await startProved();
  const { text, key } = await proved(service);
  const lines = text.trimEnd().split('\n');
  const random = randomNumbers();
  const passed: string[] = [];
  for (let index = 0; index < damagedCount; index += 1) {
    const damage = damages[index % damages.length];
    const damaged = `${damage?.(lines, Math.floor(random() * lines.length), random).join('\n')}\n`;
    writeFileSync(pathIn(service, 'damaged.ndjson'), damaged);
    if (damaged === text) throw new Error(`${index} changed nothing`);
    const { code } = await ask(service, 'prove', '--check', 'damaged.ndjson');
    if (code !== 3) passed.push(`paydesk: ${index}`);
    if (!isLong && index >= 2 * damages.length) continue;
    const { status } = spawnSync(process.execPath, [script, pathIn(service, 'damaged.ndjson'), key]);
    if (status !== 1) passed.push(`script: ${index}`);
  }
  expect(passed).toEqual([]);
});

test('an export and its manifest that were rewritten together do not pass --verify', async () => {
  await using service = await startProved();
  await ask(service, 'orders', 'export', '--to', 'orders.ndjson');
  expect((await ask(service, 'orders', 'export', '--verify', 'orders.ndjson')).code).toBe(0);
  const file = readFileSync(pathIn(service, 'orders.ndjson'), 'utf8').replace(
    '"amount":10000',
    '"amount":10001',
  );
  const { createHash } = await import('node:crypto');
  const sha256 = createHash('sha256').update(file).digest('hex');
  const manifestPath = pathIn(service, 'orders.ndjson.manifest.json');
  const manifest = readFileSync(manifestPath, 'utf8');
  const rewritten = manifest.replace(/"sha256": "[0-9a-f]{64}"/, `"sha256": "${sha256}"`);
  const { signature: _, signed_by: __, ...unsigned } = JSON.parse(rewritten);
  writeFileSync(pathIn(service, 'orders.ndjson'), file);
  for (const [text, words] of [
    [rewritten, 'the signature does not match'],
    [`${JSON.stringify(unsigned, null, 2)}\n`, 'is not signed'],
  ] as const) {
    writeFileSync(manifestPath, text);
    const { code, stderr } = await ask(service, 'orders', 'export', '--verify', 'orders.ndjson');
    expect([code, stderr.replaceAll('\n', ' ')]).toEqual([3, expect.stringContaining(words)]);
  }
});

test('the script checks a manifest and the file beside it, and says what else it is given', async () => {
  await using service = await startProved();
  const { key } = await proved(service);
  await ask(service, 'orders', 'export', '--rows', 'refunds', '--to', 'nov.csv');
  const check = (name: string) => {
    const ran = spawnSync(process.execPath, [script, pathIn(service, name), key], { encoding: 'utf8' });
    return [ran.status, ran.stdout + ran.stderr];
  };
  const [manifest, csv] = ['nov.csv.manifest.json', pathIn(service, 'nov.csv')];
  const text = readFileSync(pathIn(service, manifest), 'utf8');
  expect(check(manifest)).toEqual([
    0,
    `${pathIn(service, manifest)}: genuine, and nov.csv beside it is as exported, 3 rows\n`,
  ]);
  expect(check('nov.csv')).toEqual([2, expect.stringContaining('not a file of prove, nor a manifest')]);
  for (const changed of [text.replace('"rows": 3', '"rows": 2'), text.replace(/"signature".*\n/, '')]) {
    writeFileSync(pathIn(service, manifest), changed);
    expect(check(manifest)).toEqual([1, expect.stringContaining('NOT GENUINE')]);
  }
  writeFileSync(pathIn(service, manifest), text);
  writeFileSync(csv, readFileSync(csv, 'utf8').replace('10000', '10001'));
  expect(check(manifest)).toEqual([1, expect.stringContaining(`${csv} is not the file that it is about`)]);
  rmSync(csv);
  expect(check(manifest)).toEqual([2, expect.stringContaining(`${csv}, which it is about, cannot be read`)]);
});

test('a file of another command is not called a bad proof: the command that checks it is named', async () => {
  await using service = await startProved();
  for (const words of [
    ['prove', 'this-month', '--to', 'proof.ndjson'],
    ['orders', 'export', '--rows', 'refunds', '--to', 'nov.csv'],
    ['orders', 'export', '--rows', 'refunds', '--to', 'nov.xlsx'],
    ['report', '--to', 'nov.html'],
  ])
    expect((await ask(service, ...words)).code).toBe(0);
  for (const [file, what] of [
    ['nov.csv', 'an export'],
    ['nov.xlsx', 'an export'],
    ['nov.html', 'a report'],
  ] as const) {
    const { code, stderr } = await ask(service, 'prove', '--check', file);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`${file}: this is ${what}, and prove did not`),
    ]);
    expect(stderr).toContain(`now:     paydesk orders export --verify ${file}\n`);
  }
  expect((await ask(service, 'report', '--verify', 'nov.html')).stderr).toContain(
    'report: paydesk orders export --verify FILE',
  );
  expect((await ask(service, 'report', '--help')).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'paydesk orders export --verify FILE.html',
  );
  const proof = await ask(service, 'orders', 'export', '--verify', 'proof.ndjson');
  expect([proof.code, proof.stderr]).toEqual([2, expect.stringContaining('prove wrote it')]);
  expect(proof.stderr).toContain('now:     paydesk prove --check proof.ndjson\n');
});

test('a refund that failed and was acknowledged is in the report and in what --check and the script print, with who did what about it', async () => {
  const made = orderAt('ord_1', '2040-11-21T10:00:00Z', {
    refunds: [{ amount: 10_000, at: '2040-11-21T15:31:12Z' }],
  });
  const failed = orderAt('ord_1', '2040-11-21T10:00:00Z', {
    refunds: [{ amount: 10_000, at: '2040-11-21T15:31:12Z', changes: { status: 'failed' } }],
    amount_refunded: 0,
    payment_status: 'paid',
  });
  await using service = await startDated({
    orders: [orderAt('ord_1', '2040-11-21T10:00:00Z')],
    onPost(_, own) {
      own.orders = [made];
      return json(made);
    },
  });
  await refundAs(service, 'mara', 'ord_1');
  service.orders = [failed];
  expect((await ask(service, 'journal', 'reconcile', '--all')).code).toBe(7);
  const [change = ''] = /i_\w+/.exec((await ask(service, 'journal', 'list')).stdout) ?? [];
  const note = 'paid by bank transfer, ticket 9';
  const asked = await ask(service, 'journal', 'acknowledge', change, '--note', note, '--no-input');
  expect([asked.code, inOneLine(asked.stderr)]).toEqual([
    2,
    expect.stringContaining(`now: paydesk journal acknowledge ${change} --note '${note}' --yes`),
  ]);
  const acknowledged = await service.run(['journal', 'acknowledge', change, '--note', note, '--yes'], {
    env: { ...clock, PAYDESK_OPERATOR: 'jon' },
  });
  expect(acknowledged.code, acknowledged.stderr).toBe(0);
  const report = await ask(service, 'report', '--to', 'report.html', '--json');
  expect(report.code, report.stderr).toBe(0);
  const html = readFileSync(pathIn(service, 'report.html'), 'utf8');
  const [, section = ''] = /<h2[^>]*>Acknowledged<\/h2>([\s\S]*?)<\/section>/.exec(html) ?? [];
  expect(section).toContain(
    'failed after it was made: that money did not go back; alarm acknowledged by jon',
  );
  expect(html).toMatch(/1 failed, 10\s?000\sMXN: in no sum\./);
  const { key } = await proved(service);
  const words = `alarm acknowledged by jon: ${note}`;
  const checked = await ask(service, 'prove', '--check', 'proof.ndjson');
  expect(inOneLine(checked.stdout)).toContain(words);
  expect(execFileSync(process.execPath, [script, pathIn(service), key], { encoding: 'utf8' })).toContain(
    words,
  );
});

test('a file whose lines end in CR LF, as some mail programs make them, is refused with that', async () => {
  await using service = await startProved();
  const { text } = await proved(service);
  writeFileSync(pathIn(service, 'mailed.ndjson'), text.replaceAll('\n', '\r\n'));
  const { code, stderr } = await ask(service, 'prove', '--check', 'mailed.ndjson');
  expect(code).toBe(3);
  expect(inOneLine(stderr)).toContain('its lines end in CR LF: a program that it went through changed them');
});
