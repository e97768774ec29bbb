/** Writes the XML of a workbook: its cells, its rows and the parts that are the same in every workbook (ECMA-376). */

import { columnLetters, encoded, keptDigits, relationsPart, workbookPart } from './workbook-facts.ts';

/**
 * What a cell holds. `day` is a count of days since 1900, as spreadsheets write a date with its time; `decimal` a number with
 * decimals, digit for digit.
 */
export type SheetCell =
  | string
  | number
  | bigint
  | boolean
  | { readonly day: number }
  | { readonly decimal: string }
  | undefined;

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const parts = 'http://schemas.openxmlformats.org/package/2006';
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

// The styles of cells, by their position in styles.xml.
const styles = { date: 1, whole: 2, text: 3, bold: 4, decimal: 5 } as const;
// The most decimals that a profile can declare.
const placesMost = 6;

/** A row. `isBold`: a heading. A cell that is blank is left out. */
export function rowXml(cells: readonly SheetCell[], row: number, isBold = false): string {
  return `<row r="${row}">${cells
    .map((cell, index) => cellXml(cell, `${columnLetters(index)}${row}`, isBold))
    .join('')}</row>`;
}

/** The most characters that a spreadsheet keeps in a cell. */
export const longestText = 32_767;

function cellXml(cell: SheetCell, address: string, isBold: boolean): string {
  if (cell === undefined || cell === '') return '';
  const open = `<c r="${address}"`;
  if (typeof cell === 'object' && 'decimal' in cell && isKeptDecimal(cell.decimal)) {
    const [, decimals = ''] = cell.decimal.split('.');
    return `${open} s="${styles.decimal + decimals.length}"><v>${cell.decimal}</v></c>`;
  }
  if (typeof cell === 'object' && 'day' in cell)
    return `${open} s="${styles.date}"><v>${Number(cell.day.toFixed(10))}</v></c>`;
  if (typeof cell === 'boolean') return `${open} t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number' && isKept(cell))
    return `${open}${Number.isInteger(cell) ? ` s="${styles.whole}"` : ''}><v>${cell}</v></c>`;
  const style = isBold ? styles.bold : styles.text;
  return `${open} s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(typeof cell === 'object' ? cell.decimal : String(cell))}</t></is></c>`;
}

function isKept(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isInteger(value)
    ? Math.abs(value) < 10 ** keptDigits
    : Number(value.toPrecision(keptDigits)) === value;
}

function isKeptDecimal(text: string): boolean {
  return text.replace(/^-?0*/, '').replace('.', '').length <= keptDigits;
}

function xmlText(text: string): string {
  return encoded(text)
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** The beginning of a sheet. `frozen`: its first row stays in view. */
export function sheetStart(widths: readonly number[], frozen: boolean): string {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const columns = widths
    .map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`)
    .join('');
  return `${head}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0">${frozen ? pane : ''}</sheetView></sheetViews><cols>${columns}</cols><sheetData>`;
}

/**
 * The end of a sheet, which prints across and as wide as a page. `filtered`: how many columns and rows its heading row filters;
 * undefined: it has none.
 */
export function sheetEnd(filtered?: { readonly columns: number; readonly rows: number }): string {
  const filter =
    filtered === undefined
      ? ''
      : `<autoFilter ref="A1:${columnLetters(filtered.columns - 1)}${filtered.rows}"/>`;
  return `</sheetData>${filter}<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/></worksheet>`;
}

/** The file of a sheet, by its number from 1. */
export function sheetFile(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

const font = '<sz val="11"/><name val="Calibri"/>';
const firstDecimal = 165;
const decimalFormats = Array.from(
  { length: placesMost + 1 },
  (_, places) =>
    `<numFmt numFmtId="${firstDecimal + places}" formatCode="0${places === 0 ? '' : '.'}${'0'.repeat(places)}"/>`,
).join('');
const decimalStyles = Array.from({ length: placesMost + 1 }, (_, places) => firstDecimal + places);
const format = (id: number) =>
  `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`;

/**
 * The other parts of a workbook with these sheets, by their files. `isHeaded`: the first row of every sheet but the last is on every
 * printed page.
 */
export function fixedParts(
  sheets: readonly string[],
  isHeaded: boolean,
): readonly (readonly [file: string, text: string])[] {
  const override = (file: string, what: string) =>
    `<Override PartName="/${file}" ContentType="${kind}.${what}+xml"/>`;
  const relation = (id: number, what: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${office}/${what}" Target="${target}"/>`;
  const relations = (...all: readonly string[]) =>
    `${head}<Relationships xmlns="${parts}/relationships">${all.join('')}</Relationships>`;
  const numbered = (of: (name: string, number: number) => string) =>
    sheets.map((name, index) => of(name, index + 1)).join('');
  const titles = sheets
    .slice(0, -1)
    .map(
      (name, index) =>
        `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${name}!$1:$1</definedName>`,
    )
    .join('');
  return [
    [
      '[Content_Types].xml',
      `${head}<Types xmlns="${parts}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override(workbookPart, 'sheet.main')}${override('xl/styles.xml', 'styles')}${numbered((_, number) => override(sheetFile(number), 'worksheet'))}</Types>`,
    ],
    ['_rels/.rels', relations(relation(1, 'officeDocument', workbookPart))],
    [
      workbookPart,
      `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${numbered((name, number) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets>${isHeaded ? `<definedNames>${titles}</definedNames>` : ''}</workbook>`,
    ],
    [
      relationsPart,
      relations(
        numbered((_, number) => relation(number, 'worksheet', `worksheets/sheet${number}.xml`)),
        relation(sheets.length + 1, 'styles', 'styles.xml'),
      ),
    ],
    [
      'xl/styles.xml',
      `${head}<styleSheet xmlns="${main}"><numFmts count="${placesMost + 2}"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>${decimalFormats}</numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${styles.decimal + decimalStyles.length}">${format(0)}${format(164)}${format(1)}${format(49)}${format(49).replace('fontId="0"', 'fontId="1" applyFont="1"')}${decimalStyles.map((id) => format(id)).join('')}</cellXfs></styleSheet>`,
    ],
  ];
}
