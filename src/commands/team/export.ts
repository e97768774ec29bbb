/** `team export`: prints the whole journal of the team for an auditor. */

import { defineCommand } from '../command.ts';

export const exportTeam = defineCommand({
  description:
    "Prints every row of the team's journal as it is stored, one JSON object per line, with the hashes that link them. paydesk help teams has a script that checks them without paydesk. The rows hold order ids and notes: keep them as safe as the journal.",
  arguments: [],
  flags: {},
  examples: ['paydesk team export > team.ndjson', 'paydesk -p shop-mx team export | tail -1 | jq -r .hash'],
  async run(ctx) {
    const rows = await (await ctx.team()).rows();
    for (const row of rows) await ctx.out.text(`${JSON.stringify(row)}\n`);
    return undefined;
  },
});
