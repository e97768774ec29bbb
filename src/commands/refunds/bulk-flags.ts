/** What the commands of bulk refunds share: the input file, the plan, and `--expect-count` and `--expect-total`. */

import type { Context } from '../../context/context.ts';
import { flag, nonEmpty, usage } from '../../flags/flags.ts';
import {
  type ControlTotals,
  type Delimiter,
  type ExpectedTotal,
  missingTotals,
  readExpectedTotal,
} from '../../plans/plans.ts';
import type { Profile } from '../../profiles/profiles.ts';

export const controlFlags = {
  'expect-count': flag.integer(0, 100_000, {
    value: 'N',
    summary: 'refuse unless the file has so many rows',
  }),
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

export function readTotals(flags: TotalFlags): ControlTotals {
  return { count: flags['expect-count'], totals: flags['expect-total'] ?? [] };
}

/** In production and without a terminal a script must say what it expects. Throws CliError 'usage' that names the flags. */
export function checkTotalsGiven(
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

export function fileArgument<const R extends boolean>(required: R) {
  return {
    name: 'file',
    summary: 'the CSV file; - is standard input',
    required,
    parse: nonEmpty,
  } as const;
}

export const delimiterFlag = flag.choice(['comma', 'semicolon', 'tab'], {
  value: 'WORD',
  summary: 'the sign between the cells, if paydesk does not recognise it',
});

export const delimiterOf: Readonly<Record<'comma' | 'semicolon' | 'tab', Delimiter>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
};

export const planArgument = {
  name: 'plan',
  summary: 'the file of the plan',
  required: true,
  parse: nonEmpty,
} as const;
