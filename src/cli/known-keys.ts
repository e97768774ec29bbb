/** The keys that a run knows: masks them in everything that the run writes, and refuses them in arguments. */

import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { type Env, variable } from '../io.ts';
import { keysOnFile } from '../profiles/early-reads.ts';
import type { Folders } from '../profiles/folders.ts';
import { demoKeyLength, demoOnFile } from '../simulator/simulator.ts';
import { createSecrets, type Secrets } from '../terminal/terminal.ts';

/** The keys of a run. */
export interface KnownKeys {
  /** Masks the keys in every text that leaves the program. */
  readonly secrets: Secrets;
  /** Loads the keys in files and variables. The system keyring is not asked, because that may take seconds. Throws like `learn`. */
  load(): Promise<void>;
  /**
   * Adds keys that were typed, piped in or read from a store. From then on they are masked. Throws CliError 'usage' when the
   * command line holds one of them, or a variable that is not meant for keys.
   */
  readonly learn: (...keys: readonly string[]) => void;
}

/** Where keys may be found. */
interface KeyPlaces {
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
      // A text too short for a key is not searched for in the command line. It is still meant as a key, so it is masked.
      secrets.add(variable(env, 'PAYDESK_API_KEY') ?? '');
      // A key is never written with fewer letters than it has. So for most command lines the demo's file is not opened.
      if (!inputs.some(({ text }) => text.length >= demoKeyLength)) return;
      const demo = await demoOnFile(join(folders.state, 'simulator'));
      if (demo !== undefined) learn(demo.key);
    },
  };
}

// Where a key must not be: others see arguments in the list of processes, and the shell keeps them; our variables are shown on
// screens and in the journal.
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
    : `${name} holds a key: a key is never an argument`;
  return new CliError('usage', where, {
    certain: 'nothing was sent',
    now: ['others may have seen that key; replace it: paydesk profile key NAME'],
  });
}
