/** The journal's id of an intent, as an argument. */

import { CliError } from '../../errors.ts';
import type { Completer } from '../command.ts';

const offerIntents: Completer = ({ flags }, known) => known.intents(flags.get('profile'));

/** INTENT: `i_` and letters or digits. */
export function intentArgument<const R extends boolean>(required: R) {
  return {
    name: 'intent',
    summary: "the journal's id, such as i_7f3k2m9q",
    required,
    offers: offerIntents,
    parse: (text: string): string => {
      if (/^i_[A-Za-z0-9]{1,64}$/.test(text)) return text;
      throw new CliError('usage', `INTENT ${text}: not an id of the journal, which looks like i_7f3k2m9q`, {
        certain: 'nothing was sent',
        now: ['paydesk journal list'],
      });
    },
  } as const;
}
