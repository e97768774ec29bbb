/** What a row of the journal says about a member: role, invitation and tokens. */

import * as v from 'valibot';
import type { SettingRow } from '../journal/journal.ts';
import { nameForm, roles, timeForm } from './wire.ts';

/** The prefix of these rows' names, before the member's name. */
export const memberPrefix = 'member/';
/** The prefix for rows that close a change id for good. */
export const closedPrefix = 'closed/';
/** The prefix for rows that stop a plan, before its digest. */
export const stoppedPrefix = 'stopped/';

const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const secretForm = { id: v.string(), hash, until: timeForm };
const stateForm = v.strictObject({
  role: v.picklist(roles),
  invitation: v.optional(v.strictObject(secretForm)),
  tokens: v.array(v.strictObject({ ...secretForm, desk: nameForm, since: timeForm })),
});
export type MemberState = v.InferOutput<typeof stateForm>;

/** The state in a row; undefined if this version of paydesk cannot read it. */
export function readMember(text: string): MemberState | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), stateForm), text);
  return read.success ? read.output : undefined;
}

/**
 * A row about a member, a closed id or a stopped plan in words: `member ana`, from `not set` to `operator at desk-4`; undefined
 * for other rows.
 */
export function senderRowWords({
  name,
  from,
  to,
}: Pick<SettingRow, 'name' | 'from' | 'to'>):
  | (Pick<SettingRow, 'from' | 'to'> & { readonly setting: string })
  | undefined {
  if (name.startsWith(closedPrefix))
    return { setting: `change ${name.slice(closedPrefix.length)}`, from, to: 'taken back' };
  if (name.startsWith(stoppedPrefix))
    return {
      setting: `plan ${name.slice(stoppedPrefix.length, stoppedPrefix.length + 8)}`,
      from,
      to: 'stopped',
    };
  if (!name.startsWith(memberPrefix)) return undefined;
  return { setting: `member ${name.slice(memberPrefix.length)}`, from: stateWords(from), to: stateWords(to) };
}

// `operator at desk-4 and till-7, invited`
function stateWords(text: string | null): string | null {
  if (text === null) return null;
  const state = readMember(text);
  if (state === undefined) return 'not readable';
  const desks = state.tokens.map(({ desk }) => desk).join(' and ');
  return `${state.role}${desks === '' ? '' : ` at ${desks}`}${state.invitation === undefined ? '' : ', invited'}`;
}
