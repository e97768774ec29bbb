/** A stored profile, as `profile add` leaves it, without a start of the program. */

import type { ProfileDraft } from '../../src/profiles/profiles.ts';
import { createDesk } from '../profiles/desk.ts';
import type { Home } from './paydesk.ts';

/** Stores a profile with its key in a file. */
export async function storeProfile(home: Home, draft: ProfileDraft, key: string): Promise<void> {
  await createDesk(home.path).run().add(draft, { text: key, where: 'a test', place: 'file' });
}
