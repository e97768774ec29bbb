/** `customers list`: shows customers page by page. */

import { defineCommand } from '../command.ts';
import { pagingFlags, showList } from '../listing.ts';

export const list = defineCommand({
  description: 'Each run shows one page and prints the command for the next one.',
  arguments: [],
  flags: pagingFlags('customers'),
  examples: [
    'paydesk -p demo customers list --limit 5',
    'paydesk -p demo customers list --all --ndjson --no-input',
  ],
  exits: [0, 1, 2, 4, 5, 6, 9],
  run: (ctx, { flags }) => showList(ctx, 'customers', flags, []),
});
