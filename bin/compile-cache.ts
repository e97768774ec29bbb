/** Turns on Node's compile cache if the cache folder exists. It makes no folder, because the help must create no file. */

import { existsSync } from 'node:fs';
import { enableCompileCache as enable } from 'node:module';
import { join } from 'node:path';
import { findFolders } from '../src/profiles/folders.ts';
import { homeFolder } from './process-io.ts';

/** Uses the cache for all modules that are loaded after this call. */
export function useCompileCache(process: NodeJS.Process): void {
  const { cache } = findFolders({ env: process.env, platform: process.platform, home: homeFolder() });
  if (existsSync(cache)) enable(join(cache, 'compile'));
}
