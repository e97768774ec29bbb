/** A PostgreSQL server of Debian's packages, in a temporary folder, for the long tests. It ends with the process that started it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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

  constructor(port: number) {
    this.port = port;
    this.#root = mkdtempSync(join(tmpdir(), 'paydesk-postgres-'));
    this.data = join(this.#root, 'data');
    if (who.uid !== undefined) chownSync(this.#root, who.uid, who.gid ?? who.uid);
    run('initdb', [
      '-D',
      this.data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ]);
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
    process.once('exit', () => child.kill('SIGQUIT'));
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
  if (!existsSync(versions)) {
    const installed = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'postgresql'], {
      stdio: 'ignore',
    });
    if (installed.status !== 0) throw new Error('there is no PostgreSQL, and apt-get could not install it');
  }
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return await new PostgresServer(port).start();
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
