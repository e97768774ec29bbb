/** Questions one after the other, each about what was answered before, with a way back to the last one. */

import { GoBack } from '../../terminal/terminal.ts';

/** Asks a question about the answers so far. Returns the same object if it asked nothing. */
export type Step<T> = (answers: T, canGoBack: boolean) => Promise<T>;

interface Dialog<T> {
  /** Asks the questions, the first time or once a person has gone back behind the last one. Returns all answers. */
  ask(): Promise<T>;
  /** Whether a question was asked, so that a person can go back to it. */
  readonly hasAsked: boolean;
}

/** A dialog that begins with what is known without a question. */
export function createDialog<T>(given: T, steps: readonly Step<T>[]): Dialog<T> {
  const asked: { readonly at: number; readonly before: T }[] = [];
  return {
    async ask() {
      let next = asked.pop() ?? { at: 0, before: given };
      for (let step = steps[next.at]; step !== undefined; step = steps[next.at]) {
        const { at, before } = next;
        try {
          const answers = await step(before, asked.length > 0);
          if (answers !== before) asked.push(next);
          next = { at: at + 1, before: answers };
        } catch (error) {
          if (!(error instanceof GoBack)) throw error;
          next = asked.pop() ?? next;
        }
      }
      return next.before;
    },
    get hasAsked() {
      return asked.length > 0;
    },
  };
}
