/** JSON says nothing of a name that stands twice in one object: a parser keeps one of the two values. Pure. */

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** The first name that stands twice in one object of a JSON text; undefined where each stands once. */
export function repeatedKey(json: string): string | undefined {
  // The names of each open object; undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of json.matchAll(tokens)) {
    const names = open.at(-1);
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && names !== undefined) {
      const name = String(JSON.parse(last));
      if (names.has(name)) return name;
      names.add(name);
    }
    last = token;
  }
  return undefined;
}
