/** The input file of `refunds plan` and `refunds compare`: the argument that names it, and `--delimiter`. */

import { flag, nonEmpty } from '../../flags/flags.ts';
import type { Delimiter } from '../../plans/plans.ts';

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
