/** Workbooks (.xlsx) as the rest of paydesk sees them: a sheet that is read, and the parts of a zip file that are written. */

export { type CellProblem, readSheet } from './read-sheet.ts';
export {
  fixedParts,
  longestText,
  rowXml,
  type SheetCell,
  sheetEnd,
  sheetFile,
  sheetStart,
} from './sheet-xml.ts';
export { columnLetters, dayOf, Unreadable } from './workbook-facts.ts';
export { ZipWriter } from './zip-writer.ts';
