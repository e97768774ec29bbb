/** A PostgreSQL server of Debian's packages, in a temporary folder, for the long tests. It ends with the process that started it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** A server, with the folder of its data. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number;
  readonly data: string;
  readonly #root: string;
  #child: ChildProcess | undefined;

  /** `primary`: the port of a server that it follows. Absent: it begins empty. */
  constructor(port: number, primary?: number) {
    this.port = port;
    this.#root = mkdtempSync(join(tmpdir(), 'paydesk-postgres-'));
    this.data = join(this.#root, 'data');
    if (who.uid !== undefined) chownSync(this.#root, who.uid, who.gid ?? who.uid);
    const all = ['-D', this.data, '-U', 'postgres', '--no-sync'];
    if (primary === undefined) run('initdb', [...all, '-A', 'trust', '-E', 'UTF8', '--locale=C']);
    else run('pg_basebackup', [...all, '-h', '127.0.0.1', '-p', `${primary}`, '-R', '--checkpoint=fast']);
  }

  /** Starts it, and waits until it takes connections. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<this> {
    const given = {
      port: String(this.port),
      unix_socket_directories: this.#root,
      max_connections: '500',
      ...settings,
    };
    const words = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(bin(), 'postgres'), ['-D', this.data, ...words], {
      ...who,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    for await (const line of createInterface({ input: child.stderr }))
      if (line.includes('ready to accept')) break;
    child.stderr.resume();
    const end = () => child.kill('SIGQUIT');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    return this;
  }

  /** Stops it: SIGINT in order, SIGQUIT as a crash does. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** A new database of this name, empty or like another one. */
  async database(name: string, like = 'template1'): Promise<void> {
    await this.ask('postgres', `create database ${name} template ${like}`);
  }

  /** What a statement gives in a database. */
  async ask(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts a standby that follows it. */
  async standby(): Promise<PostgresServer> {
    return await new PostgresServer(await freePort(), this.port).start();
  }

  /** From now on this role must give its password. */
  async askPasswordOf(role: string): Promise<void> {
    const file = join(this.data, 'pg_hba.conf');
    writeFileSync(file, `host all ${role} all scram-sha-256\n${readFileSync(file, 'utf8')}`);
    await this.ask('postgres', 'select pg_reload_conf()');
  }

  /** Starts it again, with this certificate. */
  async secure({ cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
    for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
      const file = join(this.data, name);
      writeFileSync(file, text, { mode: 0o600 });
      if (who.uid !== undefined) chownSync(file, who.uid, who.gid ?? who.uid);
    }
    await this.stop();
    await this.start({ ssl: 'on' });
  }

  /** Starts a pooler before it: in transaction mode, with four connections for each database. */
  async pooler(): Promise<AsyncDisposable & { readonly port: number }> {
    const program = '/usr/sbin/pgbouncer';
    install('pgbouncer', program);
    const port = await freePort();
    const file = join(this.#root, 'pgbouncer.ini');
    const users = join(this.#root, 'users.txt');
    writeFileSync(users, '"paydesk" ""\n');
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${this.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
`,
    );
    const child = spawn(program, [file], { ...who, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    for await (const line of createInterface({ input: child.stderr })) if (line.includes('process up')) break;
    child.stderr.resume();
    return {
      port,
      async [Symbol.asyncDispose]() {
        child.kill('SIGINT');
        await once(child, 'exit');
      },
    };
  }

  /** Keeps a copy of the data. Returns what puts it back. Stop the server first, for both. */
  copy(): () => void {
    const kept = `${this.data}-kept`;
    spawnSync('cp', ['-a', this.data, kept]);
    return () => {
      rmSync(this.data, { recursive: true });
      spawnSync('cp', ['-a', kept, this.data]);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Starts a server. Installs Debian's package where there is none. */
export async function startPostgres(): Promise<PostgresServer> {
  install('postgresql', versions);
  return await new PostgresServer(await freePort()).start();
}

function install(name: string, path: string): void {
  if (existsSync(path)) return;
  const words = ['install', '-y', '--no-install-recommends', name];
  const { status } = spawnSync('apt-get', words, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`there is no ${path}, and apt-get could not install ${name}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const versions = '/usr/lib/postgresql';

function bin(): string {
  return join(versions, readdirSync(versions).toSorted().at(-1) ?? '', 'bin');
}

// PostgreSQL refuses to run as root.
const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
const who: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function run(program: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(join(bin(), program), words, { ...who, cwd: '/', encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}
