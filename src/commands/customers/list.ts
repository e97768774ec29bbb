/** `customers list`: shows customers page by page. */

import { defineCommand } from '../command.ts';
import { pagingFlags, showList } from '../listing.ts';

export const list = defineCommand({
  description: 'Shows one page and prints the command for the next one; --all reads every page.',
  arguments: [],
  flags: pagingFlags('customers'),
  examples: [
    'paydesk -p demo customers list --limit 5',
    'paydesk -p demo customers list --all --ndjson --no-input',
  ],
  run: (ctx, { flags }) => showList(ctx, 'customers', flags, []),
});
