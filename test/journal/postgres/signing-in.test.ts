/** Signing in at the server of a team: with SCRAM only, and away from this machine only over TLS with a verified certificate. */

import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../bin/process-io.ts';
import type { ConnectParts, ServerPlace } from '../../../src/journal/postgres/connection.ts';
import { createPostgresStore } from '../../../src/journal/postgres/postgres-store.ts';
import { schemaText } from '../../../src/journal/postgres/schema.ts';
import { checkTeamServer, createTeamJournal } from '../../../src/journal/postgres/team-setup.ts';
import { type Asking, startFakePostgres } from '../../harness/fake-postgres.ts';
import { type PostgresServer, startPostgres } from '../../harness/postgres.ts';
import { signIn } from '../../harness/team-database.ts';

const parts = (password: string): ConnectParts => ({
  clock: systemClock,
  password: () => Promise.resolve(password),
  run: 'r',
  deadlineMs: 10_000,
});

describe('case 30: a server that does not prove who it is', () => {
  test.each<[Asking, string]>([
    ['clear text', 'asks for the password itself'],
    ['md5', 'asks for the password itself'],
    ['nothing', 'without proving'],
    ['scram, then clear text', 'asks for the password itself'],
    ['scram with a wrong proof', 'signature does not match'],
  ])('%s: is refused, and never hears the password', async (asking, why) => {
    await using server = await startFakePostgres(asking);
    const place = { host: '127.0.0.1', port: server.port, database: 'desk', schema: 'paydesk', user: 'ana' };
    await expect(checkTeamServer(place, parts('s3cret-of-ana'))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(why),
    });
    expect(server.heard).toContain('ana');
    expect(server.heard).not.toContain('s3cret-of-ana');
    expect(server.heard).not.toContain('md5');
    expect(server.heard).not.toContain('identity');
  });
});

describe('case 31: TLS', () => {
  let server: PostgresServer;
  let ca: string;
  let otherCa: string;
  beforeAll(async () => {
    server = await startPostgres();
    [ca, otherCa] = [newCertificate('ca', 'db.test'), newCertificate('other', 'db.test')];
    writeFileSync(pathOf('server.crt'), newCertificate('server', 'localhost', 'ca'));
    await server.stop();
    for (const name of ['server.crt', 'server.key']) cpSync(pathOf(name), join(server.data, name));
    if (process.getuid?.() === 0) {
      for (const name of ['server.crt', 'server.key']) chownSync(join(server.data, name), 65_534, 65_534);
    }
    writeFileSync(join(server.data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
    writeFileSync(join(server.data, 'postgresql.auto.conf'), 'ssl = on\n');
    await server.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  // Certificates are made anew, in the folder of the server: those of a file would be over some day.
  const pathOf = (name: string) => join(server.root, name);
  function newCertificate(name: string, host: string, by?: string): string {
    const [key, cert] = [pathOf(`${name}.key`), pathOf(`${name}.pem`)];
    const signed = by === undefined ? [] : ['-CA', pathOf(`${by}.pem`), '-CAkey', pathOf(`${by}.key`)];
    const isCa = by === undefined ? [] : ['-addext', 'basicConstraints=critical,CA:FALSE'];
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
    const names = ['-addext', `subjectAltName=DNS:${host}`, ...isCa];
    const files = ['-keyout', key, '-out', cert, ...signed];
    const made = spawnSync('openssl', [...words.split(' '), ...names, ...files], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(made.stderr);
    return readFileSync(cert, 'utf8');
  }

  const placeWith = (tls: ServerPlace['tls'], host = 'localhost'): ServerPlace => {
    const { port, user } = server.address;
    return { host, port, user, database: 'postgres', schema: 'paydesk', tls };
  };
  const admin = () => parts(server.address.password);

  test('over TLS a journal is made and joined', async () => {
    const { journal } = await createTeamJournal(placeWith({ ca }), admin());
    expect(await checkTeamServer(placeWith({ ca }), admin(), journal)).toMatchObject({ lead: true });
    await using inside = await signIn({ ...server.address, ssl: { ca, host: 'localhost' } } as never);
    expect(
      await inside.query('select count(*)::int as n from pg_stat_ssl where ssl and pid = pg_backend_pid()'),
    ).toEqual([{ n: 1 }]);
  });

  test('a desk knows that its connection is encrypted', async () => {
    await using inside = await signIn({ ...server.address, ssl: { ca, host: 'localhost' } } as never);
    await inside.query(schemaText('told'));
    const store = createPostgresStore({
      ...admin(),
      place: { ...placeWith({ ca }), schema: 'told' },
      insistMs: 1000,
      mirror: {
        path: pathOf('mirror.db'),
        rules: { uid: undefined, notice: () => undefined, movedBy: 'XDG_STATE_HOME' },
        folders: [],
      },
    });
    expect(await store.status()).toMatchObject({ tls: true });
    store.close();
  });

  test('a certificate of another authority is refused', async () => {
    await expect(checkTeamServer(placeWith({ ca: otherCa }), admin())).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('was not issued by the authority that this desk trusts'),
    });
  });

  test('a certificate for another host is refused, also for an address in numbers', async () => {
    await expect(checkTeamServer(placeWith({ ca }, '127.0.0.1'), admin())).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('127.0.0.1'),
    });
  });

  test('without a certificate authority of the team only those of this system count', async () => {
    await expect(checkTeamServer(placeWith({}), admin())).rejects.toMatchObject({ kind: 'refused' });
  });

  test('away from this machine nothing is sent without TLS', async () => {
    const place = placeWith(undefined, 'db.example');
    await expect(checkTeamServer(place, admin())).rejects.toMatchObject({
      message: expect.stringContaining('needs TLS'),
    });
  });
});
