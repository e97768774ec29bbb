/** Decides whether the limits of an account let somebody make a change at all: its role, and what every refund must have. Pure. */

import { CliError, refused } from '../errors.ts';
import type { Change, ChangeKind } from '../journal/journal.ts';
import type { Limits, Profile, Settings } from '../profiles/profiles.ts';

/** Whose limit refuses, in words, and whom to ask. `isPolicyLimit`: whether a limit of the machine's policy refuses too. */
export function ownerOfLimit({ policy }: Profile, isPolicyLimit: (limits: Limits) => boolean) {
  return policy !== undefined && isPolicyLimit(policy.limits)
    ? { owner: 'the policy of this machine', ask: `ask an administrator, since ${policy.file} says it` }
    : { owner: 'this account', ask: 'ask your lead' };
}

type Given = Pick<Change, 'reason' | 'note'>;

/** What `refund.require` asks for and a refund does not have. A note must have at least `refund.note_length` letters or digits. */
export function missingIn(settings: Settings, { reason, note }: Given): readonly ('reason' | 'note')[] {
  const has = { reason: reason !== undefined, note: lettersIn(note) >= settings['refund.note_length'] };
  return settings['refund.require'].filter((name) => !has[name]);
}

/** How many letters and digits a text has. A letter that nobody can see, such as U+3164 or a blank hieroglyph, does not count. */
export function lettersIn(text: string | undefined): number {
  return text?.match(/[[\p{L}\p{N}]--[\p{Default_Ignorable_Code_Point}\u{13441}\u{13442}]]/gv)?.length ?? 0;
}

/** What is wrong with a note that is required and has too few letters. */
export function tooShort(settings: Settings): string {
  const least = settings['refund.note_length'];
  return `has fewer than ${least} ${least === 1 ? 'letter or digit' : 'letters or digits'} (refund.note_length)`;
}

/** Throws CliError 'usage' if a note is required and the typed one has too few letters. */
export function checkNote(note: string | undefined, { settings }: Profile): void {
  if (note === undefined || !missingIn(settings, { note }).includes('note')) return;
  throw new CliError('usage', `--note ${tooShort(settings)}`, { certain: 'nothing was sent' });
}

// What each role allows, and what a change is called where it is refused.
const allowed: Readonly<Record<Settings['role'], readonly ChangeKind[]>> = {
  viewer: [],
  refunder: ['refund'],
  capturer: ['capture'],
  full: ['refund', 'capture', 'order', 'checkout', 'api'],
};
const doing: Readonly<Record<ChangeKind, string>> = {
  refund: 'refund',
  capture: 'capture',
  order: 'create orders',
  checkout: 'create payment links',
  api: 'send anything but GET',
};

// What the roles of a team that send nothing may do.
const inTeam: Readonly<Record<string, string>> = {
  viewer: 'your role in this team is viewer: you read, and change nothing',
  proposer:
    'your role in this team is proposer: what you ask for, somebody else approves (paydesk help team)',
};

/** Why a change is not offered to whoever uses this profile: the role in the team, or that of the account. Undefined if it may be made. */
export function roleWords(kind: ChangeKind, profile: Profile): string | undefined {
  return inTeam[profile.sender?.role ?? ''] ?? roleProblem(kind, profile);
}

// Why the role of an account does not allow a change.
function roleProblem(kind: ChangeKind, profile: Profile): string | undefined {
  const { role } = profile.settings;
  if (allowed[role].includes(kind)) return undefined;
  const { owner } = ownerOfRole(kind, profile);
  return `the role of ${owner} is ${role}, which may not ${doing[kind]}`;
}

function ownerOfRole(kind: ChangeKind, profile: Profile): ReturnType<typeof ownerOfLimit> {
  return ownerOfLimit(profile, ({ role }) => !allowed[role].includes(kind));
}

/** Throws CliError 'refused' for a change by somebody whose role in the team, as the sender says it now, lets them only read. */
export function refuseViewer(member: string, role: string): void {
  if (role !== 'viewer') return;
  throw refused(
    `${member} is a viewer and may not send changes`,
    ['ask a lead of the team for another role'],
    'role',
  );
}

/** Throws CliError 'refused' for a change that the role of the account does not allow. */
export function refuseOutsideRole(kind: ChangeKind, profile: Profile): void {
  const problem = roleProblem(kind, profile);
  if (problem === undefined) return;
  const { ask, owner } = ownerOfRole(kind, profile);
  const more = owner === 'this account' ? ', who can set another role for the account' : '';
  throw refused(problem, [`${ask}${more}`, 'paydesk help settings'], 'role');
}

/** Who requires that of every refund: `this account requires it (refund.require)`. */
export function requiredBy(missing: ReturnType<typeof missingIn>, profile: Profile): string {
  const { owner } = ownerOfLimit(profile, (limits) =>
    missing.every((name) => limits['refund.require'].includes(name)),
  );
  return `${owner} requires it (refund.require)`;
}

/** Throws CliError 'refused' for a change outside the role of the account, and for a refund without what the account requires. */
export function refuseUnfit(change: Given & Pick<Change, 'kind'>, profile: Profile): void {
  refuseOutsideRole(change.kind, profile);
  if (change.kind !== 'refund') return;
  const [missing] = missingIn(profile.settings, change);
  if (missing === undefined) return;
  const what = change[missing] === undefined ? 'is missing' : tooShort(profile.settings);
  throw refused(`the ${missing} ${what}, and ${requiredBy([missing], profile)}`, [], 'note_or_reason');
}
