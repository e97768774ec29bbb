/** `sender members`, `invite` and `revoke`: who may ask the sender, how somebody joins, and how their tokens end. */

import type { JsonObject } from '../../api/json-values.ts';
import { secondsOf } from '../../api/spec.ts';
import {
  type Context,
  confirmFirst,
  confirmRaise,
  dryRunShown,
  refuseAgentTo,
} from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { flag, usage } from '../../flags/flags.ts';
import { type MemberView, type Role, roles } from '../../sender/sender.ts';
import type { Cell } from '../../terminal/terminal.ts';
import { defineCommand } from '../command.ts';

export const members = defineCommand({
  description:
    'One line for each token, with the machines that used it. A token that two machines use was copied: revoke it. The log of the sender ' +
    'names tokens by their ids.',
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
  const invited = isInvited ? [`invited until ${ctx.days.full(invitedUntil)}`] : [];
  const lines = [...tokens.map((token) => tokenWords(ctx, token)), ...invited];
  return (lines.length === 0 ? ['no desk'] : lines).map((line) => [name, role, account, line]);
}

function tokenWords(ctx: Context, { id, desk, until, uses }: MemberView['tokens'][number]): string {
  const machines = Object.entries(uses).map(([machine, at]) => `${machine} ${ctx.days.full(at)}`);
  const used = machines.length === 0 ? 'not used yet' : `last used by ${machines.join(' and ')}`;
  const copied = machines.length > 1 ? ': SEVERAL MACHINES' : '';
  const over = until <= ctx.clock.now() ? ', over' : `, until ${ctx.days.show(secondsOf(until), 'date')}`;
  return `${desk} (token ${id}${over}): ${used}${copied}`;
}

const memberArgument = {
  name: 'name',
  summary: 'name of the member: the operator in every row of theirs',
  required: true,
  parse: (text: string): string => {
    if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}$/u.test(text)) return text;
    throw usage(`${text} cannot be the name of a member: take letters, digits and . _ -`);
  },
} as const;

// Letters of another alphabet may look like those of a member.
const newMemberArgument = {
  ...memberArgument,
  parse: (text: string): string => {
    if (/^[\w.-]+$/.test(text)) return memberArgument.parse(text);
    throw usage(`${text} cannot be the name of a new member: take the letters a to z, digits and . _ -`);
  },
} as const;

export const allowRootFlag = flag.switch('run as root, as in a container that has no other user');

export const invite = defineCommand({
  description:
    'Prints an invitation as JSON: hand it over as safely as a key, since whoever has it can join once, with paydesk profile add NAME --sender FILE. Each desk needs one of its own, and a member who is there already gets the role at once, at all their desks. A viewer reads, a proposer also asks for refunds, but cannot send them, an operator sends and approves what others ask for, a lead also sets limits; in production only a person at a terminal invites those two.',
  arguments: [newMemberArgument],
  flags: {
    role: flag.choice(roles, 'ROLE', 'what the member may do'),
    account: flag.text('PROFILE', 'the account, if the sender has several'),
    'allow-root': allowRootFlag,
  },
  examples: [
    'paydesk sender invite ana --role operator > ana.json',
    'paydesk sender invite lea --role lead --account shop-mx --quiet > lea.json',
  ],
  run: async (ctx, { args: [name], flags }): Promise<undefined> => {
    refuseAgentTo(ctx, 'invites somebody');
    const role: Role = flags.role ?? (await askRole(ctx, name));
    if (await dryRunShown(ctx, { object: 'member', name, role }, `would invite ${name} as ${role}`)) return;
    const sender = await ctx.sender();
    const sends = role === 'operator' || role === 'lead';
    if (sends && (await sender.profileOf(flags.account)).mode === 'production')
      await confirmRaise(ctx, 'production', `${name} would send refunds of real money, as ${role}`);
    const invitation = await sender.invite(name, role, flags.account, flags['allow-root'] === true);
    await ctx.out.text(JSON.stringify(invitation));
    ctx.notes.note(
      `${name} joins with it once, until ${ctx.days.full(invitation.until)}: paydesk profile add ${invitation.account} --sender FILE`,
    );
  },
});

function askRole({ ask }: Parameters<typeof invite.run>[0], name: string): Promise<Role> {
  return ask.choose<Role>({
    message: `${name} is`,
    flag: '--role',
    choices: [
      { value: 'operator', label: 'operator', detail: 'sends refunds, and approves those of others' },
      { value: 'lead', label: 'lead', detail: 'also sets limits' },
      { value: 'proposer', label: 'proposer', detail: 'asks for refunds, but cannot send them' },
      { value: 'viewer', label: 'viewer', detail: 'only reads' },
    ],
  });
}

export const revoke = defineCommand({
  description:
    'A running sender refuses the tokens within a second, and sends nothing of the member that is not recorded yet. With --desk only the token of ' +
    'that desk ends, and the member stays.',
  arguments: [memberArgument],
  flags: { desk: flag.text('NAME', 'only the token of this desk') },
  examples: ['paydesk sender revoke ana', 'paydesk sender revoke ana --desk desk-4 --yes'],
  run: async (ctx, { args: [name], flags: { desk } }): Promise<undefined> => {
    refuseAgentTo(ctx, 'ends tokens of a member');
    const what = desk === undefined ? `all tokens of ${name}` : `the token of ${name} at ${desk}`;
    if (await dryRunShown(ctx, { object: 'member', name, desk: desk ?? null }, `would end ${what}`)) return;
    await confirmFirst(ctx, `end ${what}?`, 'nothing was changed');
    const ended = await (await ctx.sender()).revoke(name, desk);
    const record = { object: 'member', name, desk: desk ?? null, tokens_ended: ended };
    await ctx.out.own(record, () => [{ line: `ended ${counted(ended, 'token')} of ${name}` }]);
  },
});
