/** Shows a line while a run waits for the service: for the answer to a change, and then for reads of the order. */

import type { Notes } from '../../terminal/terminal.ts';
import type { Search, State, Wanted } from '../protocol-types.ts';

/** What a run waits for. */
interface WaitingFor {
  readonly what: 'answer' | 'read' | 'confirmation';
  readonly line: string;
}

/** Says what a run in this state waits for; undefined when it does not wait for the service. Pure. */
function waitingFor(state: State, timeoutMs: number): WaitingFor | undefined {
  switch (state.at) {
    case 'sending':
      return { what: 'answer', line: `sent, waiting for the answer (up to ${timeoutMs / 1000} s)` };
    case 'waiting':
    case 'rereading':
      return readingFor(state.wanted, state.search);
    default:
      return undefined;
  }
}

function readingFor({ kind, readAfterMs }: Wanted, { because, ahead }: Search): WaitingFor {
  const what = kind === 'order' ? 'the newest orders' : 'the order again';
  if ('rejected' in because) return { what: 'confirmation', line: `refused; reading ${what} to make sure` };
  // A reply came, but it proves nothing.
  const lost = because.said === undefined ? 'no answer' : 'no usable answer';
  const read = readAfterMs.length - ahead.length;
  return { what: 'read', line: `${lost}; reading ${what} (${read} of ${readAfterMs.length})` };
}

/** The line about waiting of one run. Tell it every state: the line appears, changes and goes. `end` takes it away. */
export function startWaitingLine(notes: Pick<Notes, 'waiting'>, timeoutMs: number) {
  let current: WaitingFor | undefined;
  let stop: (() => void) | undefined;
  const end = () => {
    stop?.();
    stop = undefined;
    current = undefined;
  };
  return {
    end,
    follow(state: State): void {
      const next = waitingFor(state, timeoutMs);
      // The reads of one search share a line, so that a script gets one and not four.
      const goesOn = next !== undefined && next.what === current?.what;
      if (!goesOn) end();
      current = next;
      if (next === undefined || goesOn) return;
      stop = notes.waiting(() => current?.line ?? '', next.what === 'read');
    },
  };
}
