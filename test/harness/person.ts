/** A person who answers at a terminal, in memory. Real terminals: terminal.ts. */

import { newKeyboard } from './memory-io.ts';
import { type RunOptions, startInMemory } from './paydesk.ts';
import { type Pty, withoutEscapes } from './pty.ts';
import { Transcript } from './transcript.ts';

export interface Person extends Pick<Pty, 'waitFor' | 'type' | 'answer' | 'transcript'> {
  /** What stood on the screen at the end, without escape sequences, and the exit code. */
  readonly leaves: Promise<{ readonly code: number | null; readonly screen: string }>;
}

export interface Seat extends Pick<RunOptions, 'home' | 'machineFile' | 'rows'> {
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the program in memory, on a terminal with colours. What a real terminal does is tried in test/prompts. */
export function sit(args: readonly string[], { env, ...seat }: Seat, columns = 80): Person {
  const screen = new Transcript();
  const keyboard = newKeyboard();
  const shown = (chunk: Buffer) => screen.write(chunk.toString().replaceAll('\n', '\r\n'));
  const { end } = startInMemory(
    args,
    { ...seat, env: { NO_COLOR: '', ...env }, columns },
    { shown, keyboard },
  );
  const type = (keys: string) => void keyboard.write(keys);
  return {
    waitFor: (text) => screen.waitFor(text),
    type,
    async answer(text, keys) {
      await screen.waitFor(text);
      type(keys);
    },
    get transcript() {
      return screen.text;
    },
    leaves: end.then(({ code }) => {
      screen.end();
      return { code, screen: withoutEscapes(screen.text).replaceAll('\r\n', '\n') };
    }),
  };
}

/** Types words at the question which order, and chooses the first order that they find, which must be this one. */
export async function pick(person: Person, id: string, words = id): Promise<void> {
  await person.waitFor('Which order?');
  person.type(words);
  await person.answer(new RegExp(`${words}[\\s\\S]*\\n${id}  `), '\r');
}
