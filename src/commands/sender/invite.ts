/** `sender invite`: prints an invitation to the sender, for one use within a day. */

import { dryRunShown } from '../../context/context.ts';
import { flag, usage } from '../../flags/flags.ts';
import { type Role, roles } from '../../sender/sender.ts';
import { defineCommand } from '../command.ts';

export const memberArgument = {
  name: 'name',
  summary: 'name of the member: the operator in every row of theirs',
  required: true,
  parse: (text: string): string => {
    if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}$/u.test(text)) return text;
    throw usage(`${text} cannot be the name of a member: take letters, digits and . _ -`);
  },
} as const;

export const allowRootFlag = flag.switch({
  summary: 'run as root, as in a container that has no other user',
});

export const invite = defineCommand({
  description:
    'Prints an invitation as JSON: hand it over as safely as a key, since whoever has it can join once, with paydesk profile add NAME --sender FILE. Each desk needs one of its own, and a member who is there already gets the role at once, at all their desks. A viewer reads, a proposer also asks for refunds and sends none, an operator sends and approves what others ask for, a lead also sets limits.',
  arguments: [memberArgument],
  flags: {
    role: flag.choice(roles, { value: 'ROLE', summary: 'what the member may do' }),
    account: flag.text({ value: 'PROFILE', summary: 'the account, if the sender has several' }),
    'allow-root': allowRootFlag,
  },
  examples: [
    'paydesk sender invite ana --role operator > ana.json',
    'paydesk sender invite lea --role lead --account shop-mx --quiet > lea.json',
  ],
  run: async (ctx, { args: [name], flags }): Promise<undefined> => {
    const role: Role = flags.role ?? (await askRole(ctx, name));
    if (await dryRunShown(ctx, { object: 'member', name, role }, `would invite ${name} as ${role}`)) return;
    const sender = await ctx.sender();
    const invitation = await sender.invite(name, role, flags.account, flags['allow-root'] === true);
    await ctx.out.text(JSON.stringify(invitation));
    ctx.notes.note(
      `${name} joins with it once, until ${ctx.fullTime(invitation.until)}: paydesk profile add ${invitation.account} --sender FILE`,
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
      { value: 'proposer', label: 'proposer', detail: 'asks for refunds, and sends none' },
      { value: 'viewer', label: 'viewer', detail: 'only reads' },
    ],
  });
}
