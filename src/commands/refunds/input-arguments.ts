/** What commands that read an input file share: its argument. */

import { nonEmpty } from '../../flags/flags.ts';

/** The argument that names an input file. */
export function fileArgument<const R extends boolean>(required: R) {
  return {
    name: 'file',
    summary: 'the CSV file; - is standard input',
    required,
    parse: nonEmpty,
  } as const;
}
