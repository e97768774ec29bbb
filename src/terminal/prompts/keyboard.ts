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
/** What is said where there is no question before. */
export const noWayBack = 'there is nothing to go back to from here; Ctrl-C leaves';

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
  return isPaste(typed) ? inOneLine(typed).trim() : (/^\P{Cc}*/u.exec(typed)?.[0] ?? '');
}

// A terminal that is asked for it puts these around what is pasted (xterm: DECSET 2004).
const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';
const markPastes = '\u001b[?2004h';
const markNoPastes = '\u001b[?2004l';

/**
 * Tells what is pasted, in which the ends of lines are no Enter. A terminal that does not mark a paste gives it in one piece. Call
 * `stop` when the question is over.
 */
export function watchPastes(stdin: Keyboard, write: (text: string) => void) {
  let open = '';
  let pasted: string | undefined;
  const see = (piece: unknown): void => {
    const text = open + String(piece);
    const isMarked = text.includes(pasteStart);
    open = isMarked && !text.includes(pasteEnd) ? text : '';
    pasted = open !== '' ? '' : isMarked || isPaste(text) ? inOneLine(text) : undefined;
  };
  // Before the keys of the piece are told.
  stdin.prependListener('data', see);
  write(markPastes);
  return {
    /** The whole paste at one of its keys, and an empty text at its others. Undefined: the key is not part of a paste. */
    pasted: (): string | undefined => {
      const text = pasted;
      if (text !== undefined) pasted = '';
      return text;
    },
    stop: () => {
      stdin.off('data', see);
      write(markNoPastes);
    },
  };
}

// Several letters at once, or lines. A line with Enter behind it may also have been typed before anybody looked at the keys.
function isPaste(piece: string): boolean {
  return /^\P{Cc}{2,}$/u.test(piece) || /[\r\n]\P{Cc}/u.test(piece);
}

function inOneLine(pasted: string): string {
  const text = pasted.replaceAll(pasteStart, '').replaceAll(pasteEnd, '');
  return text
    .replace(/\s*[\r\n]\s*$/, '')
    .replace(/\s*[\r\n]\s*/g, ' ')
    .replace(/\p{Cc}/gu, '');
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
