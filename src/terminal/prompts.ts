/** The prompts of a full terminal: the only door to @inquirer, with its defaults mended. */

import type { Writable } from 'node:stream';
import { confirm, input, password, search, select } from '@inquirer/prompts';
import type { Check, Labelled, Prompts } from './ask.ts';
import type { Paint } from './color.ts';
import { interrupted, type Keyboard } from './keyboard.ts';
import { matching } from './matching.ts';

const pageSize = 10;

/** Prompts that are redrawn in place. */
export function createPrompts(stdin: Keyboard, stderr: Writable, paint: Paint): Prompts {
  const theme = themeOf(paint);
  const context = (signal: AbortSignal) => ({ input: stdin, output: stderr, signal });
  return {
    text: (message, check, signal) =>
      ended(input({ message, theme, validate: asValidate(check) }, context(signal))),
    secret: (message, check, signal) =>
      ended(
        // Without these two, Ctrl-T shows the secret.
        password(
          { message, theme, mask: true, toggleMask: false, validate: asValidate(check) },
          context(signal),
        ),
      ),
    choose: (message, choices, signal) =>
      ended(
        select({ message, theme, pageSize, loop: false, choices: choices.map(asChoice) }, context(signal)),
      ),
    search: (message, choices, signal) =>
      ended(
        search(
          {
            message,
            theme,
            pageSize,
            source: (term) => matching(choices, term ?? '').map((index) => choiceAt(choices, index)),
          },
          context(signal),
        ),
      ),
    confirm: (message, signal) => ended(confirm({ message, theme, default: false }, context(signal))),
  };
}

function choiceAt(choices: readonly Labelled[], index: number) {
  return asChoice(choices[index] ?? { label: '', detail: undefined }, index);
}

function asChoice({ label, detail }: Labelled, index: number) {
  return {
    value: index,
    name: label,
    short: label,
    ...(detail === undefined ? {} : { description: detail }),
  };
}

function asValidate(check: Check): (text: string) => string | true {
  return (text) => check(text) ?? true;
}

// @inquirer's classes are not exported; their names are. An abort is told by its signal, in ask.ts.
async function ended<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof Error && error.name === 'ExitPromptError' ? interrupted() : error;
  }
}

// Every style is set, since @inquirer computes its own when it is loaded and for stdout.
function themeOf(paint: Paint) {
  const strong = (text: string): string => paint(text, 'strong');
  const faint = (text: string): string => paint(text, 'faint');
  return {
    prefix: { idle: '?', done: '?' },
    spinner: { interval: 80, frames: ['?'] },
    icon: { cursor: '>' },
    style: {
      answer: strong,
      message: (text: string): string => text,
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
