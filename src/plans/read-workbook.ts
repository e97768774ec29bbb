/** Reads a sheet of a workbook (.xlsx) as an input file. A file of its own, so that only such a file loads the reader (12 kB). */

import { readSheet, Unreadable } from '../workbook/workbook.ts';
import { checkTable, unreadableFile } from './input-file.ts';
import type { InputFile, InputHow } from './plan-types.ts';

/** Never throws, whatever the bytes; it returns what is wrong with them. */
export async function readWorkbook(bytes: Uint8Array, how: InputHow): Promise<InputFile> {
  try {
    const { name, rows, wrong, dates } = await readSheet(bytes, how.sheet);
    const [head, ...all] = rows;
    if (head === undefined) return unreadableFile(`the sheet ${name} is empty`);
    const form = { hasBom: false, lineEnd: '\n', delimiter: ',' } as const;
    return checkTable({ ...form, head, all, wrong, dates }, how);
  } catch (error) {
    if (error instanceof Unreadable) return unreadableFile(error.message);
    throw error;
  }
}
