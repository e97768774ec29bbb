/** The argument of the commands about one request: its id. */

import { requestPattern } from '../../changes/changes.ts';
import { usage } from '../../flags/flags.ts';

export const requestArgument = {
  name: 'request',
  summary: 'the id of the request, such as r_7f3k2m9q',
  required: true,
  parse: (text: string): string => {
    if (requestPattern.test(text)) return text;
    throw usage(`REQUEST ${text}: not the id of a request, such as r_7f3k2m9q`, ['paydesk approvals list']);
  },
} as const;
