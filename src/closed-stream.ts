/** Whether a stream was closed when the program was started. */

import { fstatSync, readFileSync, statSync } from 'node:fs';

/**
 * Node opens the null device, for reading and writing, in place of a standard stream that was closed, and every write
 * works. False where the system does not tell how a stream was opened.
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
