/** The system keyring, asked in a process of its own: a keyring that hangs blocks the thread it is asked in. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import * as v from 'valibot';
import { type Env, variable } from '../env.ts';

/** What the keyring is asked with. */
export interface KeyringParts {
  /** `process.execPath`. */
  readonly execPath: string;
  readonly env: Env;
  /** The keyring's module; the optional dependency when absent. */
  readonly module?: string | undefined;
}

/** Secrets by account name. Every method rejects with KeyringError when there is no keyring or it does not answer. */
export interface Keyring {
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Why the keyring was of no use; the message goes into a sentence. */
export class KeyringError extends Error {}

const limitMs = 3000;

// Pinned on Linux: the default falls back silently to a store that forgets at reboot.
const script = `
const { readFileSync, writeSync } = await import('node:fs');
const { module, action, account, secret } = JSON.parse(readFileSync(0, 'utf8'));
const { AsyncEntry } = (await import(module)).default;
const entry = new AsyncEntry('paydesk', account, { linux: { store: 'secret-service' } });
const value = action === 'read' ? await entry.getPassword()
  : action === 'write' ? await entry.setPassword(secret)
  : await entry.deletePassword();
writeSync(1, JSON.stringify({ value: value ?? null }));
`;

const answer = v.object({ value: v.unknown() });

// What a keyring needs to be found; nothing else of the environment goes to another process.
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

/** The keyring of this user. Nothing is loaded or started before it is asked. */
export function createKeyring(parts: KeyringParts): Keyring {
  return {
    async read(account) {
      const value = await ask(parts, { action: 'read', account });
      if (value === null) return undefined;
      if (typeof value !== 'string') throw new KeyringError('it answered something that is no text');
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
  const module = parts.module ?? findModule();
  const env = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = variable(parts.env, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const child = spawn(parts.execPath, ['--input-type=module', '--eval', script], {
    cwd: dirname(parts.execPath),
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  // A child that is gone before it read is told apart by its exit.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ ...question, module }));
  try {
    const [output, code] = await Promise.all([readAll(child.stdout), promise]);
    if (child.signalCode !== null) throw new KeyringError(`it did not answer within ${limitMs / 1000} s`);
    if (code !== 0) throw new KeyringError('there is none here, or it refuses');
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answer), output);
    if (!parsed.success) throw new KeyringError('it answered something that makes no sense');
    return parsed.output.value;
  } catch (error) {
    throw error instanceof KeyringError ? error : new KeyringError('it could not be asked', { cause: error });
  }
}

function findModule(): string {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch (error) {
    throw new KeyringError('its optional package @napi-rs/keyring is not installed', { cause: error });
  }
}
