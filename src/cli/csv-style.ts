/** How CSV is written: its byte order mark, the sign between its cells and the sign before decimals, from the flags or as a spreadsheet of this machine wants it. */

import { usage } from '../flags/flags.ts';
import { type Env, variable } from '../io.ts';
import type { CsvStyle } from '../terminal/terminal.ts';
import type { GlobalInput } from './typed/global-options.ts';

/** The signs between cells, by the words for them. */
const delimiterSigns = { comma: ',', semicolon: ';', tab: '\t', pipe: '|', colon: ':' } as const;

/** The CSV of a run. */
export interface CsvOfRun extends CsvStyle {
  /** The delimiter that was typed. It counts for a file that is read too. */
  readonly typedDelimiter: CsvStyle['delimiter'] | undefined;
  /** The flags that say the same. None of them is needed for the usual CSV. */
  readonly words: readonly string[];
}

/** What flags or variables say of CSV. */
interface CsvAsked {
  readonly delimiter: GlobalInput['delimiter'] | undefined;
  readonly decimal: GlobalInput['decimal'] | undefined;
  readonly bom: boolean;
  /** --for. */
  readonly program: GlobalInput['for'] | undefined;
  readonly typed: Pick<GlobalInput, 'delimiter' | 'for' | 'decimal'>;
  readonly env: Env;
}

/**
 * A spreadsheet that shows decimals behind a comma parts the cells of a CSV by semicolons. Throws CliError 'usage' if both would be
 * commas.
 */
export function csvOfRun({ bom, delimiter, decimal, program, typed, env }: CsvAsked): CsvOfRun {
  const isFor = program !== undefined;
  const point = decimal ?? (isFor ? decimalOf(env) : 'point');
  const between = delimiter ?? (point === 'comma' ? 'semicolon' : 'comma');
  if (point === between)
    throw usage('--delimiter comma and --decimal comma: the cells of such a CSV cannot be told apart', [
      'take --delimiter semicolon, or --decimal point',
    ]);
  const hasBom = isFor || bom;
  const [guessed, other] =
    decimal === undefined
      ? [
          ', as the language of this machine writes numbers',
          '; type --decimal if the spreadsheet has another language',
        ]
      : ['', ''];
  const words = [
    ...(isFor ? ['--for', program] : hasBom ? ['--bom'] : []),
    ...(between === 'comma' && !isFor ? [] : ['--delimiter', between]),
    ...(point === 'point' && !isFor ? [] : ['--decimal', point]),
  ];
  return {
    bom: hasBom,
    delimiter: delimiterSigns[between],
    decimal: point === 'point' ? '.' : ',',
    hasDates: isFor,
    typedDelimiter: typed.delimiter && delimiterSigns[typed.delimiter],
    words,
    typed: typed.for === undefined ? (typed.decimal === undefined ? undefined : '--decimal') : '--for',
    note:
      typed.for !== undefined
        ? `--for ${program}${guessed}: --bom --delimiter ${between} --decimal ${point}${other}`
        : typed.decimal === 'comma' && delimiter === undefined
          ? '--decimal comma: semicolons part the cells; --delimiter takes another sign'
          : undefined,
  };
}

// How the language of this machine writes decimals. A text that is no language counts as C, which has a point.
function decimalOf(env: Env): 'point' | 'comma' {
  const said = variable(env, 'LC_ALL') ?? variable(env, 'LC_NUMERIC') ?? variable(env, 'LANG');
  const language = said?.replace(/[.@].*$/, '').replaceAll('_', '-');
  const known = language !== undefined && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language);
  if (language !== undefined && !known) return 'point';
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? 'comma' : 'point';
}
