/** Shows the reply to `api`: the service's JSON unchanged, and with `--include` its status and headers. */

import type { ReplyHead, WireRecord } from '../api/api.ts';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { type Column, fieldColumn } from '../api/resources.ts';
import type { Context } from '../context/context.ts';
import { type Block, toJson } from '../terminal/terminal.ts';

interface Shown {
  readonly value: unknown;
  readonly bytes: Uint8Array;
  /** Status and headers, only with `--include`. */
  readonly head?: ReplyHead | undefined;
}

/** Prints a reply, as indented JSON unless another format was asked for. */
export async function showReply(
  ctx: Context,
  { value, bytes, head }: Shown,
  columns: (value: JsonObject) => readonly Column[] = (record) => repliedColumns(ctx, record),
): Promise<void> {
  const bodyOf = (shown: unknown) => (ctx.redaction.isOn() ? new TextEncoder().encode(toJson(shown)) : bytes);
  if (head === undefined) {
    const record = recordOf(value, bytes);
    await ctx.out.record(record, columns(record.value), (shown) => jsonBlocks(bodyOf(shown.value)));
    return;
  }
  const reply = { object: 'reply', status: head.status, headers: headersOf(head), body: value };
  await ctx.out.own(reply, (shown) => [
    { line: `HTTP ${head.status}` },
    ...Object.entries(isObject(shown.value.headers) ? shown.value.headers : {}).map(([name, text]) => ({
      line: `${name}: ${String(text)}`,
    })),
    'blank',
    ...jsonBlocks(bodyOf(shown.value.body)),
  ]);
}

// The reply may also be a list or a single value.
function recordOf(value: unknown, bytes: Uint8Array): WireRecord {
  return { value: isObject(value) ? value : { value }, bytes };
}

/**
 * The columns of a reply: its fields, and the names in --columns. An unknown name is no error here, because a change may
 * have been made.
 */
export function repliedColumns({ options }: Context, value: JsonObject): readonly Column[] {
  const names = new Set([...Object.keys(value), ...(options.columns ?? []).map((name) => name.trim())]);
  return columnsOf([...names]);
}

export const includedColumns = columnsOf(['object', 'status', 'headers', 'body']);

// A part of a field is a column too: `customer_info.email`.
function columnsOf(names: readonly string[]): readonly Column[] {
  return names.map((name) => fieldColumn(name, name.toUpperCase(), 'text'));
}

function headersOf({ headers }: ReplyHead): JsonObject {
  const names = [...new Set(headers.map(([name]) => name))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      headers
        .filter(([other]) => other === name)
        .map(([, text]) => text)
        .join(', '),
    ]),
  );
}

function jsonBlocks(bytes: Uint8Array): readonly Block[] {
  return indented(new TextDecoder().decode(bytes)).map((line) => ({ line }));
}

function tokensOf(json: string): readonly string[] {
  const token = /["{}[\],:]|[^\s{}[\],:"]+/g;
  const tokens: string[] = [];
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    if (found[0] === '"') token.lastIndex = endOfText(json, found.index);
    tokens.push(json.slice(found.index, token.lastIndex));
  }
  return tokens;
}

// Uses no regular expression, because megabytes of escapes would overflow its stack.
function endOfText(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

// Indents JSON for reading. Every token stays unchanged, so no number is rounded.
export function indented(json: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const start = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  const all = tokensOf(json);
  for (const [index, token] of all.entries()) {
    const closes = token === '}' || token === ']';
    const opened = closes && ['{', '['].includes(all[index - 1] ?? '');
    if (closes) depth -= 1;
    if (closes && !opened) start();
    line += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    const next = all[index + 1];
    if ((token === '{' || token === '[') && next !== '}' && next !== ']') start();
    if (token === ',') start();
  }
  return [...lines, line];
}
