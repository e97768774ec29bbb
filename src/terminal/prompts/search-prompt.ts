/**
 * The prompt of a full terminal for a list that is still being read, redrawn when a page comes in; and how its rows are set in
 * columns.
 */

import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  useKeypress,
  useState,
} from '@inquirer/core';
import type { ClockWithTimers } from '../../io.ts';
import type { Paint } from '../color.ts';
import type { ScreenPlace, SearchedList, SearchedRow, Span } from '../terminal.ts';
import { cut, statusStyle, wrap } from '../text-lines.ts';
import { widthOf } from '../width.ts';
import { noWayBack } from './keyboard.ts';

/** What the prompt draws with. */
interface SearchScreen {
  readonly paint: Paint;
  /** Cells in a line, without the cursor before a row. */
  readonly room: number;
  /** Rows that are shown at once. */
  readonly pageSize: number;
  /** Lines that are shown under them. */
  readonly mostBelow: number;
  /** What is pasted, or undefined at a key that is pressed (`watchPastes`). */
  readonly pasted: () => string | undefined;
  readonly clock: Pick<ClockWithTimers, 'after'>;
}

export type Context = NonNullable<Parameters<ReturnType<typeof createPrompt>>[1]>;
type Line = Pick<Parameters<Parameters<typeof useKeypress>[0]>[1], 'line' | 'clearLine' | 'write'>;

const pauseMs = 150;
// The cells before a row: the cursor and a space.
export const beforeRow = 2;
const keysHelp = 'type to search, arrows to move, Enter to choose, Ctrl-C to stop';
const emptyHelp = 'Esc goes back. Type part of a name, an e-mail, a card, or an amount';

/** Asks for one row of a list. While it waits, it reads more of the list if too few rows contain the typed words. */
export function searchPrompt<T>(
  message: string,
  list: SearchedList<T>,
  screen: SearchScreen,
  context: Context,
): Promise<T> {
  const { paint, pageSize } = screen;
  const columns = createChoiceColumns(list, screen.room);
  const prompt = createPrompt<T, object>((_, done) => {
    const search = useSearch(list, { words: list.typed ?? '', active: 0 }, screen, () => pageSize);
    const { words, active, said } = search;
    // Whether the last key was one of the words.
    const [isTyping, setTyping] = useState(false);
    const [chosen, setChosen] = useState<SearchedRow<T>>();
    // Whether an id is being looked up.
    const [looking, setLooking] = useState(false);

    const choose = (row: SearchedRow<T>): void => {
      if (row.refusal !== undefined) search.say(row.refusal);
      else {
        setChosen(row);
        done(row.value);
      }
    };
    const lookUp = async (found: Promise<SearchedRow<T> | string>): Promise<void> => {
      setLooking(true);
      search.say(undefined);
      const row = await found;
      setLooking(false);
      if (typeof row !== 'string') choose(row);
      else {
        search.say(row);
        void list.want(words, active + pageSize);
      }
    };
    const enter = (line: Line): void => {
      const row = list.row(words, active);
      const offered = row === undefined ? list.offered?.(words) : undefined;
      if (offered !== undefined) {
        search.begin();
        keep(offered, line);
        search.setWords(offered);
        setTyping(false);
        return;
      }
      const found = row === undefined ? list.lookUp(words) : undefined;
      if (row !== undefined) choose(row);
      else if (found !== undefined) void lookUp(found);
      else search.readOn();
    };
    const searchFor = (typed: string): void => {
      if (typed === words) return;
      if (!isTyping) search.begin();
      setTyping(true);
      search.type(typed);
    };
    useKeypress((key, line) => {
      if (looking || chosen !== undefined) return keep(words, line);
      const steps = stepsOf(key, pageSize);
      const pasted = screen.pasted();
      if (pasted !== undefined) {
        const text = pasted === '' ? words : list.wordsOf(words + pasted);
        keep(text, line);
        searchFor(text);
      } else if (key.name === 'escape') {
        setTyping(false);
        search.say(search.goBack(line) === words ? noWayBack : undefined);
      } else if (isEnterKey(key)) {
        // Puts the words back, because Enter has emptied the line.
        line.write(words);
        enter(line);
      } else if (steps !== 0) {
        keep(words, line);
        setTyping(false);
        search.move(steps);
      } else if (isTabKey(key)) keep(words, line);
      else searchFor(line.line);
    });

    if (chosen !== undefined) return `? ${message} ${paint(chosen.answer, 'strong')}`;
    return [
      `? ${message} ${paint(words, 'strong')}`.trimEnd(),
      bodyOf(list, { words, active, said, looking }, screen, columns),
    ];
  });
  return prompt({}, context);
}

/** What is shown under the question. */
interface Shown extends ScreenPlace {
  readonly looking: boolean;
}

// The rows, what is known about the one under the cursor, and how far the list was searched.
function bodyOf<T>(
  list: SearchedList<T>,
  { words, active, said, looking }: Shown,
  screen: SearchScreen,
  columns: ReturnType<typeof createChoiceColumns>,
): string {
  const { lines, under } = rowLines(list, { words, active }, screen, columns);
  const below: readonly Span[] = [
    ...(said === undefined ? (under?.details ?? []) : [saidLine(said)]),
    looking ? `looking for ${words.trim()}` : list.looked(words),
    { text: words !== '' && under === undefined ? emptyHelp : keysHelp, style: 'faint' },
  ];
  const told = below.flatMap((line) => wrapped(line, screen)).slice(0, screen.mostBelow);
  return [...lines, ' ', ...told].join('\n');
}

/** What was wrong with the last key. */
export function saidLine(said: string): Span {
  return { text: `> ${said}`, style: 'bad' };
}

/** The lines of the rows around the cursor, with their heading, and the row under it. */
export function rowLines<T>(
  list: SearchedList<T>,
  { words, active }: Pick<Shown, 'words' | 'active'>,
  { paint, pageSize }: Pick<SearchScreen, 'paint' | 'pageSize'>,
  columns: ReturnType<typeof createChoiceColumns>,
): { readonly lines: readonly string[]; readonly under: SearchedRow<T> | undefined } {
  const count = list.count(words);
  const first = Math.max(0, Math.min(active - Math.floor(pageSize / 2), count - pageSize));
  const rows = Array.from({ length: pageSize }, (_, index) => list.row(words, first + index)).filter(
    (row) => row !== undefined,
  );
  const { heading, lines } = columns(
    rows.map(({ cells }) => cells),
    (text, row, column) => accented(text, rows[row], column, paint),
  );
  return {
    lines:
      rows.length === 0
        ? []
        : [
            paint(`  ${heading}`, 'faint'),
            ...rows.map((row, index) => drawn(row, lines[index] ?? '', first + index === active, paint)),
          ],
    under: rows[active - first],
  };
}

function accented(text: string, row: SearchedRow<unknown> | undefined, column: number, paint: Paint): string {
  if (row?.accent?.at !== column || row.refusal !== undefined) return text;
  const { by } = row.accent;
  const style = typeof by === 'string' ? by : statusStyle(by.status);
  const word = text.trimEnd();
  return style === undefined ? text : paint(word, style) + text.slice(word.length);
}

function drawn(row: SearchedRow<unknown>, line: string, isActive: boolean, paint: Paint): string {
  const text = `${isActive ? '>' : ' '}${row.isMarked === true ? '*' : ' '}${line}`;
  if (isActive) return paint(text, 'strong');
  return row.refusal === undefined ? text : paint(text, 'faint');
}

/** A line, wrapped into as many as it needs. */
export function wrapped(
  line: Span,
  { paint, room }: Pick<SearchScreen, 'paint' | 'room'>,
): readonly string[] {
  const piece = typeof line === 'string' ? { text: line, style: undefined } : line;
  return wrap([piece], 0, { paint, width: room + beforeRow }, beforeRow);
}

// Where a search begins that nobody has typed yet.
const start: ScreenPlace = { words: '', active: 0 };

/**
 * A search of a list while it is shown: its words, the row under the cursor, what was wrong with the last key, and where Esc leads
 * to. It reads more of the list when it is needed, and draws again when a page comes in. `rows`: how many are shown at once.
 */
export function useSearch(
  list: SearchedList<unknown>,
  from: ScreenPlace,
  { clock }: Pick<SearchScreen, 'clock'>,
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

/** Lines of one width: a heading, and one line for each row. */
interface ChoiceLines {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Paints a cell of a row; the heading has the row -1. */
type PaintCell = (text: string, row: number, column: number) => string;

const asItIs: PaintCell = (text) => text;

const space = 2;
// A column that may be cut keeps at least this many cells.
const narrowest = 6;

/**
 * Returns the function that draws rows for a width. Its columns only grow from one drawing to the next; a column that has
 * been empty so far is left out.
 */
export function createChoiceColumns(
  { titles, right, shrink, least = {} }: Pick<SearchedList<unknown>, 'titles' | 'right' | 'shrink' | 'least'>,
  room: number,
): (rows: readonly (readonly string[])[], paintCell?: PaintCell) => ChoiceLines {
  const widest = titles.map(() => 0);
  return (rows, paintCell = asItIs) => {
    for (const row of rows)
      for (const [index, cell] of row.entries())
        if (cell !== '')
          widest[index] = Math.max(widest[index] ?? 0, widthOf(cell), widthOf(titles[index] ?? ''));
    const widths = fittingWidths(widest, { shrink, least }, room);
    const line = (cells: readonly string[], row: number): string => {
      const shown = cells.flatMap((cell, index) => {
        const width = widths[index] ?? 0;
        return width === 0 ? [] : [{ index, text: fill(cell, width, right.includes(index)) }];
      });
      const between = ' '.repeat(space);
      const plain = shown
        .map(({ text }) => text)
        .join(between)
        .trimEnd();
      if (widthOf(plain) > room) return cut(plain, room);
      return shown
        .map(({ text, index }) => paintCell(text, row, index))
        .join(between)
        .trimEnd();
    };
    return { heading: line(titles, -1), lines: rows.map(line) };
  };
}

// Takes one cell at a time from the widest of the columns that may be cut.
function fittingWidths(
  widest: readonly number[],
  { shrink, least = {} }: Pick<SearchedList<unknown>, 'shrink' | 'least'>,
  room: number,
): readonly number[] {
  const widths = [...widest];
  const shown = widths.filter((width) => width > 0);
  let over = shown.reduce((sum, width) => sum + width + space, -space) - room;
  while (over > 0) {
    const shrinking = shrink.filter((index) => (widths[index] ?? 0) > (least[index] ?? narrowest));
    if (shrinking.length === 0) break;
    const index = shrinking.reduce((one, other) => ((widths[other] ?? 0) > (widths[one] ?? 0) ? other : one));
    widths[index] = (widths[index] ?? 0) - 1;
    over -= 1;
  }
  // If the last column had so few cells left that they would say nothing, it is left out.
  const last = widths.findLastIndex((width) => width > 0);
  const isCutAway = over > 0 && last > 0 && (widths[last] ?? 0) - over < narrowest;
  return isCutAway ? fittingWidths(widest.with(last, 0), { shrink, least }, room) : widths;
}

function fill(cell: string, width: number, toTheRight: boolean): string {
  const text = cut(cell, width);
  const rest = ' '.repeat(Math.max(0, width - widthOf(text)));
  return toTheRight ? rest + text : text + rest;
}
