/** `refunds status`: its flags and help. changes/bulk/plan-status.ts does the rest. */

import { planStatus } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';
import { flag } from '../flags.ts';
import { planArgument } from './plan-argument.ts';

export const status = defineCommand({
  description:
    'Shows what became of every row of a plan, from the journal of this machine: applied, refused, unconfirmed, not started. Reads no order. --rest writes the rows that certainly moved no money into a file that can be planned again; unconfirmed rows are never in it.',
  arguments: [planArgument],
  flags: {
    rest: flag.text({ value: 'FILE.csv', summary: 'write the rows that certainly moved no money' }),
    force: flag.switch({ summary: 'replace the file of --rest' }),
  },
  examples: [
    'paydesk refunds status refunds.plan',
    'paydesk refunds status refunds.plan --rest rest.csv --csv',
  ],
  exits: [0, 2, 3, 4, 7, 8, 9],
  async run(ctx, { args: [path], flags }) {
    const code = await planStatus(ctx, { path, rest: flags.rest, force: flags.force === true });
    return code === 0 ? undefined : code;
  },
});
