/**
 * Reads the records of a SQLite file page by page (https://www.sqlite.org/fileformat2.html). It does not follow the page trees, so
 * a damaged schema, root or inner page hides no row. Pure.
 */

/** Numbers too large for JavaScript become 0: the journal writes none. */
type Value = string | number | null;

export interface PageRecord {
  readonly rowid: number;
  readonly values: readonly Value[];
}

interface Pages {
  readonly records: readonly PageRecord[];
  /** Pages with a broken record, and used pages that belong to no table or index. */
  readonly unreadable: number;
}

// SQLite's default, used by every journal. The header says it too, but may be damaged.
const pageSize = 4096;
const leaf = 0x0d;
const tableNode = 0x05;
const indexPages: ReadonlySet<number> = new Set([0x02, 0x0a]);

/** Reads every page except the first, which holds only the schema. */
export function readPages(bytes: Uint8Array): Pages {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pages = Math.ceil(bytes.length / pageSize);
  const records: PageRecord[] = [];
  // Pages to skip: free ones, and those that hold the rest of a long record.
  const used = freePages(file);
  const broken = new Set<number>();
  for (let page = 2; page <= pages; page += 1) {
    if (used.has(page)) continue;
    const type = byteAt(file, (page - 1) * pageSize);
    if (type !== leaf) {
      if (type !== tableNode && !indexPages.has(type ?? 0)) broken.add(page);
      continue;
    }
    for (const record of cellsOf(file, page)) {
      if (record === undefined) broken.add(page);
      else {
        records.push(record);
        for (const overflow of record.overflow) used.add(overflow);
      }
    }
  }
  const unreadable = [...broken].filter((page) => !used.has(page)).length;
  return { records, unreadable: unreadable + missingPages(file, pages) };
}

// How many pages the header says there should be. A damaged header may say anything, so a huge number is ignored.
function missingPages(file: DataView, pages: number): number {
  const torn = file.byteLength % pageSize === 0 ? 0 : 1;
  const stated = numberAt(file, 28) ?? 0;
  return stated > pages && stated < pages + 100_000 ? stated - pages + torn : torn;
}

type Cell = PageRecord & { readonly overflow: readonly number[] };

function* cellsOf(file: DataView, page: number): Generator<Cell | undefined> {
  const start = (page - 1) * pageSize;
  const count = start + 8 <= file.byteLength ? file.getUint16(start + 3) : 0;
  // No more fit: a cell takes at least 4 bytes, and its pointer 2.
  if (count > (pageSize - 8) / 6) yield undefined;
  else
    for (let cell = 0; cell < count; cell += 1) {
      const at = start + 8 + 2 * cell;
      const offset = at + 2 <= file.byteLength ? file.getUint16(at) : 0;
      yield offset < 8 || offset >= pageSize ? undefined : cellAt(file, start + offset);
    }
}

function cellAt(file: DataView, at: number): Cell | undefined {
  const size = varint(file, at);
  const rowid = size && varint(file, size.end);
  if (size === undefined || rowid === undefined) return undefined;
  const payload = payloadAt(file, rowid.end, size.value);
  const values = payload && valuesIn(payload.bytes);
  return payload && values && { rowid: rowid.value, values, overflow: payload.overflow };
}

// A record that does not fit on its page goes on in a chain of pages. Each begins with the number of the next.
function payloadAt(
  file: DataView,
  at: number,
  size: number,
): { readonly bytes: Uint8Array; readonly overflow: readonly number[] } | undefined {
  if (size > file.byteLength) return undefined;
  const local = localSize(size);
  const first = slice(file, at, local);
  if (first === undefined) return undefined;
  const parts = [first];
  const overflow: number[] = [];
  let next = size > local ? numberAt(file, at + local) : 0;
  for (let left = size - local; left > 0; left -= pageSize - 4) {
    if (next === undefined || next < 2 || overflow.includes(next)) return undefined;
    const part = slice(file, (next - 1) * pageSize + 4, Math.min(left, pageSize - 4));
    if (part === undefined) return undefined;
    overflow.push(next);
    parts.push(part);
    next = numberAt(file, (next - 1) * pageSize);
  }
  return { bytes: Buffer.concat(parts), overflow };
}

// How many bytes of a record of this size are on the page itself (file format, 1.6).
function localSize(size: number): number {
  const most = pageSize - 35;
  if (size <= most) return size;
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const wanted = least + ((size - least) % (pageSize - 4));
  return wanted <= most ? wanted : least;
}

function valuesIn(bytes: Uint8Array): readonly Value[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = varint(view, 0);
  if (header === undefined || header.value > bytes.length) return undefined;
  const values: Value[] = [];
  let [at, body] = [header.end, header.value];
  while (at < header.value) {
    const type = varint(view, at);
    const read = type && valueAt(view, body, type.value);
    if (type === undefined || read === undefined) return undefined;
    values.push(read.value);
    [at, body] = [type.end, read.end];
  }
  return body === bytes.length ? values : undefined;
}

const integerSizes: readonly number[] = [0, 1, 2, 3, 4, 6, 8];

// `type`: a serial type of SQLite: an integer of some size, a literal 0 or 1, or a text. The journal uses no others.
function valueAt(view: DataView, at: number, type: number) {
  if (type === 0) return { value: null, end: at };
  if (type === 8 || type === 9) return { value: type - 8, end: at };
  const size = type >= 13 && type % 2 === 1 ? (type - 13) / 2 : integerSizes[type];
  const bytes = size === undefined ? undefined : slice(view, at, size);
  if (size === undefined || bytes === undefined) return undefined;
  const value = type >= 13 ? Buffer.from(bytes).toString('utf8') : integerIn(bytes);
  return { value, end: at + size };
}

function integerIn(bytes: Uint8Array): number {
  const value = Number(BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`)));
  return Number.isSafeInteger(value) ? value : 0;
}

// Free pages are listed in a chain of trunk pages. Each lists numbers of free pages.
function freePages(file: DataView): Set<number> {
  const free = new Set<number>();
  let trunk = numberAt(file, 32) ?? 0;
  while (trunk >= 2 && !free.has(trunk)) {
    const start = (trunk - 1) * pageSize;
    const count = numberAt(file, start + 4);
    if (count === undefined || count > pageSize / 4 - 2) break;
    free.add(trunk);
    for (let leafAt = 0; leafAt < count; leafAt += 1) free.add(numberAt(file, start + 8 + 4 * leafAt) ?? 0);
    trunk = numberAt(file, start) ?? 0;
  }
  return free;
}

function varint(view: DataView, at: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = byteAt(view, at + index);
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: at + index + 1 } : undefined;
  }
  return undefined;
}

function slice(view: DataView, at: number, length: number): Uint8Array | undefined {
  return at < 0 || at + length > view.byteLength
    ? undefined
    : new Uint8Array(view.buffer, view.byteOffset + at, length);
}

function byteAt(view: DataView, at: number): number | undefined {
  return at < view.byteLength ? view.getUint8(at) : undefined;
}

function numberAt(view: DataView, at: number): number | undefined {
  return at + 4 <= view.byteLength ? view.getUint32(at) : undefined;
}
