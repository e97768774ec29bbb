/** `sender members`: who may ask the sender, from which desks, and when each of them did last. */

import type { JsonObject } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import type { MemberView } from '../../sender/sender.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';

export const members = defineCommand({
  description:
    'One line for each token, with the machines that used it. A token that two machines use was copied: revoke it. The log of the sender ' +
    'names tokens by their ids.',
  arguments: [],
  flags: {},
  examples: ['paydesk sender members', 'paydesk sender members --json'],
  run: async (ctx): Promise<undefined> => {
    const found = await (await ctx.sender()).members();
    const record = { object: 'members', data: found.map(recordOf) };
    await ctx.out.own(record, () =>
      found.length === 0
        ? [{ line: 'nobody yet: paydesk sender invite NAME --role ROLE' }]
        : [{ grid: found.flatMap((member) => rowsOf(ctx, member)) }],
    );
  },
});

function recordOf({ name, account, role, invitedUntil, tokens }: MemberView): JsonObject {
  return {
    name,
    account,
    role,
    invited_until: invitedUntil ?? null,
    tokens: tokens.map(({ id, desk, since, until, uses }) => ({ id, desk, since, until, used_by: uses })),
  };
}

function rowsOf(ctx: Context, member: MemberView): readonly (readonly Cell[])[] {
  const { name, account, role, invitedUntil, tokens } = member;
  const isInvited = invitedUntil !== undefined && invitedUntil > ctx.clock.now();
  const invited = isInvited ? [`invited until ${ctx.fullTime(invitedUntil)}`] : [];
  const lines = [...tokens.map((token) => tokenWords(ctx, token)), ...invited];
  return (lines.length === 0 ? ['no desk'] : lines).map((line) => [name, role, account, line]);
}

function tokenWords(ctx: Context, { id, desk, until, uses }: MemberView['tokens'][number]): string {
  const machines = Object.entries(uses).map(([machine, at]) => `${machine} ${ctx.fullTime(at)}`);
  const used = machines.length === 0 ? 'not used yet' : `last used by ${machines.join(' and ')}`;
  const copied = machines.length > 1 ? ': SEVERAL MACHINES' : '';
  const over =
    until <= ctx.clock.now() ? ', over' : `, until ${ctx.days.show(Math.floor(until / 1000), 'date')}`;
  return `${desk} (token ${id}${over}): ${used}${copied}`;
}
