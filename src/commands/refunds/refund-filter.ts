/** Which refunds `refunds list` and `refunds summary` count: the flags that choose them, and what to say about a word that matched none. */

import { plainAmounts } from '../../amounts.ts';
import { refundReasonValues } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { amountFlag } from '../../flags/amount-flag.ts';
import { flag, type Input } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  approvalFields,
  needsPerson,
  pagesOf,
  recordedState,
} from '../../journal/journal.ts';
import { type RefundState, refundStates } from '../../orders/orders.ts';
import { commandLine, environmentName } from '../../profiles/profiles.ts';
import {
  approverOf,
  elsewhere,
  notApproved,
  type OrderFact,
  type RefundFact,
} from '../../reports/reports.ts';
import { isSameName, nameMeant, operatorMeant } from '../journal/meant-names.ts';
import { amountRange } from '../orders/order-filters.ts';
import { fold } from '../orders/search/fold-text.ts';
import type { Source } from '../report/report-source.ts';

export const refundFilterFlags = {
  'min-amount': amountFlag('only refunds of this amount or more: 400000; with amounts.decimals also 4000.00'),
  'max-amount': amountFlag('only refunds of this amount or less'),
  operator: flag.person('only refunds that this person sent'),
  'asked-by': flag.person('only refunds that this person asked for'),
  reason: flag.choice(refundReasonValues, 'R', 'only refunds that were sent with this reason'),
  'approved-by': flag.person(
    `only refunds that this person approved; ${notApproved}: those that needed no approval`,
  ),
  customer: flag.text(
    'EMAIL|NAME',
    'only refunds of this buyer, by the e-mail or a part of the name; of all times, unless a period is given',
  ),
  state: flag.choices(
    refundStates,
    'STATE',
    'only refunds in this state, or in one of several: made,pending',
  ),
} as const;

type FilterInput = Input<readonly [], typeof refundFilterFlags>['flags'];

const wordOf = {
  operator: ({ origin, operator }: RefundFact) => (origin === elsewhere ? undefined : operator),
  'asked-by': ({ approval }: RefundFact) => approval?.asked_by ?? undefined,
  reason: ({ origin, reason }: RefundFact) => (origin === elsewhere ? undefined : reason),
  'approved-by': (refund: RefundFact) => (refund.origin === elsewhere ? undefined : approverOf(refund)),
  state: ({ state }: RefundFact) => state,
} as const;
/** Whether an order or a refund names the buyer: by just this e-mail, or by this part of the name. */
function isOfBuyer(typed: string): (one: Pick<RefundFact, 'buyer' | 'email'>) => boolean {
  const text = fold(typed.trim());
  return ({ buyer = '', email = '' }) =>
    text.includes('@') ? fold(email) === text : fold(buyer).includes(text);
}

const names = ['operator', 'asked-by', 'reason', 'approved-by', 'state'] as const;

export function isPartOfRefunds(flags: FilterInput): boolean {
  return [...names, 'customer' as const, 'min-amount' as const, 'max-amount' as const].some(
    (name) => flags[name] !== undefined,
  );
}

// The states of a refund that only the journal knows, while its order does not show it.
const notShown: readonly string[] = ['unconfirmed', 'recorded made', 'recorded not made', 'gone'];

/**
 * Throws CliError 'usage' if nobody has the name that --operator, --asked-by or --approved-by gives, so that no empty file looks
 * like an answer.
 */
export async function refuseNobody(
  ctx: Context,
  { operator, 'from-file': file, ...flags }: FilterInput & { readonly 'from-file'?: string | undefined },
): Promise<void> {
  // A file may have names that this journal does not have.
  if (file !== undefined) return;
  if (operator !== elsewhere) await operatorMeant(ctx, operator);
  for (const [name, field] of [
    ['asked-by', 'asked_by'],
    ['approved-by', 'approved_by'],
  ] as const) {
    const typed = flags[name];
    if (typed === undefined || typed === elsewhere || typed === notApproved) continue;
    await nameMeant(ctx, `--${name}`, typed, await namesIn(ctx, field, typed));
  }
}

// The names in the journal, which may be long: once one of them is the typed one, no more are read.
async function namesIn({ journal }: Context, field: 'asked_by' | 'approved_by', typed: string) {
  const known = new Set<string>();
  for await (const page of pagesOf(journal, { kind: 'refund' })) {
    for (const { sent } of page) known.add(approvalFields(sent)[field] ?? '');
    if ([...known].some((one) => isSameName(one, typed))) break;
  }
  known.delete('');
  return [...known];
}

/** Turns the flags into a filter. Throws CliError 'usage' if no refund can pass. */
export function refundFilter(ctx: Context, flags: FilterInput, source: Source) {
  const plain = { kind: 'environment', name: environmentName, settings: plainAmounts } as const;
  const amounts = amountRange(flags, source.profile ?? plain);
  for (const line of amounts.warnings) ctx.notes.warn(line);
  const asked = names.flatMap((name) =>
    [flags[name] ?? []].flat().length === 0 ? [] : [{ name, words: [flags[name] ?? []].flat() }],
  );
  const seen = new Map(asked.map(({ name }) => [name, new Set<string>()]));
  const { customer } = flags;
  if (customer !== undefined) ctx.redaction.learn({ buyer: customer, email: customer });
  const isBuyer = customer === undefined ? undefined : isOfBuyer(customer);
  // A refund that no order shows does not name its buyer, and its order does.
  const ofBuyer = new Set<string>();
  let isBuyerSeen = false;
  let [all, passed, unpriced] = [0, 0, 0];
  return {
    /** Takes note of an order: its facts come before those of refunds that it does not show. */
    see(order: OrderFact | undefined): void {
      if (order?.id !== undefined && isBuyer?.(order) === true) ofBuyer.add(order.id);
    },
    accepts(refund: RefundFact): boolean {
      const one = refund.isUnshown === true ? 0 : 1;
      all += one;
      for (const { name } of asked) {
        const word = wordOf[name](refund);
        if (word !== undefined) seen.get(name)?.add(word);
      }
      if (
        asked.some(({ name, words }) => !words.some((word) => isSameName(wordOf[name](refund) ?? '', word)))
      )
        return false;
      const isTheirs = isBuyer?.(refund) !== false || ofBuyer.has(refund.orderId ?? '');
      isBuyerSeen ||= isTheirs;
      if (!isTheirs) return false;
      if (!amounts.isOpen && refund.amount === undefined) unpriced += one;
      const passes =
        amounts.isOpen || (refund.amount !== undefined && amounts.holds(refund.amount, refund.currency));
      if (passes) passed += one;
      return passes;
    },
    /** `41 refunds`; or `16 of 41 refunds`, so that nobody takes a part for the whole period. */
    countWords: (): string =>
      isPartOfRefunds(flags) ? `${passed} of ${counted(all, 'refund')}` : counted(passed, 'refund'),
    /** The flags that were typed. */
    words: (): string =>
      [
        ...asked.flatMap(({ name, words }) => [`--${name}`, words.join()]),
        ...(customer === undefined ? [] : ['--customer', ctx.redaction.said(customer)]),
        ...amounts.words,
      ].join(' '),
    /** What a word that matched nothing may have meant, and what could not be compared. */
    lines: async (): Promise<readonly string[]> => [
      ...(await Promise.all((flags.state ?? []).map((state) => notShownLines(ctx, state, source)))).flat(),
      ...asked
        .map(({ name, words }) => ({
          name,
          word: words
            .filter((word) => ![...(seen.get(name) ?? [])].some((one) => isSameName(one, word)))
            .filter((word) => !notShown.includes(word))
            .join(),
        }))
        .filter(({ word }) => word !== '')
        .map(({ name, word }) => {
          if (word === elsewhere)
            return `--${name} ${word}: nobody has that name; refunds that are not from this machine: --state elsewhere`;
          const others = [...(seen.get(name) ?? [])].toSorted();
          return `--${name} ${word}: none of this period${others.length === 0 ? '' : `; there is ${others.join(', ')}`}`;
        }),
      ...(customer === undefined || isBuyerSeen
        ? []
        : [
            `--customer ${ctx.redaction.said(customer)}: no refund of this buyer; the orders of a buyer: paydesk orders find NAME`,
          ]),
      ...amounts.leftOut(),
      ...(unpriced === 0
        ? []
        : [`${counted(unpriced, 'refund')} left out: no amount is shown, so it cannot be compared`]),
    ],
  };
}

// Refunds that no order shows are not rows of the list. Says how many of them the journal has in the period, and which command
// lists them.
async function notShownLines(
  { journal }: Context,
  state: RefundState,
  { profile, range: { since, until } }: Source,
): Promise<readonly string[]> {
  if (!notShown.includes(state) || profile === undefined) return [];
  const isOpen = state === 'unconfirmed';
  const sent = { origin: profile.origin, kind: 'refund', since, until } as const;
  // What never arrived is not among the open ones, which the printed command lists.
  const now = await journal.now();
  const isIt = (one: AttemptRecord) => recordedState(one) === state && (!isOpen || needsPerson(one, now));
  const found: string[] = [];
  for await (const page of pagesOf(journal, isOpen ? { ...sent, unconfirmed: true } : sent))
    found.push(...page.filter(isIt).map((one) => one.sent.change));
  const time = Object.entries({ since, until }).flatMap(([name, at]) =>
    at === undefined ? [] : [`--${name}`, new Date(at).toISOString()],
  );
  const listed = commandLine(profile, 'journal', 'list', ...(isOpen ? ['--open'] : [...time, '--all']));
  // No list of the journal has only these, so each is named.
  const named =
    isOpen || found.length > mostNamed
      ? listed
      : `${found.join(', ')} (${commandLine(profile, 'journal', 'show', found[0] ?? '')})`;
  return [
    found.length === 0
      ? `--state ${state}: no order shows such a refund of this period, and none was sent from here`
      : `--state ${state}: only what orders show is a row here; the journal has ${counted(found.length, 'refund')} of this period ${found.length === 1 ? 'that is' : 'that are'} ${state.replace('recorded', 'recorded as')}: ${named}`,
  ];
}

// With more ids, the line would be longer than the list of all changes.
const mostNamed = 10;
