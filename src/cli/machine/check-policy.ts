/**
 * Checks a policy that is not in force yet: what each of its rules would do, what is not understood, and who can write the file.
 */

import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CheckedPolicy } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { fullPath, type Io } from '../../io.ts';
import { limitEffect } from '../../profiles/limits.ts';
import { quoted } from '../../profiles/profiles.ts';
import { objectIn, readMachineFile, unsafePlaces } from './machine-file.ts';
import { isCovered, isOther, type OtherRule, type Policy, readRules } from './policy.ts';

/** What is checked: a file as somebody named it (`-` is standard input), how it is read, and the policy of this machine. */
interface PolicyAsked {
  readonly named: string;
  readonly read: () => Promise<string>;
  readonly place: string;
  /** The time of this machine, Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Throws CliError 'usage' if something is not understood, and 'refused' for the policy of this machine itself if others can write
 * it.
 */
export async function checkPolicy(
  { named, read, place, nowMs }: PolicyAsked,
  { uid, cwd }: Pick<Io, 'uid' | 'cwd'>,
): Promise<CheckedPolicy> {
  const path = named === '-' ? undefined : resolve(fullPath(cwd, named));
  const inPlace = path === place;
  // Other files may belong to anybody: `install` corrects that when the file is put into its place.
  if (inPlace) readMachineFile({ path: place, name: 'the policy of this machine', uid });
  const stat = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === false)
    throw notUnderstood(named, [
      'this is no regular file: as a policy, a link, a pipe or a folder is never read',
    ]);
  const value = objectIn(await read());
  if (typeof value === 'string') throw notUnderstood(named, [value]);
  const { problems, ...policy } = await readRules(value);
  if (problems.length > 0) throw notUnderstood(named, problems);
  const of = { ...policy, file: place, problem: undefined };
  const rules = await Promise.all(
    Object.entries(policy.says).map(async ([name, said]) => ({
      name,
      value: said,
      does: await effectOf(name)(said, { policy: of, name, nowMs, uid }),
    })),
  );
  return {
    rules,
    inPlace,
    place,
    owner: path === undefined ? undefined : ownerOf(path, uid),
    untrusted: path === undefined ? [] : unsafePlaces(path).filter((one) => one.startsWith(`${path} `)),
    placeProblems: unsafePlaces(dirname(place)),
    install: install(inPlace ? undefined : path, place),
  };
}

/** Says in words what a rule of a policy does. `said`: its value. */
type Effect = (said: string, parts: RuleParts) => string | Promise<string>;

interface RuleParts {
  readonly policy: Policy;
  readonly name: string;
  readonly nowMs: number;
  readonly uid: number | undefined;
}

// What each rule that is not a limit does with its value.
const effects: Readonly<Record<OtherRule, Effect>> = {
  hours: (_, { policy, nowMs }) =>
    `changes are made in these hours only, by the service's clock; now they are ${policy.allowsAt(nowMs) ? 'made' : 'refused'}`,
  'commands.off': async (_, { policy }) => {
    const off = await commandsOff(policy);
    return `off: ${off.join(', ')}${refundsLeft(off)}`;
  },
  'release.keys': (said, { uid }) => keysWords(said, uid),
  production: () => 'no change is made in production',
  index: () => 'no index is built or used',
  redact: () => 'personal data is masked, whatever flag, variable and profile say',
  agents: () => 'no software agent runs paydesk, and paydesk mcp does not start',
};

function effectOf(name: string): Effect {
  if (isOther(name)) return effects[name];
  return (said) => {
    const isHold = name === 'refund.hold' && /[1-9]/.test(said);
    return `${limitEffect(name, said)}${isHold ? ', and --no-hold is refused' : ''}`;
  };
}

// Somebody who turns one of the two off may mean all refunds.
function refundsLeft(off: readonly string[]): string {
  const [left, both] = ['orders refund', 'refunds apply'].filter((command) => !off.includes(command));
  return left === undefined || both !== undefined ? '' : `; this leaves ${left}, which refunds too`;
}

async function commandsOff({ off }: Policy): Promise<readonly string[]> {
  const { commands } = await import('../../commands/commands.ts');
  return commands
    .filter(({ words }) => off.some((one) => isCovered(words, one)))
    .map(({ words }) => words.join(' '));
}

function keysWords(file: string, uid: number | undefined): string {
  try {
    const text = readMachineFile({ path: file, name: 'the file of enrolled keys', uid });
    return text === undefined
      ? 'only the keys of this file release, and it is not there yet'
      : 'only the keys of this file release';
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return `nobody can release: ${error.message}`;
  }
}

function notUnderstood(named: string, problems: readonly string[]): CliError {
  const [first, second] = problems;
  const words = second === undefined ? first : `${problems.length} rules are not understood`;
  return new CliError('usage', `${named === '-' ? 'standard input' : named}: ${words}`, {
    certain: 'no policy was changed',
    details: problems.map((message) => ({ message })),
    now: ['paydesk help policy'],
  });
}

function ownerOf(path: string, uid: number | undefined): string {
  const owner = lstatSync(path).uid;
  return owner === 0 ? 'root' : owner === uid ? 'you' : `user ${owner}`;
}

// The commands that put a file into its place.
function install(path: string | undefined, place: string): readonly string[] {
  if (path === undefined) return [];
  const folder = lstatSync(dirname(place), { throwIfNoEntry: false });
  const make = folder === undefined ? [`sudo install -d -o root -m 755 ${quoted(dirname(place))}`] : [];
  return [...make, `sudo install -o root -m 644 ${quoted(path)} ${quoted(place)}`];
}
