/** A stored profile, as `profile add` leaves it, without a start of the program. */

import type { ProfileDraft } from '../../src/profiles/profiles.ts';
import { createTestUser } from '../profiles/test-user.ts';
import type { Home } from './paydesk.ts';

/** Stores a profile with its key in a file. */
export async function storeProfile(home: Home, draft: ProfileDraft, key: string): Promise<void> {
  await createTestUser(home.path).run().add(draft, { text: key, where: 'a test', place: 'file' });
}
