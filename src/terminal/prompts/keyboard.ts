/** The keyboard, for all prompts: drops keys that were typed too early, and notices the end of input and the way back. */

import type { Readable } from 'node:stream';
import { CliError } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';

/** stdin when it is a terminal. */
export interface Keyboard extends Readable {
  readonly isTTY?: boolean;
  setRawMode(on: boolean): unknown;
}

/** The character of Ctrl-C in raw mode. */
export const ctrlC = '\u0003';
/** The character of Ctrl-D in raw mode. */
export const ctrlD = '\u0004';

/** What a question throws if the person wants to go back to the one before: Esc, or `<` instead of an answer. */
export class GoBack extends Error {
  override readonly name = 'GoBack';
}

/** What is typed to go back. */
export const back = '<';

// Long enough for a paste that arrives in pieces, too short to be noticed.
const quietMs = 30;

/** What an error says that ends a question. It is true because every question comes before the change that it is about. */
export const certain = 'nothing was sent or changed';

/** What an answer to a question of yes or no means; only Enter is no. Undefined: neither. */
export function yesOrNo(text: string): boolean | undefined {
  const answer = text.trim().toLowerCase();
  if (answer === '' || answer === 'n' || answer === 'no') return false;
  return answer === 'y' || answer === 'yes' ? true : undefined;
}

/** What is said to any other answer. */
export const neitherYesNorNo = 'type y for yes; n or only Enter for no';

/** The error for Ctrl-C at a question. */
export function interrupted(): CliError {
  return new CliError('interrupted', 'Ctrl-C', { certain });
}

/** The error for Ctrl-D at a question, and for a terminal that was closed. */
export function endOfAnswers(): CliError {
  return new CliError('cancelled', 'the input ended', { certain });
}

/**
 * Removes what was typed so far, returns the text at its beginning, and leaves the keyboard in raw mode for the question.
 * Throws CliError 'interrupted' if Ctrl-C was typed.
 */
export async function takeTypeAhead(stdin: Keyboard, clock: ClockWithTimers): Promise<string> {
  stdin.setRawMode(true);
  let typed = '';
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stdin.off('data', drop);
      stdin.pause();
      resolve();
    };
    let stopTimer = clock.after(quietMs, done);
    const drop = (data: unknown): void => {
      typed += String(data);
      stopTimer();
      stopTimer = clock.after(quietMs, done);
    };
    stdin.on('data', drop);
    stdin.resume();
  });
  if (typed.includes(ctrlC)) throw interrupted();
  return /^\P{Cc}*/u.exec(typed)?.[0] ?? '';
}

/** The signal aborts when Ctrl-D is typed or the terminal is closed. Call `stop` when the question is over. */
export function endOfInput(stdin: Keyboard): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const end = (): void => controller.abort(endOfAnswers());
  const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
    if (key?.ctrl === true && key.name === 'd') end();
  };
  stdin.on('keypress', onKey);
  for (const event of ['end', 'close', 'error']) stdin.on(event, end);
  return {
    signal: controller.signal,
    stop: () => {
      stdin.off('keypress', onKey);
      for (const event of ['end', 'close', 'error']) stdin.off(event, end);
    },
  };
}
