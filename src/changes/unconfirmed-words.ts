/**
 * What screens say about an order with an open case: a change that is not confirmed, or a refund that was paid back twice; and
 * how they ask the journal for it.
 */

import { amountWords } from '../amounts.ts';
import type { Service } from '../api/api.ts';
import type { JsonObject } from '../api/spec.ts';
import type { Context } from '../commands/command.ts';
import { CliError } from '../errors.ts';
import {
  type AttemptRecord,
  changeKinds,
  type PaidTwice,
  paidTwiceWords,
  type UnconfirmedChange,
  whoMadeLines,
} from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { kindWords } from './change-words.ts';

/** The open cases of an account, by the id of their order. An order may have both. */
export interface OpenCases {
  readonly unconfirmed: ReadonlyMap<string, UnconfirmedChange>;
  readonly paidTwice: ReadonlyMap<string, PaidTwice>;
  /** The attempts on orders of which somebody recorded a refund as made by hand. */
  readonly madeByHand: ReadonlyMap<string, readonly AttemptRecord[]>;
}

/** Asks the journal for the open cases of an account, or of one order. If the journal cannot be read, it only warns. */
export async function openCasesOf(ctx: Context, service: Service, orderId?: string): Promise<OpenCases> {
  try {
    const unconfirmed = await ctx.journal.unconfirmed(service, orderId);
    const paidTwice = await ctx.journal.paidTwice(service, orderId);
    return { unconfirmed, paidTwice, madeByHand: await ctx.journal.madeByHand(service) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.notes.warn(`unconfirmed changes are not shown: ${error.message}`);
    return { unconfirmed: new Map(), paidTwice: new Map(), madeByHand: new Map() };
  }
}

/** The words in place of the status of such an order. */
export const paidTwiceStatus = 'paid back twice';

/** The command that a person runs after they have dealt with a refund that was paid back twice. */
export function acknowledgeCommand({ intent }: Pick<PaidTwice, 'intent'>): string {
  return `paydesk journal acknowledge ${intent} --note TEXT`;
}

/** The lines that stand in the first block of the screen of an order that was paid back twice, all in red. */
export function paidTwiceBlocks(ctx: Context, profile: Profile, twice: PaidTwice): readonly Block[] {
  return [
    paidTwiceWords(twice, profile.settings).replace(/^[^:]*/, (words) => words.toUpperCase()),
    ...whoMadeLines(twice, (ms) => ctx.shortTime(ms)).map((line) => `${indent}${line}`),
    `${indent}paydesk cannot take a refund back`,
    `${indent}do not refund this order; show your lead`,
  ].map((text): Block => ({ line: { text, style: 'bad' }, hang: indent.length }));
}

/**
 * The refund that an order shows twice on the read that is being shown, while the journal does not know that yet. If the journal
 * cannot be read, there is none: whatever else asks the journal says so.
 */
export async function seenTwiceIn(
  ctx: Context,
  service: Service,
  order: JsonObject,
): Promise<PaidTwice | undefined> {
  try {
    return ctx.journal.seenTwice(await ctx.journal.attemptsOf(service, String(order.id)), order);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** The words in place of the status of an order that shows such a refund. */
export const seenTwiceStatus = 'equal refunds';

/** `equal refunds: 900 MXN, re_1 and re_2` */
export function seenTwiceWords(twice: PaidTwice, { settings }: Pick<Profile, 'settings'>): string {
  return paidTwiceWords(twice, settings).replace(/^[^:]*/, seenTwiceStatus);
}

/** The command that finds out about them. */
export function checkTwiceCommand({ intent }: Pick<PaidTwice, 'intent'>): string {
  return `paydesk journal reconcile ${intent}`;
}

/** The lines that stand in the first block of the screen of such an order, all in red. */
export function seenTwiceBlocks(ctx: Context, profile: Profile, twice: PaidTwice): readonly Block[] {
  return [
    seenTwiceWords(twice, profile).replace(/^[^:]*/, (words) => words.toUpperCase()),
    ...whoMadeLines(twice, (ms) => ctx.shortTime(ms)).map((line) => `${indent}${line}`),
    `${indent}do not refund this order before this is checked: ${checkTwiceCommand(twice)}`,
  ].map((text): Block => ({ line: { text, style: 'bad' }, hang: indent.length }));
}

/** What to do next about such an order, in place of a command that refunds. */
export function seenTwiceSteps(twice: PaidTwice): readonly Block[] {
  return [
    'blank',
    { line: 'first check whether the buyer was paid twice:' },
    { line: checkTwiceCommand(twice), indent: 2 },
  ];
}

/** The words in place of the status of an order that does not show a refund that somebody recorded as made by hand. */
export const unshownStatus = 'recorded as made';

/** `16000 MXN recorded as made by hand, the order does not show it` */
export function unshownWords(
  { sent: { amount, currency } }: AttemptRecord,
  { settings }: Pick<Profile, 'settings'>,
): string {
  const what = amount === undefined ? 'a refund' : amountWords(amount, currency, settings);
  return `${what} recorded as made by hand, the order does not show it`;
}

/** The lines that stand in the first block of the screen of such an order, all in red. */
export function unshownBlocks(profile: Profile, record: AttemptRecord): readonly Block[] {
  return [
    `RECORDED AS MADE  ${unshownWords(record, profile)}`,
    `${indent}that money counts as paid back: do not refund it again before you have asked`,
  ].map((text): Block => ({ line: { text, style: 'bad' }, hang: indent.length }));
}

/** What to do next about such an order, in place of a command that refunds. */
export function unshownSteps({ sent: { intent } }: AttemptRecord): readonly Block[] {
  return [
    'blank',
    { line: 'first see who recorded that, and why; if it is wrong, that screen says how to correct it:' },
    { line: `paydesk journal show ${intent}`, indent: 2 },
  ];
}

/** What to do next about an order that was paid back twice, in place of a command that refunds. */
export function paidTwiceSteps(twice: PaidTwice): readonly Block[] {
  return [
    'blank',
    { line: 'see what was sent, what paydesk has found since, and how to end this:' },
    { line: `paydesk journal show ${twice.intent}`, indent: 2 },
  ];
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
