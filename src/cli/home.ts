/** Where this user's home folder is, also where HOME does not say. */

import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** An absolute path. A user whom the system does not know gets a folder that is not there: nothing is kept then. */
export function homeFolder(): string {
  try {
    const home = homedir();
    // HOME may be empty, or relative: no file of the current folder is read.
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    return '/nonexistent';
  }
}
