/** The flags of an export as they would be typed again: to go on with it, and to tell whether it is the same. */

import type { Context } from '../command.ts';
import type { ExportInput, Written } from './flags.ts';

/** What has to be said again to go on, besides what is exported and where to. */
export function againWords({ options }: Context, input: ExportInput): readonly string[] {
  const { 'max-rps': perSecond } = input;
  return [
    ...limitWords(input),
    ...options.outputWords,
    ...(perSecond === undefined ? [] : ['--max-rps', String(perSecond)]),
  ];
}

/** What decides the bytes of a file, besides what is exported: two runs to one file must agree on it. */
export function contentWords(
  { options }: Context,
  input: ExportInput,
  { format }: Written,
): readonly string[] {
  const { columns, header } = options;
  return [
    ...limitWords(input),
    '-o',
    format,
    ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
    ...(header ? [] : ['--no-header']),
  ];
}

// Where pages begin decides what stands in one member of a .gz.
function limitWords({ limit }: ExportInput): readonly string[] {
  return limit === undefined ? [] : ['--limit', String(limit)];
}
