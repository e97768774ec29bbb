/** Finds the commands in the advice of an error that a script can run as they are. */

import { readCommandLine } from './typed/command-line.ts';

// Where advice shows a command: at the start of a line, or after a word; what follows in brackets is for people.
const shown = /(?:^|[\s(])(paydesk .*?)(?:\)|\s{2,}\(.*|\s*)$/;

// A word that a person has to replace, as help writes it.
const placeholder = /^(?:TEXT|FILE|NAME|ID|CHANGE|HASH|N|PROFILE|AMOUNT|PLAN|USER|DIR)$/;

/**
 * The commands of these lines, each as its words: `['paydesk', 'journal', 'show', 'i_7f3k']`. A line that holds no command, or
 * one with a word that a person must replace, gives none.
 */
export async function readyCommands(lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (const line of lines) {
    const words = wordsOf(shown.exec(line)?.[1] ?? '');
    if (words !== undefined && (await isCommand(words.slice(1)))) found.push(words);
  }
  return found;
}

// Prose may begin with the name of the program: `paydesk cannot take a refund back`. Only what the command line understands counts.
async function isCommand(argv: readonly string[]): Promise<boolean> {
  if (argv.length === 0 || argv.some((word) => placeholder.test(word))) return false;
  try {
    const { kind } = await readCommandLine(argv, 80);
    return kind === 'run' || argv.includes('--help') || argv[0] === 'help';
  } catch {
    return false;
  }
}

// The words of a line as a shell reads those that paydesk prints: bare, or in quotes. Undefined: the quotes do not end.
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const [whole = ''] = /^(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/.exec(rest) ?? [];
    if (whole === '') return undefined;
    words.push(
      whole.replaceAll(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
      ),
    );
    rest = rest.slice(whole.length).trimStart();
  }
  return words;
}
