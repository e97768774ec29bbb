/** `refunds status`: its flags and help. changes/bulk/plan-status.ts does the rest. */

import { planStatus, type RowVerdict, rowVerdicts } from '../../changes/changes.ts';
import { flag, usage } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { planArgument } from './bulk-flags.ts';

export const status = defineCommand({
  description:
    'Reads the orders again whose outcome may still change, and says what became of every row. --rest writes the rows that certainly moved no money into a file that can be planned again.',
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
  ],
  exits: {
    7: 'a row is unconfirmed or has an alarm: a person must look',
    8: 'some rows are not refunded',
  },
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
