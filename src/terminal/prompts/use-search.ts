/** A search of a list, and what keys do to it: the prompt of a list and `orders browse` have it in common. */

import {
  isDownKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  type useKeypress,
  useState,
} from '@inquirer/core';
import type { ClockWithTimers } from '../../io.ts';
import type { ScreenPlace, SearchedList } from '../terminal.ts';

export type Line = Pick<Parameters<Parameters<typeof useKeypress>[0]>[1], 'line' | 'clearLine' | 'write'>;

const pauseMs = 150;

// Where a search begins that nobody has typed yet.
const start: ScreenPlace = { words: '', active: 0 };

/**
 * A search of a list while it is shown: its words, the row under the cursor, what was wrong with the last key, and where Esc leads
 * to. It reads more of the list when it is needed, and draws again when a page comes in. `rows`: how many are shown at once.
 */
export function useSearch(
  list: SearchedList<unknown>,
  from: ScreenPlace,
  clock: Pick<ClockWithTimers, 'after'>,
  rows: (words: string) => number,
) {
  const [words, setWords] = useState(from.words);
  const [active, setActive] = useState(from.active);
  const [before, setBefore] = useState(start);
  const [said, say] = useState(from.said);
  const [, setDrawn] = useState(0);
  const redraw = (): void => setDrawn((drawn) => drawn + 1);
  const wanted = active + rows(words);
  useEffect((line) => line.write(from.words), []);
  useEffect(() => list.watch(redraw), []);
  // A page is asked for when the typing pauses, not for every letter.
  useEffect(
    () => clock.after(words === '' ? 0 : pauseMs, () => void list.want(words, wanted)),
    [words, active],
  );
  const readOn = (): void => void list.want(words, wanted, true);
  return {
    words,
    active,
    said,
    say,
    setWords,
    redraw,
    /** Reads on although no row was found so far. */
    readOn,
    /** A search begins here, and Esc leads back to it. */
    begin: () => setBefore({ words, active }),
    isBegun: () => words === before.words,
    type(typed: string): void {
      setWords(typed);
      setActive(0);
      say(undefined);
    },
    move(by: number): void {
      say(undefined);
      const count = list.count(words);
      if (active + by >= count) readOn();
      setActive(Math.max(0, Math.min(count - 1, active + by)));
    },
    /** Goes back to where the search began that ends here, and from there to the list without a search. Returns its words. */
    goBack(line: Line): string {
      const place = before.words !== words ? before : words === '' ? { words, active } : start;
      keep(place.words, line);
      setWords(place.words);
      setActive(place.active);
      setBefore(start);
      return place.words;
    },
  };
}

/** How far a key moves the cursor. */
export function stepsOf(key: KeypressEvent, pageSize: number): number {
  if (isDownKey(key)) return 1;
  if (isUpKey(key)) return -1;
  if (key.name === 'pagedown') return pageSize;
  return key.name === 'pageup' ? -pageSize : 0;
}

/** Restores what was typed before the key. */
export function keep(words: string, line: Line): void {
  line.clearLine(0);
  line.write(words);
}
