// The profiles of a test user: real folders, real locks, and a simulator that is only a name.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../bin/process-io.ts';
import { createSqliteLocks } from '../../src/locks/sqlite/sqlite-locks.ts';
import { findFolders } from '../../src/profiles/folders.ts';
import { createProfiles } from '../../src/profiles/joined-profiles.ts';
import type { Given } from '../../src/profiles/profile-store.ts';
import type { Profiles } from '../../src/profiles/profiles.ts';

export interface TestUser {
  readonly home: string;
  readonly config: string;
  readonly notices: string[];
  /** The profiles as one run of the program has them. */
  run(options?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly given?: Partial<Given>;
    readonly keyringModule?: string;
    readonly keyringLimitMs?: number;
  }): Profiles;
  remove(): void;
}

export function createTestUser(home = mkdtempSync(join(tmpdir(), 'user-'))): TestUser {
  const folders = findFolders({ env: {}, platform: 'linux', home });
  const notices: string[] = [];
  return {
    home,
    config: folders.config,
    notices,
    run: ({ env = {}, given = {}, ...keyring } = {}) =>
      createProfiles({
        folders,
        env,
        given: { profile: undefined, apiVersion: undefined, lang: undefined, ...given },
        clock: systemClock,
        locks: createSqliteLocks({
          folder: join(folders.state, 'locks'),
          clock: systemClock,
          owner: { operator: 'op7', command: 'profile add' },
          rules: { uid: process.getuid?.(), notice: () => undefined },
        }),
        uid: process.getuid?.(),
        cwd: () => home,
        execPath: process.execPath,
        learnKey: () => undefined,
        notice: (line) => notices.push(line),
        demo: async () => ({ instance: 'i1', baseUrl: 'http://127.0.0.1', key: 'demo-key' }),
        ...keyring,
      }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A key that no test may see anywhere but in its file. */
export const canary = 'key_Canary0123456789wxyz';
