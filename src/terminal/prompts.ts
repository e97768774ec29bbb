/** Prompts that are redrawn on a terminal: those of @inquirer, with better defaults. */

import { confirm, input, password, select } from '@inquirer/prompts';
import type { ClockWithTimers } from '../io.ts';
import type { Check, Labelled, Prompts } from './ask.ts';
import type { Paint } from './color.ts';
import { interrupted, type Keyboard } from './keyboard.ts';
import { searchPrompt } from './search-prompt.ts';
import { type StreamFacts, widthOfTerminal } from './streams.ts';
import { cut, widthOf } from './text-lines.ts';

const pageSize = 10;
// The cursor and a space come before a choice.
const beforeChoice = 2;

/** Prompts for a terminal that can redraw. */
export function createPrompts(
  stdin: Keyboard,
  stderr: StreamFacts,
  paint: Paint,
  clock: Pick<ClockWithTimers, 'after'>,
): Prompts {
  const theme = themeOf(paint);
  const room = (widthOfTerminal(stderr) ?? Number.POSITIVE_INFINITY) - beforeChoice;
  const context = (signal: AbortSignal) => ({ input: stdin, output: stderr.stream, signal });
  return {
    text: (message, check, signal) =>
      ended(input({ message, theme, validate: asValidate(check) }, context(signal))),
    secret: (message, check, signal) =>
      ended(
        // Without `mask` and `toggleMask` Ctrl-T would show the secret.
        password(
          { message, theme, mask: true, toggleMask: false, validate: asValidate(check) },
          context(signal),
        ),
      ),
    choose: (message, choices, signal) =>
      ended(
        select(
          {
            message,
            theme,
            pageSize,
            loop: false,
            choices: choices.map((choice, index) => asChoice(choice, index, room)),
          },
          context(signal),
        ),
      ),
    search: (message, list, signal) =>
      ended(
        searchPrompt(message, list, { paint, room, clock, pageSize: rowsAtOnce(stderr) }, context(signal)),
      ),
    confirm: (message, signal) => ended(confirm({ message, theme, default: false }, context(signal))),
  };
}

// A search has up to seven lines around its rows.
function rowsAtOnce({ rows = 24 }: StreamFacts): number {
  return Math.max(3, Math.min(pageSize, rows - 8));
}

function asChoice({ label, tail, detail }: Labelled, index: number, room: number) {
  const name = tail === undefined ? label : `${fitted(label, room - widthOf(tail) - 2)}  ${tail}`;
  return {
    value: index,
    name,
    short: tail ?? name,
    ...(detail === undefined ? {} : { description: detail }),
  };
}

// Cuts the label, so that the choice stays on one line and the id in its tail does not wrap.
function fitted(label: string, room: number): string {
  return room < 1 || room === Number.POSITIVE_INFINITY ? label : cut(label, room);
}

function asValidate(check: Check): (text: string) => string | true {
  return (text) => check(text) ?? true;
}

// @inquirer does not export its error classes, so the name has to do. ask.ts handles an abort by its signal.
async function ended<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof Error && error.name === 'ExitPromptError' ? interrupted() : error;
  }
}

// Every style is set, because @inquirer chooses its own by looking at stdout, and at the time it is loaded.
function themeOf(paint: Paint) {
  const strong = (text: string): string => paint(text, 'strong');
  const faint = (text: string): string => paint(text, 'faint');
  return {
    prefix: { idle: '?', done: '?' },
    spinner: { interval: 80, frames: ['?'] },
    icon: { cursor: '>' },
    style: {
      answer: strong,
      message: (text: string): string =>
        text.replace(/^\[PRODUCTION\]/, (words) => paint(words, 'production')),
      error: (text: string): string => paint(`> ${text}`, 'bad'),
      defaultAnswer: (text: string): string => `(${text})`,
      help: faint,
      highlight: strong,
      key: strong,
      disabled: faint,
      description: faint,
      searchTerm: strong,
      maskedText: '',
      confirmDefault: (text: string): string => text.toUpperCase(),
      keysHelpTip: (): string => faint('arrows to move, Enter to choose, Ctrl-C to stop'),
    },
  };
}
