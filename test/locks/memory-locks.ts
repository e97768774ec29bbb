/** Locks without a disk: each `MemoryLocks` is a process, and those of one machine share what is held. */

import { systemClock } from '../../bin/process-io.ts';
import type { ClockWithTimers } from '../../src/io.ts';
import { createTurns, type Held, type LockOwner, type Locks } from '../../src/locks/locks.ts';

export class MemoryLocks implements Locks {
  /** Who holds what on the whole machine. */
  readonly held: Map<string, LockOwner>;
  readonly #owner: Omit<LockOwner, 'since'>;
  readonly #clock: ClockWithTimers;
  readonly #turns = createTurns();

  constructor(
    held: Map<string, LockOwner> = new Map(),
    owner: Omit<LockOwner, 'since'> = { operator: 'op7', command: 'orders refund' },
    clock: ClockWithTimers = systemClock,
  ) {
    this.held = held;
    this.#owner = owner;
    this.#clock = clock;
  }

  async take(name: string, { waitMs, signal }: Parameters<Locks['take']>[1]): ReturnType<Locks['take']> {
    signal?.throwIfAborted();
    const deadline = this.#clock.monotonic() + waitMs;
    const turn = await this.#turns.wait(name, { clock: this.#clock, deadline, signal });
    const owner = this.held.get(name);
    if (turn === undefined || owner !== undefined) {
      turn?.end();
      return { held: false, owner };
    }
    this.held.set(name, { ...this.#owner, since: this.#clock.now() });
    let released = false;
    const release: Held['release'] = async () => {
      if (released) return;
      released = true;
      this.held.delete(name);
      turn.end();
    };
    return { held: true, release };
  }
}
