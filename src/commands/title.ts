/** The first line of a screen about money: what it is, and at the right whose account it concerns. Pure. */

import type { Profile } from '../profiles/profiles.ts';
import type { Block, Style } from '../terminal/terminal.ts';
import { accountLabel } from './account.ts';

// Where the account ends on a terminal of 80 columns.
const end = 76;

/** `REFUND PART OF AN ORDER                                   PRODUCTION shop-mx` */
export function titleLine(title: string, profile: Profile, style: Style): Block {
  const label = accountLabel(profile);
  const gap = Math.max(4, end - title.length - label.length);
  return { line: [{ text: title, style }, ' '.repeat(gap), { text: label, style: 'strong' }] };
}
