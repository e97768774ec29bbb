/** CSV read as RFC 4180 says, written for the tests alone. */

/** Records of fields. Throws at what the grammar does not allow: a quote inside a bare field, an open quoted one. */
export function readCsv(text: string, delimiter: ',' | ';' = ','): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { field, end } = text[at] === '"' ? quoted(text, at) : bare(text, at, delimiter);
    record.push(field);
    at = end;
    if (text[at] === delimiter) {
      at += 1;
      // A comma at the very end of a line is followed by one more, empty field.
      if (at < text.length && text[at] !== '\n') continue;
      record.push('');
    }
    if (text.startsWith('\r\n', at)) at += 1;
    if (at < text.length && text[at] !== '\n') throw new Error(`a field goes on behind its end, at ${at}`);
    at += 1;
    records.push(record);
    record = [];
  }
  return records;
}

function bare(
  text: string,
  start: number,
  delimiter: string,
): { readonly field: string; readonly end: number } {
  const end = text.slice(start).search(delimiter === ',' ? /[,\r\n]|$/ : /[;\r\n]|$/);
  const field = text.slice(start, start + end);
  if (field.includes('"')) throw new Error(`a quote inside a bare field, at ${start}`);
  return { field, end: start + field.length };
}

function quoted(text: string, start: number): { readonly field: string; readonly end: number } {
  let field = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') field += text[at];
    else if (text[at + 1] === '"') {
      field += '"';
      at += 1;
    } else return { field, end: at + 1 };
  }
  throw new Error(`a quoted field is never closed, from ${start}`);
}
