/** What `paydesk __complete SHELL INDEX WORD…` answers to a completion script: candidates on stdout, and nothing else. */

import { writeFileSync } from 'node:fs';
import { variable } from '../../io.ts';
import { keysOnFile, namesOnFile } from '../../profiles/early-reads.ts';
import { findFolders } from '../../profiles/folders.ts';
import { createSecrets, shells } from '../../terminal/terminal.ts';
import { recentOf } from '../choose-store.ts';
import { homeFolder } from '../home.ts';
import { candidatesFor, type Offered, type Sources } from './candidates.ts';
import { filesHere } from './scripts.ts';
import { readTypedLine } from './typed-line.ts';

/** Answers and sets the exit code. Whatever goes wrong, there is nothing to offer: a TAB prints no error. */
export async function answer(process: NodeJS.Process): Promise<void> {
  process.removeAllListeners('warning');
  const [shellName, index, ...sent] = process.argv.slice(3);
  const shell = shells.find((one) => one === shellName);
  if (shell === undefined) return;
  try {
    const line = readTypedLine(shell, Number(index), sent);
    const offered = withoutKeys(await candidatesFor(line, sourcesOf(process)), process);
    // To the descriptor: opening process.stdout takes longer than all of this.
    writeFileSync(1, written(offered, line.kept, shell !== 'bash'));
    if (offered.files) process.exitCode = filesHere;
  } catch {
    return;
  }
}

// A candidate with a key is left out: masked, it would put a wrong word on the command line.
function withoutKeys({ candidates, files }: Offered, { env, platform }: NodeJS.Process): Offered {
  const secrets = createSecrets();
  const { config } = findFolders({ env, platform, home: homeFolder() });
  for (const key of keysOnFile(config, env)) secrets.add(key);
  return { candidates: candidates.filter(({ value, text }) => !secrets.holds(`${value} ${text}`)), files };
}

// A line each; behind a tab what it is, for shells that show it.
function written({ candidates }: Offered, kept: number, explained: boolean): string {
  return candidates
    .map(({ value, text }) => `${value.slice(kept)}${explained && text !== '' ? `\t${text}` : ''}\n`)
    .join('');
}

function sourcesOf({ env, platform }: NodeJS.Process): Sources {
  const folders = findFolders({ env, platform, home: homeFolder() });
  const lately = async (of: 'orders' | 'intents', profile: string | undefined) =>
    (await recentOf(folders.state, of, profile)).map(({ id, text }) => ({ value: id, text }));
  return {
    profiles: async () =>
      namesOnFile(folders.config).names.map(({ name, mode }) => ({ value: name, text: mode })),
    orders: (profile) =>
      lately('orders', profile ?? variable(env, 'PAYDESK_PROFILE') ?? namesOnFile(folders.config).chosen),
    // The journal's commands find the profile by themselves.
    intents: (profile) => lately('intents', profile),
  };
}
