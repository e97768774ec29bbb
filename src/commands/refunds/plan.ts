/** `refunds plan`, `apply` and `status`: their flags and help. changes/bulk does the rest. */

import {
  applyPlan,
  noHoldFlag,
  planFile,
  planStatus,
  type RowVerdict,
  refreshPlan,
  rowVerdicts,
  showPlan,
} from '../../changes/changes.ts';
import type { Context } from '../../context/context.ts';
import { exitCodes } from '../../errors.ts';
import {
  allRowsFlag,
  errorsFlag,
  fileArgument,
  flag,
  listFileFlags,
  maxPerSecondFlag,
  nonEmpty,
  sheetFlag,
  usage,
} from '../../flags/flags.ts';
import {
  allocateWays,
  type ControlTotals,
  type ExpectedTotal,
  missingTotals,
  readExpectedTotal,
} from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';

const controlFlags = {
  'expect-count': flag.integer(0, 100_000, 'N', 'refuse unless the file has this many rows'),
  'expect-total': {
    value: 'CUR=N',
    summary: 'refuse unless the rows in this currency add up to this',
    repeatable: true,
    parse: parseTotal,
  },
} as const;

function parseTotal(text: string, name: string): ExpectedTotal {
  const total = readExpectedTotal(text);
  if (total !== undefined) return total;
  throw usage(`${name} ${text}: a currency and a whole number, such as MXN=1203400`);
}

interface TotalFlags {
  readonly 'expect-count'?: number;
  readonly 'expect-total'?: readonly ExpectedTotal[];
}

function readTotals(flags: TotalFlags): ControlTotals {
  return { count: flags['expect-count'], totals: flags['expect-total'] ?? [] };
}

/** In production and without a terminal a script must say what it expects. Throws CliError 'usage', which names the flags. */
function checkTotalsGiven(
  { ask, options }: Pick<Context, 'ask' | 'options'>,
  { mode }: Profile,
  expected: ControlTotals,
): void {
  if (mode !== 'production' || ask.interactive || options.dryRun) return;
  const missing = missingTotals(expected);
  if (missing.length === 0) return;
  throw usage(`missing ${missing.join(' and ')}: in production a script must say what it expects`, [
    'add up the file without paydesk, for example in a spreadsheet, and give those totals',
  ]);
}

const planArgument = {
  name: 'plan',
  summary: 'the file of the plan',
  required: true,
  parse: nonEmpty,
} as const;

export const plan = defineCommand({
  description:
    'Reads a file of refunds, CSV or .xlsx, and every order in it, and writes a plan: what would be sent, row by row. Nothing is sent. The columns are order_id (or reference), charge_id, amount, reason, ref and note; paydesk reports all errors of the file at once.',
  arguments: [fileArgument(false)],
  flags: {
    to: flag.text('PLAN', 'the file of the plan; without it FILE.plan', { writes: true }),
    force: flag.switch('replace files that exist'),
    refresh: flag.text('PLAN', 'make a new plan from an older one: read its orders again, keep its rows'),
    sheet: sheetFlag,
    errors: errorsFlag,
    allocate: flag.choice(
      allocateWays,
      'HOW',
      'spread the amount of an order with several charges over them',
    ),
    'allow-status': {
      value: 'WORD',
      summary:
        'also send rows of orders with this status, which paydesk does not know; the word absent stands for what an order does not show',
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
    'all-rows': allRowsFlag,
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
            delimiter: ctx.options.csv.typedDelimiter,
            sheet: flags.sheet,
            errors: flags.errors,
          })
        : await refreshPlan(ctx, service, { ...asked, refresh: flags.refresh });
    await showPlan(ctx, made, to, profile, { allRows: flags['all-rows'] === true });
    const cannot = made.rows.some(({ state }) => state === 'look' || state === 'impossible');
    return cannot ? exitCodes.batch : undefined;
  },
});

// `fri.csv` becomes `fri.plan` in the same folder. Standard input and a refreshed plan have no name of their own.
function usualName(file: string | undefined): string {
  if (file === undefined || file === '-') throw usage('missing --to: name the file of the plan');
  return `${file.replace(/\.(csv|tsv|txt|xlsx|xlsm)$/i, '')}.plan`;
}

export const apply = defineCommand({
  description:
    'Reads every order again right before its refund, and sends no row whose order changed since the plan was made. Run it again after Ctrl-C, an outage or a crash: it looks up the unconfirmed rows first, and sends no row twice. In production it asks for the first 8 characters of the digest of the plan.',
  arguments: [planArgument],
  flags: {
    confirm: flag.text('DIGEST', 'the first 8 or more characters of the digest of the plan'),
    concurrency: flag.integer(1, 16, 'N', 'how many orders at a time', { defaultText: '4' }),
    'no-hold': noHoldFlag,
    'max-rps': maxPerSecondFlag,
    'max-failures': flag.integer(1, 1000, 'N', 'stop after this many refunds without a usable answer', {
      defaultText: '5',
    }),
    'all-rows': allRowsFlag,
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
      noHold: flags['no-hold'],
      expected: readTotals(flags),
      concurrency: flags.concurrency,
      maxFailures: flags['max-failures'],
      maxPerSecond: flags['max-rps'],
      allRows: flags['all-rows'] === true,
    });
    return code === 0 ? undefined : code;
  },
});

export const status = defineCommand({
  description:
    'Reads the orders again whose outcome may still change, and says what became of every row. --rest writes the rows that certainly moved no money into a file that can be planned again.',
  arguments: [planArgument],
  flags: {
    offline: flag.switch('read no order again: what the journal of this machine knows'),
    rest: flag.text('FILE.csv', 'write the rows that certainly moved no money', { writes: true }),
    report: flag.switch('print a short text to paste into a mail, instead of the list'),
    to: listFileFlags.to,
    force: flag.switch('replace the files of --rest and --to'),
    'all-rows': allRowsFlag,
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
    'paydesk refunds status refunds.plan --report',
    'paydesk refunds status refunds.plan --rest rest.csv --csv',
  ],
  exits: {
    7: 'a row is unconfirmed or has an alarm: a person must look',
    8: 'some rows are not refunded',
  },
  async run(ctx, { args: [path], flags }) {
    if (flags.report === true && (flags.to !== undefined || flags.only !== undefined))
      throw usage('--report prints a text about all rows: leave out --to and --only');
    const code = await planStatus(ctx, {
      path,
      offline: flags.offline === true,
      rest: flags.rest,
      to: flags.to,
      force: flags.force === true,
      only: flags.only,
      allRows: flags['all-rows'] === true,
      report: flags.report === true,
    });
    return code === 0 ? undefined : code;
  },
});
