/**
 * A process in a schedule. Its calls to the outside are interleaved with those of others, and it may die at any of
 * them.
 */

import type { Scheduler } from 'fast-check';

/** It dies at this call, counted from 1: before it is done, or after. */
export interface Death {
  readonly call: number;
  readonly after: boolean;
}

/** A process: everything it calls outside is scheduled, and at one of the calls it may die, with what it held. */
export class Life {
  readonly #scheduler: Scheduler;
  readonly #dies: Death | undefined;
  readonly #held: { release(): Promise<void> }[] = [];
  #calls = 0;
  #dead = false;
  #end: () => void = () => undefined;

  constructor(scheduler: Scheduler, dies: Death | undefined) {
    this.#scheduler = scheduler;
    this.#dies = dies;
  }

  async live(run: (life: Life) => Promise<void>): Promise<void> {
    const death = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    await Promise.race([run(this), death]);
  }

  keep<T extends { held: boolean }>(taken: T): T {
    if ('release' in taken) this.#held.push(taken as unknown as { release(): Promise<void> });
    return taken;
  }

  port<A extends unknown[], R>(act: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      await this.#scheduler.schedule(Promise.resolve());
      this.#calls += 1;
      const last = this.#dies?.call === this.#calls;
      if (this.#dead || (last && this.#dies?.after === false)) return this.#die();
      const result = await act(...args);
      return last ? this.#die() : result;
    };
  }

  // The kernel releases what a dead process held; nothing it called ever answers.
  #die(): Promise<never> {
    this.#dead = true;
    for (const held of this.#held) void held.release();
    this.#end();
    return new Promise(() => undefined);
  }
}
