/**
 * Help as a reader finds it: every leaf command by walking it, its options, and its examples as lines that run. Its
 * texts are made here and not by a process each, since there are many; C3 holds that both are the same.
 */

import { readCommandLine } from '../../src/cli/typed/command-line.ts';

/** An option as help shows it. */
export interface ShownOption {
  readonly name: string;
  readonly short: string | undefined;
  /** The placeholder of its value; undefined for a switch. */
  readonly value: string | undefined;
  readonly text: string;
}

/** The text that a line prints that asks for help. Throws what the program would print as its error. */
export async function textOf(line: readonly string[], columns: number): Promise<string> {
  const invocation = await readCommandLine(line, columns);
  if (invocation.kind !== 'text') throw new Error(`${line.join(' ')} does not ask for help`);
  return invocation.text;
}

/** Help of these words with all their options, at 120 columns. */
export function helpOf(words: readonly string[]): Promise<string> {
  return textOf([...words, '--help', '--all'], 120);
}

/** All commands that `paydesk help commands` lists, as words. */
export async function leafCommands(): Promise<readonly (readonly string[])[]> {
  const listed = section(await textOf(['help', 'commands'], 120), 'Commands:').flatMap((line) => {
    const found = /^ {2}(\S+(?: \S+)?) {2,}\S/.exec(line);
    return found?.[1] === undefined ? [] : [found[1].split(' ')];
  });
  if (listed.length < 5) throw new Error('help lists hardly any command: has its layout changed?');
  return listed;
}

/** The nouns of the commands that have one. */
export async function groupNames(): Promise<readonly string[]> {
  const leaves = await leafCommands();
  return [...new Set(leaves.filter(({ length }) => length > 1).map(([noun]) => noun ?? ''))];
}

/** The options of a help text; `own`: without the global ones. */
export function optionsOf(help: string, own = false): readonly ShownOption[] {
  const lines = [...section(help, 'Options:'), ...(own ? [] : section(help, 'Global options:'))];
  // An option starts two spaces in; what its text goes on with stands further in.
  const items = lines
    .join('\n')
    .replace(/\n {3,}/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
  return items.map((line) => {
    const item = line.trim();
    const found = /^(?:-(\w), )?--([a-z-]+)(?: <(.+?)>)?(?: {2,}(.*))?$/.exec(item);
    if (found === null) throw new Error(`not an option as help shows one: ${item}`);
    return { short: found[1], name: found[2] ?? '', value: found[3], text: found[4] ?? '' };
  });
}

/** The examples of a help text, `$ ` left out and continued lines joined. */
export function examplesOf(help: string): readonly string[] {
  return help
    .replace(/ \\\n\s+/g, ' ')
    .split('\n')
    .flatMap((line) => /^\s*\$ (.+)$/.exec(line)?.[1] ?? []);
}

// The lines between a heading and the next empty one.
function section(help: string, heading: string): readonly string[] {
  const lines = help.split('\n');
  const at = lines.indexOf(heading);
  if (at === -1) return [];
  const after = lines.slice(at + 1);
  const end = after.indexOf('');
  return after.slice(0, end === -1 ? after.length : end);
}
