/** One line that says how far a long run is: redrawn on a terminal, plain lines where nothing may be redrawn. */

import type { ClockWithTimers } from '../io.ts';
import { cut } from './text-lines.ts';

/** What the line is drawn with. */
export interface ProgressOptions {
  /** Writes at once. */
  readonly write: (text: string) => void;
  readonly width: number;
  /** No cursor movement: a line now and then instead. */
  readonly plain: boolean;
  readonly clean: (text: string) => string;
  readonly clock: ClockWithTimers;
}

/** The line of one run. */
export interface Progress {
  /** Starts the line; the newest one is shown. The returned function ends it. */
  start(text: () => string): () => void;
  /** Takes the line off the screen until it is drawn again, so that something else can be written. */
  clear(): void;
}

const redrawEveryMs = 120;
const lineEveryMs = 5_000;

/** The progress line of stderr. */
export function createProgress({ write, width, plain, clean, clock }: ProgressOptions): Progress {
  let drawn = false;
  let current: (() => string) | undefined;
  let last = '';

  const clear = (): void => {
    if (drawn) write('\r\x1b[K');
    drawn = false;
  };
  const draw = (): void => {
    if (current === undefined) return;
    // One cell less than the terminal has, so that the line never wraps.
    const text = cut(clean(current()), width - 1);
    if (text === '') {
      clear();
      return;
    }
    if (plain && text !== last) write(`${text}\n`);
    if (!plain) write(`\r${text}\x1b[K`);
    drawn = !plain;
    last = text;
  };
  return {
    clear,
    start(text) {
      current = text;
      // What is over at once needs no line; so the first one is drawn only after a pause.
      const stop = clock.every(plain ? lineEveryMs : redrawEveryMs, draw);
      return () => {
        stop();
        if (current !== text) return;
        current = undefined;
        clear();
      };
    },
  };
}
