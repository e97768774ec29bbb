/** The options that every command takes. */

import { apiVersionPattern, langPattern } from '../api/spec.ts';
import type { Input } from '../commands/command.ts';
import { flag, nonEmpty, short, usage } from '../commands/flags.ts';
import { formats } from '../terminal/terminal.ts';

/** The global options, before or after the command. No others are global. */
export const globalFlags = {
  profile: flag.text({
    value: 'NAME',
    short: 'p',
    summary: 'the account to talk to',
    env: 'PAYDESK_PROFILE',
    offers: (_typed, known) => known.profiles(),
  }),
  output: flag.choice(formats, {
    value: 'FORMAT',
    short: 'o',
    summary: 'how to print the result',
    env: 'PAYDESK_OUTPUT',
    defaultText: 'table',
  }),
  json: flag.switch({ summary: 'short for -o json', conflicts: ['ndjson', 'csv'] }),
  ndjson: flag.switch({ summary: 'short for -o ndjson', conflicts: ['json', 'csv'] }),
  csv: flag.switch({ summary: 'short for -o csv', conflicts: ['json', 'ndjson'] }),
  columns: flag.of<readonly string[]>({
    value: 'A,B,C',
    summary: 'columns of table, list and csv, by field name',
    env: 'PAYDESK_COLUMNS',
    parse: (text, name) => nonEmpty(text, name).split(','),
  }),
  'no-header': flag.switch({ summary: 'no heading line in table and csv', env: 'PAYDESK_NO_HEADER' }),
  'no-input': flag.switch({ summary: 'never ask; a missing value is an error', env: 'PAYDESK_NO_INPUT' }),
  yes: flag.switch({ short: 'y', summary: 'answer yes to a confirmation (production needs --confirm)' }),
  'dry-run': flag.switch({ summary: 'make the reads, show what would be sent, send nothing' }),
  quiet: flag.switch({ short: 'q', summary: 'no notes on stderr when all is well', env: 'PAYDESK_QUIET' }),
  debug: flag.switch({ summary: 'requests and stack traces on stderr', env: 'PAYDESK_DEBUG' }),
  color: flag.choice(['auto', 'always', 'never'], {
    value: 'WHEN',
    summary: 'colour the output',
    env: 'PAYDESK_COLOR',
    defaultText: 'auto',
  }),
  'no-color': flag.switch({ summary: 'same as --color never' }),
  timeout: flag.integer(1, 3600, {
    value: 'SECONDS',
    summary: 'time for one request, from connect to last byte',
    env: 'PAYDESK_TIMEOUT',
    defaultText: '60',
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
  utc: flag.switch({ summary: 'show times in UTC', env: 'PAYDESK_UTC' }),
  help: flag.switch({ short: 'h', summary: 'show help' }),
  version: flag.switch({ short: 'V', summary: 'show the version' }),
} as const;

/** The global flags as typed, before environment and defaults. */
export type GlobalInput = Input<readonly [], typeof globalFlags>['flags'];
