/** Reads the XML in a workbook piece by piece, and what it says besides the cells: the list of sheets, shared texts, number formats. */

import { Buffer } from 'node:buffer';
import { decoded, relationsPart, Unreadable, workbookPart } from './workbook-facts.ts';
import { damaged, ZipReader } from './zip-reader.ts';

const oldStart = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Opens a workbook. Throws Unreadable if the bytes are something else, and says what. */
export function openWorkbook(bytes: Buffer): ZipReader {
  if (bytes.subarray(0, 8).equals(oldStart))
    throw new Unreadable(
      bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))
        ? 'the workbook is locked by a password: save it without one'
        : 'this is an old workbook (.xls) or document: save it as .xlsx or CSV',
    );
  const zip = new ZipReader(bytes);
  if (zip.has(workbookPart)) return zip;
  throw new Unreadable(`this is ${whatItIs(zip)}, not a workbook (.xlsx) or CSV: save it as one of these`);
}

function whatItIs(zip: ZipReader): string {
  const names = zip.names();
  const has = (start: string) => names.some((name) => name.startsWith(start));
  if (has('xl/workbook.bin')) return 'a binary workbook (.xlsb)';
  if (has('word/')) return 'a text document (.docx)';
  if (has('ppt/')) return 'a presentation (.pptx)';
  if (has('mimetype') && has('content.xml')) return 'an OpenDocument file (.ods, .odt)';
  return 'a zip file';
}

/** Reads the XML of a part to its end. Throws Unreadable if it is not well-formed or exceeds a limit. */
export async function parsePart(zip: ZipReader, part: string, on: XmlHandlers): Promise<void> {
  const reader = new XmlReader(on);
  for await (const chunk of zip.text(part)) reader.write(chunk);
  reader.end();
}

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

export type WorkbookParts = Awaited<ReturnType<typeof readParts>>;

export async function readParts(zip: ZipReader) {
  const targets = new Map<string, { readonly type: string; readonly part: string }>();
  await parsePart(zip, relationsPart, {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      if (name === 'Relationship') targets.set(id, { type: type.slice(type.lastIndexOf('/') + 1), part });
    },
  });
  const sheets: WorkbookSheet[] = [];
  let is1904 = false;
  await parsePart(zip, workbookPart, {
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
    /** The format code of each cell style. */
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
      // The pronunciation, shown above a word.
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

// Number formats that files name only by their number.
function builtIn(id: number): string {
  if ([2, 4, 7, 8, 39, 40, 43, 44].includes(id)) return '#,##0.00';
  if (id === 46) return '[h]:mm:ss';
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58 && id !== 48 && id !== 49))
    return 'yyyy-mm-dd hh:mm:ss';
  return 'General';
}

/** What to do with each piece of the XML. Names come without a prefix. */
interface XmlHandlers {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

const tag = /<(\/?)([^\s<>/"'=]+)((?:\s+[^\s<>/"'=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const attribute = /([^\s<>/"'=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const passed: readonly (readonly [start: string, end: string])[] = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
];
// No workbook has longer tags or texts: a cell holds at most 32,767 characters.
const longestTag = 64 * 1024;
const longestText = 1024 * 1024;

class XmlReader {
  readonly #on: XmlHandlers;
  readonly #names: string[] = [];
  readonly #tag = new RegExp(tag);
  #rest = '';
  #roots = 0;

  constructor(on: XmlHandlers) {
    this.#on = on;
  }

  write(chunk: string): void {
    this.#rest += chunk;
    let at = 0;
    for (;;) {
      const next = this.#token(at);
      if (next === undefined) break;
      at = next;
    }
    this.#rest = this.#rest.slice(at);
    const most = this.#rest.startsWith('<') && !this.#rest.startsWith('<!') ? longestTag : longestText;
    if (this.#rest.length > most) throw damaged();
  }

  end(): void {
    if (this.#rest.trim() !== '' || this.#names.length > 0 || this.#roots !== 1) throw damaged();
  }

  // Reads the text or tag that begins at a place, and returns where it ends; undefined if more text is needed.
  #token(at: number): number | undefined {
    const rest = this.#rest;
    if (at >= rest.length) return undefined;
    if (rest[at] !== '<') {
      const end = rest.indexOf('<', at);
      if (end === -1) return undefined;
      if (end - at > longestText) throw damaged();
      this.#text(withoutEntities(rest.slice(at, end)));
      return end;
    }
    const special = passed.find(([start]) => rest.startsWith(start, at));
    if (special !== undefined) {
      const [start, close] = special;
      const end = rest.indexOf(close, at + start.length);
      if (end === -1) return undefined;
      if (start === '<![CDATA[') this.#text(checked(rest.slice(at + start.length, end)));
      return end + close.length;
    }
    this.#tag.lastIndex = at;
    const found = this.#tag.exec(rest);
    if (found === null) {
      // The tag may end in the next piece. `<!` begins a document type, which is refused, or something that is passed over.
      if (rest.length - at > longestTag || (rest[at + 1] === '!' && rest.length - at > 8)) throw damaged();
      return undefined;
    }
    const [whole, isClose, name = '', attributes = '', isEmpty] = found;
    if (isClose === '/') this.#close(name);
    else this.#open(name, attributes);
    if (isEmpty === '/') this.#close(name);
    return at + whole.length;
  }

  #open(name: string, attributes: string): void {
    if (this.#names.length === 0) this.#roots += 1;
    this.#names.push(name);
    const all: Record<string, string> = {};
    for (const [, key = '', double, single] of attributes.matchAll(attribute)) {
      if (Object.hasOwn(all, key)) throw damaged();
      Object.defineProperty(all, key, { value: withoutEntities(double ?? single ?? ''), enumerable: true });
    }
    this.#on.open?.(local(name), all);
  }

  #close(name: string): void {
    if (this.#names.pop() !== name) throw damaged();
    this.#on.close?.(local(name));
  }

  #text(text: string): void {
    if (this.#names.length > 0) this.#on.text?.(text);
    else if (text.trim() !== '') throw damaged();
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function withoutEntities(text: string): string {
  if (!text.includes('&')) return checked(text);
  const decoded = text.replace(/&([^;&]{0,10})(;?)/g, (_, word: string, end: string) => {
    const [, hex, decimal] = /^#(?:x([0-9A-Fa-f]{1,6})|(\d{1,7}))$/.exec(word) ?? [];
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const sign = code <= 0x10ffff ? String.fromCodePoint(code) : named[word];
    if (sign === undefined || end === '') throw damaged();
    return sign;
  });
  return checked(decoded);
}

// XML cannot hold these characters. A line break becomes LF, however it is written.
function checked(text: string): string {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed())
    throw damaged();
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}
