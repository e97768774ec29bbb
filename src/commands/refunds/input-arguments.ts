/** What commands that read an input file share: its argument, its sheet, and where its errors are written. */

import { flag, nonEmpty } from '../../flags/flags.ts';

/** The argument that names an input file. */
export function fileArgument<const R extends boolean>(required: R) {
  return {
    name: 'file',
    summary: 'the file, CSV or .xlsx; - is standard input',
    required,
    parse: nonEmpty,
  } as const;
}

/** Which sheet of a workbook is read. */
export const sheetFlag = flag.text('NAME', 'the sheet of a workbook; absent: the first one');

/** Where the rows of a file with errors are written, to be corrected. */
export const errorsFlag = flag.text(
  'FILE',
  'if the file has errors: write its rows with the errors beside them, to correct them there',
  { writes: true },
);
