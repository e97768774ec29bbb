/** The prompt of a full terminal for a few choices: arrows move, Enter chooses, and a typed letter or digit chooses nothing. */

import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  type KeypressEvent,
  useKeypress,
  usePagination,
  useState,
} from '@inquirer/core';
import type { Paint } from '../color.ts';
import { back } from './keyboard.ts';

/** A choice as it is drawn. */
interface DrawnChoice {
  /** Its lines. */
  readonly name: string;
  /** What stands behind the question once it is chosen. */
  readonly short: string;
  readonly description: string | undefined;
  /** Why it cannot be chosen. */
  readonly refusal: string | undefined;
}

/** What the prompt draws with. */
interface ChoiceScreen {
  readonly message: string;
  /** Draws an answer behind the message. */
  readonly answer: (text: string) => string;
  readonly paint: Paint;
  /** Breaks a line of a text where the terminal ends. */
  readonly wrap: (text: string) => string;
  readonly pageSize: number;
  readonly canGoBack: boolean;
  /** The index of the choice that was made before, or -1. */
  readonly before: number;
}

type Context = NonNullable<Parameters<ReturnType<typeof createPrompt>>[1]>;

const typedText = 'letters and digits choose nothing here: move to a line with the arrows, then press Enter';

/** Returns the index of the chosen one, or undefined if the person goes back. At least one of them has no refusal. */
export function choicePrompt(
  choices: readonly DrawnChoice[],
  { message, answer, paint, wrap, pageSize, canGoBack, before }: ChoiceScreen,
  context: Context,
): Promise<number | undefined> {
  const open = choices.flatMap(({ refusal }, index) => (refusal === undefined ? [index] : []));
  const prompt = createPrompt<number | undefined, object>((_, done) => {
    const [active, setActive] = useState(open.includes(before) ? before : (open[0] ?? 0));
    const [ended, setEnded] = useState<string>();
    // Whoever types believes to answer another question, so the Enter behind it chooses nothing.
    const [hasTyped, setTyped] = useState(false);
    useKeypress((key, line) => {
      const typed = line.line;
      line.clearLine(0);
      const steps = stepsOf(key);
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

function stepsOf(key: KeypressEvent): number {
  if (isDownKey(key)) return 1;
  return isUpKey(key) ? -1 : 0;
}
