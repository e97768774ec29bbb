/** JSON text set out for reading: every token as it came, so that no number is rounded. Pure. */

function tokensOf(json: string): readonly string[] {
  const token = /["{}[\],:]|[^\s{}[\],:"]+/g;
  const tokens: string[] = [];
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    if (found[0] === '"') token.lastIndex = endOfText(json, found.index);
    tokens.push(json.slice(found.index, token.lastIndex));
  }
  return tokens;
}

// Not by a pattern: the escapes in megabytes of text would fill its stack.
function endOfText(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Lines of JSON text, indented by two. */
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
