/** `refunds plan`: its flags and help. changes/bulk/make-plan.ts makes the plan. */

import { planFile, refreshPlan, showPlan } from '../../changes/changes.ts';
import { exitCodes } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { allocateWays } from '../../plans/plans.ts';
import { defineCommand } from '../command.ts';
import {
  checkTotalsGiven,
  controlFlags,
  delimiterFlag,
  delimiterOf,
  fileArgument,
  readTotals,
} from './bulk-flags.ts';

export const plan = defineCommand({
  description:
    'Reads a CSV file of refunds and every order in it, and writes a plan: what would be sent, row by row. Nothing is sent. The columns are order_id (or reference), charge_id, amount, reason, ref and note; paydesk reports all errors of the file at once.',
  arguments: [fileArgument(false)],
  flags: {
    to: flag.text({ value: 'PLAN', summary: 'the file of the plan; without it FILE.plan' }),
    force: flag.switch({ summary: 'replace files that exist' }),
    refresh: flag.text({
      value: 'PLAN',
      summary: 'make a new plan from an older one: read its orders again, keep its rows',
    }),
    delimiter: delimiterFlag,
    errors: flag.text({
      value: 'FILE',
      summary: 'if the file has errors: write its rows with the errors beside them, to correct them there',
    }),
    allocate: flag.choice(allocateWays, {
      value: 'HOW',
      summary: 'spread the amount of an order with several charges over them',
    }),
    'allow-status': {
      value: 'WORD',
      summary: 'also send rows of orders with this status, which paydesk does not know; absent: without one',
      repeatable: true,
      parse: (text: string, name: string) => {
        if (/^[\x21-\x7e]{1,64}$/.test(text)) return text;
        throw usage(`${name} ${text}: a status is one word, such as in_review`);
      },
    },
    again: flag.of<readonly string[]>({
      value: 'ID,…',
      summary: 'refunds that may be repeated; the plan says which it found',
      parse: (text) => text.split(',').filter((id) => id !== ''),
    }),
    ...controlFlags,
  },
  examples: [
    'paydesk -p demo refunds plan refunds.csv --to refunds.plan',
    'paydesk -p shop-mx refunds plan refunds.csv --to refunds.plan --expect-count 60 --expect-total MXN=1203400 --json',
  ],
  exits: {
    8: 'the plan has rows that cannot be sent, or that somebody must look at first',
  },
  async run(ctx, { args: [file], flags }) {
    if ((file === undefined) === (flags.refresh === undefined))
      throw usage('name a FILE.csv, or an older plan with --refresh', ['paydesk refunds plan --help']);
    const to = flags.to ?? usualName(file);
    const expected = readTotals(flags);
    const asked = {
      to,
      expected,
      force: flags.force === true,
      allocation: flags.allocate,
      allowed: flags['allow-status'] ?? [],
      again: flags.again ?? [],
    };
    if (flags.refresh !== undefined) await ctx.useProfileOf(await ctx.plans.open(flags.refresh));
    const service = await ctx.service({ purpose: 'change' });
    const { profile } = service;
    checkTotalsGiven(ctx, profile, expected);
    const made =
      flags.refresh === undefined
        ? await planFile(ctx, service, {
            ...asked,
            file: file ?? '-',
            delimiter: flags.delimiter === undefined ? undefined : delimiterOf[flags.delimiter],
            errors: flags.errors,
          })
        : await refreshPlan(ctx, service, { ...asked, refresh: flags.refresh });
    await showPlan(ctx, made, to, profile);
    const cannot = made.rows.some(({ state }) => state === 'look' || state === 'impossible');
    return cannot ? exitCodes.batch : undefined;
  },
});

// `fri.csv` becomes `fri.plan` beside it. Standard input and a refreshed plan have no name of their own.
function usualName(file: string | undefined): string {
  if (file === undefined || file === '-') throw usage('missing --to: name the file of the plan');
  return `${file.replace(/\.(csv|tsv|txt)$/i, '')}.plan`;
}
