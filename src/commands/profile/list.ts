/** `profile list`: lists the stored profiles, then the built-in ones. */

import { type Column, fieldColumn } from '../../api/resources.ts';
import { defineCommand } from '../command.ts';

const columns: readonly Column[] = [
  fieldColumn('name', 'NAME', 'id', 0),
  fieldColumn('mode', 'MODE', 'text', 0),
  fieldColumn('base_url', 'BASE URL', 'text', 0),
  fieldColumn('default', 'DEFAULT', 'flag', 0),
  fieldColumn('key_in', 'KEY IN', 'text', 0),
];

export const list = defineCommand({
  description: 'The profiles of this user, then the built-in ones. No key is read.',
  arguments: [],
  flags: {},
  examples: ['paydesk profile list', "paydesk profile list --json | jq -r '.data[].name'"],
  run: async (ctx): Promise<undefined> => {
    const profiles = await ctx.profiles.list();
    const records = profiles.map((profile) => ({
      object: 'profile',
      name: profile.name,
      mode: profile.mode ?? null,
      base_url: profile.baseUrl ?? null,
      default: profile.isDefault,
      key_in: profile.keptIn,
    }));
    await ctx.out.ownList(columns, records);
    if (profiles.some(({ kind }) => kind === 'stored')) return;
    ctx.notes.note('you have no profile of your own yet: paydesk profile add NAME');
  },
});
