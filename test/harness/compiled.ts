/** Where compiled code is kept for all programs that tests start. */

import { join } from 'node:path';

// Every test has an empty home, so paydesk never finds its own compile cache. This one, outside all homes, is what a
// program has that was started before: its code is not compiled again at every start.
export const compiled = join(import.meta.dirname, '../../reports/compile-cache');
