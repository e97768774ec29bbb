/** `refunds status`: its flags and help. changes/bulk/plan-status.ts does the rest. */

import { planStatus, type RowVerdict, rowVerdicts } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';
import { flag, usage } from '../flags.ts';
import { planArgument } from './plan-argument.ts';

export const status = defineCommand({
  description:
    'Shows what became of every row of a plan: made, refused, unconfirmed, made twice, not started. Reads the orders again whose outcome may still change (not with --offline), and says when the orders were read. Says so if a run is applying the plan right now. --rest writes the rows that certainly moved no money into a file that can be planned again. Unconfirmed rows are never in it, and neither are rows whose charge somebody else has refunded as much since; these are listed. While a run is applying the plan, --rest is refused (3).',
  arguments: [planArgument],
  flags: {
    offline: flag.switch({ summary: 'read no order again: what the journal of this machine knows' }),
    rest: flag.text({ value: 'FILE.csv', summary: 'write the rows that certainly moved no money' }),
    force: flag.switch({ summary: 'replace the file of --rest' }),
    only: flag.of<readonly RowVerdict[]>({
      value: 'VERDICT,…',
      summary: `list only these rows: ${rowVerdicts.join(', ')}`,
      parse: (text, name) =>
        text.split(',').map((word) => {
          const verdict = rowVerdicts.find((one) => one === word.trim());
          if (verdict !== undefined) return verdict;
          throw usage(`${name} ${text}: there is no verdict ${word}`, [
            `the verdicts: ${rowVerdicts.join(', ')}`,
          ]);
        }),
    }),
  },
  examples: [
    'paydesk refunds status refunds.plan',
    'paydesk refunds status refunds.plan --rest rest.csv --csv',
    'paydesk refunds status refunds.plan --only impossible,look --csv --columns line,order_id,why',
  ],
  exits: [0, 2, 3, 4, 6, 7, 8, 9],
  async run(ctx, { args: [path], flags }) {
    const code = await planStatus(ctx, {
      path,
      offline: flags.offline === true,
      rest: flags.rest,
      force: flags.force === true,
      only: flags.only,
    });
    return code === 0 ? undefined : code;
  },
});
