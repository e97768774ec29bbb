/** The keyboard behind stdin: drops what was typed too early, and notices when nothing more will come. */

import type { Readable } from 'node:stream';
import { CliError } from '../errors.ts';
import type { ClockWithTimers } from '../io.ts';

/** The part of a terminal's stdin that is used. */
export interface Keyboard extends Readable {
  readonly isTTY?: boolean;
  setRawMode(on: boolean): unknown;
}

/** What raw mode reads for Ctrl-C. */
export const ctrlC = '\u0003';
/** What raw mode reads for Ctrl-D. */
export const ctrlD = '\u0004';

// Long enough for a paste that arrives in pieces, too short to be noticed.
const quietMs = 30;

/** Ctrl-C typed at a question. */
export function interrupted(): CliError {
  return new CliError('interrupted', 'Ctrl-C; nothing was sent or changed');
}

/** Ctrl-D at a question, or a terminal that went away. */
export function endOfAnswers(): CliError {
  return new CliError('cancelled', 'end of input; nothing was sent or changed');
}

/**
 * Reads and forgets what was typed so far, and leaves the keyboard in raw mode for the question. Throws CliError
 * 'interrupted' when Ctrl-C is among it.
 */
export async function dropTypeAhead(stdin: Keyboard, clock: ClockWithTimers): Promise<void> {
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
}

/** Aborts when Ctrl-D is typed or the terminal goes away. `stop` ends the watching. */
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
