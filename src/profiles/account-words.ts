/** The words for an account: its name on screens, commands to copy, and what to say about a record of the wrong mode. Pure. */

import type { JsonObject } from '../api/json-values.ts';
import type { ResourceName } from '../api/resources.ts';
import { contradictsMode, modeOfOrder, noModeWords } from '../api/spec.ts';
import { counted } from '../counted.ts';
import { CliError, refused } from '../errors.ts';
import type { Profile } from './profiles.ts';

/** The account on screens: `PRODUCTION shop-mx`, `sandbox test-mx`, `simulator demo`. */
export function accountLabel(profile: Pick<Profile, 'kind' | 'name' | 'mode'>): string {
  return `${modeWord(profile)} ${profile.name}`;
}

/** The account's name on a screen: PRODUCTION is highlighted, sandbox and simulator are only bold. */
export function accountSpan(profile: Profile): {
  readonly text: string;
  readonly style: 'production' | 'strong';
} {
  const isReal = profile.kind !== 'demo' && profile.mode === 'production';
  return { text: accountLabel(profile), style: isReal ? 'production' : 'strong' };
}

/** A question that also says whether it is about real money: `[PRODUCTION] Which order?` */
export function aboutMoney(profile: Profile, question: string): string {
  return `[${modeWord(profile)}] ${question}`;
}

function modeWord({ kind, mode }: Pick<Profile, 'kind' | 'mode'>): string {
  if (kind === 'demo') return 'simulator';
  return mode === 'production' ? 'PRODUCTION' : 'sandbox';
}

/** A command line to copy: `paydesk -p shop-mx orders list`. Does not name the profile `environment`. */
export function commandLine(profile: Pick<Profile, 'kind' | 'name'>, ...words: readonly string[]): string {
  return plainCommand(...commandWords(profile, ...words));
}

/** The words of `commandLine` after `paydesk`, as typed. */
export function commandWords(
  profile: Pick<Profile, 'kind' | 'name'>,
  ...words: readonly string[]
): readonly string[] {
  return [...(profile.kind === 'environment' ? [] : ['-p', profile.name]), ...words];
}

/** The options of a command for the values that are given: `--limit 5`, `--force` for true, `--again A,B` for a list. */
export function flagWords(
  values: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === false || (typeof value === 'object' && value.length === 0))
      return [];
    return value === true ? [`--${name}`] : [`--${name}`, String(value)];
  });
}

/** The profile with this name, for a command line: -p does not take `environment`. */
export function profileNamed(name: string): Pick<Profile, 'kind' | 'name'> {
  return { kind: name === 'environment' || name === 'demo' ? name : 'stored', name };
}

/** The mode in an account line of the journal; undefined for the demo. */
export function modeOfAccount(account: string): Profile['mode'] | undefined {
  const mode = account.split(' ').at(-1);
  return mode === 'production' || mode === 'sandbox' ? mode : undefined;
}

export function plainCommand(...words: readonly string[]): string {
  return ['paydesk', ...words.map(quoted)].join(' ');
}

/** Puts a word in single quotes if a shell would change it. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Why this profile cannot change an order: it has the other mode, or none (service: Authentication 5). Undefined if the modes
 * match.
 */
export function modeProblem(order: JsonObject, profile: Profile): string | undefined {
  const mode = modeOfOrder(order);
  const name = nameOf(order);
  if (mode === undefined) return `nobody can tell whether ${name} is real money: ${noModeWords(order)}`;
  return mode === profile.mode ? undefined : contradiction(profile, `${name} is`);
}

/** Throws CliError 'refused' if the order has another mode than the profile, or none. */
export function checkMode(order: JsonObject, profile: Profile): void {
  const problem = modeProblem(order, profile);
  if (problem === undefined) return;
  if (modeOfOrder(order) !== undefined) checkOtherMode(order, profile);
  throw refused(
    problem,
    [
      'ask whoever runs the service; this shows the order:',
      commandLine(profile, 'orders', 'show', String(order.id)),
    ],
    'wrong_mode',
  );
}

/** Throws CliError 'refused' if an order shows that the key has the other mode, whatever its charges say. */
export function checkOtherMode(order: JsonObject, profile: Profile): void {
  if (!contradictsMode(order, profile.mode)) return;
  throw wrongMode(profile, order, {
    certain: 'nothing was sent',
    now: [`paydesk profile check ${profile.name}`],
  });
}

/** The error for a profile whose key has the wrong mode. The order shows the key's mode. */
export function wrongMode(
  profile: Profile,
  order: JsonObject,
  { certain, now }: { readonly certain: string; readonly now: readonly string[] },
): CliError {
  const [kind, other] = order.livemode === true ? ['production', 'practice'] : ['sandbox', 'real money'];
  return new CliError('refused', contradiction(profile, `${nameOf(order)} is`), {
    ownCode: 'wrong_mode',
    certain,
    now: [`this key is for ${kind}; do not use it for ${other}:`, ...now],
  });
}

/** Counts listed records of the wrong mode, for the warnings below the list. */
interface ModeTally {
  add(records: readonly JsonObject[]): void;
  lines(): readonly string[];
}

export function tallyModes(profile: Profile, resource: ResourceName = 'orders'): ModeTally {
  let others = 0;
  let unsure = 0;
  let first: JsonObject | undefined;
  return {
    add(records) {
      for (const record of records) {
        if (resource === 'orders' && modeOfOrder(record) === undefined) {
          unsure += 1;
          first ??= record;
        } else if (contradictsMode(record, profile.mode)) others += 1;
      }
    },
    lines: () => [
      ...(others === 0
        ? []
        : [`${contradiction(profile, 'these records are')}: paydesk profile check ${profile.name}`]),
      ...(first === undefined
        ? []
        : [
            `${modeProblem(first, profile)}${unsure === 1 ? '' : `, and ${counted(unsure - 1, 'order')} more like it`}; nothing of ${unsure === 1 ? 'it is' : 'them is'} refunded or captured`,
          ]),
    ],
  };
}

function nameOf({ id }: JsonObject): string {
  return typeof id === 'string' && id !== '' ? id : 'an order';
}

function contradiction({ name, mode }: Profile, subject: string): string {
  const what = mode === 'sandbox' ? 'real money (livemode true)' : 'practice (livemode false)';
  return `profile ${name} says ${mode}, but ${subject} ${what}`;
}
