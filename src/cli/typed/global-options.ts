/**
 * The options that every command takes: their table, how flag, variable and default become the values of a run, and how CSV is
 * written. Pure.
 */

import { apiVersionPattern, langPattern } from '../../api/spec.ts';
import type { GlobalOptions } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { type Flag, flag, type Input, nonEmpty, short, usage } from '../../flags/flags.ts';
import { type Env, variable } from '../../io.ts';
import {
  type CsvStyle,
  type DelimiterWord,
  delimiterSigns,
  type Format,
  formats,
} from '../../terminal/terminal.ts';
import { readTypedWords } from './typed-words.ts';

const usualTimeoutSeconds = 60;

/** The options that may come before or after the words of every command. */
export const globalFlags = {
  profile: flag.text('NAME', 'the account to talk to', {
    short: 'p',
    env: 'PAYDESK_PROFILE',
    offers: (_typed, known) => known.profiles(),
  }),
  output: flag.choice(formats, 'FORMAT', 'how to print the result', {
    short: 'o',
    env: 'PAYDESK_OUTPUT',
    defaultText: 'table',
  }),
  json: flag.switch('short for -o json', { conflicts: ['ndjson', 'csv'] }),
  ndjson: flag.switch('short for -o ndjson', { conflicts: ['json', 'csv'] }),
  csv: flag.switch('short for -o csv', { conflicts: ['json', 'ndjson'] }),
  columns: flag.of<readonly string[]>({
    value: 'A,B,C',
    summary: 'columns by name or heading, also of csv and xlsx: see paydesk help output',
    env: 'PAYDESK_COLUMNS',
    parse: (text, name) => nonEmpty(text, name).split(','),
  }),
  width: flag.integer(20, 1000, 'N', 'how many characters wide tables and screens are', {
    env: 'PAYDESK_WIDTH',
    defaultText: "the terminal's; without one nothing is cut",
  }),
  'no-header': flag.switch('no heading line in table and csv', { env: 'PAYDESK_NO_HEADER' }),
  bom: flag.switch('begin csv with a byte order mark, by which a spreadsheet knows UTF-8', {
    env: 'PAYDESK_BOM',
  }),
  delimiter: flag.choice(
    Object.keys(delimiterSigns) as [DelimiterWord, ...DelimiterWord[]],
    'WORD',
    'the character between the cells of csv; if you type it, also of a CSV that is read, if paydesk does not recognise it',
    { env: 'PAYDESK_DELIMITER', defaultText: 'comma' },
  ),
  decimal: flag.choice(['point', 'comma'], 'WORD', 'the sign before decimals in csv', {
    env: 'PAYDESK_DECIMAL',
    defaultText: 'point',
  }),
  for: flag.choice(
    ['excel'],
    'PROGRAM',
    'csv that this program opens right: dates, --bom, --delimiter and --decimal; it says what it set',
    { env: 'PAYDESK_FOR' },
  ),
  'no-input': flag.switch('never ask; a missing value is an error', { env: 'PAYDESK_NO_INPUT' }),
  yes: flag.switch('answer yes to a confirmation (production needs --confirm)', { short: 'y' }),
  'dry-run': flag.switch('read, show what would be sent, and send nothing'),
  quiet: flag.switch('no notes on stderr when all is well', { short: 'q', env: 'PAYDESK_QUIET' }),
  debug: flag.switch('requests and stack traces on stderr', { env: 'PAYDESK_DEBUG' }),
  redact: flag.switch('mask names, addresses and cards in all that is printed', { env: 'PAYDESK_REDACT' }),
  color: flag.choice(['auto', 'always', 'never'], 'WHEN', 'colour the output', {
    env: 'PAYDESK_COLOR',
    defaultText: 'auto',
  }),
  'no-color': flag.switch('same as --color never'),
  timeout: flag.integer(1, 3600, 'SECONDS', 'how long one request may take', {
    env: 'PAYDESK_TIMEOUT',
    defaultText: String(usualTimeoutSeconds),
  }),
  'api-version': flag.of<string>({
    value: 'X.Y.Z',
    summary: 'version of the service to ask for',
    env: 'PAYDESK_API_VERSION',
    defaultText: "the profile's",
    parse: (text, name) => {
      if (!apiVersionPattern.test(text)) throw usage(`${name} ${short(text)}: not a version such as 2.3.0`);
      return text;
    },
  }),
  lang: flag.of<string>({
    value: 'CODE',
    summary: "language of the service's messages (Accept-Language)",
    env: 'PAYDESK_LANG',
    parse: (text, name) => {
      if (!langPattern.test(text)) throw usage(`${name} ${short(text)}: not a language code such as es`);
      return text;
    },
  }),
  utc: flag.switch('show times in UTC', { env: 'PAYDESK_UTC' }),
  help: flag.switch('show help; --help --all shows every option of a command', { short: 'h' }),
  version: flag.switch('show the version', { short: 'V' }),
} as const;

/**
 * The global options in the help of every command; `--help --all` shows the others. A person at the desk says which
 * account, how to print and which part, looks before something is sent, and skips a question. The others are for scripts,
 * for one machine or for one run in a hundred.
 */
export const usualGlobalFlags: Readonly<Record<string, Flag>> = Object.fromEntries(
  (['profile', 'output', 'columns', 'yes', 'dry-run'] as const).map((name) => [name, globalFlags[name]]),
);

/** The global flags as typed, before environment and defaults. */
export type GlobalInput = Input<readonly [], typeof globalFlags>['flags'];

/** The global options of a run, also those that no command asks for. Undefined: the profile or the terminal decides it later. */
export interface Globals extends GlobalOptions {
  readonly format: Format;
  readonly csv: CsvOfRun;
  /** How wide tables and screens are. */
  readonly width: number | undefined;
  readonly input: boolean;
  readonly debug: boolean;
  /** Whether personal data is masked; undefined: as the profile says. */
  readonly redact: boolean | undefined;
  readonly color: 'auto' | 'always' | 'never' | undefined;
  readonly apiVersion: string | undefined;
  readonly utc: boolean;
  /** Questions are plain lines, and nothing is redrawn. */
  readonly accessible: boolean;
}

/**
 * Works out the global options of a run. An empty variable counts as unset. Throws CliError 'usage' for a variable with a
 * wrong value, and for options that contradict each other.
 */
export function resolveGlobals(typed: GlobalInput, env: Env): Globals {
  const accessible = switchIn(env, 'PAYDESK_ACCESSIBLE') === true || env.TERM === 'dumb';
  const value = <T>(given: T | undefined, flag: Flag<T>): T | undefined => given ?? fromVariable(env, flag);
  const said = (name: 'no-header' | 'no-input' | 'quiet' | 'debug' | 'redact' | 'utc' | 'bom') =>
    typed[name] ?? switchIn(env, globalFlags[name].env ?? '');
  const on = (name: Parameters<typeof said>[0]) => said(name) === true;
  const csv = csvOfRun({
    bom: on('bom'),
    delimiter: value(typed.delimiter, globalFlags.delimiter),
    decimal: value(typed.decimal, globalFlags.decimal),
    program: value(typed.for, globalFlags.for),
    typed,
    env,
  });
  const askedFormat = formatOf(typed) ?? fromVariable(env, globalFlags.output);
  return {
    profile: value(typed.profile, globalFlags.profile),
    format: askedFormat ?? (accessible ? 'list' : 'table'),
    askedFormat,
    columns: typed.columns,
    usualColumns: fromVariable(env, globalFlags.columns),
    header: !on('no-header'),
    width: value(typed.width, globalFlags.width),
    csv,
    outputWords: [...outputWords(typed), ...csv.words],
    input: !on('no-input') && !isCi(env),
    yes: typed.yes === true,
    dryRun: typed['dry-run'] === true,
    quiet: on('quiet'),
    debug: on('debug'),
    redact: said('redact'),
    color: colorOf(typed) ?? fromVariable(env, globalFlags.color),
    timeoutMs: 1000 * (value(typed.timeout, globalFlags.timeout) ?? usualTimeoutSeconds),
    apiVersion: value(typed['api-version'], globalFlags['api-version']),
    lang: value(typed.lang, globalFlags.lang),
    typedLang: typed.lang,
    utc: on('utc'),
    accessible,
  };
}

const listFormats = ['xlsx', 'csv', 'ndjson', 'json'] as const;

/**
 * The same for a list that is written into a file. Throws CliError 'usage' for a name without a known format, or one that
 * contradicts -o.
 */
export function intoFile(globals: Globals, name: string | undefined): Globals {
  if (name === undefined) return globals;
  const asked = listFormats.find((one) => one === globals.askedFormat);
  const named = listFormats.find((one) => name.toLowerCase().endsWith(`.${one}`));
  // `-o json` may only ask for JSON errors on stderr.
  if (named !== undefined && named !== asked && (asked === 'csv' || asked === 'xlsx'))
    throw usage(`--to ${name} says ${named}, -o says ${asked}`);
  const format = named ?? asked;
  if (format === undefined) throw usage(`--to ${name}: end the name in .xlsx, .csv, .ndjson or .json`);
  return { ...globals, format, askedFormat: format };
}

function fromVariable<T>(env: Env, { env: name, parse }: Flag<T>): T | undefined {
  const text = name === undefined ? undefined : variable(env, name);
  return text === undefined ? undefined : parse(text, name ?? '');
}

const switchedOn = ['1', 'on', 'true', 'yes'];
const switchedOff = ['0', 'off', 'false', 'no'];

// The value of a variable that is a switch; undefined if it is not set.
function switchIn(env: Env, name: string): boolean | undefined {
  const text = variable(env, name);
  const value = text?.toLowerCase();
  if (value === undefined) return undefined;
  if (switchedOn.includes(value)) return true;
  if (switchedOff.includes(value)) return false;
  throw usage(`${name} ${short(text ?? '')}: not one of ${[...switchedOn, ...switchedOff].join(', ')}`);
}

// Every build server says it in its own way; CI=false is common.
function isCi(env: Env): boolean {
  const value = variable(env, 'CI')?.toLowerCase();
  return value !== undefined && !switchedOff.includes(value);
}

function formatOf(typed: GlobalInput): Format | undefined {
  const asked = [
    ...(typed.output === undefined ? [] : [{ words: `-o ${typed.output}`, format: typed.output }]),
    ...(['json', 'ndjson', 'csv'] as const)
      .filter((name) => typed[name] === true)
      .map((format) => ({ words: `--${format}`, format })),
  ];
  const [first] = asked;
  const other = asked.find(({ format }) => format !== first?.format);
  if (other === undefined) return first?.format;
  throw new CliError('usage', `${first?.words} and ${other.words} contradict each other`);
}

// Variables are left out, because the next command reads them too.
function outputWords(typed: GlobalInput): readonly string[] {
  const { output, columns, width } = typed;
  return [
    ...(output === undefined ? [] : ['-o', output]),
    ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
    ...(width === undefined ? [] : ['--width', String(width)]),
    ...(['json', 'ndjson', 'csv', 'no-header', 'redact', 'utc'] as const)
      .filter((name) => typed[name] === true)
      .map((name) => `--${name}`),
  ];
}

function colorOf(typed: GlobalInput): 'auto' | 'always' | 'never' | undefined {
  if (typed['no-color'] !== true) return typed.color;
  if (typed.color === undefined || typed.color === 'never') return 'never';
  throw new CliError('usage', `--no-color and --color ${typed.color} contradict each other`);
}

/** How to print an error when the command line cannot be read: in the format that it seems to ask for, else as a table. */
export function formatHint(argv: readonly string[], env: Env): Format {
  const { options } = readTypedWords(argv, () => globalFlags);
  const short = formats.find((format) => options.some(({ name }) => name === format));
  const output = options.find(({ name }) => name === 'output')?.value;
  const asked = [short, output, variable(env, 'PAYDESK_OUTPUT')];
  return asked.flatMap((text) => formats.filter((format) => format === text))[0] ?? 'table';
}

interface CsvOfRun extends CsvStyle {
  /** The delimiter that was typed. It is also used for a file that is read. */
  readonly typedDelimiter: CsvStyle['delimiter'] | undefined;
  /** The flags that give the same style. None is needed for the usual CSV. */
  readonly words: readonly string[];
}

/** What flags or variables say about CSV. */
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
 * A spreadsheet that shows decimals after a comma expects semicolons between the cells of a CSV. Throws CliError 'usage' if both
 * would be commas.
 */
function csvOfRun({ bom, delimiter, decimal, program, typed, env }: CsvAsked): CsvOfRun {
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

// How the language of this machine writes decimals. A text that is not a language counts as C, which has a point.
function decimalOf(env: Env): 'point' | 'comma' {
  const said = variable(env, 'LC_ALL') ?? variable(env, 'LC_NUMERIC') ?? variable(env, 'LANG');
  const language = said?.replace(/[.@].*$/, '').replaceAll('_', '-');
  const known = language !== undefined && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language);
  if (language !== undefined && !known) return 'point';
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? 'comma' : 'point';
}
