/** `refunds apply`: its flags and help. changes/bulk/apply-plan.ts applies the plan. */

import { applyPlan } from '../../changes/changes.ts';
import { defineCommand } from '../command.ts';
import { flag } from '../flags.ts';
import { controlFlags, readTotals } from './control-flags.ts';
import { planArgument } from './plan-argument.ts';

export const apply = defineCommand({
  description: [
    'Sends the refunds of a plan, each at most once. Every order is read again right before its refund: if its money changed since the plan was made, the row is not sent.',
    'Run it again after Ctrl-C, an outage or a crash: it first looks up the rows whose outcome is unconfirmed, then goes on, and sends no row twice, whatever happened. It stops by itself after 3 refunds in a row without a usable answer, or 5 in all.',
    'In production it asks for the first 8 characters of the digest of the plan; a script gives them as --confirm, with --expect-count and --expect-total, which count all rows of the file, also those that are not sent.',
    '--dry-run looks at every order, says which rows would not be sent and why, and has the exit code that the run would have had: 8 if a row would not be sent, 7 while one is unconfirmed or has an alarm.',
  ].join(' '),
  arguments: [planArgument],
  flags: {
    confirm: flag.text({
      value: 'DIGEST',
      summary: 'the first 8 or more characters of the digest of the plan',
    }),
    concurrency: flag.integer(1, 16, {
      value: 'N',
      summary: 'how many orders at a time',
      defaultText: '4',
    }),
    'max-rps': flag.integer(1, 1000, { value: 'N', summary: 'at most so many requests per second' }),
    'max-failures': flag.integer(1, 1000, {
      value: 'N',
      summary: 'stop after so many refunds without a usable answer',
      defaultText: '5',
    }),
    ...controlFlags,
  },
  examples: [
    'paydesk refunds apply refunds.plan',
    'paydesk refunds apply refunds.plan --yes --json',
    'paydesk -p shop-mx refunds apply refunds.plan --confirm 1f0c9a3e --expect-count 60 --expect-total MXN=1203400',
  ],
  exits: [0, 2, 3, 4, 6, 7, 8, 9, 130],
  async run(ctx, { args: [path], flags }) {
    const code = await applyPlan(ctx, {
      path,
      confirm: flags.confirm,
      expected: readTotals(flags),
      concurrency: flags.concurrency,
      maxFailures: flags['max-failures'],
      maxPerSecond: flags['max-rps'],
    });
    return code === 0 ? undefined : code;
  },
});
