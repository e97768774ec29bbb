/** TLS between a desk and its sender: nothing is handed over to whoever has no certificate that the desk trusts, nor over plain http. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificate, certificateOfService } from '../harness/certificate.ts';
import { type Home, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { testKey } from '../harness/service.ts';
import { directDesk } from './direct-desk.ts';
import { type Ledger, startLedger } from './ledger.ts';

let files: Home;
let ledger: Ledger;

beforeAll(async () => {
  files = newHome();
  ledger = await startLedger({ config: { tls: written('own', certificate) } });
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  files[Symbol.dispose]();
});

function written(name: string, pem: typeof certificate): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(files.path, `${name}.pem`), join(files.path, `${name}-key.pem`)];
  writeFileSync(cert, pem.cert);
  writeFileSync(key, pem.key, { mode: 0o600 });
  return { cert, key };
}

const trusting = (cert: string) => ({ NODE_EXTRA_CA_CERTS: cert });
const add = ['profile', 'add', 'shop', '--sender', '-', '--key-store', 'file'];
const refund = (order: string) => ['-p', 'shop', 'orders', 'refund', order, '--amount', '300', '--yes'];

test('a desk that trusts the certificate hands over; after that, one that does not hands nothing over', async () => {
  using home = newHome();
  const { cert } = written('own', certificate);
  const options = { home, env: trusting(cert) };
  const input = JSON.stringify(await ledger.sender.invite('ana'));
  expect(await paydeskProcess(add, { ...options, input })).toMatchObject({ code: 0 });
  expect(await paydeskProcess(refund('ord_A1'), options)).toMatchObject({ code: 0 });
  expect(ledger.posts('ord_A1')).toBe(1);
  const distrusting = await paydeskProcess(refund('ord_A2'), { home });
  expect(distrusting.code).toBe(6);
  expect(distrusting.stderr).toMatch(/certificate/i);
  expect(ledger.posts('ord_A2')).toBe(0);
});

test('the first byte of a hand-over waits for a certificate that is trusted', async () => {
  using home = newHome();
  const { url } = ledger.sender;
  expect(url).toMatch(/^https:/);
  const desk = directDesk({ url, token: testKey, folder: home.path });
  const order = ledger.service.orders.find(({ id }) => id === 'ord_A3') ?? {};
  const { said, error } = await desk.refund(order, 'i_untrusted');
  desk.close();
  expect(said).toBe('not handed over');
  expect(error?.message).toMatch(/certificate/i);
  expect(ledger.posts('ord_A3')).toBe(0);
});

test('a certificate that is trusted, for another host, is refused before the invitation is sent', async () => {
  const other = written('other', certificateOfService);
  await using elsewhere = await startLedger({ config: { tls: other } });
  using home = newHome();
  const invitation = await elsewhere.sender.invite('ana');
  const input = JSON.stringify(invitation);
  const refused = await paydeskProcess(add, { home, env: trusting(other.cert), input });
  expect(refused.code).toBe(6);
  expect(refused.stderr).toMatch(/certificate/i);
  const { stdout } = await elsewhere.sender.run(['sender', 'members', '--json']);
  expect(JSON.parse(stdout).data.flatMap(({ tokens = [] }: { tokens?: unknown[] }) => tokens)).toEqual([]);
});

test.each(['http://sender.example:8443', 'http://192.0.2.7:8443', 'http://0.0.0.0:8443'])(
  'an invitation to %s is refused: plain http is for loopback only',
  async (sender) => {
    using home = newHome();
    const input = JSON.stringify({ ...(await ledger.sender.invite('bea')), sender });
    const ran = await paydesk(add, { home, input });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('plain http is for loopback only');
  },
);
