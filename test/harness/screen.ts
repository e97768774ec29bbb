/** What a terminal shows after a program has drawn on it: the few movements of the cursor that prompts use. */

/** The lines on the screen, without colours and without spaces at their ends. The screen is as long as it has to be. */
export function screenOf(transcript: string, columns: number): string {
  const screen = new Screen(columns);
  for (const [piece] of transcript.matchAll(/\x1b\[[0-9;?]*[A-Za-z]|\x1b[78]|[^\x1b]/gu)) screen.take(piece);
  return screen.text;
}

class Screen {
  readonly #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get text(): string {
    const lines = this.#rows.map((row) =>
      Array.from(row, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  take(piece: string): void {
    if (piece.startsWith('\x1b')) this.#control(piece);
    else if (piece === '\r') this.#column = 0;
    else if (piece === '\n') this.#down(1);
    else if (piece >= ' ') this.#write(piece);
  }

  #write(character: string): void {
    if (this.#column >= this.#columns) {
      this.#column = 0;
      this.#down(1);
    }
    this.#line()[this.#column] = character;
    this.#column += 1;
  }

  #control(sequence: string): void {
    const count = Number(/\d+/.exec(sequence)?.[0] ?? 1);
    switch (sequence.at(-1)) {
      case 'A':
        this.#row = Math.max(0, this.#row - count);
        break;
      case 'B':
        this.#down(count);
        break;
      case 'C':
        this.#column += count;
        break;
      case 'D':
        this.#column = Math.max(0, this.#column - count);
        break;
      case 'G':
        this.#column = count - 1;
        break;
      case 'J':
        this.#rows.length = this.#row + 1;
        break;
      case 'K':
        this.#line().length = sequence.includes('2') ? 0 : Math.min(this.#column, this.#line().length);
        break;
    }
  }

  #down(count: number): void {
    this.#row += count;
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }

  #line(): string[] {
    return this.#rows[this.#row] ?? [];
  }
}
