/** A change that belongs to no order, from its preview to its outcome: mode checked, confirmed by name, sent once. */

import type { Service } from '../api/api.ts';
import type { Intent } from '../journal/journal.ts';
import { checkMode } from '../profiles/account-words.ts';
import type { Block } from '../terminal/terminal.ts';
import type { Context } from './command.ts';
import { confirmNamed } from './confirm-by-name.ts';
import type { Applied } from './outcome.ts';
import { appliedNow, type ColumnsOf } from './repeat.ts';

/** What is to be sent, and what a person sees before. */
export interface NamedSending {
  readonly intent: Intent;
  readonly preview: readonly Block[];
  /** The value of `--confirm`, when given. */
  readonly confirm: string | undefined;
  readonly columnsOf: ColumnsOf;
}

/** Sends it once it is confirmed; undefined where nothing was sent now. Throws as its outcome says. */
export async function sendNamed(
  ctx: Context,
  service: Service,
  { intent, preview, confirm, columnsOf }: NamedSending,
): Promise<Applied | undefined> {
  const { profile } = service;
  if (intent.orderId === undefined) await checkAccountMode(service);
  if (!ctx.options.dryRun) ctx.notes.show(preview);
  await confirmNamed(ctx, { profile, confirm });
  const outcome = await ctx.change(intent);
  return appliedNow(ctx, profile, { intent, outcome }, columnsOf);
}

// The newest order tells whether the key belongs to the mode (service: Authentication 5), and that the service answers:
// after a read that arrived, a sending that provably did not is known as such.
async function checkAccountMode(service: Service): Promise<void> {
  for await (const { records } of service.pages('orders', { limit: 1 })) {
    const [newest] = records;
    if (newest !== undefined) checkMode(newest.value, service.profile);
    return;
  }
}

/** The line that names a change and its account. */
export function headLine(words: string, label: string): Block {
  return { line: [{ text: words, style: 'strong' }, '    ', { text: label, style: 'strong' }] };
}

/** `      journal i_7f3k` for the end of a result's line. */
export function journalWords(intent: string | undefined): string {
  return intent === undefined ? '' : `      journal ${intent}`;
}
