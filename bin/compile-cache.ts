/** Node's compile cache, in the cache folder, where that folder exists: help, version and completion create no file. */

import { existsSync } from 'node:fs';
import { enableCompileCache as enable } from 'node:module';
import { join } from 'node:path';
import { findFolders } from '../src/profiles/folders.ts';
import { homeFolder } from './process-io.ts';

/** Uses the cache for what is loaded from now on. */
export function useCompileCache(process: NodeJS.Process): void {
  const { cache } = findFolders({ env: process.env, platform: process.platform, home: homeFolder() });
  if (existsSync(cache)) enable(join(cache, 'compile'));
}
