/** Whether stdout or stderr was closed before the program started. */

import { fstatSync, readFileSync, statSync } from 'node:fs';

/**
 * Whether this stream was closed (`>&-`). Node then opens /dev/null in its place, for reading and writing, so that every
 * write seems to work. False where the system does not tell how a stream was opened.
 */
export function startedClosed(descriptor: 1 | 2): boolean {
  try {
    const stream = fstatSync(descriptor);
    if (!stream.isCharacterDevice() || stream.rdev !== statSync('/dev/null').rdev) return false;
    const [, flags = '0'] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & 3) === readAndWrite;
  } catch {
    return false;
  }
}

// O_RDWR. A shell's `> /dev/null` opens for writing only.
const readAndWrite = 2;
