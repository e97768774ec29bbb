/**
 * `profile check`: checks with nothing but reads whether a profile works; with --policy, what a file would do as the policy of
 * this machine.
 */

import type { Service, WireRecord } from '../../api/api.ts';
import { idOf } from '../../api/json-values.ts';
import { contradictsMode, livemodeOf, type Mode, modeOfOrder } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError, orElse } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { type Profile, wrongMode } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';
import { fieldsView, nameArgument } from './profile-inputs.ts';

const pageSize = 5;

export const check = defineCommand({
  description:
    "Reads a few orders and checks that the service accepts the key, that the orders are of the profile's mode, and that one order in the middle of the list can be found by its id. paydesk needs that when a reply is lost. --policy checks a file that is to be the policy of this machine instead, and reads nothing else.",
  arguments: [nameArgument(false)],
  flags: {
    policy: flag.text('FILE', 'say what FILE would do as the policy of this machine, before it is one'),
  },
  examples: ['paydesk profile check test-mx', 'paydesk profile check test-mx --json'],
  run: async (ctx, { args: [name], flags: { policy } }): Promise<undefined> => {
    if (policy !== undefined && name !== undefined)
      throw usage('--policy checks a file, and no profile: leave the name out');
    if (policy !== undefined) return await checkPolicy(ctx, policy);
    const service = await ctx.service({ profile: name });
    const { profile } = service;
    const facts = profile.sender === undefined ? undefined : await (await ctx.sender()).ask(profile);
    const orders = await firstOrders(service);
    const shown = orders.map(({ value }) => modeOfOrder(value)).find((mode) => mode !== undefined);
    const contradiction = orders.find(({ value }) => contradictsMode(value, profile.mode));
    const middle = idOf(orders[Math.floor(orders.length / 2)]);
    const located = middle === undefined ? undefined : await canLocate(service, middle);
    if (located === true && contradiction === undefined) await remember(ctx, profile.name, middle ?? '');
    const checkedAt = await ctx.journal.wholeCheckAt();
    const record = {
      object: 'profile',
      name: profile.name,
      mode: profile.mode,
      accepted: true,
      orders_read: orders.length,
      livemode: shown === undefined ? null : livemodeOf[shown],
      mode_agrees: shown === undefined ? null : contradiction === undefined,
      order: middle ?? null,
      locating: located === undefined ? 'not tried' : located ? 'works' : 'fails',
      ...(facts === undefined
        ? {}
        : {
            sender: profile.sender?.origin,
            sender_version: facts.version,
            member: facts.member,
            role: facts.role,
            token_until: ctx.days.full(facts.until),
          }),
      journal_checked: checkedAt === undefined ? 'not yet' : ctx.days.full(checkedAt),
    };
    await ctx.out.own(record, () =>
      fieldsView(
        facts === undefined
          ? `the service accepts the key of profile ${profile.name}`
          : `the sender knows this desk, and reads for profile ${profile.name}`,
        record,
      ),
    );
    tellOfMode(ctx, profile, orders, shown);
    const problem = await ctx.journal.problem();
    if (problem !== undefined)
      ctx.notes.warn(`${problem}; no change is made until somebody has looked: paydesk journal verify`);
    if (contradiction !== undefined) throw wrongMode(profile, contradiction.value, wayOut(profile));
    if (located === false)
      throw new CliError('reply', `${middle ?? ''} is in the list, but cannot be found by its id`, {
        certain: 'nothing was changed; after a lost reply paydesk could not look the order up',
        now: [
          'if the service can be asked for one order by its id:',
          `paydesk profile set ${profile.name} orders.get direct`,
        ],
      });
  },
});

// The check stays valid when the order cannot be remembered, so this only prints a note.
async function remember(ctx: Context, profile: string, orderId: string): Promise<void> {
  if (ctx.options.dryRun) return;
  const what = 'the id of an order on which profile key can try a new key';
  const notSaved = orElse(({ message }) => ctx.notes.note(`paydesk could not save ${what}: ${message}`));
  await ctx.profiles.rememberOrder(profile, orderId).catch(notSaved);
}

async function firstOrders(service: Service): Promise<readonly WireRecord[]> {
  for await (const page of service.pages('orders', { limit: pageSize })) return page.records;
  return [];
}

// `max` keeps the search short: a service that cannot page back would otherwise be read to its end.
async function canLocate(service: Service, id: string): Promise<boolean> {
  const located = await service.locate('orders', id, { max: pageSize });
  return 'found' in located;
}

function tellOfMode(
  ctx: Context,
  profile: Profile,
  orders: readonly WireRecord[],
  shown: Mode | undefined,
): void {
  if (orders.length === 0) {
    ctx.notes.note('there are no orders yet, so neither the mode nor finding an order could be tried');
  } else if (shown === undefined) {
    ctx.notes.note(
      `no order shows whether it is real money, so nothing confirms that ${profile.name} is ${profile.mode}`,
    );
  }
}

function wayOut({ name, kind }: Profile): Parameters<typeof wrongMode>[2] {
  const now =
    kind === 'environment'
      ? ['set PAYDESK_MODE to the mode of the key']
      : [
          `paydesk profile remove ${name}`,
          `and add it again with its right mode: paydesk profile add ${name}`,
        ];
  return { certain: 'nothing was changed', now };
}

/** Says what a file would do as the policy. Throws CliError 'usage' if something in it is not understood. */
async function checkPolicy(ctx: Context, file: string): Promise<undefined> {
  const checked = await ctx.checkPolicy(file);
  const { rules, inPlace, place, owner, untrusted, placeProblems, install } = checked;
  const record = {
    object: 'policy',
    file,
    understood: true,
    rules: rules.map((rule) => ({ ...rule })),
    owner: owner ?? null,
    untrusted: [...untrusted],
    place,
    in_place: inPlace,
    place_problems: [...placeProblems],
    install: [...install],
  };
  const holds = inPlace
    ? 'is understood and holds'
    : 'is understood, and would hold for all users of this machine';
  const view = (): readonly Block[] => [
    { line: { text: `${file} ${holds}`, style: 'strong' } },
    ...(rules.length === 0
      ? [{ line: 'it has no rules', hang: 2 }]
      : rules.map(({ name, value, does }) => ({ line: `${name} ${value}: ${does}`, indent: 2, hang: 4 }))),
    ...(owner === undefined
      ? []
      : [{ line: `its owner: ${owner}${untrusted.length === 0 ? '; nobody else can write it' : ''}` }]),
    ...untrusted.map((one) => ({ line: { text: `not trusted as it is: ${one}`, style: 'warn' as const } })),
    ...placeProblems.map((one) => ({
      line: { text: `no policy is trusted there: ${one}`, style: 'warn' as const },
    })),
    ...(install.length === 0 ? [] : ['to put it in its place:', ...install].map((line) => ({ line }))),
  ];
  await ctx.out.own(record, view);
}
