/** Reads and writes secrets in the system keyring. A keyring may hang, so a separate process asks it. */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { text as readAll } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { agentVariables, type Env, variable } from '../io.ts';

interface KeyringParts {
  readonly execPath: string;
  readonly env: Env;
  readonly module?: string | undefined;
  /** The time limit for an answer. Absent: 10 s. */
  readonly limitMs?: number | undefined;
}

/** Secrets by account name. Every method rejects with KeyringError if there is no keyring, or if it does not answer. */
export interface Keyring {
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Why the keyring cannot be used. The message reads well after a colon: `it did not keep the key`. */
export class KeyringError extends Error {}

// On a busy machine, just starting a process takes seconds.
const usualLimitMs = 10_000;

// The module may load code only from its own package. Node would also search parent folders, NODE_PATH and the home.
const loadModule = `
const { registerHooks } = process.getBuiltinModule('node:module');
const { module, own } = question;
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    if (['node:', ...own].some((start) => found.url.startsWith(start))) return found;
    throw new Error('it lies outside the package');
  },
});
const { AsyncEntry } = (await import(module)).default;
`;

/**
 * What the process runs: the keyring's module gives it `AsyncEntry`. On Linux it names the store, since the default one may lose
 * everything at reboot. The one file runs it under a word that is not a command, with the native part of the module inside. An
 * agent could call that word itself, so the script stops if it sees a variable of an agent; paydesk passes none of those on to
 * it.
 */
export const keyringScript = (load: string): string => `
const { readFileSync, writeSync } = process.getBuiltinModule('node:fs');
if (${JSON.stringify(agentVariables)}.some((name) => process.env[name])) process.exit(3);
const question = JSON.parse(readFileSync(0, 'utf8'));
${load}
const { action, account, secret } = question;
const entry = new AsyncEntry('paydesk', account, { linux: { store: 'secret-service' } });
const value = action === 'read' ? await entry.getPassword()
  : action === 'write' ? await entry.setPassword(secret)
  : await entry.deletePassword();
writeSync(1, JSON.stringify({ value: value ?? null }));
`;

export const keyringWord = '__keyring';

const answer = v.object({ value: v.unknown() });

// The only variables that the process gets: it needs them to find the keyring.
const passedOn = [
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'SYSTEMROOT',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
];

/** Starts no process before first use. */
export function createKeyring(parts: KeyringParts): Keyring {
  return {
    async read(account) {
      const value = await ask(parts, { action: 'read', account });
      if (value === null) return undefined;
      if (typeof value !== 'string') throw new KeyringError('its answer is not text');
      return value;
    },
    async write(account, secret) {
      await ask(parts, { action: 'write', account, secret });
      if ((await this.read(account)) !== secret) throw new KeyringError('it did not keep the key');
    },
    async remove(account) {
      await ask(parts, { action: 'remove', account });
    },
  };
}

async function ask(
  parts: KeyringParts,
  question: { readonly action: string; readonly account: string; readonly secret?: string },
): Promise<unknown> {
  const { limitMs = usualLimitMs } = parts;
  const found = isSea() ? {} : findModule(parts.module);
  const words = isSea() ? [keyringWord] : ['--input-type=module', '--eval', keyringScript(loadModule)];
  const child = spawn(parts.execPath, words, {
    cwd: dirname(parts.execPath),
    env: Object.fromEntries(
      passedOn.flatMap((name) => {
        const value = variable(parts.env, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  // If the child ends before reading the question, its exit code says enough.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ ...question, ...found }));
  try {
    const [output, code] = await Promise.all([readAll(child.stdout), promise]);
    if (child.signalCode !== null) throw new KeyringError(`it did not answer within ${limitMs / 1000} s`);
    if (code !== 0) throw new KeyringError('none is running, or it refused');
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answer), output);
    if (!parsed.success) throw new KeyringError('its answer cannot be read');
    return parsed.output.value;
  } catch (error) {
    throw error instanceof KeyringError ? error : new KeyringError('it cannot be started', { cause: error });
  }
}

/** The module, and the folders it may load code from, all as URLs. */
interface Found {
  readonly module: string;
  readonly own: readonly string[];
}

function findModule(given: string | undefined): Found {
  const folder = given === undefined ? installedFolder() : undefined;
  try {
    const module =
      folder === undefined ? (given ?? '') : createRequire(join(folder, 'package.json')).resolve(folder);
    // The module's binary is a second package in the same folder, and some installers link both.
    const scope = dirname(folder ?? dirname(module));
    const real = readdirSync(scope).map((name) => realpathSync(join(scope, name)));
    const own = real.map((path) => pathToFileURL(`${path}/`).href);
    return { module: pathToFileURL(module).href, own };
  } catch (error) {
    throw new KeyringError('its optional package @napi-rs/keyring is damaged', { cause: error });
  }
}

// Looks only in paydesk's own node_modules, and in the node_modules around paydesk.
function installedFolder(): string {
  const root = packageFolder(import.meta.dirname);
  const beside = basename(dirname(root)) === 'node_modules' ? [dirname(root)] : [];
  const folder = [join(root, 'node_modules'), ...beside]
    .map((place) => join(place, '@napi-rs', 'keyring'))
    .find((place) => existsSync(join(place, 'package.json')));
  if (folder === undefined)
    throw new KeyringError('its optional package @napi-rs/keyring is not installed with paydesk');
  return realpathSync(folder);
}

// The folder with paydesk's package.json, whether this code is built or not.
function packageFolder(from: string): string {
  return existsSync(join(from, 'package.json')) || dirname(from) === from
    ? from
    : packageFolder(dirname(from));
}
