/** Answers `paydesk __complete`: splits the line as the shell sent it, leaves out what holds a key, writes one candidate per line. */

import { join } from 'node:path';
import { valueAt } from '../../api/spec.ts';
import type { Candidate, KnownHere } from '../../commands/command.ts';
import { type Io, variable } from '../../io.ts';
import type { RecentOf } from '../../journal/journal-store.ts';
import { keysOnFile, namesOnFile } from '../../profiles/early-reads.ts';
import { findFolders } from '../../profiles/folders.ts';
import { demoName } from '../../profiles/profiles.ts';
import { demoOrderOnFile } from '../../simulator/simulator.ts';
import { createSecrets, type Shell, shells } from '../../terminal/terminal.ts';
import { recentOf } from '../choose-store.ts';
import { candidatesFor, type Offered } from './candidates.ts';
import { filesHere } from './scripts.ts';

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
    const offered = withoutKeys(await candidatesFor(line, knownHere(io)), io);
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

// One line per candidate; behind a tab a few words about it, for shells that show them.
function written({ candidates }: Offered, kept: number, explained: boolean): string {
  return candidates
    .map(({ value, text }) => `${value.slice(kept)}${explained && text !== '' ? `\t${text}` : ''}\n`)
    .join('');
}

function knownHere({ env, platform, home }: CompletionIo): KnownHere {
  const { state, config } = findFolders({ env, platform, home: home() });
  const lately = async (of: RecentOf, profile: string | undefined) =>
    (await recentOf(state, of, profile)).map(({ id, text }) => ({ value: id, text }));
  const chosen = (profile: string | undefined) =>
    profile ?? variable(env, 'PAYDESK_PROFILE') ?? namesOnFile(config).chosen;
  return {
    profiles: async () => namesOnFile(config).names.map(({ name, mode }) => ({ value: name, text: mode })),
    orders: (profile) => lately('orders', chosen(profile)),
    // The journal's commands find the profile by themselves.
    intents: (profile) => lately('intents', profile),
    async charges(orderId, named) {
      const profile = chosen(named);
      const onDemo = profile === demoName ? await demoCharges(state, orderId) : [];
      return onDemo.length > 0 ? onDemo : await lately({ chargesOf: orderId }, profile);
    },
  };
}

// Reads the order in the demo's own file. Only a TAB behind --charge needs to know how money is read.
async function demoCharges(stateFolder: string, orderId: string): Promise<readonly Candidate[]> {
  const text = await demoOrderOnFile(join(stateFolder, 'simulator'), orderId);
  if (text === undefined) return [];
  const { readMoney } = await import('../../api/charges.ts');
  const reading = readMoney(JSON.parse(text));
  if (!('money' in reading)) return [];
  const { charges, currency = '' } = reading.money;
  return charges.map(({ id, number, amount, counts, left, value }) => {
    const last4 = valueAt(value, ['payment_method', 'last4']);
    const card = typeof last4 === 'string' ? `, *${last4}` : '';
    return { value: id, text: `charge ${number}: ${amount} ${currency}${card}, ${counts ? left : 0} left` };
  });
}

/** A line up to the cursor, in words. */
export interface TypedLine {
  /** The words before the one at the cursor, without `paydesk`. */
  readonly before: readonly string[];
  /** The part of the word before the cursor. */
  readonly current: string;
  /** How much of the current word comes before what the shell will replace: `--reason=` in bash. */
  readonly kept: number;
}

/** Reads the words a shell sent, of which the one at `index` is to be completed; absent, it is empty. */
export function readTypedLine(shell: Shell, index: number, sent: readonly string[]): TypedLine {
  const pieces = [...sent.slice(0, index), sent[index] ?? ''];
  const words = shell === 'bash' ? joined(pieces) : pieces;
  const current = words.at(-1) ?? '';
  const last = pieces.at(-1) ?? '';
  return {
    before: words.slice(0, -1).map((word) => unquoted(shell, word)),
    current: unquoted(shell, current),
    kept: current === last ? 0 : current.length - (isBreak(last) ? 0 : last.length),
  };
}

// Bash cuts words at `=` and `:` (COMP_WORDBREAKS) and makes words of these, too.
function joined(pieces: readonly string[]): readonly string[] {
  const words: string[] = [];
  let open = false;
  for (const piece of pieces) {
    const last = words.at(-1);
    const glues = last !== undefined && (open || isBreak(piece));
    if (glues) words[words.length - 1] = last + piece;
    else words.push(piece);
    open = isBreak(piece);
  }
  return words;
}

function isBreak(piece: string): boolean {
  return /^[=:]+$/.test(piece);
}

// Removes quotes and escapes, also a quote that is still open; what they hold stays as it is.
function unquoted(shell: Shell, word: string): string {
  if (shell === 'fish') return word;
  const parts =
    shell === 'powershell'
      ? /'([^']*)'?|"([^"]*)"?|`(.)|([^'"`]+)/gs
      : /'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.)|([^'"\\]+)/gs;
  return [...word.matchAll(parts)]
    .map(([, single, double, escaped, plain]) => single ?? double ?? escaped ?? plain ?? '')
    .join('');
}
