/**
 * The policy of a machine (policy.json): what its administrator allows all users of paydesk there, whatever a profile or an
 * account says; its hours, and the keys whose releases count. No environment variable replaces it.
 */

import { dirname, isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../api/json-values.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import type { Env, Io } from '../../io.ts';
import { isLimit, parseLimits, strictest } from '../../profiles/limits.ts';
import {
  type FileRules,
  type Profile,
  readOwnFile,
  type SettingTexts,
  writeOwnFile,
} from '../../profiles/profiles.ts';
import { limitProblem, meantValues, settingName, settingWords } from '../../profiles/settings.ts';
import type { EnrolledFile } from '../../release/release.ts';
import { closestNames, knowsZone } from '../../terminal/terminal.ts';
import { agentOf } from '../agent/agent.ts';
import { invalidMachineFile, readMachineFile, readMachineObject } from './machine-file.ts';

/** What a policy says. A machine without one has an empty one. */
export type Policy = Context['policy'] & {
  /** Commands that are off: their words, or a noun for all of its commands. */
  readonly off: readonly string[];
  /** Whether it allows changes at a time (Unix milliseconds). */
  readonly allowsAt: (ms: number) => boolean;
  /** The file with the enrolled keys of people who may release what an agent proposes. */
  readonly releaseKeys: string | undefined;
};

/** Reads the policy. Throws nothing: a policy that cannot be used says why in `problem`. */
export async function readPolicy({ machineFile, uid }: Pick<Io, 'machineFile' | 'uid'>): Promise<Policy> {
  const file = join(dirname(machineFile), 'policy.json');
  const nothing = { file, says: {}, limits: {}, off: [], allowsAt: () => true, releaseKeys: undefined };
  try {
    const value = readMachineObject({ path: file, name, uid }, correct);
    if (value === undefined) return { ...nothing, problem: undefined };
    const { problems, ...policy } = await readRules(value);
    const [first] = problems;
    if (first !== undefined) throw invalidMachineFile({ path: file, name }, first, correct);
    return { file, ...policy, problem: undefined };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...nothing, problem: error };
  }
}

const name = 'the policy of this machine';
const correct = 'to correct it';

// What a policy can say besides limits, and the only allowed texts; undefined: the value is checked below.
const others = {
  hours: undefined,
  'commands.off': undefined,
  'release.keys': undefined,
  production: 'read-only',
  index: 'off',
  redact: 'on',
  agents: 'off',
} as const satisfies Readonly<Record<string, string | undefined>>;

/** What a policy can say besides limits. */
export type OtherRule = keyof typeof others;

/** What a policy says, and everything that is wrong with it. */
export async function readRules(
  value: JsonObject,
): Promise<Omit<Policy, 'file' | 'problem'> & { readonly problems: readonly string[] }> {
  const says = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, textOf(one)]));
  const wrong = Object.entries(says).flatMap(([rule, said]) => {
    const problem = isOther(rule) ? otherProblem(rule, said) : limitProblem(rule, said);
    return problem === undefined ? [] : [`says ${rule} ${said}: ${problem}${meant(rule, said)}`];
  });
  const off = listed(value['commands.off']);
  const hours = readHours(says.hours ?? '');
  return {
    says,
    problems: [...wrong, ...(await unknownCommands(off))],
    limits: Object.fromEntries(Object.entries(says).filter(([key]) => !isOther(key))),
    off: [...off, ...(says.index === 'off' ? ['index build', 'index refresh', 'index rekey'] : [])],
    allowsAt: (ms) => hours === undefined || isWithin(hours, ms),
    releaseKeys: says['release.keys'],
  };
}

/** Whether a rule is something other than a limit. */
export function isOther(rule: string): rule is OtherRule {
  return Object.hasOwn(others, rule);
}

function otherProblem(rule: OtherRule, said: string): string | undefined {
  if (rule === 'release.keys') return isAbsolute(said) ? undefined : 'write the full path of a file';
  if (rule === 'hours' && readHours(said) === undefined) {
    const zone = said.split(' ').at(-1) ?? '';
    const zones = knowsZone(zone) ? [] : meantValues('time.zone', zone);
    return `write them as Mon-Fri 08:00-20:00 America/Mexico_City${didYouMean(zones)}`;
  }
  const only = others[rule];
  return only === undefined || only === said ? undefined : `only ${only} can be said`;
}

// Suggests the rule or the value of a limit that was probably meant by one that does not exist.
function meant(rule: string, said: string): string {
  const upper = settingName(rule);
  const isSpelling = upper !== undefined && upper !== rule && isLimit(upper);
  if (isOther(rule)) return '';
  if (upper === rule) return didYouMean(meantValues(rule, said));
  const limits = settingWords().filter((one) => isLimit(one.name));
  const names = [...Object.keys(others), ...limits.map((one) => one.name)];
  return didYouMean(isSpelling ? [upper] : closestNames(rule.slice(0, 40), names));
}

function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`;
}

async function unknownCommands(off: readonly string[]): Promise<readonly string[]> {
  if (off.length === 0) return [];
  const { commands } = await import('../../commands/commands.ts');
  const names = commands.flatMap(({ words }) => [words.join(' '), words[0]]);
  return off
    .filter((one) => !commands.some(({ words }) => isCovered(words, one)))
    .map((one) =>
      one === 'help'
        ? 'turns help off: help is always there'
        : `turns ${one} off: there is no such command${didYouMean(closestNames(one.slice(0, 40), names))}`,
    );
}

// A whole number may be written as a JSON number.
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function listed(value: JsonObject[string]): readonly string[] {
  return value === undefined ? [] : [value].flat().map(textOf);
}

/** Whether a command is off because of `off`, an entry of `commands.off`. */
export function isCovered(words: readonly string[], off: string): boolean {
  return `${words.join(' ')} `.startsWith(`${off} `);
}

/** What applies while there is a policy that cannot be used: nobody knows what it says. */
export const whileNotUsed =
  'until an administrator corrects it, no software agent runs paydesk here, personal data is masked, nothing of production is changed, and a sandbox goes on without its limits';

/**
 * Throws CliError 'refused' for a command that is off here, and for every command of an agent if agents are off or the policy
 * cannot be used.
 */
export function refuseCommand(policy: Policy, words: readonly string[], env: Env): void {
  const isOff = policy.off.some((off) => isCovered(words, off));
  if (isOff) throw refusedBy(policy, `turns paydesk ${words.join(' ')} off`);
  const isAgent = agentOf(env) !== undefined || words[0] === 'mcp';
  if (isAgent && policy.problem !== undefined) throw policy.problem;
  if (isAgent && policy.says.agents === 'off') throw refusedBy(policy, 'lets no software agent run paydesk');
}

/**
 * Throws CliError 'refused' for a change that the policy does not allow now, whatever kind of change it is; in production also
 * while the policy cannot be used. `nowMs`: the time of the service's clock, if it said one.
 */
export function refuseByPolicy(policy: Policy, { mode }: Pick<Profile, 'mode'>, nowMs: number): void {
  const { problem, says, allowsAt } = policy;
  if (mode === 'production' && problem !== undefined) throw problem;
  if (mode === 'production' && says.production === 'read-only')
    throw refusedBy(policy, 'allows no change in production');
  if (!allowsAt(nowMs))
    throw refusedBy(policy, `allows changes at these hours only: ${says.hours}${itIs(says.hours, nowMs)}`);
}

function refusedBy({ file }: Policy, what: string): CliError {
  return refused(`${name} ${what}`, [`ask an administrator: this rule is in ${file}`], 'policy');
}

/** The limits of an account with those of the policy: the stricter ones. */
export function limitsUnder(
  policy: LimitsSaid,
  profile: Pick<Profile, 'mode'>,
  ofAccount: SettingTexts,
): SettingTexts {
  return strictest(ofAccount, limitsIn(policy, profile));
}

/** A profile that knows which limits the policy sets, so that a refusal can say whose limit it is. */
export function withPolicy(policy: LimitsSaid, profile: Profile): Profile {
  const limits = limitsIn(policy, profile);
  if (Object.keys(limits).length === 0) return profile;
  return { ...profile, policy: { file: policy.file, limits: parseLimits(limits) } };
}

type LimitsSaid = Pick<Policy, 'file' | 'limits' | 'says'>;

function limitsIn({ limits, says }: LimitsSaid, { mode }: Pick<Profile, 'mode'>): SettingTexts {
  return mode === 'production' && says.production === 'read-only' ? { ...limits, role: 'viewer' } : limits;
}

/** The hours in which a policy allows changes. Times are minutes of the day; `until` is not part of them. */
interface Hours {
  /** 0 is Monday. */
  readonly days: readonly number[];
  readonly from: number;
  readonly until: number;
  readonly zone: string;
}

const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const form = /^([A-Za-z,-]+) (\d\d):(\d\d)-(\d\d):(\d\d) (\S+)$/;

/** Reads `Mon-Fri,Sun 08:00-20:00 America/Mexico_City`; undefined if the text has another form. */
function readHours(text: string): Hours | undefined {
  const [, daysText = '', h1, m1, h2, m2, zone = ''] = form.exec(text) ?? [];
  const days = daysText.split(',').map(daysIn);
  const [from, until] = [minutes(h1, m1), minutes(h2, m2)];
  if (days.some((some) => some.length === 0) || from >= until || until > 24 * 60 || !knowsZone(zone))
    return undefined;
  return { days: days.flat(), from, until, zone };
}

// `Fri-Mon` goes over the end of the week.
function daysIn(text: string): readonly number[] {
  const [first = '', last = first, ...more] = text.split('-');
  const [from, until] = [names.indexOf(first), names.indexOf(last)];
  if (from < 0 || until < 0 || more.length > 0) return [];
  const count = ((until - from + 7) % 7) + 1;
  return Array.from({ length: count }, (_, at) => (from + at) % 7);
}

function minutes(hour: string | undefined, minute: string | undefined): number {
  return Number(minute) > 59 ? Number.NaN : Number(hour) * 60 + Number(minute);
}

/** Whether a moment (Unix milliseconds) is in such hours. */
function isWithin({ days, from, until, zone }: Hours, ms: number): boolean {
  const { weekday, hour, minute } = timeIn(zone, ms);
  const at = minutes(hour, minute);
  return days.includes(names.indexOf(weekday)) && at >= from && at < until;
}

// `; there it is Sat 09:05`
function itIs(hours = '', ms: number): string {
  const zone = readHours(hours)?.zone;
  if (zone === undefined) return '';
  const { weekday, hour, minute } = timeIn(zone, ms);
  return `; there it is ${weekday} ${hour}:${minute}`;
}

function timeIn(zone: string, ms: number): Readonly<Record<'weekday' | 'hour' | 'minute', string>> {
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => shown.find((one) => one.type === type)?.value ?? '';
  return { weekday: part('weekday'), hour: part('hour'), minute: part('minute') };
}

/** The file with the keys of people who may release: the one that the policy names, else `own`, that of this user. */
export function releaseKeysOf({ releaseKeys: named }: Policy, own: string, rules: FileRules): EnrolledFile {
  if (named === undefined)
    return {
      file: own,
      weakness: 'the policy of this machine names no file of enrolled keys',
      read: () => readOwnFile(own, rules),
      write: (text) => writeOwnFile(own, text, rules),
    };
  return {
    file: named,
    weakness: rules.uid === 0 ? 'paydesk runs as root' : undefined,
    read: () => readMachineFile({ path: named, name: 'the file of enrolled keys', uid: rules.uid }),
    write: undefined,
  };
}
