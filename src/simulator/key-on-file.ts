/** The key of the demo, read without opening the demo. */

import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the demo's file in its folder. */
export const demoFile = 'demo.db';
/** How many characters its key has. */
export const demoKeyLength = 36;

/** The key in the demo's file; undefined where there is none that can be read. Makes no file and waits for nobody. */
export async function demoKeyOnFile(folder: string): Promise<string | undefined> {
  const file = join(folder, demoFile);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: 100 });
    const value = db.prepare("SELECT value FROM meta WHERE name = 'key'").get()?.value;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
