/** What a program has written to its terminal so far, for a test that waits for some text in it. */

interface Waiter {
  readonly pattern: string | RegExp;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Transcript {
  #text = '';
  // Where the next match is looked for: each wait sees only what came after the one before.
  #seen = 0;
  #ended = false;
  #waiters: readonly Waiter[] = [];

  /** Everything that came out, escape sequences included. */
  get text(): string {
    return this.#text;
  }

  write(text: string): void {
    this.#text += text;
    this.#settle();
  }

  /** The program has ended: nothing more comes. */
  end(): void {
    this.#ended = true;
    this.#settle();
  }

  /**
   * Resolves when the text stands in what came out since the last match; rejects with the screen so far when the
   * program ends without showing it.
   */
  waitFor(pattern: string | RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters = [...this.#waiters, { pattern, resolve, reject }];
      this.#settle();
    });
  }

  #settle(): void {
    this.#waiters = this.#waiters.filter(({ pattern, resolve, reject }) => {
      const end = endOfMatch(this.#text.slice(this.#seen), pattern);
      if (end !== undefined) {
        this.#seen += end;
        resolve();
      } else if (this.#ended) {
        const shown = `it showed:\n${this.#text}`;
        reject(new Error(`the program ended without showing ${String(pattern)}; ${shown}`));
      }
      return end === undefined && !this.#ended;
    });
  }
}

function endOfMatch(text: string, pattern: string | RegExp): number | undefined {
  if (typeof pattern === 'string') {
    const at = text.indexOf(pattern);
    return at === -1 ? undefined : at + pattern.length;
  }
  const found = pattern.exec(text);
  return found === null ? undefined : found.index + found[0].length;
}
