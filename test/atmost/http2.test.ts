/** HTTP/2 lets a client repeat a request by itself, below everything that watches it here: a change must not speak it. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { certificate } from '../harness/certificate.ts';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { openDesk, refundAmount, story } from './desk.ts';

test('a service that offers HTTP/2 is spoken to in HTTP/1.1, and a request that it drops is sent once (F11)', async () => {
  const order = JSON.stringify(orderOf('ord_1', [chargeOf('ch_1', 35_000)]));
  const seen: string[] = [];
  const server = createSecureServer({ ...certificate, allowHTTP1: true });
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    seen.push(`${request.method} ${request.httpVersion}`);
    if (request.method === 'POST') return void request.socket.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(order);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  using desk = await openDesk({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` });
  using home = desk.newHome();
  const trusted = join(home.path, 'trusted.pem');
  writeFileSync(trusted, certificate.cert);
  const args = ['orders', 'refund', 'ord_1', '--charge', '1', '--amount', String(refundAmount), '--yes'];
  const { code, stderr } = await desk.run(home, args, { NODE_EXTRA_CA_CERTS: trusted });
  server.close();
  expect({ code, story: story(home) }, stderr).toEqual({ code: 7, story: 'sent unknown not_seen' });
  expect(seen.filter((line) => line.startsWith('POST'))).toEqual(['POST 1.1']);
  expect(new Set(seen.map((line) => line.split(' ')[1]))).toEqual(new Set(['1.1']));
});
