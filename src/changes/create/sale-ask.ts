/** Asks the questions of a sale one after the other, with a way back: Esc and `<` lead to the question before. */

import { CliError } from '../../errors.ts';
import { aboutMoney, type Profile } from '../../profiles/profiles.ts';
import { type Ask, GoBack, type Question } from '../../terminal/terminal.ts';

/** What is asked of whoever makes an order or a payment link. */
export type SaleAsk = Pick<Ask, 'text' | 'choose' | 'confirm'>;

export interface SaleDialog {
  /** Every question begins with the mode of the account: `[PRODUCTION] …`. */
  readonly ask: SaleAsk;
  /**
   * Runs `make`, which asks and then sends. When a person goes back it is run again: answers that were given are not asked for
   * again, but for the last one.
   */
  run<T>(make: () => Promise<T>): Promise<T>;
  /** Whether a question was answered, so that a person can go back to it. */
  readonly hasAsked: () => boolean;
}

/** An answer as it was given. Of a choice, its index. */
type Answer = string | number | boolean;

export function createSaleDialog(ask: Ask, profile: Profile): SaleDialog {
  const answers: Answer[] = [];
  let next = 0;
  let before: Answer | undefined;

  // Returns the answer of an earlier run, or asks.
  const answerOf = async <Q extends Question>(
    question: Q,
    put: (question: Q, before: Answer | undefined) => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    if (next === answers.length) {
      const message = aboutMoney(profile, question.message);
      answers.push(await put({ ...question, message, canGoBack: next > 0 }, before));
      before = undefined;
    }
    next += 1;
    return answers[next - 1];
  };

  return {
    ask: {
      text: async (question) =>
        String(
          await answerOf(question, (about, typed) =>
            // Where Enter alone means none, it does so the second time too.
            ask.text(typed === undefined || about.optional ? about : { ...about, before: String(typed) }),
          ),
        ),
      async choose({ choices, ...question }) {
        const numbered = choices.map((choice, value) => ({ ...choice, value }));
        const index = await answerOf(question, (about, chosen) =>
          ask.choose({ ...about, choices: numbered, before: (value) => value === chosen }),
        );
        const choice = choices[Number(index)];
        if (choice === undefined) throw new CliError('internal', `choice ${index} of ${choices.length}`);
        return choice.value;
      },
      confirm: async (question) => (await answerOf(question, (about) => ask.confirm(about))) === true,
    },
    async run(make) {
      for (;;) {
        try {
          next = 0;
          return await make();
        } catch (error) {
          if (!(error instanceof GoBack) || answers.length === 0) throw error;
          before = answers.pop();
        }
      }
    },
    hasAsked: () => answers.length > 0,
  };
}
