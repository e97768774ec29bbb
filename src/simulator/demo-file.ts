/** The file of the demo, read without opening the demo: its key, one of its orders. */

import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the demo's file in its folder. */
export const demoFile = 'demo.db';
/** How many characters the demo's key has. */
export const demoKeyLength = 36;

/** The key in the demo's file; undefined where there is none that can be read. Makes no file and waits for nobody. */
export function demoKeyOnFile(folder: string): Promise<string | undefined> {
  return textOnFile(folder, 'SELECT value AS text FROM meta WHERE name = ?', 'key');
}

/** The JSON text of an order in the demo's file, read without opening the demo; undefined where it cannot be read. */
export function demoOrderOnFile(folder: string, id: string): Promise<string | undefined> {
  return textOnFile(folder, 'SELECT body AS text FROM orders WHERE id = ?', id);
}

async function textOnFile(folder: string, sql: string, name: string): Promise<string | undefined> {
  const file = join(folder, demoFile);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const { DatabaseSync } = await import('node:sqlite');
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: 100 });
    const text = db.prepare(sql).get(name)?.text;
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
