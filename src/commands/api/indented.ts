/** JSON text set out for reading: every token as it came, so that no number is rounded. Pure. */

// A string in one go: an alternative a character would keep a way back for each of megabytes.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Lines of JSON text, indented by two. */
export function indented(json: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const start = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  const all = json.match(tokens) ?? [];
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
