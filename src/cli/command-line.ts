/** Turns a command line into a command with its inputs, or into a text to print. */

import type { Command, Input } from '../commands/command.ts';
import { findCommand } from '../commands/commands.ts';
import { type CliError, withParts } from '../errors.ts';
import { type GlobalInput, globalFlags } from './global-options.ts';
import { barePage, groupPage } from './help.ts';
import { layOut } from './help-page.ts';
import { helpFor } from './help-screens.ts';
import { checkLine, readCommand } from './read-command.ts';
import { optionsIn, readTypedWords } from './typed-words.ts';

/** What a command line asks for. */
export type Invocation =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly words: readonly string[];
      readonly command: Command;
      readonly input: Input;
      readonly globals: GlobalInput;
    };

/**
 * Reads a command line. `width` is the width of help texts. Throws CliError 'usage' for anything that is not
 * understood.
 */
export async function readCommandLine(argv: readonly string[], width: number): Promise<Invocation> {
  const { words } = readTypedWords(argv, () => globalFlags);
  const entry = findCommand(words);
  if (asksFor(argv, 'help') || words[0] === 'help') {
    return { kind: 'text', text: layOut(await helpFor(words, asksFor(argv, 'all')), width) };
  }
  if (asksFor(argv, 'version')) return { kind: 'version' };
  if (entry === undefined) {
    await checkLine(argv, words);
    const [noun] = words;
    return { kind: 'text', text: layOut(noun === undefined ? barePage() : groupPage(noun), width) };
  }
  const command = await entry.load();
  return { kind: 'run', words: entry.words, command, ...readCommand(entry, command, argv) };
}

/**
 * The name behind -p or --profile, even when the rest of the line is not understood; undefined for a text that cannot be
 * the name of a profile.
 */
export function typedProfile(argv: readonly string[]): string | undefined {
  const { options } = readTypedWords(argv, () => globalFlags);
  const name = options.find((option) => option.name === 'profile')?.value;
  return name !== undefined && nameLike.test(name) ? name : undefined;
}

// Only a name that a shell reads without quotes is written into a command to copy.
const nameLike = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

// Each word counts by itself: whoever types `--output --help` wants to see the help.
function asksFor(argv: readonly string[], name: 'help' | 'version' | 'all'): boolean {
  const end = argv.indexOf('--');
  return argv
    .slice(0, end === -1 ? argv.length : end)
    .flatMap((word) => optionsIn(word, globalFlags))
    .some((option) => option.name === name && option.value === undefined);
}

// The commands that use the profile of the run. Others find the account by an id of the journal, or name a profile themselves.
const aboutAccount =
  /\bpaydesk (?=(?:orders|customers|checkout|api|journal list)\b(?!.*--(?:help|all-profiles)\b)|profile (?:show|check)$)/g;

/** Adds `-p` to the commands that an error suggests, if a profile was typed. */
export function withProfile(error: CliError, profile: string | undefined): CliError {
  const { now } = error.parts;
  if (profile === undefined || now === undefined) return error;
  return withParts(error, {
    now: now.map((line) => line.replace(aboutAccount, `paydesk -p ${profile} `)),
  });
}
