/** Asks a person on stderr: decides whether anybody can be asked and with which kind of prompt, and ends questions. */

import { CliError } from '../../errors.ts';
import { loadPaint } from '../color.ts';
import type { NotesOptions } from '../notes.ts';
import { screenClean } from '../streams.ts';
import type {
  Ask,
  Choice,
  LeftScreen,
  ListScreen,
  Question,
  ScreenKey,
  SearchedList,
  SearchedRow,
} from '../terminal.ts';
import { back, certain, endOfInput, GoBack, type Keyboard, noWayBack, takeTypeAhead } from './keyboard.ts';

/** What is needed to ask. */
interface AskOptions extends Pick<NotesOptions, 'stderr' | 'accessible' | 'color' | 'secrets' | 'clock'> {
  readonly stdin: Keyboard;
  /** --no-input, PAYDESK_NO_INPUT or CI. */
  readonly noInput: boolean;
  /** Called with every key that is typed. */
  readonly learnKey: (key: string) => void;
  /** Ends a question. If the reason is a CliError, the question throws it. */
  readonly signal: AbortSignal;
  /** Called when a person goes back from a question that has none before it. Undefined: there is nothing to go back to. */
  readonly onLeft: (() => void) | undefined;
  /** Shows the notes that the question is about. */
  readonly beforeQuestion: () => Promise<void>;
  /** Writes to stderr at once. */
  readonly write: (text: string) => void;
}

// Texts of a choice are cut here, because a label of a megabyte would hide the other choices.
const longest = 300;

/** The texts of a choice. Prompts need nothing else from it. */
export interface Labelled {
  readonly label: string;
  readonly tail: string | undefined;
  readonly detail: string | undefined;
  /** Why it cannot be chosen. */
  readonly refusal: string | undefined;
}

/** Returns what is wrong with an answer, or undefined. */
export type Check = (text: string) => string | undefined;

/** A kind of prompt. Every question ends when its signal aborts. A message may have a first line that says what it is about. */
export interface Prompts {
  /** Enter alone answers `before`, if there is one. */
  text(
    message: string,
    check: Check,
    signal: AbortSignal,
    how: {
      readonly canGoBack: boolean;
      readonly before?: string | undefined;
      /** The message as it is true now: after a refused answer, Enter alone may mean nothing any more. */
      readonly shown: (message: string) => string;
    },
  ): Promise<string>;
  secret(message: string, check: Check, signal: AbortSignal): Promise<string>;
  /** Returns the index of the choice. `before`: the one that was made before, or -1; `hasTyped`: text that no list asks for. */
  choose(
    message: string,
    choices: readonly Labelled[],
    signal: AbortSignal,
    how: { readonly canGoBack: boolean; readonly before: number; readonly hasTyped: boolean },
  ): Promise<number>;
  search<T>(message: string, list: SearchedList<T>, signal: AbortSignal): Promise<T>;
  browse<T>(message: string, screen: ListScreen<T>, signal: AbortSignal): Promise<LeftScreen<T>>;
  confirm(message: string, signal: AbortSignal, how: { readonly canGoBack: boolean }): Promise<boolean>;
}

/** The questions of one run. Prompts are loaded with the first question. */
export function createAsk(options: AskOptions): Ask {
  const { stderr, noInput } = options;
  // stdin is looked at last, because looking at it opens it.
  const interactive = () => stderr.isTTY && !noInput && options.stdin.isTTY === true;
  const clean = screenClean(options.secrets);

  const put = async <T>(
    { message, flag, about, canGoBack }: Question,
    ask: (prompts: Prompts, message: string, signal: AbortSignal, early: string) => Promise<T>,
    backKeys?: BackKeys,
    noBack = noWayBack,
  ): Promise<T> => {
    if (!interactive())
      throw new CliError('usage', `missing ${flag}`, {
        now: [`give ${flag}, or run it on a terminal without --no-input to be asked`],
      });
    const prompts = await loadPrompts(options);
    await options.beforeQuestion();
    const lines = [...(about === undefined ? [] : [about]), message].map(clean).join('\n');
    for (;;) {
      try {
        return await question(options, backKeys, (...run) => ask(prompts, lines, ...run));
      } catch (error) {
        if (!(error instanceof GoBack) || canGoBack === true) throw error;
        if (options.onLeft !== undefined) {
          options.onLeft();
          throw new CliError('cancelled', 'gone back', { certain });
        }
        options.write(`${noBack}\n`);
      }
    }
  };
  // A pasted line is one piece, and the screen takes its first letters as keys. The Enter after it answers no list.
  let pasted = false;
  const seePaste = (piece: unknown): void => {
    pasted = /^\P{Cc}{2}/u.test(String(piece));
  };
  const takePasted = (): boolean => {
    const was = pasted;
    pasted = false;
    return was;
  };
  const hasWayBack = ({ canGoBack }: Question): boolean => canGoBack === true || options.onLeft !== undefined;

  return {
    get interactive() {
      return interactive();
    },
    async text(question) {
      let wasRefused = false;
      const problemOf: Check = (text) => {
        if (text.trim() === back) return hasWayBack(question) ? undefined : noWayBack;
        if (options.secrets.holds(text))
          return 'this contains a key: type a key only where paydesk asks for one';
        if (text.trim() !== '') return question.check?.(text.trim());
        if (wasRefused && question.enterAfterError !== undefined) return question.enterAfterError;
        return question.optional ? undefined : 'a value is needed';
      };
      const shown = (asked: string): string =>
        wasRefused && question.enterAfterError !== undefined ? asked.replace('(Enter: ', '(') : asked;
      const check: Check = (text) => {
        const problem = problemOf(text);
        wasRefused ||= problem !== undefined;
        return problem;
      };
      const typed = await put(
        question,
        async (prompts, message, signal) => {
          const how = { canGoBack: hasWayBack(question), before: question.before, shown };
          const text = (await prompts.text(message, check, signal, how)).trim();
          if (text === back) throw new GoBack();
          return text;
        },
        'Esc',
      );
      return typed;
    },
    async secret(question) {
      const check: Check = (text) => (text === '' ? 'a value is needed' : question.check?.(text));
      const key = await put(
        question,
        (prompts, message, signal) => prompts.secret(message, check, signal),
        'Esc',
      );
      options.learnKey(key);
      return key;
    },
    choose: (question) =>
      put(
        question,
        async (prompts, message, signal, early) =>
          chosen(
            question.choices,
            await prompts.choose(message, labels(question.choices, clean), signal, {
              hasTyped: early !== '' || takePasted(),
              canGoBack: hasWayBack(question),
              before: question.choices.findIndex(({ value }) => question.before?.(value)),
            }),
          ),
        hasWayBack(question) ? undefined : 'Esc or <',
      ),
    search: ({ list, ...question }) =>
      put(question, (prompts, message, signal, early) =>
        // What was typed while the orders were being read becomes the search, and chooses no order.
        prompts.search(
          message,
          cleanList({ ...list, typed: list.typed ?? list.wordsOf(early) }, clean),
          signal,
        ),
      ),
    browse: ({ list, keys, from, ...question }) =>
      put(question, (prompts, message, signal) => {
        options.stdin.on('data', seePaste);
        const screen = { list: cleanList(list, clean), keys: cleanKeys(keys, clean), from };
        return prompts.browse(message, screen, signal).finally(() => options.stdin.off('data', seePaste));
      }),
    confirm: (question) =>
      put(
        question,
        (prompts, message, signal) => prompts.confirm(message, signal, { canGoBack: hasWayBack(question) }),
        'Esc or <',
        noWayBack.replace(';', '; n or Enter is No,'),
      ),
  };
}

async function loadPrompts({ stdin, stderr, accessible, color, write, clock }: AskOptions): Promise<Prompts> {
  if (accessible) return (await import('./line-prompts.ts')).createLinePrompts(stdin, write, clock);
  const { createPrompts } = await import('./prompts.ts');
  return createPrompts(stdin, stderr, await loadPaint(color), clock);
}

// The keys that go back at once. In a text, `<` is an answer that ends with Enter. A list has its own keys.
type BackKeys = 'Esc' | 'Esc or <';

// Asks one question. Keys typed before it never answer it, and the terminal is restored whatever happens.
async function question<T>(
  { stdin, signal, accessible, clock }: AskOptions,
  backKeys: BackKeys | undefined,
  ask: (signal: AbortSignal, early: string) => Promise<T>,
): Promise<T> {
  throwIfOver(signal);
  const ended = endOfInput(stdin);
  const goneBack = new AbortController();
  const onKey = (text: unknown, key: { readonly name?: string } | undefined): void => {
    if (key?.name === 'escape' || (backKeys === 'Esc or <' && text === back)) goneBack.abort(new GoBack());
  };
  if (backKeys !== undefined) stdin.on('keypress', onKey);
  try {
    const early = await takeTypeAhead(stdin, clock);
    // With line prompts the terminal itself does editing, echo and Ctrl-C. It has to start before the question is shown.
    if (accessible) stdin.setRawMode(false);
    return await ask(AbortSignal.any([signal, ended.signal, goneBack.signal]), accessible ? '' : early);
  } catch (error) {
    throwIfOver(signal);
    throwIfOver(ended.signal);
    throw goneBack.signal.aborted ? new GoBack() : error;
  } finally {
    ended.stop();
    stdin.off('keypress', onKey);
    stdin.setRawMode(false);
    stdin.pause();
  }
}

function throwIfOver(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw signal.reason instanceof CliError
    ? signal.reason
    : new CliError('interrupted', 'stopped at a question', { cause: signal.reason });
}

// Masked first, then cut: part of a key would not be recognised.
function shortened(text: string, clean: (text: string) => string): string {
  return clean(text).slice(0, longest);
}

function labels<T>(choices: readonly Choice<T>[], clean: (text: string) => string): readonly Labelled[] {
  const short = (text: string): string => shortened(text, clean);
  return choices.map(({ label, tail, detail, refusal }) => ({
    label: short(label),
    refusal: refusal === undefined ? undefined : short(refusal),
    tail: tail === undefined ? undefined : short(tail),
    detail: detail === undefined ? undefined : short(detail),
  }));
}

function cleanList<T>(list: SearchedList<T>, clean: (text: string) => string): SearchedList<T> {
  const short = (text: string): string => shortened(text, clean);
  const cleanRow = (row: SearchedRow<T>): SearchedRow<T> => ({
    ...row,
    cells: row.cells.map(short),
    details: row.details.map((line) =>
      typeof line === 'string' ? short(line) : { ...line, text: short(line.text) },
    ),
    answer: short(row.answer),
    ...(row.refusal === undefined ? {} : { refusal: short(row.refusal) }),
  });
  return {
    ...list,
    row(words, index) {
      const row = list.row(words, index);
      return row === undefined ? undefined : cleanRow(row);
    },
    looked: (words) => short(list.looked(words)),
    lookUp(words) {
      const looking = list.lookUp(words);
      return looking?.then((found) => (typeof found === 'string' ? short(found) : cleanRow(found)));
    },
  };
}

function cleanKeys<T>(
  keys: readonly ScreenKey<T>[],
  clean: (text: string) => string,
): readonly ScreenKey<T>[] {
  return keys.map(({ refusal, stay, ...key }) => ({
    ...key,
    refusal(value) {
      const why = refusal?.(value);
      return why === undefined ? undefined : shortened(why, clean);
    },
    ...(stay === undefined ? {} : { stay: (value) => shortened(stay(value), clean) }),
  }));
}

function chosen<T>(choices: readonly Choice<T>[], index: number): T {
  const choice = choices[index];
  if (choice === undefined) throw new CliError('internal', `choice ${index} of ${choices.length}`);
  return choice.value;
}
