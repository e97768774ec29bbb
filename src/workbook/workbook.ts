/** Workbooks (.xlsx) as the rest of paydesk sees them: their parts, written and read, in a zip file. */

export { type RawCell, readCell } from './read-cells.ts';
export {
  openWorkbook,
  parsePart,
  placeOf,
  readParts,
  type WorkbookParts,
  type WorkbookSheet,
} from './read-parts.ts';
export {
  fixedParts,
  longestText,
  rowXml,
  type SheetCell,
  sheetEnd,
  sheetFile,
  sheetStart,
} from './sheet-xml.ts';
export { columnLetters, dayOf } from './workbook-facts.ts';
export { Unreadable } from './zip-reader.ts';
export { ZipWriter } from './zip-writer.ts';
