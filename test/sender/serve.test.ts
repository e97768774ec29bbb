/** How a sender starts and stops: what it refuses to start with, TLS, its log. */

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { certificate } from '../harness/certificate.ts';
import { paidOrder } from '../harness/orders.ts';
import { type Home, newHome, paydesk, paydeskProcess, startInMemory } from '../harness/paydesk.ts';
import { initSender, senderFile, startSender, testKey } from '../harness/sender.ts';
import { startService } from '../harness/service.ts';

const url = 'http://127.0.0.1:9';

async function withSender(act: (home: Home) => Promise<void>): Promise<void> {
  using home = newHome();
  await initSender(home, { url });
  await act(home);
}

const serve = (home: Home, uid?: number) =>
  paydesk(['sender', 'serve', ...(uid === undefined ? ['--allow-root'] : [])], {
    home,
    ...(uid === undefined ? {} : { uid }),
  });

describe('a sender does not start', () => {
  it('as root', () =>
    withSender(async (home) => {
      const ran = await serve(home, 0);

      expect(ran).toMatchObject({ code: 3, stdout: '' });
      expect(ran.stderr).toContain('does not run as root');
    }));

  it.each([
    ['sender init', ['sender', 'init', '--yes', '--max-per-second', '7']],
    ['sender invite', ['sender', 'invite', 'ana', '--role', 'viewer']],
  ])('and %s does nothing as root: the sender could not read what root wrote', (_, words) =>
    withSender(async (home) => {
      const before = readFileSync(senderFile(home), 'utf8');
      const ran = await paydesk(words, { home, uid: 0 });

      expect(ran).toMatchObject({ code: 3, stdout: '' });
      expect(ran.stderr).toContain('does not run as root');
      expect(readFileSync(senderFile(home), 'utf8')).toBe(before);
      expect((await paydesk(['sender', 'members', '--json'], { home })).stdout).not.toContain('ana');
    }),
  );

  it.each([
    ['its own file', 'sender.json'],
    ['the file of the keys', 'keys.json'],
    ['the file of the profiles', 'profiles.json'],
  ])('while others can read %s', (_, name) =>
    withSender(async (home) => {
      const file = join(home.path, '.config/paydesk', name);
      chmodSync(file, 0o644);
      const ran = await serve(home);

      expect(ran).toMatchObject({ code: 3, stdout: '' });
      expect(ran.stderr).toContain(`other users can read ${file}`);
      expect(ran.stderr).toContain('chmod 600');
    }),
  );

  it('while others can read the key of its certificate', () =>
    withSender(async (home) => {
      const [cert, key] = [join(home.path, 'cert.pem'), join(home.path, 'key.pem')];
      writeFileSync(cert, certificate.cert);
      writeFileSync(key, certificate.key, { mode: 0o644 });
      change(home, { tls: { cert, key } });

      expect((await serve(home)).stderr).toContain(`other users can read ${key}`);
    }));

  it('with a journal that is not whole', () =>
    withSender(async (home) => {
      await paydesk(['sender', 'invite', 'ana', '--role', 'viewer', '--allow-root'], { home });
      const file = join(home.path, '.local/state/paydesk/journal/journal.db');
      rmSync(file);
      const ran = await serve(home);

      expect(ran.code).toBe(3);
      expect(ran.stderr).toContain('paydesk journal verify');
    }));

  it('without TLS where another machine could listen', () =>
    withSender(async (home) => {
      change(home, { listen: { host: '0.0.0.0', port: 0 } });

      expect((await serve(home)).stderr).toContain('0.0.0.0 is not loopback, so the sender needs TLS there');
    }));

  it('before there is a file for it', async () => {
    using home = newHome();
    const ran = await serve(home);

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('paydesk sender init');
  });

  it('with a profile that has a sender itself', async () => {
    await using service = await startService({});
    await using sender = await startSender({ url: service.url });
    const desk = await sender.desk('ana');
    const ran = await desk.run(['sender', 'init', '--allow-root']);

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('has a sender itself, and no key');
  });
});

function change(home: Home, parts: object): void {
  const file = senderFile(home);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...parts }));
}

describe('sender init', () => {
  it('says first that it needs a profile', async () => {
    using home = newHome();
    const ran = await paydesk(['sender', 'init'], { home });

    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('paydesk profile add NAME');
  });

  it.each([
    ['an address that is not https', ['--address', 'http://sender.example'], 'is not https'],
    ['half a certificate', ['--cert', 'cert.pem'], '--cert and --cert-key belong together'],
    ['no port', ['--listen', 'localhost'], 'not a host and a port'],
    ['an account that is none', ['--account', 'other'], 'there is no profile other'],
  ])('refuses %s', (_, words, problem) =>
    withSender(async (home) => {
      const before = readFileSync(senderFile(home), 'utf8');
      const ran = await paydesk(['sender', 'init', '--yes', '--allow-root', ...words], { home });

      expect(ran.stderr).toContain(problem);
      expect(readFileSync(senderFile(home), 'utf8')).toBe(before);
    }),
  );

  it.each(['systemd', 'container'])('prints what runs it, for %s', async (kind) => {
    using home = newHome();
    const ran = await paydesk(['sender', 'init', '--print', kind], { home });

    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('paydesk');
    expect(ran.stdout).toMatch(/^(ExecStart=paydesk sender serve|CMD \["paydesk", "sender", "serve"\])$/m);
  });

  it('the container asks for its health as the sender answers: over TLS where it has a certificate', () =>
    withSender(async (home) => {
      const print = ['sender', 'init', '--print', 'container'];
      const health = async (more: readonly string[] = []) =>
        /^HEALTHCHECK .*$/m.exec((await paydesk([...print, ...more], { home })).stdout)?.[0];
      const tls = { cert: join(home.path, 'cert.pem'), key: join(home.path, 'key.pem') };

      expect(await health()).toContain('http://127.0.0.1:8443/health');
      expect(await health(['--cert', tls.cert, '--cert-key', tls.key])).toContain(
        'https://127.0.0.1:8443/health',
      );
      change(home, { tls });
      expect(await health()).toContain('https://127.0.0.1:8443/health');
    }));
});

describe('with a certificate', () => {
  it('a desk that trusts it reads over TLS, and nobody with less than TLS 1.2', async () => {
    await using service = await startService({ orders: [paidOrder('ord_1')] });
    using files = newHome();
    const [cert, key] = [join(files.path, 'cert.pem'), join(files.path, 'key.pem')];
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key, { mode: 0o600 });
    await using sender = await startSender({ url: service.url, config: { tls: { cert, key } } });
    using home = newHome();
    const options = { home, env: { NODE_EXTRA_CA_CERTS: cert } };
    const added = await paydeskProcess(['profile', 'add', 'shop', '--sender', '-', '--key-store', 'file'], {
      ...options,
      input: JSON.stringify(await sender.invite('ana')),
    });

    expect(added).toMatchObject({ code: 0 });
    expect((await paydeskProcess(['-p', 'shop', 'orders', 'list'], options)).stdout).toContain('ord_1');
    expect(await versionOf(sender.port, 'TLSv1.1')).toBe('refused');
    expect(await versionOf(sender.port, 'TLSv1.2')).toBe('TLSv1.2');
  });
});

function versionOf(port: number, version: 'TLSv1.1' | 'TLSv1.2'): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    minVersion: version,
    maxVersion: version,
    ciphers: 'DEFAULT@SECLEVEL=0',
    rejectUnauthorized: false,
  });
  socket.on('error', () => resolve('refused'));
  socket.on('secureConnect', () => {
    resolve(socket.getProtocol());
    socket.destroy();
  });
  return promise;
}

it('its log has one JSON line for each request, without names, keys and ids of customers', async () => {
  await using service = await startService({ orders: [paidOrder('ord_1')] });
  using home = newHome();
  await initSender(home, { url: service.url });
  const running = startInMemory(['sender', 'serve', '--allow-root', '--json'], { home, sleeps: 'really' });
  const { url: address } = JSON.parse(await running.firstLine()) as { readonly url: string };
  const { stdout } = await paydesk(['sender', 'invite', 'ana-torres', '--role', 'viewer', '--allow-root'], {
    home,
  });
  using desk = newHome();
  const invitation = JSON.stringify({ ...JSON.parse(stdout), sender: address });
  await paydesk(['profile', 'add', 'shop', '--sender', '-', '--key-store', 'file'], {
    home: desk,
    input: invitation,
  });
  await paydesk(['-p', 'shop', 'orders', 'list'], { home: desk });
  await paydesk(['-p', 'shop', 'api', 'GET', 'customers?next=cus_9'], { home: desk });
  running.signal('SIGTERM');
  const ran = await running.end;
  const lines = ran.stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));

  expect(ran).toMatchObject({ code: 143, stderr: '' });
  const passed = lines.filter(({ request }) => !request.startsWith('POST /v1/journal/'));
  expect(passed.map(({ request, status }) => `${request} ${status}`)).toEqual([
    'POST /v1/join 200',
    'GET /v1/service/shop/orders 200',
    'GET /v1/service/shop/customers 200',
  ]);
  for (const secret of ['ana-torres', testKey, 'cus_9', 'pdt_', 'pdi_'])
    expect(ran.stdout).not.toContain(secret);
});

it('says that it is well to whoever asks, without a token', async () => {
  await using service = await startService({});
  await using sender = await startSender({ url: service.url });
  const reply = await fetch(`${sender.url}/health`);

  expect([reply.status, await reply.json()]).toEqual([200, { status: 'ok' }]);
});

it('a viewer reads', async () => {
  await using service = await startService({ orders: [paidOrder('ord_1')] });
  await using sender = await startSender({ url: service.url });

  expect((await (await sender.desk('vic', 'viewer')).run(['-p', 'shop', 'orders', 'list'])).stdout).toContain(
    'ord_1',
  );
});
