/** Prompts as plain lines, for screen readers and TERM=dumb: a question, numbered choices, one line of answer. */

import { createInterface } from 'node:readline';
import { CliError } from '../../errors.ts';
import type { ClockWithTimers } from '../../io.ts';
import type { LeftScreen, ListScreen, ScreenKey, SearchedList, SearchedRow } from '../terminal.ts';
import type { Check, Labelled, Prompts } from './ask.ts';
import {
  back,
  ctrlC,
  ctrlD,
  endOfAnswers,
  GoBack,
  interrupted,
  type Keyboard,
  neitherYesNorNo,
  yesOrNo,
} from './keyboard.ts';

// A long search says now and then how far it has got.
const tellEveryMs = 5_000;
// A screen reader should not read more rows than this at once. Typed words narrow them.
const listed = 20;

/** Prompts that write lines and read lines. */
export function createLinePrompts(
  stdin: Keyboard,
  write: (text: string) => void,
  clock: Pick<ClockWithTimers, 'every'>,
): Prompts {
  const read = (prompt: string, signal: AbortSignal): Promise<string> => {
    write(prompt);
    return readLine(stdin, signal, write);
  };
  return {
    text(message, check, signal, { before, canGoBack, shown }) {
      const enter = before === undefined ? '' : `(Enter: ${before}) `;
      const readText = async (): Promise<string> => {
        const text = await read(`${shown(message)} ${enter}${canGoBack ? goesBack : ''}`, signal);
        return text.trim() === '' ? (before ?? text) : text;
      };
      return untilFine(readText, check, write);
    },
    secret(message, check, signal) {
      // Raw mode lasts until the question is over, because nothing that is typed may be shown between two tries either.
      stdin.setRawMode(true);
      const readSecret = (): Promise<string> => {
        write(`${message} (nothing is shown while you type) `);
        return readHidden(stdin, signal, write);
      };
      return untilFine(readSecret, check, write);
    },
    choose: (message, choices, signal, { canGoBack }) =>
      choose(message, choices, { canGoBack, write, read: (prompt) => read(prompt, signal) }),
    async search(message, list, signal) {
      const row = await narrow(message, list, (prompt) => read(prompt, signal), { write, clock });
      return row.value;
    },
    browse: (message, screen, signal) =>
      browse(message, screen, (prompt) => read(prompt, signal), { write, clock }),
    confirm: (message, signal, { canGoBack }) =>
      confirm(message, { canGoBack, write, read: (prompt) => read(prompt, signal) }),
  };
}

interface Telling {
  readonly write: Write;
  readonly clock: Pick<ClockWithTimers, 'every'>;
}

type Read = (prompt: string) => Promise<string>;
type Write = (text: string) => void;

async function untilFine(read: () => Promise<string>, check: Check, write: Write): Promise<string> {
  for (;;) {
    const text = await read();
    const wrong = check(text);
    if (wrong === undefined) return text;
    write(`${wrong}\n`);
  }
}

const goesBack = `(${back} goes back) `;

/** How a question reads its answer, and whether it has a way back. */
interface Asked {
  readonly read: Read;
  readonly write: Write;
  readonly canGoBack: boolean;
}

async function confirm(message: string, { read, write, canGoBack }: Asked): Promise<boolean> {
  for (;;) {
    const typed = await read(`${message} (y/N) ${canGoBack ? goesBack : ''}`);
    if (typed.trim() === back) throw new GoBack();
    const answer = yesOrNo(typed);
    if (answer !== undefined) return answer;
    write(`${neitherYesNorNo}\n`);
  }
}

async function choose(
  message: string,
  choices: readonly Labelled[],
  { read, write, canGoBack }: Asked,
): Promise<number> {
  write(`${message}\n${numbered(choices)}`);
  for (;;) {
    const answer = await read(
      `type a number, 1 to ${choices.length}${canGoBack ? ', or < to go back' : ''}: `,
    );
    if (answer.trim() === back) throw new GoBack();
    const index = numberIn(answer, choices.length);
    const refusal = choices[index ?? -1]?.refusal;
    if (index !== undefined && refusal === undefined) return index;
    write(`${refusal === undefined ? '' : `${refusal}; `}type a number from 1 to ${choices.length}\n`);
  }
}

// What may be typed besides a number and words. `find` returns the answer; a text is shown and the list goes on; undefined: it was
// not meant for this.
interface Typed<R> {
  readonly hint: string;
  find(answer: string): R | string | undefined;
}
const nothingElse: Typed<never> = { hint: 'or Enter for more', find: () => undefined };

async function narrow<T, R = never>(
  message: string,
  list: SearchedList<T>,
  read: Read,
  { write, clock }: Telling,
  typed: Typed<R> = nothingElse,
): Promise<SearchedRow<T> | R> {
  let words = list.typed ?? '';
  let first = 0;
  let goesOn = false;
  write(`${message}\n`);
  for (;;) {
    const stop = clock.every(tellEveryMs, () => write(`${list.looked(words)}\n`));
    await list.want(words, first + listed, goesOn).finally(stop);
    const rows = Array.from({ length: listed }, (_, index) => list.row(words, first + index)).filter(
      (row) => row !== undefined,
    );
    write(`${rowLines(rows)}${list.looked(words)}\n`);
    const answer = (await read(`type a number, words to search, ${typed.hint}: `)).trim();
    const numberedRow = rows[numberIn(answer, rows.length) ?? -1];
    const found = numberedRow ?? typed.find(answer) ?? (await lookedUp(list, answer));
    if (found === undefined) {
      const offered = answer === '' && rows.length === 0 && first === 0 ? list.offered?.(words) : undefined;
      goesOn = answer === '' && offered === undefined;
      first = goesOn ? first + rows.length : 0;
      words = offered ?? (goesOn ? words : answer);
    } else if (typeof found === 'string') write(`${found}\n`);
    else if (isRow<T>(found) && found.refusal !== undefined) write(`${found.refusal}\n`);
    else return found;
  }
}

function isRow<T>(found: unknown): found is SearchedRow<T> {
  return typeof found === 'object' && found !== null && 'cells' in found;
}

// First an order, then what to do with it; the keys of the whole screen work instead of an order. What a full terminal shows below
// its rows is printed as a line.
async function browse<T>(
  message: string,
  { list, keys, from }: ListScreen<T>,
  read: Read,
  telling: Telling,
): Promise<LeftScreen<T>> {
  const { write } = telling;
  const at = { words: from.words, active: 0 };
  if (from.said !== undefined) write(`${from.said}\n`);
  for (;;) {
    const found = await narrow(message, { ...list, typed: from.words }, read, telling, screenKeys(keys));
    if (!isRow<T>(found)) return { key: found.key, value: undefined, at };
    try {
      for (;;) {
        const choices = keys.map(({ words, refusal }) => ({
          label: words,
          tail: undefined,
          detail: undefined,
          refusal: refusal?.(found.value),
        }));
        const key = keys[await choose(found.answer, choices, { read, write, canGoBack: true })];
        if (key?.stay === undefined) return { key: key?.key ?? '', value: found.value, at };
        write(`${key.stay(found.value)}\n`);
      }
    } catch (error) {
      if (!(error instanceof GoBack)) throw error;
    }
  }
}

function screenKeys<T>(keys: readonly ScreenKey<T>[]): Typed<ScreenKey<T>> {
  const ofScreen = keys.filter(({ isOfScreen }) => isOfScreen === true);
  const all = [{ key: 'a number', words: 'an order, and what to do with it' }, ...ofScreen];
  return {
    hint: 'Enter for more, q to leave, ? for the keys',
    find(answer) {
      if (answer === '?') return all.map(({ key, words }) => `  ${key}: ${words}`).join('\n');
      const found = ofScreen.find(({ key }) => key === answer);
      return found?.refusal?.(undefined) ?? found;
    },
  };
}

// Looks up an id that none of the rows read so far has.
async function lookedUp<T>(
  list: SearchedList<T>,
  words: string,
): Promise<SearchedRow<T> | string | undefined> {
  return list.count(words) > 0 ? undefined : await list.lookUp(words);
}

// The rows without columns, because a screen reader reads spaces too.
function rowLines(rows: readonly SearchedRow<unknown>[]): string {
  return rows
    .map(({ cells, details }, index) => {
      const lines = details.map((line) => `     ${typeof line === 'string' ? line : line.text}\n`);
      return `  ${index + 1}  ${cells.filter((cell) => cell !== '').join('  ')}\n${lines.join('')}`;
    })
    .join('');
}

function numbered(choices: readonly Labelled[]): string {
  return choices
    .map(({ label, tail, detail, refusal }, index) => {
      const after = `${detail === undefined ? '' : `, ${detail}`}${refusal === undefined ? '' : `: ${refusal}`}`;
      return `  ${index + 1}  ${label}${tail === undefined ? '' : `  ${tail}`}${after}\n`;
    })
    .join('');
}

function numberIn(text: string, count: number): number | undefined {
  const trimmed = text.trim();
  const number = /^\d{1,6}$/.test(trimmed) ? Number(trimmed) : 0;
  return number >= 1 && number <= count ? number - 1 : undefined;
}

function readLine(stdin: Keyboard, signal: AbortSignal, write: Write): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdin, terminal: false });
    let answered = false;
    const abort = (): void => lines.close();
    signal.addEventListener('abort', abort, { once: true });
    lines.once('line', (line) => {
      answered = true;
      resolve(line);
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', abort);
      if (answered) return;
      // The next text must start on a new line.
      write('\n');
      reject(endOfAnswers());
    });
  });
}

// Reads a line without showing it. The terminal edits nothing in raw mode, so the few keys that matter are handled here.
function readHidden(stdin: Keyboard, signal: AbortSignal, write: Write): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed = '';
    const finish = (settle: () => void): void => {
      stdin.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      stdin.pause();
      write('\n');
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal.reason));
    const onData = (data: unknown): void => {
      for (const key of String(data)) {
        const end = endOf(key);
        if (end === undefined) {
          typed = afterKey(typed, key);
          continue;
        }
        finish(() => (end instanceof CliError ? reject(end) : resolve(typed)));
        return;
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.on('data', onData);
    stdin.resume();
  });
}

// Whether a key ends the input: with an answer, or with an error.
function endOf(key: string): 'answer' | CliError | undefined {
  if (key === '\r' || key === '\n') return 'answer';
  if (key === ctrlC) return interrupted();
  return key === ctrlD ? endOfAnswers() : undefined;
}

function afterKey(typed: string, key: string): string {
  if (key === '\u007f' || key === '\b') return typed.slice(0, -1);
  // Ctrl-U empties the line. Other control keys are not text.
  if (key === '\u0015') return '';
  return key < ' ' ? typed : typed + key;
}
