/** The one way to change something: show what was recorded before, or else plan, preview, confirm, act and show. */

import type { Service } from '../api/api.ts';
import type { Context } from '../commands/command.ts';
import type { Intent } from '../journal/journal.ts';
import { checkMode } from '../profiles/account-words.ts';
import type { Block } from '../terminal/terminal.ts';
import { changeWords } from './change-words.ts';
import { type Confirmation, confirmChange } from './confirm.ts';
import { type Applied, checkRecorded } from './outcome.ts';
import { appliedNow, type ColumnsOf, type Repeat, showRecorded } from './repeat.ts';

/** A change that is planned: what is sent, and what a person sees of it. */
export interface PlannedChange {
  /** What is sent, besides what a repeat is recognised by. */
  readonly intent: Omit<Intent, keyof Repeat>;
  readonly preview: readonly Block[];
  readonly confirmation: Confirmation;
  /** Prints the result. */
  readonly show: (applied: Applied) => Promise<void>;
}

/**
 * Makes a change once: `plan` asks, reads and decides; then a person confirms the preview, it is sent, and its result is
 * shown. A repeat under the same `--intent` shows the recorded outcome and plans nothing. Returns what was made, now or
 * then; undefined where nothing was sent. Throws CliError as the outcome says.
 */
export async function makeChange(
  ctx: Context,
  service: Service,
  repeat: Repeat,
  columnsOf: ColumnsOf,
  plan: () => Promise<PlannedChange>,
): Promise<Applied | undefined> {
  const recorded = await showRecorded(ctx, service, repeat, columnsOf);
  if (recorded !== undefined) return recorded;
  const { preview, confirmation, show, ...planned } = await plan();
  const intent: Intent = { ...repeat, ...planned.intent };
  if (intent.orderId === undefined) await checkAccountMode(service);
  if (!ctx.options.dryRun) ctx.notes.show(preview);
  await confirmChange(ctx, confirmation);
  const outcome = await ctx.change(intent);
  const applied = await appliedNow(ctx, service.profile, { intent, outcome }, columnsOf);
  if (applied === undefined) return undefined;
  await show(applied);
  checkRecorded(intent, applied, changeWords(intent));
  return applied;
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
