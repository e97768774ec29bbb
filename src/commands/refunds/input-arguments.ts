/** What commands that read an input file share: its argument, and the sign between its cells. */

import { flag, nonEmpty } from '../../flags/flags.ts';
import type { Delimiter } from '../../plans/plans.ts';

/** The argument that names an input file. */
export function fileArgument<const R extends boolean>(required: R) {
  return {
    name: 'file',
    summary: 'the CSV file; - is standard input',
    required,
    parse: nonEmpty,
  } as const;
}

/** What stands between the cells of an input file. */
export const delimiterFlag = flag.choice(['comma', 'semicolon', 'tab'], {
  value: 'WORD',
  summary: 'the sign between the cells, if paydesk does not recognise it',
});

export const delimiterOf: Readonly<Record<'comma' | 'semicolon' | 'tab', Delimiter>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
};
