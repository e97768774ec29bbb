/** The keys that a run knows: loaded before its line is read, and added as they come; no line may hold one. */

import { join } from 'node:path';
import { variable } from './env.ts';
import { CliError } from './errors.ts';
import { homeFolder } from './home.ts';
import { findFolders } from './profiles/folders.ts';
import { keysOnFile } from './profiles/keys-on-file.ts';
import { demoKeyLength, demoKeyOnFile } from './simulator/key-on-file.ts';
import { createSecrets, type Secrets } from './terminal/secrets.ts';

/** The keys of a run. */
export interface KnownKeys {
  /** What stops them. */
  readonly secrets: Secrets;
  /** Loads the keys that are stored, but for those of the system keyring, which may take seconds. Throws as `learn`. */
  load(): Promise<void>;
  /**
   * Keys that were typed, piped or opened: they are stopped from now on. Throws CliError 'usage' when the line, or a variable
   * that is not meant for a key, holds one.
   */
  readonly learn: (...keys: readonly string[]) => void;
}

type Process = Pick<NodeJS.Process, 'argv' | 'env' | 'platform'>;

/** No keys yet. Nothing is read before `load`. */
export function createKnownKeys(process: Process): KnownKeys {
  const secrets = createSecrets();
  const sayings = sayingsOf(process);
  const learn = (...keys: readonly string[]): void => {
    for (const key of keys) secrets.add(key);
    for (const { name, text } of sayings) if (secrets.holds(text)) throw keyIn(name);
  };
  return {
    secrets,
    learn,
    async load() {
      const folders = findFolders({ env: process.env, platform: process.platform, home: homeFolder() });
      learn(...keysOnFile(folders.config, process.env));
      // Too short to be taken for a key, but meant as one.
      secrets.add(variable(process.env, 'PAYDESK_API_KEY') ?? '');
      // No spelling of a key is shorter than the key: for most lines the demo is not looked at.
      if (!sayings.some(({ text }) => text.length >= demoKeyLength)) return;
      const demo = await demoKeyOnFile(join(folders.state, 'simulator'));
      if (demo !== undefined) learn(demo);
    },
  };
}

// Whoever sees the list of processes, or the shell's history, sees arguments; variables are shown and written down.
function sayingsOf({ argv, env }: Process): readonly { readonly name: string; readonly text: string }[] {
  const variables = Object.entries(env).filter(([name]) => /^PAYDESK_(?!API_KEY$)/.test(name));
  return [
    ...argv.slice(2).map((text) => ({ name: 'one of the arguments', text })),
    ...variables.map(([name, text = '']) => ({ name, text })),
  ];
}

function keyIn(name: string): CliError {
  const where = name.startsWith('PAYDESK_')
    ? `${name} holds a key: only PAYDESK_API_KEY may hold one`
    : `${name} holds a key: keys are never arguments`;
  return new CliError('usage', where, {
    certain: 'nothing was sent',
    now: ['replace that key, since others may have seen it: paydesk profile key NAME'],
  });
}
