/** `refunds apply`: its flags and help. changes/bulk/apply-plan.ts applies the plan. */

import { applyPlan } from '../../changes/changes.ts';
import { flag } from '../../flags/flags.ts';
import { defineCommand } from '../command.ts';
import { controlFlags, planArgument, readTotals } from './bulk-flags.ts';

export const apply = defineCommand({
  description:
    'Reads every order again right before its refund, and sends no row whose order changed since the plan was made. Run it again after Ctrl-C, an outage or a crash: it looks up the unconfirmed rows first, and sends no row twice. In production it asks for the first 8 characters of the digest of the plan.',
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
  examples: ['paydesk refunds apply refunds.plan', 'paydesk refunds apply refunds.plan --yes --json'],
  exits: {
    7: 'a row is unconfirmed or has an alarm: a person must look',
    8: 'some rows were not refunded',
  },
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
