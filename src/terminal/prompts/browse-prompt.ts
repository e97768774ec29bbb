/**
 * A list that fills the screen: arrows move, `/` searches, and every other key does something with the row under the cursor. It
 * follows the size of the terminal.
 */

import {
  createPrompt,
  isBackspaceKey,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  useEffect,
  useKeypress,
  useState,
} from '@inquirer/core';
import type { ClockWithTimers } from '../../io.ts';
import type { Paint } from '../color.ts';
import type { LeftScreen, ListScreen, ScreenKey, SearchedRow } from '../terminal.ts';
import { widthOf } from '../width.ts';
import { createChoiceColumns } from './choice-columns.ts';
import { beforeRow, type Context, rowLines, saidLine, wrapped } from './search-prompt.ts';
import { keep, stepsOf, useSearch } from './use-search.ts';

/** What the screen draws with. */
interface BrowseScreen {
  readonly paint: Paint;
  readonly clock: Pick<ClockWithTimers, 'after'>;
  /** The size of the terminal now. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls the listener when the size of the terminal changes; returns a function that ends this. */
  readonly onResize: (listener: () => void) => () => void;
}

// The question, the heading, an empty line before and after the pane, and the last line of the terminal, which stays empty.
const around = 5;
// Lines about the order under the cursor.
const paneLines = 5;
const lookedLines = 2;
const fewestRows = 3;

/** Shows the screen until a key leaves it. */
export function browsePrompt<T>(
  message: string,
  { list, keys, from }: ListScreen<T>,
  screen: BrowseScreen,
  context: Context,
): Promise<LeftScreen<T>> {
  let columns = createChoiceColumns(list, 0);
  let columnsFor = 0;
  const prompt = createPrompt<LeftScreen<T>, object>((_, done) => {
    const [mode, setMode] = useState<Mode>('keys');
    const size = screen.size();
    const room = size.columns - beforeRow;
    if (columnsFor !== room) columns = createChoiceColumns(list, room);
    columnsFor = room;
    const parts = { paint: screen.paint, room };
    const footOf = (words: string) => [
      ...filled(
        wrapped(mode === 'looking' ? `looking for ${words.trim()}` : list.looked(words), parts),
        lookedLines,
      ),
      ...wrapped(mode === 'typing' ? typingLine : keysLine(keys), parts).map((line) =>
        screen.paint(line, 'faint'),
      ),
    ];
    const rows = (words: string) =>
      Math.max(fewestRows, size.rows - around - paneLines - footOf(words).length);
    const search = useSearch(list, from, screen.clock, rows);
    const { words, active, said } = search;
    const [foot, pageSize] = [footOf(words), rows(words)];
    useEffect(() => screen.onResize(search.redraw), []);

    const press = (pressed: string): void => {
      const key = keys.find((one) => one.key === pressed);
      const value = list.row(words, active)?.value;
      const why = key === undefined ? `${pressed} does nothing here: ? lists the keys` : whyNot(key, value);
      if (key === undefined || why !== undefined) search.say(why);
      else if (key.stay !== undefined) search.say(key.stay(value));
      else leave(pressed, value);
    };
    const leave = (key: string, value: T | undefined): void => {
      setMode('left');
      done({ key, value, at: { words, active } });
    };
    const lookUp = async (found: Promise<SearchedRow<T> | string>): Promise<void> => {
      setMode('looking');
      const row = await found;
      if (typeof row === 'string') {
        setMode('keys');
        search.say(row);
      } else leave('enter', row.value);
    };
    const enter = (line: Parameters<typeof keep>[1]): void => {
      const offered = list.row(words, active) === undefined ? list.offered?.(words) : undefined;
      if (offered !== undefined) {
        keep(offered, line);
        search.setWords(offered);
        return;
      }
      const found = list.row(words, active) === undefined ? list.lookUp(words) : undefined;
      if (found !== undefined) void lookUp(found);
      else if (mode === 'typing') setMode('keys');
      else press('enter');
    };
    useKeypress((key, line) => {
      const typed = line.line.slice(words.length);
      const isTyping = mode === 'typing';
      const steps = isTyping && !isUpKey(key) && !isDownKey(key) ? 0 : stepsOf(key, pageSize);
      if (isTyping && !isEnterKey(key) && !isTabKey(key) && key.name !== 'escape' && steps === 0) {
        if (line.line === words) return;
        // A second line of words would push the rows off the screen.
        if (widthOf(headOf(message, { words: line.line, mode })) > room) return keep(words, line);
        return search.type(line.line);
      }
      // Puts the words back: Enter has emptied the line, and other keys have changed it.
      keep(words, line);
      if (mode === 'looking' || mode === 'left') return;
      if (isEnterKey(key)) enter(line);
      else if (steps !== 0) search.move(steps);
      else if (key.name === 'escape' || isBackspaceKey(key)) {
        const isBegun = mode === 'typing' && search.isBegun();
        if (key.name === 'escape' && mode !== 'help' && !isBegun) search.goBack(line);
        setMode('keys');
        search.say(undefined);
      } else if (key.ctrl || typed.length !== 1) return;
      else if (typed === '/') {
        search.begin();
        setMode('typing');
      } else if (typed === '?') setMode(mode === 'help' ? 'keys' : 'help');
      else if (typed === 'n') search.move(pageSize);
      else press(typed);
    });

    const { lines, under } = rowLines(list, { words, active }, { paint: screen.paint, pageSize }, columns);
    const pane = said === undefined ? (under?.details ?? []) : [saidLine(said)];
    const details = pane.flatMap((line) => wrapped(line, parts));
    const body =
      mode === 'help'
        ? filled(helpLines(keys), size.rows - 2)
        : [...filled(lines, pageSize + 1), ' ', ...filled(details, paneLines), ' ', ...foot];
    // More lines than the terminal has would push the heading off it.
    const head = headOf(message, { words, mode }).replace(/\[PRODUCTION\]/, (name) =>
      screen.paint(name, 'production'),
    );
    return [head, body.slice(0, Math.max(1, size.rows - 2)).join('\n')];
  });
  return prompt({}, context);
}

/** `left`: a key has left the screen. */
type Mode = 'keys' | 'typing' | 'help' | 'looking' | 'left';

// What is typed is at the end of its line, where the cursor is.
function headOf(message: string, { words, mode }: { readonly words: string; readonly mode: Mode }): string {
  return words === '' && mode !== 'typing' ? `? ${message}` : `? ${message} search: ${words}`;
}

function whyNot<T>({ isOfScreen, refusal }: ScreenKey<T>, value: T | undefined): string | undefined {
  if (value === undefined && isOfScreen !== true) return 'there is no order here';
  return refusal?.(value);
}

const ownKeys = [
  { key: 'n', words: 'next page' },
  { key: '/', words: 'search; Enter keeps it, Esc goes back to where you were' },
  { key: '?', words: 'these keys' },
] as const;

const typingLine = 'type words, arrows move, Enter keeps the search, Esc goes back';

function named(key: string): string {
  if (key === 'enter') return 'Enter';
  return key === ' ' ? 'Space' : key;
}

function keysLine(keys: readonly Pick<ScreenKey<unknown>, 'key' | 'words'>[]): string {
  const short = [...keys, ...ownKeys].map(({ key, words }) => `${named(key)} ${words.split(/[;,]/)[0]}`);
  return short.join(', ');
}

function helpLines(keys: readonly Pick<ScreenKey<unknown>, 'key' | 'words'>[]): readonly string[] {
  return [...keys, ...ownKeys].map(({ key, words }) => `  ${named(key).padEnd(7)}${words}`);
}

// Exactly this many lines, so that nothing below them moves.
function filled(lines: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => lines[index] ?? ' ');
}
