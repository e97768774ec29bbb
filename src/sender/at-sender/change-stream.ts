/** Streams what a sender reports about one running change or plan to every desk that asks. */

import type { ClockWithTimers } from '../../io.ts';
import type { ChangeNotes } from '../../journal/make-change.ts';
import type { EndLine, Line } from '../change-wire.ts';
import { mediaTypes } from '../wire.ts';

// A desk hears something at least this often, to tell a slow sender from a dead one.
const beatMs = 5_000;
const waitingMs = 250;
const usualUnreadMax = 256 * 1024;

/** The lines of one change or plan. A late desk gets them from the first. */
export class ChangeStream {
  readonly #clock: ClockWithTimers;
  readonly #unreadMax: number;
  readonly #lines: string[] = [];
  readonly #watchers = new Set<(line: string | undefined) => void>();
  #isOver = false;
  onFirst: () => void = () => undefined;

  /** `unreadMax`: a desk that leaves this many bytes unread gets no more lines, and can ask again. */
  constructor(clock: ClockWithTimers, unreadMax = usualUnreadMax) {
    this.#clock = clock;
    this.#unreadMax = unreadMax;
  }

  tell(line: Line): void {
    if (this.#isOver) return;
    const text = `${JSON.stringify(line)}\n`;
    if (this.#lines.push(text) === 1) this.onFirst();
    for (const watch of this.#watchers) watch(text);
  }

  /** The last line. Without one the stream breaks off: the outcome is unknown, and the desk must ask again. */
  end(line: EndLine | undefined): void {
    if (line !== undefined) this.tell(line);
    this.#isOver = true;
    for (const watch of this.#watchers) watch(undefined);
    this.#watchers.clear();
  }

  /** Screen messages of the sending code, as lines. */
  readonly notes: ChangeNotes = {
    note: (line) => this.tell({ note: line }),
    warn: (line) => this.tell({ warn: line }),
    waiting: (text, atOnce) => {
      let said = '';
      const say = () => {
        const now = text();
        if (now !== said) this.tell({ waiting: now, atOnce });
        said = now;
      };
      say();
      const stop = this.#clock.every(waitingMs, say);
      return () => {
        stop();
        this.tell({ waiting: null });
      };
    },
  };

  /** The reply to a desk. It ends after the last line; if a desk leaves before that, the change goes on. */
  reply(): Response {
    let leave: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const encoder = new TextEncoder();
          const watch = (line: string | undefined) => {
            if (line === undefined || (controller.desiredSize ?? 0) < 0) leave();
            if (line !== undefined) controller.enqueue(encoder.encode(line));
            else controller.close();
          };
          const stopBeat = this.#clock.every(beatMs, () => watch(`${JSON.stringify({ at: 'beat' })}\n`));
          leave = () => {
            stopBeat();
            this.#watchers.delete(watch);
          };
          for (const line of this.#lines) controller.enqueue(encoder.encode(line));
          if (this.#isOver) {
            leave();
            controller.close();
          } else this.#watchers.add(watch);
        },
        cancel: () => leave(),
      },
      { highWaterMark: this.#unreadMax, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    return linesReply(body);
  }
}

export function endReply(line: EndLine): Response {
  return linesReply(`${JSON.stringify(line)}\n`);
}

function linesReply(body: ReadableStream<Uint8Array> | string): Response {
  // A proxy that buffers lines would make every change look unanswered.
  const headers = {
    'content-type': mediaTypes.lines,
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  };
  return new Response(body, { headers });
}
