/** The one way to change something at the service: plan, preview, confirm, act and show. */

import type { Service } from '../api/api.ts';
import type { Context } from '../context/context.ts';
import { about } from '../errors.ts';
import type { Change, ChangeRun } from '../journal/journal.ts';
import { checkOtherMode } from '../profiles/profiles.ts';
import { type Block, GoBack } from '../terminal/terminal.ts';
import { requestLine } from './change-words.ts';
import { type Confirmation, confirmChange } from './confirm-change.ts';
import { type Applied, checkRecorded } from './outcome.ts';
import { appliedNow, type ColumnsOf, type Repeat, showRecorded } from './repeat.ts';

/** A planned change: what is sent, and what the person sees. */
export interface PlannedChange extends ChangeRun {
  readonly change: Omit<Change, keyof Repeat> & Partial<Change>;
  readonly preview: readonly Block[];
  /** What is said right above the question, even with --quiet. */
  readonly urgent?: readonly string[] | undefined;
  readonly confirmation: Confirmation;
  /** What the yes does instead of the sending: it asks a second person. Throws CliError 'refused', which says so. */
  readonly ask?: () => Promise<never>;
  /** Waits after the yes, so that somebody can still stop it. */
  readonly hold?: () => Promise<void>;
  readonly show: (applied: Applied) => Promise<void>;
  /** Asks the last question again, and plans by its answer; undefined if nothing was asked. */
  readonly replan?: (() => Promise<PlannedChange>) | undefined;
}

/**
 * Makes a change at most once. First `plan` asks, reads and decides. Then a person confirms the preview, and paydesk sends
 * the change and shows its result. If the same `--idempotency-key` was used before, paydesk shows the recorded outcome and does not
 * call `plan`. Returns the change that was made, now or earlier, and undefined when nothing was sent. Throws CliError for
 * every outcome that is not a plain success.
 */
export async function makeChange(
  ctx: Context,
  service: Service,
  repeat: Repeat,
  columnsOf: ColumnsOf,
  plan: () => Promise<PlannedChange>,
): Promise<Applied | undefined> {
  return about({ idempotencyKey: repeat.idempotencyKey }, async () => {
    const recorded = await showRecorded(ctx, service, repeat, columnsOf);
    if (recorded !== undefined) return recorded;
    let next = plan;
    for (;;) {
      const planned: PlannedChange = await next();
      const change: Change = { ...repeat, ...planned.change };
      try {
        return await about({ orderId: change.orderId }, () =>
          sendPlanned(ctx, service, change, planned, columnsOf),
        );
      } catch (error) {
        if (!(error instanceof GoBack) || planned.replan === undefined) throw error;
        next = planned.replan;
      }
    }
  });
}

async function sendPlanned(
  ctx: Context,
  service: Service,
  change: Change,
  planned: PlannedChange,
  columnsOf: ColumnsOf,
): Promise<Applied | undefined> {
  const { preview, urgent = [], confirmation, show, ask, hold, replan } = planned;
  if (change.orderId === undefined) await checkAccountMode(service);
  ctx.redaction.learn({ body: change.request.body, note: change.note });
  const showPreview = (): void => {
    // The request of a dry run goes to stdout.
    const label = ask === undefined ? [] : ['sent once, after the approval: '];
    ctx.notes.show(ctx.options.dryRun ? preview : [...preview, requestLine(change.request.body, ...label)]);
    for (const line of urgent) ctx.notes.warn({ text: `WARNING: ${line}`, style: 'bad' });
  };
  if (!ctx.options.dryRun) showPreview();
  const canGoBack = replan !== undefined || confirmation.canGoBack === true;
  await confirmChange(ctx, { ...confirmation, canGoBack });
  if (ask !== undefined && !ctx.options.dryRun) return await ask();
  await hold?.();
  const outcome = await ctx.change(change, planned);
  // What would be refused is not shown as if it could be sent.
  if (outcome.verdict === 'dry_run' && !isRequestAlone(ctx)) showPreview();
  const applied = await appliedNow(ctx, service, { change, outcome }, columnsOf);
  if (applied === undefined) return undefined;
  await show(applied);
  checkRecorded(change, applied, service.profile);
  return applied;
}

/** Says what somebody settled by hand, even with --quiet, since whoever did it may have been wrong. */
export function warnByHand(ctx: Context, lines: readonly string[]): void {
  if (!isRequestAlone(ctx)) for (const text of lines) ctx.notes.warn({ text, style: 'warn' });
}

// From a dry run, a script gets only the request with its checks.
function isRequestAlone({ options, out }: Context): boolean {
  return options.dryRun && out.format !== 'table';
}

// The newest order shows whether the key belongs to the mode of the profile (service: Authentication 5). The read also proves
// that the service can be reached. If the sending then cannot connect, the change certainly did not arrive.
async function checkAccountMode(service: Service): Promise<void> {
  for await (const { records } of service.pages('orders', { limit: 1 })) {
    const [newest] = records;
    if (newest !== undefined) checkOtherMode(newest.value, service.profile);
    return;
  }
}
