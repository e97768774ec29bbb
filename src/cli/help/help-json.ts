/** Help as data, for programs: the commands with their arguments, options, exit codes and examples (docs/help.schema.json). */

import { type CommandEntry, groups } from '../../commands/commands.ts';
import { exitMeanings } from '../../errors.ts';
import type { Argument, Flag } from '../../flags/flags.ts';
import { packageFile } from '../../package-files.ts';
import { isLimit } from '../../profiles/limits.ts';
import { settingWords } from '../../profiles/settings.ts';
import { globalFlags } from '../typed/global-options.ts';
import { rootSummary } from './help.ts';
import { topicBlocks, topics, topicText } from './help-topics.ts';

/** These commands, and what is true for all of them, as JSON. */
export async function commandsJson(entries: readonly CommandEntry[]): Promise<string> {
  return json({
    program: 'paydesk',
    version: Object(JSON.parse(packageFile('package.json'))).version,
    summary: rootSummary,
    commands: await Promise.all(entries.map(commandData)),
    global_options: optionsData(globalFlags),
    exit_codes: Object.fromEntries(exitMeanings),
    settings: settingWords().map(settingData),
    variables: rowsOf('environment').flatMap(({ term, text }) =>
      /^[A-Z_]+$/.test(term) ? [{ variable: term, summary: text }] : [],
    ),
    guides: Object.entries(topics).map(([name, { summary }]) => ({ name, summary })),
  });
}

export function topicJson(name: string): string {
  return json({ guide: name, summary: topics[name]?.summary, text: topicText(name) });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

async function commandData({ words, summary, changes, guide, load }: CommandEntry) {
  const { description, flags, examples, exits, arguments: args } = await load();
  const names = Object.entries(flags);
  return {
    command: words.join(' '),
    summary,
    description,
    changes,
    writes_files: names.filter(([, { writes }]) => writes).map(([name]) => `--${name}`),
    arguments: args.map(argumentData),
    options: optionsData(flags),
    examples,
    exit_codes: exits,
    guide: guide ?? groups[words[0]]?.guide,
  };
}

function settingData({ name, defaultText, choices }: ReturnType<typeof settingWords>[number]) {
  const isOfCurrency = name.endsWith('.CUR');
  return {
    setting: name,
    summary: rowsOf('settings').find(({ term }) => term.split(', ').includes(name))?.text,
    scope: isLimit(name) ? 'account' : 'profile',
    type: choices !== undefined ? 'choice' : isOfCurrency ? 'integer' : 'text',
    choices,
    default: defaultText,
  };
}

// What the tables of a page say.
function rowsOf(page: string) {
  return topicBlocks(page).filter((block) => block.kind === 'row');
}

function argumentData({ name, summary, required, variadic, choices }: Argument) {
  return { name, summary, required, repeatable: variadic === true, choices };
}

function optionsData(flags: Readonly<Record<string, Flag>>) {
  return Object.entries(flags).map(([name, one]) => ({
    option: `--${name}`,
    short: one.short === undefined ? undefined : `-${one.short}`,
    type: typeOf(one),
    value: one.value,
    summary: one.summary,
    choices: one.choices,
    minimum: one.range?.[0],
    maximum: one.range?.[1],
    default: one.defaultText,
    variable: one.env,
    repeatable: one.repeatable === true,
    conflicts: one.conflicts?.map((other) => `--${other}`),
  }));
}

function typeOf({ value, choices, range }: Flag): 'switch' | 'choice' | 'integer' | 'text' {
  if (value === undefined) return 'switch';
  if (choices !== undefined) return 'choice';
  return range === undefined ? 'text' : 'integer';
}
