/** Loads every key before the command line is read, and refuses a line that holds one, so that no key is ever repeated. */

import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { type Env, variable } from '../io.ts';
import { keysOnFile } from '../profiles/early-reads.ts';
import type { Folders } from '../profiles/folders.ts';
import { demoKeyLength, demoKeyOnFile } from '../simulator/simulator.ts';
import { createSecrets, type Secrets } from '../terminal/terminal.ts';

/** The keys of a run. */
export interface KnownKeys {
  /** Masks them in every text that leaves the program. */
  readonly secrets: Secrets;
  /** Loads the keys in files and variables. The system keyring is not asked, since that may take seconds. Throws like `learn`. */
  load(): Promise<void>;
  /**
   * Adds keys that were typed, piped in or read from a store: they are masked from now on. Throws CliError 'usage' when the
   * command line, or a variable that is not meant for a key, holds one.
   */
  readonly learn: (...keys: readonly string[]) => void;
}

/** Where keys may be found. */
export interface KeyPlaces {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly folders: Folders;
  readonly cwd: () => string;
}

/** An empty set of keys. Reads nothing before `load`. */
export function createKnownKeys(places: KeyPlaces): KnownKeys {
  const { env, folders, cwd } = places;
  const secrets = createSecrets();
  const inputs = inputsOf(places);
  const learn = (...keys: readonly string[]): void => {
    for (const key of keys) secrets.add(key);
    for (const { name, text } of inputs) if (secrets.holds(text)) throw keyIn(name);
  };
  return {
    secrets,
    learn,
    async load() {
      learn(...keysOnFile(folders.config, env, cwd));
      // A short one is not searched for in the command line, but it is meant as a key, so it is masked.
      secrets.add(variable(env, 'PAYDESK_API_KEY') ?? '');
      // A spelling is never shorter than its key, so for most command lines the demo's file is not opened.
      if (!inputs.some(({ text }) => text.length >= demoKeyLength)) return;
      const demo = await demoKeyOnFile(join(folders.state, 'simulator'));
      if (demo !== undefined) learn(demo);
    },
  };
}

// Arguments show in the list of processes and in the shell's history; our variables are shown and written to the journal.
function inputsOf({ argv, env }: KeyPlaces): readonly { readonly name: string; readonly text: string }[] {
  const variables = Object.entries(env).filter(([name]) => /^PAYDESK_(?!API_KEY$)/.test(name));
  return [
    ...argv.map((text) => ({ name: 'one of the arguments', text })),
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
