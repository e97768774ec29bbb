/** A stored profile, as `profile add` leaves it; limits among its settings are set for its account. */

import { isLimit } from '../../src/profiles/limits.ts';
import type { ProfileDraft } from '../../src/profiles/profiles.ts';
import { createTestUser } from '../profiles/test-user.ts';
import { type Home, paydesk } from './paydesk.ts';

/** Stores a profile with its key in a file. */
export async function storeProfile(home: Home, draft: ProfileDraft, key: string): Promise<void> {
  const settings = Object.entries(draft.settings ?? {});
  const own = Object.fromEntries(settings.filter(([name]) => !isLimit(name)));
  await createTestUser(home.path)
    .run()
    .add({ ...draft, settings: own }, { text: key, where: 'a test', place: 'file' });
  for (const [name, value] of settings.filter(([one]) => isLimit(one))) {
    const ran = await paydesk(['profile', 'set', draft.name, name, value, '--yes'], { home });
    if (ran.code !== 0) throw new Error(ran.stderr);
  }
}
