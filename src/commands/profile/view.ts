/** Profile records as people read them: a line of what was done, then fields and values. */

import type { JsonObject } from '../../api/spec.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { Context } from '../command.ts';

/** A title and the fields of a record, but for those that say what it is. Absent values are not drawn. */
export function fieldsView(title: string, record: JsonObject): readonly Block[] {
  const rows = Object.entries(record)
    .filter(([name, value]) => name !== 'object' && value !== null)
    .map(([name, value]) => [{ text: name, style: 'faint' as const }, String(value)]);
  return [{ line: { text: title, style: 'strong' } }, { grid: rows, indent: 2 }];
}

/** Under --dry-run: prints what would be done, and true. */
export async function saidOnly(ctx: Context, action: string, record: JsonObject): Promise<boolean> {
  if (!ctx.options.dryRun) return false;
  const { object: _, ...fields } = record;
  await ctx.out.dryRun({ ...fields, action }, () => fieldsView(`would ${action}`, record));
  return true;
}
