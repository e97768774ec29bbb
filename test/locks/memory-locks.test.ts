/** The locks that the tests of the journal use keep the same rules as those of the program. */

import type { LockOwner } from '../../src/locks/locks.ts';
import { locksContract } from './contract.ts';
import { MemoryLocks } from './memory-locks.ts';

locksContract('locks in memory', () => {
  const held = new Map<string, LockOwner>();
  return { open: (owner) => new MemoryLocks(held, owner), remove: () => held.clear() };
});
