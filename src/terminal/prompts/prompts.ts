/** Prompts that are redrawn on a terminal: those of @inquirer, with better defaults. */

import { createPrompt, isEnterKey, isTabKey, useKeypress, usePagination, useState } from '@inquirer/core';
import { input } from '@inquirer/prompts';
import type { ClockWithTimers } from '../../io.ts';
import type { Paint } from '../color.ts';
import { type StreamFacts, widthOfTerminal } from '../streams.ts';
import { cut, wrap } from '../text-lines.ts';
import { widthOf } from '../width.ts';
import type { Check, Labelled, Prompts } from './ask.ts';
import { browsePrompt } from './browse-prompt.ts';
import {
  back,
  GoBack,
  interrupted,
  type Keyboard,
  neitherYesNorNo,
  watchPastes,
  yesOrNo,
} from './keyboard.ts';
import { type Context, searchPrompt } from './search-prompt.ts';
import { keep, stepsOf } from './use-search.ts';

const pageSize = 10;
// The cursor and a space come before a choice.
const beforeChoice = 2;

/** Prompts for a terminal that can redraw. */
export function createPrompts(
  stdin: Keyboard,
  stderr: StreamFacts,
  paint: Paint,
  clock: Pick<ClockWithTimers, 'after'>,
): Prompts {
  const width = widthOfTerminal(stderr) ?? Number.POSITIVE_INFINITY;
  const room = width - beforeChoice;
  const themeOf = (message: string) => themeFor(message, paint, width);
  const context = (signal: AbortSignal) => ({ input: stdin, output: stderr.stream, signal });
  const themeOfText = (message: string) => {
    const { style, ...theme } = themeOf(message);
    const defaultAnswer = (text: string): string => `(Enter: ${cut(text, longestBefore)})`;
    return { ...theme, ...emptiesRefused, style: { ...style, defaultAnswer } };
  };
  return {
    text(message, check, signal, { before, canGoBack, shown }) {
      const { style, ...more } = themeOfText(message);
      const theme = { ...more, style: { ...style, message: () => shown(style.message()) } };
      const hint = canGoBack ? theme.hint(before === undefined ? 0 : longestBefore) : '';
      const transformer = (text: string, { isFinal }: { readonly isFinal: boolean }): string => {
        if (isFinal) return theme.style.answer(text);
        return text === '' ? hint : text;
      };
      return ended(
        input({ message, theme, transformer, validate: asValidate(check), default: before }, context(signal)),
      );
    },
    secret: (message, check, signal) =>
      ended(
        // The prompt for passwords of @inquirer keeps a refused answer, and the next one is added to it.
        input(
          {
            message,
            theme: themeOfText(message),
            transformer: (secret) => '*'.repeat(secret.length),
            validate: asValidate(check),
          },
          context(signal),
        ),
      ),
    async choose(message, choices, signal, how) {
      const { style } = themeOf(message);
      const chosen = await ended(
        choicePrompt(
          choices.map((choice) => asChoice(choice, room)),
          {
            message: style.message(),
            answer: style.answer,
            paint,
            wrap: (text) => folded(text, width, 0),
            pageSize,
            ...how,
          },
          context(signal),
        ),
      );
      if (chosen === undefined) throw new GoBack();
      return chosen;
    },
    async search(message, list, signal) {
      const pastes = watchPastes(stdin, (text) => void stderr.stream.write(text));
      const screen = { paint, room, clock, pasted: pastes.pasted, ...linesOfSearch(stderr) };
      return await ended(searchPrompt(message, list, screen, context(signal))).finally(pastes.stop);
    },
    async browse(message, list, signal) {
      const size = () => ({ columns: widthOfTerminal(stderr) ?? 80, rows: stderr.rows ?? 24 });
      const onResize = (listener: () => void) => {
        const redraw = (): void => {
          stderr.stream.write(emptyScreen);
          listener();
        };
        stderr.stream.on('resize', redraw);
        return () => {
          stderr.stream.off('resize', redraw);
        };
      };
      stderr.stream.write(ownScreen + emptyScreen);
      try {
        return await ended(browsePrompt(message, list, { paint, clock, size, onResize }, context(signal)));
      } finally {
        stderr.stream.write(screenBefore);
      }
    },
    confirm: (message, signal, { canGoBack }) => {
      const { style, hint } = themeOf(message);
      const screen = { ...style, message: style.message(), hint: canGoBack ? hint(widthOf('(y/N) ')) : '' };
      return ended(yesPrompt(screen, context(signal)));
    },
  };
}

// A screen of its own leaves what was on the terminal as it was (xterm: DECSET 1049).
const ownScreen = '\u001b[?1049h';
const emptyScreen = '\u001b[2J\u001b[H';
const screenBefore = '\u001b[?1049l';

// A search has up to seven lines around its rows. On a low and narrow screen these would be more, and push the rows off it.
function linesOfSearch({ rows = 24 }: StreamFacts) {
  const shown = Math.max(3, Math.min(pageSize, rows - 8));
  return { pageSize: shown, mostBelow: Math.max(1, rows - shown - aroundRows) };
}

// The question, the heading, the blank line, and the line of the cursor.
const aroundRows = 4;

function asChoice({ label, tail, detail, refusal }: Labelled, room: number) {
  const text = refusal === undefined ? label : `${label}: ${refusal}`;
  const name =
    tail === undefined
      ? folded(text, room + beforeChoice, beforeChoice)
      : `${fitted(text, room - widthOf(tail) - 2)}  ${tail}`;
  return { name, short: tail ?? label, description: detail, refusal };
}

// Cuts the label, so that the choice stays on one line and the id in its tail does not wrap.
function fitted(label: string, room: number): string {
  return room < 1 || room === Number.POSITIVE_INFINITY ? label : cut(label, room);
}

// A person who reads why an answer is refused types the next one from the beginning: `1.00` typed after a `1` that is still there would
// be `11.00`.
const emptiesRefused = { validationFailureMode: 'clear' } as const;

function asValidate(check: Check): (text: string) => string | true {
  return (text) => check(text) ?? true;
}

// @inquirer does not export its error classes, so only the name can be checked. ask.ts handles an abort by its signal.
async function ended<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof Error && error.name === 'ExitPromptError' ? interrupted() : error;
  }
}

// @inquirer breaks a line wherever the terminal ends, so the text has its own line breaks, between words. `before`: the cells
// before it in its first line.
function folded(text: string, width: number, before: number): string {
  const lines = wrap([{ text, style: undefined }], before, { width, paint: (one) => one }, beforeChoice);
  return lines.join('\n').slice(before);
}

// What a question is about comes before it, or is on a line of its own if there is no room for both.
function foldedQuestion(question: string, width: number): string {
  const [first = '', second] = question.split('\n');
  if (second === undefined) return folded(first, width, beforeChoice);
  const joined = `${first}: ${second}`;
  if (beforeChoice + widthOf(joined) <= width) return joined;
  return `${folded(first, width, beforeChoice)}\n${' '.repeat(beforeChoice)}${folded(second, width, beforeChoice)}`;
}

// The room after a question for `(y/N)`, or for the first letters of an answer.
const behindQuestion = 8;
const backKeys = '(Esc: back)';
// At most this many cells of an earlier answer are shown after its question.
const longestBefore = 30;

// Every style is set, because @inquirer chooses its own by looking at stdout, and at the time it is loaded.
function themeFor(question: string, paint: Paint, width: number) {
  const asked = foldedQuestion(question, width - behindQuestion);
  const lastLine = beforeChoice * (asked.includes('\n') ? 0 : 1) + widthOf(asked.split('\n').at(-1) ?? '');
  const strong = (text: string): string => paint(text, 'strong');
  const faint = (text: string): string => paint(text, 'faint');
  return {
    /** The keys, if they fit between the question and the end of its line, before which this many cells are taken. */
    hint: (taken: number): string =>
      lastLine + taken + widthOf(backKeys) + 2 < width ? faint(backKeys) : '',
    prefix: { idle: '?', done: '?' },
    spinner: { interval: 80, frames: ['?'] },
    icon: { cursor: '>' },
    style: {
      // Only a given answer is drawn here. A long one begins after the question and goes on below it.
      answer: (text: string): string => strong(folded(text, width, lastLine + 1)),
      message: (): string => asked.replace(/^\[PRODUCTION\]/, (words) => paint(words, 'production')),
      error: (text: string): string => paint(`> ${folded(text, width, 2)}`, 'bad'),
      defaultAnswer: (text: string): string => `(${text})`,
      help: faint,
      highlight: strong,
      key: strong,
      disabled: faint,
      description: (text: string): string => faint(folded(text, width, 0)),
      searchTerm: strong,
      maskedText: '',
      confirmDefault: (text: string): string => text.toUpperCase(),
    },
  };
}

// The prompt of @inquirer for a yes keeps a refused word in the line, and the next answer is typed behind it.
function yesPrompt(
  screen: {
    readonly message: string;
    readonly answer: (text: string) => string;
    readonly error: (text: string) => string;
    /** Its keys, shown until something is typed. */
    readonly hint: string;
  },
  context: Context,
): Promise<boolean> {
  const { message, answer, error, hint } = screen;
  const prompt = createPrompt<boolean, object>((_, done) => {
    const [typed, setTyped] = useState('');
    const [isRefused, setRefused] = useState(false);
    const [said, setSaid] = useState<boolean>();
    useKeypress((key, line) => {
      if (said !== undefined) return;
      const meant = isEnterKey(key) ? yesOrNo(typed) : undefined;
      setRefused(isEnterKey(key) && meant === undefined);
      // Enter has emptied the line.
      setTyped(isTabKey(key) ? typed : line.line);
      if (isTabKey(key)) keep(typed, line);
      if (meant === undefined) return;
      setSaid(meant);
      done(meant);
    });
    if (said !== undefined) return `? ${message} ${answer(said ? 'Yes' : 'No')}`;
    return [`? ${message} (y/N) ${typed === '' ? hint : typed}`, isRefused ? error(neitherYesNorNo) : ''];
  });
  return prompt({}, context);
}

/** A choice as it is drawn. */
interface DrawnChoice {
  /** Its lines. */
  readonly name: string;
  /** What is shown after the question once it is chosen. */
  readonly short: string;
  readonly description: string | undefined;
  /** Why it cannot be chosen. */
  readonly refusal: string | undefined;
}

/** What the prompt draws with. */
interface ChoiceScreen {
  readonly message: string;
  /** Draws an answer after the message. */
  readonly answer: (text: string) => string;
  readonly paint: Paint;
  /** Breaks a line of a text where the terminal ends. */
  readonly wrap: (text: string) => string;
  readonly pageSize: number;
  readonly canGoBack: boolean;
  /** The index of the choice that was made before, or -1. */
  readonly before: number;
  /** Text was typed or pasted before the list was drawn. */
  readonly hasTyped: boolean;
}

const typedText = 'letters and digits choose nothing here: Enter is off until you press an arrow';

/** Returns the index of the chosen choice, or undefined if the person goes back. At least one choice has no refusal. */
function choicePrompt(
  choices: readonly DrawnChoice[],
  { message, answer, paint, wrap, pageSize, canGoBack, before, hasTyped: isEarly }: ChoiceScreen,
  context: Context,
): Promise<number | undefined> {
  const open = choices.flatMap(({ refusal }, index) => (refusal === undefined ? [index] : []));
  const prompt = createPrompt<number | undefined, object>((_, done) => {
    const [active, setActive] = useState(open.includes(before) ? before : (open[0] ?? 0));
    const [ended, setEnded] = useState<string>();
    // Somebody who types text thinks that another question is being asked, so the Enter after it chooses nothing.
    const [hasTyped, setTyped] = useState(isEarly);
    useKeypress((key, line) => {
      const typed = line.line;
      line.clearLine(0);
      const steps = stepsOf(key, 0);
      if (steps !== 0) {
        setTyped(false);
        setActive(open[open.indexOf(active) + steps] ?? active);
      } else if (canGoBack && (key.name === 'escape' || typed === back)) {
        setEnded('back');
        done(undefined);
      } else if (isEnterKey(key) && !hasTyped) {
        setEnded(choices[active]?.short);
        done(active);
      } else if (typed !== '') setTyped(true);
    });
    const page = usePagination({
      items: choices,
      active,
      pageSize,
      loop: false,
      renderItem: ({ item: { name, refusal }, isActive }) =>
        isActive
          ? paint(`> ${name}`, 'strong')
          : refusal === undefined
            ? `  ${name}`
            : paint(`- ${name}`, 'faint'),
    });
    const chosen = choices[active];
    if (ended !== undefined) return `? ${message} ${answer(ended)}`;
    const keys = `arrows to move, Enter to choose,${canGoBack ? ' Esc to go back,' : ''} Ctrl-C to stop`;
    const below = [
      ...(chosen?.description === undefined ? [] : [paint(wrap(chosen.description), 'faint')]),
      ...(hasTyped ? [paint(wrap(`> ${typedText}`), 'bad')] : []),
      paint(wrap(keys), 'faint'),
    ];
    return `? ${message}\n${page}\n \n${below.join('\n')}`;
  });
  return prompt({}, context);
}
