/** The parts of a workbook besides its sheets: which sheets there are, the texts that cells share, and how cells are shown. */

import { decoded } from './sheet-cells.ts';
import { readXml, type XmlHandlers } from './xml.ts';
import { Unreadable, type ZipReader } from './zip-reader.ts';

/** Reads the XML of a part to its end. Throws Unreadable for what is damaged. */
export async function parsePart(zip: ZipReader, part: string, on: XmlHandlers): Promise<void> {
  await readXml(zip.text(part), on);
}

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

export interface WorkbookParts {
  readonly sheets: readonly WorkbookSheet[];
  readonly is1904: boolean;
  readonly shared: readonly string[];
  /** The code of each style of cells. */
  readonly formats: readonly string[];
}

const main = 'xl/workbook.xml';

export async function readParts(zip: ZipReader): Promise<WorkbookParts> {
  const targets = new Map<string, { readonly type: string; readonly part: string }>();
  await parsePart(zip, 'xl/_rels/workbook.xml.rels', {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      if (name === 'Relationship') targets.set(id, { type: type.slice(type.lastIndexOf('/') + 1), part });
    },
  });
  const sheets: WorkbookSheet[] = [];
  let is1904 = false;
  await parsePart(zip, main, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      const { type, part } = targets.get(id) ?? {};
      if (type !== 'worksheet' || part === undefined) return;
      const isHidden = (attributes.state ?? 'visible') !== 'visible';
      sheets.push({ name: attributes.name ?? '', isHidden, part });
    },
  });
  const partOf = (type: string) => [...targets.values()].find((one) => one.type === type)?.part;
  const texts = partOf('sharedStrings');
  const styles = partOf('styles');
  return {
    sheets,
    is1904,
    shared: texts === undefined ? [] : await readShared(zip, texts),
    formats: styles === undefined ? [] : await readFormats(zip, styles),
  };
}

// As many characters as an input file may have.
const mostText = 64 * 1024 * 1024;

async function readShared(zip: ZipReader, part: string): Promise<readonly string[]> {
  const texts: string[] = [];
  let [text, isText, phonetic, all] = ['', false, 0, 0];
  await parsePart(zip, part, {
    open(name) {
      if (name === 'si') text = '';
      if (name === 't') isText = true;
      // How a word is spoken, which stands above it.
      if (name === 'rPh') phonetic += 1;
    },
    close(name) {
      if (name === 'si') texts.push(decoded(text));
      if (name === 't') isText = false;
      if (name === 'rPh') phonetic -= 1;
    },
    text(more) {
      if (!isText || phonetic > 0) return;
      text += more;
      all += more.length;
      if (all > mostText) throw new Unreadable('the file has more text than a list of refunds');
    },
  });
  return texts;
}

async function readFormats(zip: ZipReader, part: string): Promise<readonly string[]> {
  const codes = new Map<string, string>();
  const formats: string[] = [];
  let isCells = false;
  await parsePart(zip, part, {
    open(name, { numFmtId: id = '0', formatCode: code = '' }) {
      if (name === 'numFmt') codes.set(id, code);
      if (name === 'cellXfs') isCells = true;
      if (name === 'xf' && isCells) formats.push(codes.get(id) ?? builtIn(Number(id)));
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return formats;
}

// Codes that no file writes down.
function builtIn(id: number): string {
  if ([2, 4, 7, 8, 39, 40, 43, 44].includes(id)) return '#,##0.00';
  if (id === 46) return '[h]:mm:ss';
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58 && id !== 48 && id !== 49))
    return 'yyyy-mm-dd hh:mm:ss';
  return 'General';
}
