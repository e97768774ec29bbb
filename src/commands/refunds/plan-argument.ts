/** The PLAN argument of `refunds apply` and `refunds status`. */

import { nonEmpty } from '../../flags/flags.ts';

export const planArgument = {
  name: 'plan',
  summary: 'the file of the plan',
  required: true,
  parse: nonEmpty,
} as const;
