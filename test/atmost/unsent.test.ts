/** Requests of which not a byte left: said so with exit 6, sent nowhere, and free to be tried again. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificate } from '../harness/certificate.ts';
import type { Home } from '../harness/paydesk.ts';
import { type Relay, startRelay, type Way } from '../harness/relay.ts';
import { json } from '../harness/server.ts';
import { changeArgs, type Desk, openDesk, story } from './desk.ts';
import { type Ledger, type LedgerOrder, startLedger } from './ledger.ts';
import { otherCertificate } from './other-certificate.ts';

let plain: Ledger;
let secure: Ledger;
let stranger: Ledger;
beforeAll(async () => {
  plain = await startLedger();
  secure = await startLedger(certificate);
  stranger = await startLedger(otherCertificate);
});
afterAll(async () => {
  for (const ledger of [plain, secure, stranger]) await ledger[Symbol.asyncDispose]();
});

interface Scene extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly relay: Relay;
  readonly desk: Desk;
  readonly home: Home;
}

/** A desk that reaches the ledger through a relay. */
async function openScene(tls: boolean): Promise<Scene> {
  const ledger = tls ? secure : plain;
  const relay = await startRelay(ledger.server.port);
  const desk = await openDesk({ url: `${tls ? 'https' : 'http'}://127.0.0.1:${relay.port}` });
  const home = desk.newHome();
  return {
    ledger,
    relay,
    desk,
    home,
    async [Symbol.asyncDispose]() {
      home[Symbol.dispose]();
      desk[Symbol.dispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}

type Refunded = Awaited<ReturnType<typeof refund>>;

/** A refund during whose final read the way to the service changes, for every connection that is made from then on. */
async function refund({ ledger, relay, desk, home }: Scene, kind: 'refund' | 'capture', way: Way) {
  const order = ledger.add(kind);
  order.onRead = (read) => {
    if (read === 2) relay.turn(way);
    return json(order.value, 200, { connection: 'close' });
  };
  const trusted = join(home.path, 'trusted.pem');
  writeFileSync(trusted, certificate.cert);
  const ran = await desk.run(home, changeArgs(order), { NODE_EXTRA_CA_CERTS: trusted });
  return { ran, order };
}

interface Case {
  readonly name: string;
  readonly kind: LedgerOrder['kind'];
  readonly tls: boolean;
  readonly way: () => Way;
  readonly says: string;
}

// A refund and a capture are sent by the same code: each way meets one of them, and each of them a plain and a TLS one.
const cases: readonly Case[] = [
  { name: 'the port is closed', kind: 'refund', tls: false, way: () => 'nobody', says: 'ECONNREFUSED' },
  { name: 'the port is closed', kind: 'capture', tls: false, way: () => 'nobody', says: 'ECONNREFUSED' },
  {
    name: 'the certificate is another one',
    kind: 'refund',
    tls: true,
    way: () => ({ to: stranger.server.port }),
    says: 'the certificate of',
  },
  {
    name: 'the TLS handshake is reset',
    kind: 'capture',
    tls: true,
    way: () => 'reset',
    says: 'was closed before',
  },
];

/** Exit 6 after one dial, nothing arrived, and it says so. */
function expectUnsent({ ran, order }: Refunded, scene: Scene, says: string): void {
  expect({ code: ran.code, story: story(scene.home) }, ran.stderr).toEqual({
    code: 6,
    story: 'sent not_sent',
  });
  expect(ran.stderr).toContain('was not sent');
  expect(ran.stderr).toContain('it never left this machine; nothing was changed');
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(says);
  expect(order.posts).toHaveLength(0);
  // One dial, and no second try by itself.
  expect(scene.relay.connections).toBeLessThanOrEqual(1);
}

describe.concurrent('no byte of the request left: exit 6, nothing sent, and it says so (F1)', () => {
  test.each(cases.map((one) => [one.name, one.kind, one] as const))(
    '%s, %s',
    async (_, kind, { tls, way, says }) => {
      await using scene = await openScene(tls);
      expectUnsent(await refund(scene, kind, way()), scene, says);
    },
  );

  test('the name is not known: nothing is even journaled', async () => {
    using desk = await openDesk({ url: 'https://desk.invalid' });
    using home = desk.newHome();
    const order = plain.add('refund');
    const { code, stderr } = await desk.run(home, changeArgs(order));
    expect({ code, posts: order.posts.length, story: story(home) }, stderr).toEqual({
      code: 6,
      posts: 0,
      story: '',
    });
    expect(stderr).toContain('nothing was changed');
  });

  test('the TLS handshake is cut, refund: running the command again is enough, and sends once', async () => {
    await using scene = await openScene(true);
    const refunded = await refund(scene, 'refund', 'close');
    expectUnsent(refunded, scene, 'was closed before');
    const { order } = refunded;
    scene.relay.turn({ to: scene.ledger.server.port });
    order.onRead = undefined;
    const env = { NODE_EXTRA_CA_CERTS: join(scene.home.path, 'trusted.pem') };
    const again = await scene.desk.run(scene.home, changeArgs(order), env);
    expect({ code: again.code, posts: order.posts.length, story: story(scene.home) }, again.stderr).toEqual({
      code: 0,
      posts: 1,
      story: 'sent not_sent sent applied',
    });
  });
});

describe.concurrent('accepted, then cut before anything was read (F2)', () => {
  test.each([
    ['refund', 'reset'],
    ['refund', 'close'],
    ['capture', 'reset'],
  ] as const)('%s, %s: not_sent with proof, else unknown; nothing arrived', async (kind, way) => {
    await using scene = await openScene(false);
    const { ran, order } = await refund(scene, kind, way);
    expect(order.posts).toHaveLength(0);
    // The reads afterwards get through only on a connection that was made before.
    expect(
      [
        [6, 'sent not_sent'],
        [7, 'sent unknown unknown'],
        [7, 'sent unknown not_seen'],
      ],
      ran.stderr,
    ).toContainEqual([ran.code, story(scene.home)]);
  });
});
