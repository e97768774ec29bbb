/** Which style a word or an amount has by its meaning. The words say the same, so nothing is lost without colour. Pure. */

import { meaningOfStatus, type StatusMeaning } from '../api/spec.ts';
import type { Style } from './terminal.ts';

// Yellow cannot be read on white, blue not on black, so neither is used.
const styles: Readonly<Record<StatusMeaning, Style>> = {
  in: 'good',
  awaited: 'warn',
  back: 'out',
  none: 'faint',
};

/** The style of a status; undefined for a word that paydesk does not know, which is shown as it came. */
export function statusStyle(status: unknown): Style | undefined {
  const meaning = meaningOfStatus(status);
  return meaning === undefined ? undefined : styles[meaning];
}

/** Whether a text is money that went back, or goes back: the service writes it negative (service: refund). */
export function isOutgoing(text: string): boolean {
  return /^-\d/.test(text);
}
