/**
 * Answers `paydesk __complete`: reads the line as the shell sent it, and writes one candidate per line, except any that holds a
 * key.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { valueAt } from '../../api/json-values.ts';
import type { Candidate, KnownHere } from '../../flags/flags.ts';
import { type Io, variable } from '../../io.ts';
import type { RecentOf } from '../../journal/sqlite/recent-ids.ts';
import {
  accountOnFile,
  demoAccount,
  indexKeyOnFile,
  keysOnFile,
  namesOnFile,
} from '../../profiles/early-reads.ts';
import { findFolders } from '../../profiles/folders.ts';
import { demoName } from '../../profiles/profiles.ts';
import { demoOnFile, demoOrderOnFile } from '../../simulator/simulator.ts';
import { createSecrets, type Shell, shells } from '../../terminal/terminal.ts';
import { agentOf } from '../agent/agent.ts';
import { recentOf } from '../choose-store.ts';
import { findJournalPlace } from '../machine/journal-place.ts';
import { candidatesFor, type Offered } from './candidates.ts';
import { filesHere } from './scripts.ts';

interface CompletionIo extends Pick<Io, 'env' | 'platform' | 'home' | 'cwd' | 'uid' | 'machineFile'> {
  /** Writes to stdout. Throws if nobody reads it. */
  readonly write: (text: string) => void;
}

/** Answers the words after `__complete`. Returns the exit code. If anything goes wrong, nothing is offered: TAB prints no error. */
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

// A candidate that holds a key is left out. If it were masked, the command line would get a wrong word.
function withoutKeys({ candidates, files }: Offered, { env, platform, home, cwd }: CompletionIo): Offered {
  const secrets = createSecrets();
  const { config } = findFolders({ env, platform, home: home() });
  for (const key of keysOnFile(config, env, cwd)) secrets.add(key);
  return { candidates: candidates.filter(({ value, text }) => !secrets.holds(`${value} ${text}`)), files };
}

// One line per candidate. If the shell shows explanations, one follows after a tab.
function written({ candidates }: Offered, kept: number, explained: boolean): string {
  return candidates
    .map(({ value, text }) => `${value.slice(kept)}${explained && text !== '' ? `\t${text}` : ''}\n`)
    .join('');
}

function knownHere({ env, platform, home, uid, machineFile }: CompletionIo): KnownHere {
  const { state, witness: witnessFolder, config } = findFolders({ env, platform, home: home() });
  const lately = async (of: RecentOf, profile: string | undefined) => {
    const { folder } = findJournalPlace({
      machineFile,
      uid,
      stateFolder: state,
      witnessFolder,
      notice: () => undefined,
    });
    return (await recentOf(folder, of, profile)).map(({ id, text }) => ({ value: id, text }));
  };
  const chosen = (profile: string | undefined) =>
    profile ?? variable(env, 'PAYDESK_PROFILE') ?? namesOnFile(config).chosen;
  return {
    profiles: async () => namesOnFile(config).names.map(({ name, mode }) => ({ value: name, text: mode })),
    async orders(named, start) {
      const profile = chosen(named);
      const recent = await lately('orders', profile);
      const known = new Set(recent.map(({ value }) => value));
      const indexed = profile === undefined ? [] : await idsInIndex({ state, config }, profile, start);
      return [...recent, ...indexed.filter((id) => !known.has(id)).map((value) => ({ value, text: '' }))];
    },
    // The commands of the journal find the profile by the id, so the default profile does not narrow the ids.
    changes: (profile) => lately('changes', profile),
    async charges(orderId, named) {
      const profile = chosen(named);
      const onDemo = profile === demoName ? await demoCharges(state, orderId, agentOf(env)) : [];
      return onDemo.length > 0 ? onDemo : await lately({ chargesOf: orderId }, profile);
    },
    async settings(of) {
      const { defaultWord, settingWords } = await import('../../profiles/settings.ts');
      const all = settingWords();
      if (of === undefined)
        return all.map(({ name, choices = [] }) => ({ value: name, text: choices.join(' or ') }));
      const { choices = [], defaultText = 'none' } = all.find(({ name }) => name === of) ?? {};
      return [...choices.map((value) => ({ value, text: '' })), { value: defaultWord, text: defaultText }];
    },
  };
}

// The most ids that are offered: more would help nobody, even with a million orders.
const mostIds = 50;

// An index that does not open offers nothing; the ids of the journal are still offered.
async function idsInIndex(
  { state, config }: { readonly state: string; readonly config: string },
  profile: string,
  start: string,
): Promise<readonly string[]> {
  const folder = join(state, 'index');
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  try {
    const { idsOnFile } = await import('../../index/index-file.ts');
    const demo = profile === demoName ? await demoOnFile(join(state, 'simulator')) : undefined;
    const account = demo === undefined ? accountOnFile(config, profile) : demoAccount(demo.instance);
    if (account === undefined) return [];
    return idsOnFile({ folder, account, keyOf: (id) => indexKeyOnFile(config, id), start, most: mostIds });
  } catch {
    return [];
  }
}

// Reads the order from the demo's own file. Only TAB after --charge has to read money, so that code is loaded here.
async function demoCharges(
  stateFolder: string,
  orderId: string,
  agent: string | undefined,
): Promise<readonly Candidate[]> {
  const text = await demoOrderOnFile(join(stateFolder, 'simulator'), orderId);
  if (text === undefined) return [];
  const { readMoney } = await import('../../api/charges.ts');
  const reading = readMoney(JSON.parse(text));
  if (!('money' in reading)) return [];
  const { charges, currency = '' } = reading.money;
  return charges.map(({ id, number, amount, counts, left, value }) => {
    const last4 = valueAt(value, ['payment_method', 'last4']);
    const card = typeof last4 === 'string' && agent === undefined ? `, *${last4}` : '';
    return { value: id, text: `charge ${number}: ${amount} ${currency}${card}, ${counts ? left : 0} left` };
  });
}

/** The words of a line up to the cursor. */
export interface TypedLine {
  /** The words before the word at the cursor, without `paydesk`. */
  readonly before: readonly string[];
  /** The word at the cursor, up to the cursor. */
  readonly current: string;
  /** How many characters of `current` the shell keeps: bash replaces only what comes after `--reason=`. */
  readonly kept: number;
}

/** Reads the words that a shell sent. The word at `index` is the one to complete. A shell may leave it out when it is empty. */
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

// Joins words that bash has cut: it cuts at `=` and `:` (COMP_WORDBREAKS), and these become words too.
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

// Removes quotes and escapes, even a quote that is still open. Nothing inside them is run or replaced.
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
