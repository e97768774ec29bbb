/** One screen at two widths: a test shows the first whole, and of the second only what differs. */

import { diff } from 'node:util';

/**
 * Where a screen differs from another one, whose lines are counted from 1. With that other one it tells every line of the
 * screen. Two equal screens give ''.
 */
export function differences(screen: string, from: string): string {
  const told: string[] = [];
  let [line, gone, came]: [number, number, string[]] = [0, 0, []];
  const tell = () => {
    const lines = gone === 1 ? `line ${line}` : `lines ${line - gone + 1} to ${line}`;
    if (gone > 0) told.push(came.length === 0 ? `without ${lines}` : `instead of ${lines}:`);
    else if (came.length > 0) told.push(`after line ${line}:`);
    told.push(...came);
    [gone, came] = [0, []];
  };
  for (const [change, text] of diff(screen.split('\n'), from.split('\n'))) {
    if (change === 0) tell();
    if (change === 1) came.push(text);
    else line += 1;
    if (change === -1) gone += 1;
  }
  tell();
  return told.join('\n');
}
