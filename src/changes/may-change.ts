/** Whether the limits of an account let somebody make a change at all: its role, and what every refund must have. Pure. */

import { CliError } from '../errors.ts';
import type { Change } from '../journal/journal.ts';
import type { Profile, Settings } from '../profiles/profiles.ts';

type Given = Pick<Change, 'reason' | 'note'>;

/** What `refund.require` asks for and a refund does not have. A note has letters or digits, as many as `refund.note_length`. */
export function missingIn(settings: Settings, { reason, note }: Given): readonly ('reason' | 'note')[] {
  const has = { reason: reason !== undefined, note: lettersIn(note) >= settings['refund.note_length'] };
  return settings['refund.require'].filter((name) => !has[name]);
}

/** How many letters and digits a text has. A letter that nobody sees, such as U+3164, is none. */
export function lettersIn(text: string | undefined): number {
  return text?.match(/[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]/gv)?.length ?? 0;
}

/** What is wrong with a note that is required and has too few letters. */
export function tooShort(settings: Settings): string {
  const least = settings['refund.note_length'];
  return `has fewer than ${least} ${least === 1 ? 'letter or digit' : 'letters or digits'} (refund.note_length)`;
}

/** Throws CliError 'usage' for the note of a flag that is required and says nothing. */
export function checkNote(note: string | undefined, { settings }: Profile): void {
  if (note === undefined || !missingIn(settings, { note }).includes('note')) return;
  throw new CliError('usage', `--note ${tooShort(settings)}`, { certain: 'nothing was sent' });
}

/** Throws CliError 'refused' for a refund without what the account requires. The flags were checked before, where there are any. */
export function refuseIncomplete(change: Given & Pick<Change, 'kind'>, { settings }: Profile): void {
  if (change.kind !== 'refund') return;
  const [missing] = missingIn(settings, change);
  if (missing === undefined) return;
  const what = change[missing] === undefined ? 'is missing' : tooShort(settings);
  throw new CliError('refused', `the ${missing} ${what}, and this account requires it (refund.require)`, {
    certain: 'nothing was sent',
  });
}
