/** Workbooks read as the standards say, written for the tests alone: the list at the end of the zip, then each sheet cell by cell. */

import { crc32, inflateRawSync } from 'node:zlib';

/** A cell: a text, or a number with `date` if it is shown as one. */
export interface TestCell {
  readonly text?: string;
  readonly number?: number;
  readonly bool?: boolean;
  /** What a person sees, `2026-03-29 02:30:00`. */
  readonly date?: string;
}

export interface TestSheet {
  readonly xml: string;
  readonly cells: ReadonlyMap<string, TestCell>;
}

/** The entries of a zip. Throws unless each is what the list says of it. */
export function unzip(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  let at = bytes.readUInt32LE(end + 16);
  const entries = new Map<string, Buffer>();
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [method, crc, packed, size] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
    ];
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, nameEnd);
    const head = bytes.readUInt32LE(at + 42);
    const from = head + 30 + bytes.readUInt16LE(head + 26) + bytes.readUInt16LE(head + 28);
    const raw = bytes.subarray(from, from + packed);
    const text = method === 0 ? raw : inflateRawSync(raw);
    if (text.length !== size || crc32(text) !== crc) throw new Error(`${name} is not what the list says`);
    entries.set(name, text);
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The two sheets of a workbook of paydesk. */
export function readWorkbook(bytes: Buffer): { readonly rows: TestSheet; readonly about: TestSheet } {
  const [rows, about] = [...readSheets(bytes).values()];
  if (rows === undefined || about === undefined) throw new Error('not two sheets');
  return { rows, about };
}

/** All sheets of a workbook of paydesk, by their names, in the order of their tabs. */
export function readSheets(bytes: Buffer): ReadonlyMap<string, TestSheet> {
  const entries = unzip(bytes);
  const sheet = (number: number): TestSheet => {
    const xml = entries.get(`xl/worksheets/sheet${number}.xml`)?.toString() ?? '';
    return {
      xml,
      cells: new Map(
        [...xml.matchAll(cellPattern)].map(([, at = '', more = '', inside = '']) => [
          at,
          cellOf(more, inside),
        ]),
      ),
    };
  };
  const tabs =
    entries
      .get('xl/workbook.xml')
      ?.toString()
      .matchAll(/<sheet name="([^"]+)"/g) ?? [];
  return new Map([...tabs].map(([, name = ''], index) => [name, sheet(index + 1)]));
}

const cellPattern = /<c r="([A-Z]+\d+)"([^>]*)>(.*?)<\/c>/gs;

function cellOf(more: string, inside: string): TestCell {
  const value = /<v>(.*)<\/v>/s.exec(inside)?.[1] ?? '';
  if (more.includes('t="b"')) return { bool: value === '1' };
  if (more.includes('t="inlineStr"')) return { text: decoded(/<t[^>]*>(.*)<\/t>/s.exec(inside)?.[1] ?? '') };
  if (!more.includes(' s="1"')) return { number: Number(value) };
  const shown = new Date(Math.round((Number(value) - 25_569) * 86_400) * 1000).toISOString();
  return { date: shown.slice(0, 19).replace('T', ' ') };
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The cells of a row, from column A to the last that is asked for. */
export function rowOf({ cells }: TestSheet, row: number, columns: string): readonly (TestCell | undefined)[] {
  return columns.split('').map((column) => cells.get(`${column}${row}`));
}

/** What the second sheet says, by its titles. */
export function said(about: TestSheet): ReadonlyMap<string, readonly unknown[]> {
  const all = new Map<string, readonly unknown[]>();
  for (let row = 1; about.cells.has(`A${row}`); row += 1) {
    const [title, ...cells] = rowOf(about, row, 'ABC');
    const values = cells.flatMap((cell) => cell?.text ?? cell?.number ?? cell?.date ?? []);
    all.set(title?.text ?? '', [...(all.get(title?.text ?? '') ?? []), ...values]);
  }
  return all;
}
