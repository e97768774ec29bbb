/** What `paydesk __complete SHELL INDEX WORD…` answers to a completion script: candidates on stdout, and nothing else. */

import { type Io, variable } from '../../io.ts';
import { keysOnFile, namesOnFile } from '../../profiles/early-reads.ts';
import { findFolders } from '../../profiles/folders.ts';
import { createSecrets, shells } from '../../terminal/terminal.ts';
import { recentOf } from '../choose-store.ts';
import { candidatesFor, type Offered, type Sources } from './candidates.ts';
import { filesHere } from './scripts.ts';
import { readTypedLine } from './typed-line.ts';

/** What completion is given from outside. */
export interface CompletionIo extends Pick<Io, 'env' | 'platform' | 'home' | 'cwd'> {
  /** Writes to stdout; throws where nobody reads it. */
  readonly write: (text: string) => void;
}

/** Answers the words behind `__complete`; returns the exit code. Whatever goes wrong, there is nothing to offer: a TAB prints no error. */
export async function answer(args: readonly string[], io: CompletionIo): Promise<number> {
  const [shellName, index, ...sent] = args;
  const shell = shells.find((one) => one === shellName);
  if (shell === undefined) return 0;
  try {
    const line = readTypedLine(shell, Number(index), sent);
    const offered = withoutKeys(await candidatesFor(line, sourcesOf(io)), io);
    io.write(written(offered, line.kept, shell !== 'bash'));
    return offered.files ? filesHere : 0;
  } catch {
    return 0;
  }
}

// A candidate with a key is left out: masked, it would put a wrong word on the command line.
function withoutKeys({ candidates, files }: Offered, { env, platform, home, cwd }: CompletionIo): Offered {
  const secrets = createSecrets();
  const { config } = findFolders({ env, platform, home: home() });
  for (const key of keysOnFile(config, env, cwd)) secrets.add(key);
  return { candidates: candidates.filter(({ value, text }) => !secrets.holds(`${value} ${text}`)), files };
}

// A line each; behind a tab what it is, for shells that show it.
function written({ candidates }: Offered, kept: number, explained: boolean): string {
  return candidates
    .map(({ value, text }) => `${value.slice(kept)}${explained && text !== '' ? `\t${text}` : ''}\n`)
    .join('');
}

function sourcesOf({ env, platform, home }: CompletionIo): Sources {
  const folders = findFolders({ env, platform, home: home() });
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
