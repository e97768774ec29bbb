/** Asks the journal for unconfirmed changes, and words one for the screens of its order: what it is, and what to do next. */

import { amountWords } from '../amounts.ts';
import type { Service } from '../api/api.ts';
import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import { changeKinds, type UnconfirmedChange } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { kindWords } from './change-words.ts';

/** Unconfirmed changes by the id of their order. */
export type UnconfirmedChanges = ReadonlyMap<string, UnconfirmedChange>;

/** Asks the journal for the unconfirmed changes of an account, or of one order. If the journal cannot be read, it only warns. */
export async function unconfirmedOf(
  ctx: Context,
  service: Service,
  orderId?: string,
): Promise<UnconfirmedChanges> {
  try {
    return await ctx.journal.unconfirmed(service, orderId);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`unconfirmed changes are not shown: ${error.message}`);
    return new Map();
  }
}

/** `refund of 900 MXN, sent at 05:05:12 by root` */
export function unconfirmedWords(
  ctx: Pick<Context, 'shortTime'>,
  { settings }: Pick<Profile, 'settings'>,
  { kind, amount, currency, sentAt, operator }: UnconfirmedChange,
): string {
  const sum = amount === undefined ? '' : ` of ${amountWords(amount, currency, settings)}`;
  return `${changeKinds[kind].noun}${sum}, sent at ${ctx.shortTime(sentAt)} by ${operator}`;
}

/**
 * The lines that stand in the first block of an order's screen: what is unconfirmed and what to do, all in red. `isShown`:
 * the order now shows a refund that is probably this one.
 */
export function unconfirmedBlocks(
  ctx: Context,
  profile: Profile,
  change: UnconfirmedChange,
  isShown: boolean,
): readonly Block[] {
  const lines = isShown
    ? ['the order now shows such a refund, see below; do not refund it again']
    : ['it may have been made', kindWords[change.kind].meanwhile.replace(/;$/, '')];
  return [
    `UNCONFIRMED  ${unconfirmedWords(ctx, profile, change)}`,
    ...lines.map((line) => `${indent}${line}`),
  ]
    .map((text): Block => ({ line: { text, style: 'bad' }, hang: indent.length }))
    .concat(checkBlocks(change, isShown));
}

// Under the first word after `buyer`.
const indent = ' '.repeat(8);

// Always a command that finds out, never one that refunds or captures.
function checkBlocks({ intent, kind }: UnconfirmedChange, isShown: boolean): readonly Block[] {
  const { provable } = changeKinds[kind];
  const words = provable
    ? isShown
      ? 'confirm it:'
      : 'see whether it was made:'
    : 'paydesk cannot look it up; see what is known:';
  const line = `${indent}${words} paydesk journal ${provable ? 'reconcile' : 'show'} ${intent}`;
  return [{ line: { text: line, style: 'bad' }, hang: indent.length }];
}

/** What to do next about an order with an unconfirmed change, in place of a command that refunds or captures. */
export function unconfirmedSteps({ intent, kind }: UnconfirmedChange): readonly Block[] {
  const verb = changeKinds[kind].provable ? 'reconcile' : 'show';
  return [
    'blank',
    { line: `first find out what became of the unconfirmed ${changeKinds[kind].noun}:` },
    { line: `paydesk journal ${verb} ${intent}`, indent: 2 },
  ];
}
