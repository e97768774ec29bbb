/** The prompt of a full terminal for a list that is still being read, redrawn when a page comes in. */

import { createPrompt, isEnterKey, isTabKey, useKeypress, useState } from '@inquirer/core';
import type { ClockWithTimers } from '../../io.ts';
import type { Paint } from '../color.ts';
import type { ScreenPlace, SearchedList, SearchedRow, Span } from '../terminal.ts';
import { statusStyle, wrap } from '../text-lines.ts';
import { createChoiceColumns } from './choice-columns.ts';
import { noWayBack } from './keyboard.ts';
import { keep, type Line, stepsOf, useSearch } from './use-search.ts';

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
    const search = useSearch(list, { words: list.typed ?? '', active: 0 }, screen.clock, () => pageSize);
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
