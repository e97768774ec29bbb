/** `orders browse`: the newest orders as a screen to move in. Every key that does something runs a command of paydesk. */

import { sumsWords } from '../../amounts.ts';
import type { Service } from '../../api/api.ts';
import { leftToRefund, type OrderMoney } from '../../api/charges.ts';
import { refundReasons, refundReasonValues, statuses } from '../../api/spec.ts';
import { needsCharge, nothingAllowed, requiredBy, roleWords } from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import { sumsOf } from '../../plans/plans.ts';
import { aboutMoney, commandLine, commandWords } from '../../profiles/profiles.ts';
import {
  csvLine,
  GoBack,
  type LeftScreen,
  type ScreenKey,
  type SearchedList,
} from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { type ListedOrder, openOrders, type Pickable } from './search/pick-order.ts';

const any: Pickable = { kind: 'single', accepts: () => true, listFlags: [], isLook: true };

export const browse = defineCommand({
  description:
    'A screen with the newest orders: arrows move, / searches, and one key lists all others. A refund or a capture asks the same questions as the command does, and nothing is sent before you say yes. p makes a plan of the marked orders, and sends nothing.',
  arguments: [
    {
      name: 'text',
      summary: 'words to search for, as in orders find',
      required: false,
      variadic: true,
      parse: (text: string): string => text,
    },
  ],
  examples: ['paydesk -p demo orders browse', 'paydesk -p demo orders browse torres 4242 --quiet'],
  exits: { 7: 'a change was sent from the screen and is unconfirmed: a person must look' },
  async run(ctx, { args: [words] }) {
    checkScreen(ctx);
    const service = await ctx.service();
    const desk: Desk = { ctx, service, marked: new Map(), codes: [] };
    let orders = await openOrders(ctx, service, any);
    let at: LeftScreen<unknown>['at'] = { words: words.join(' '), active: 0 };
    try {
      for (;;) {
        const left = await ask(desk, orders.list, at);
        if (left === undefined || left.key === 'q') break;
        const said = await act(desk, left);
        at = { ...left.at, said };
        if (!changing.includes(left.key)) continue;
        // What was read before the change is no longer true.
        const again = await openOrders(ctx, service, any).catch(notReadAgain);
        if (typeof again === 'string') at = { ...at, said: again };
        else {
          orders.stop();
          orders = again;
        }
      }
    } finally {
      orders.stop();
    }
    return desk.codes.includes(exitCodes.unconfirmed) ? exitCodes.unconfirmed : undefined;
  },
});

/** What lasts while the screen is open. */
interface Desk {
  readonly ctx: Context;
  readonly service: Service;
  /** The ids of the marked orders, with their money. */
  readonly marked: Map<string, OrderMoney | undefined>;
  /** The exit codes of the commands that were run. */
  readonly codes: number[];
}

type Key = ScreenKey<ListedOrder>;

// The keys that may change an order.
const changing: readonly string[] = ['r', 'c'];

function checkScreen({ ask, options, out }: Context): void {
  const instead = ['paydesk orders list', 'paydesk orders find TEXT'];
  if (!ask.interactive) throw usage('orders browse needs a terminal and somebody who types', instead);
  if (out.format !== 'table' && out.format !== 'list')
    throw usage(`orders browse is a screen, and prints no ${out.format}`, instead);
  if (options.yes) throw usage('orders browse takes no --yes: each change asks for its own');
}

// Shows the screen until a key leaves it. Undefined at the end of the input.
async function ask(
  desk: Desk,
  list: SearchedList<ListedOrder>,
  from: LeftScreen<unknown>['at'],
): Promise<LeftScreen<ListedOrder> | undefined> {
  const { ctx, service, marked } = desk;
  const keys = await keysOf(desk);
  const shown: SearchedList<ListedOrder> = {
    ...list,
    row(words, index) {
      const row = list.row(words, index);
      return (
        row && {
          ...row,
          isMarked: marked.has(row.value.id),
          details: [...row.details, ...moneyBack(row.value)],
        }
      );
    },
  };
  try {
    return await ctx.ask.browse({
      message: aboutMoney(service.profile, 'Orders'),
      flag: 'TEXT',
      list: shown,
      keys,
      from,
    });
  } catch (error) {
    if (error instanceof CliError && error.kind === 'cancelled') return undefined;
    throw error;
  }
}

// What went back, or did not: the states of the refunds.
function moneyBack({ known }: ListedOrder): readonly string[] {
  const refunds = known?.refunds ?? [];
  if (refunds.length === 0) return [];
  return [`refunds: ${refunds.map(({ state }) => state).join(', ')}`];
}

// A key that nobody may use here is not offered.
async function keysOf(desk: Desk): Promise<readonly Key[]> {
  const { ctx, service, marked } = desk;
  const changes: readonly (Key | undefined)[] = [
    (await mayChange(desk, 'refund'))
      ? {
          key: 'r',
          words: 'refund',
          refusal: (value) => notRefundable(desk, value),
        }
      : undefined,
    (await mayChange(desk, 'capture')) ? { key: 'c', words: 'capture', refusal: notCapturable } : undefined,
  ];
  const mark = (value: ListedOrder | undefined): string => {
    const id = value?.id ?? '';
    const reading = value?.known?.reading;
    if (!marked.delete(id)) marked.set(id, reading && 'money' in reading ? reading.money : undefined);
    const known = [...marked.values()].filter((money) => money !== undefined);
    const left = known.map((money) => ({ currency: money.currency, sum: leftToRefund(money) }));
    const sums = sumsWords(sumsOf(left), service.profile.settings);
    return `${counted(marked.size, 'order')} marked${sums === '' ? '' : `, ${sums}`}`;
  };
  const notMarkable = (value: ListedOrder | undefined): string | undefined => {
    const why = marked.has(value?.id ?? '') ? undefined : notPlannable(desk, value);
    return why && `not marked: ${why}`;
  };
  const noneMarked = () => (marked.size === 0 ? 'no order is marked: Space marks one' : undefined);
  return [
    { key: 'enter', words: 'show' },
    ...changes.filter((key) => key !== undefined),
    { key: ' ', words: 'mark; again: not marked', stay: mark, refusal: notMarkable },
    ...(ctx.next.whyNot(['refunds', 'plan']) === undefined &&
    roleWords('refund', service.profile) === undefined
      ? [
          {
            key: 'p',
            words: 'plan; of the marked orders, sends nothing',
            isOfScreen: true,
            refusal: noneMarked,
          } as const,
        ]
      : []),
    ...(ctx.out.copy === undefined ? [] : [{ key: 'y', words: 'copy the id', stay: copier(ctx) }]),
    { key: 'q', words: 'leave', isOfScreen: true },
  ];
}

async function mayChange({ ctx }: Desk, kind: 'refund' | 'capture'): Promise<boolean> {
  if (ctx.next.whyNot(['orders', kind]) !== undefined) return false;
  try {
    await ctx.service({ purpose: 'change', kind });
    return true;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'refused') return false;
    throw error;
  }
}

function notRefundable({ ctx, service }: Desk, value: ListedOrder | undefined): string | undefined {
  const known = value?.known;
  return (
    known?.unfit?.words ??
    value?.stop ??
    (known && nothingAllowed(known, { service, nowMs: ctx.clock.now() }))
  );
}

// A plan of the marked orders has one row for each, with all that is left.
function notPlannable(desk: Desk, value: ListedOrder | undefined): string | undefined {
  const reading = value?.known?.reading;
  const isByCharge = reading !== undefined && 'money' in reading && needsCharge(reading.money);
  return (
    notRefundable(desk, value) ??
    (isByCharge ? 'the rest of several charges goes back one by one: r asks which' : undefined)
  );
}

function notCapturable(value: ListedOrder | undefined): string | undefined {
  const status = value?.known?.order.payment_status;
  if (status === statuses.preAuthorized) return undefined;
  return `only an order that is ${statuses.preAuthorized} can be captured`;
}

function copier({ out }: Context): (value: ListedOrder | undefined) => string {
  return (value) => {
    const id = value?.id ?? '';
    void out.copy?.(id);
    return `copied ${id}, if your terminal lets programs do that`;
  };
}

// Does what a key stands for. Returns what the screen says then.
async function act(desk: Desk, { key, value }: LeftScreen<ListedOrder>): Promise<string | undefined> {
  const { ctx, marked } = desk;
  const id = value?.id ?? '';
  try {
    if (key === 'p') return await orBack(() => planMarked(desk));
    await runLine(desk, 'orders', key === 'r' ? 'refund' : key === 'c' ? 'capture' : 'show', id);
    if (key !== 'enter') marked.delete(id);
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError) || ctx.signal.aborted || error.kind === 'interrupted') throw error;
    return error.message;
  }
}

// Going back from a question of the screen leads to its list.
async function orBack<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GoBack) return undefined;
    throw error;
  }
}

// Runs a command, and lets a person read what it said.
async function runLine(
  { ctx, service: { profile }, codes }: Desk,
  ...words: readonly string[]
): Promise<number> {
  const { code, wasLeft } = await ctx.next.run(commandWords(profile, ...words));
  codes.push(code);
  if (!wasLeft)
    await orBack(() =>
      ctx.ask.text({
        message: 'Enter goes back to the orders',
        flag: 'TEXT',
        optional: true,
        canGoBack: true,
      }),
    );
  return code;
}

// The rows go into a file first, so that the plan is made as any other is.
async function planMarked(desk: Desk): Promise<string | undefined> {
  const { ctx, service, marked } = desk;
  const { settings } = service.profile;
  const reason = await ctx.ask.choose({
    message: `Why ${marked.size === 1 ? 'is' : 'are'} ${counted(marked.size, 'order')} to be refunded?`,
    flag: 'reason',
    canGoBack: true,
    choices: [
      {
        value: '',
        label: 'no reason',
        refusal: settings['refund.require'].includes('reason')
          ? requiredBy(['reason'], service.profile)
          : undefined,
      },
      ...refundReasonValues.map((value) => ({ value, label: refundReasons[value].words })),
    ],
  });
  const note = settings['refund.require'].includes('note')
    ? await ctx.ask.text({ message: 'A note for the journal', flag: 'note', canGoBack: true })
    : '';
  const name = await newName(ctx);
  const rows = [...marked.keys()].map((id) => csvLine([id, 'full', reason, note]));
  await ctx.plans.write(
    `${name}.csv`,
    [csvLine(['order_id', 'amount', 'reason', 'note']), ...rows].join(''),
    false,
  );
  const code = await runLine(desk, 'refunds', 'plan', `${name}.csv`, '--to', `${name}.plan`);
  if (code !== 0) return undefined;
  marked.clear();
  return `nothing was sent; to send the plan: ${commandLine(service.profile, 'refunds', 'apply', `${name}.plan`)}`;
}

async function newName(ctx: Context): Promise<string> {
  const first = `marked-${ctx.days.day(Math.floor(ctx.clock.now() / 1000)) ?? 'orders'}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? first : `${first}-${number}`;
    const taken = await Promise.all([`${name}.csv`, `${name}.plan`].map((file) => ctx.plans.exists(file)));
    if (!taken.includes(true)) return name;
  }
}

function notReadAgain(error: unknown): string {
  if (!(error instanceof CliError) || error.kind === 'interrupted') throw error;
  return `the orders were not read again, so rows may be old: ${error.message}`;
}
