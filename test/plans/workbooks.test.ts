/** Workbooks as input files: the right reading or a clear error at its cell, whatever program or person made them. */

import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type AmountStyle, plainAmounts } from '../../src/amounts.ts';
import { readWorkbook } from '../../src/plans/read-workbook.ts';
import { ZipWriter } from '../../src/workbook/zip-writer.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

interface Parts {
  /** What stands in sheetData, behind the row of titles. */
  readonly rows?: string;
  /** What stands behind sheetData. */
  readonly behind?: string;
  readonly before?: string;
  readonly properties?: string;
  readonly sheets?: string;
  readonly shared?: string;
  readonly more?: Readonly<Record<string, string>>;
  /** The XML of the sheet as it is. */
  readonly sheet?: string;
}

const text = (at: string, said: string) => `<c r="${at}" t="inlineStr"><is><t>${said}</t></is></c>`;
const number = (at: string, value: string, style = 0) => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
const titles = `<row r="1">${text('A1', 'order_id')}${text('B1', 'amount')}${text('C1', 'ref')}${text('D1', 'seen')}</row>`;
const order = text('A2', 'ord_1');
/** A row 2 with an order, and these cells. */
const row = (...cells: readonly string[]) => `<row r="2">${order}${cells.join('')}</row>`;
const good = row(number('B2', '500'));

function book({
  rows = good,
  behind = '',
  before = '',
  properties = '',
  shared = '',
  more = {},
  ...parts
}: Parts): Buffer {
  const sheets = parts.sheets ?? '<sheet name="One" sheetId="1" r:id="rId1"/>';
  const sheet =
    parts.sheet ??
    `<worksheet xmlns="${main}">${before}<sheetData>${titles}${rows}</sheetData>${behind}</worksheet>`;
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${office}/${type}" Target="${target}"/>`;
  const formats = ['yyyy\\-mm\\-dd hh:mm', '0.00 &quot;days&quot;', '00000', '[h]:mm'];
  return zipOf({
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">${properties}<sheets>${sheets}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation(1, 'worksheet', 'worksheets/sheet1.xml')}${relation(2, 'worksheet', '/xl/worksheets/sheet2.xml')}${relation(3, 'sharedStrings', 'sharedStrings.xml')}${relation(4, 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>${formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}"><si><t>plain</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>SPOKEN</t></rPh></si><si><t>a_x0041_</t></si>${shared}</sst>`,
    'xl/worksheets/sheet1.xml': sheet,
    'xl/worksheets/sheet2.xml': `<worksheet xmlns="${main}"><sheetData>${titles}<row r="2">${order}${number('B2', '77')}</row></sheetData></worksheet>`,
    ...more,
  });
}

function zipOf(entries: Readonly<Record<string, string>>): Buffer {
  const zip = new ZipWriter();
  return Buffer.concat([
    ...Object.entries(entries).map(([name, content]) => zip.entry(name, content)),
    zip.end(),
  ]);
}

/** The rows of a workbook without their order, or its problems with their cells. */
async function read(
  bytes: Uint8Array,
  sheet?: string,
  amounts: AmountStyle = plainAmounts,
): Promise<readonly string[]> {
  const { lines, problems, addressOf, rows } = await readWorkbook(bytes, { sheet, for: 'plan', amounts });
  if (problems.length > 0) return problems.map((one) => `${addressOf?.(one) ?? 'file'}: ${one.words}`);
  expect(rows).toHaveLength(lines.length);
  return lines.map(({ cells }) => cells.slice(1).join('|'));
}

const damaged = 'file: the file is damaged: open it in a spreadsheet and save it again';
const cell = (at: string, type: string, inside: string) => `<c r="${at}" t="${type}">${inside}</c>`;
const patched = (find: string, replace: string) => {
  const bytes = book({});
  const at = bytes.indexOf(find);
  bytes.write(replace, at, 'latin1');
  return bytes;
};

const right: readonly (readonly [name: string, bytes: Buffer, expected: readonly string[]])[] = [
  [
    'numbers and inline text',
    book({
      rows: row(number('B2', '500'), text('C2', ' a &amp; b ').replaceAll(' a', 'a').replace('b ', 'b')),
    }),
    ['500|a & b|'],
  ],
  ['a number with zeros behind', book({ rows: row(number('B2', '500.000')) }), ['500||']],
  ['a number as 5E+2', book({ rows: row(number('B2', '5E+2')) }), ['500||']],
  ['fifteen digits', book({ rows: row(number('B2', '999999999999999')) }), ['999999999999999||']],
  ['a number as text', book({ rows: row(text('B2', '500')) }), ['500||']],
  [
    'shared texts, rich, with spoken words and escapes',
    book({ rows: row(number('B2', '5'), cell('C2', 's', '<v>1</v>'), cell('D2', 's', '<v>2</v>')) }),
    ['5|rich text|aA'],
  ],
  [
    'a formula with its result',
    book({ rows: row('<c r="B2"><f>2*250</f><v>500</v></c>', cell('C2', 'str', '<f>"x"</f><v>x</v>')) }),
    ['500|x|'],
  ],
  ['true and false', book({ rows: row(number('B2', '5'), '', cell('D2', 'b', '<v>1</v>')) }), ['5||true']],
  [
    'a date in a column of the person',
    book({ rows: row(number('B2', '5'), number('D2', '46110.104166666664', 2)) }),
    ['5||2026-03-29 02:30:00'],
  ],
  [
    'a date of 1904',
    book({
      properties: '<workbookPr date1904="true"/>',
      rows: row(number('B2', '5'), number('D2', '44648', 1)),
    }),
    ['5||2026-03-29'],
  ],
  [
    'the same with 1',
    book({
      properties: '<workbookPr date1904="1"/>',
      rows: row(number('B2', '5'), number('D2', '44648', 1)),
    }),
    ['5||2026-03-29'],
  ],
  ['a time of day', book({ rows: row(number('B2', '5'), number('D2', '0.5', 2)) }), ['5||12:00:00']],
  ['hours without end', book({ rows: row(number('B2', '5'), number('D2', '1.25', 5)) }), ['5||30:00:00']],
  [
    'a date as text of the standard',
    book({ rows: row(number('B2', '5'), cell('D2', 'd', '<v>2026-03-29</v>')) }),
    ['5||2026-03-29'],
  ],
  [
    'a number that is shown with zeros in front',
    book({ rows: row(number('B2', '5'), number('C2', '123', 4)) }),
    ['5|00123|'],
  ],
  [
    'a number whose format has letters in quotes',
    book({ rows: row(number('B2', '5'), number('D2', '3', 3)) }),
    ['5||3.00'],
  ],
  [
    'rows without numbers and cells without places',
    book({ rows: '<row><c t="inlineStr"><is><t>ord_1</t></is></c><c><v>5</v></c></row>' }),
    ['5||'],
  ],
  [
    'blank rows and cells that only have a format',
    book({ rows: `<row r="2"/>${good.replaceAll('2"', '5"')}<row r="9"><c r="A9" s="1"/></row>` }),
    ['500||'],
  ],
  [
    'names with a prefix',
    book({
      sheet: `<x:worksheet xmlns:x="${main}"><x:sheetData>${(titles + good).replaceAll('</', '</x:').replace(/<(?!\/)/g, '<x:')}</x:sheetData></x:worksheet>`,
    }),
    ['500||'],
  ],
  [
    'comments, CDATA and a declaration',
    book({
      sheet: `<?xml version="1.0"?><!-- a > b --><worksheet><sheetData>${titles}${row(cell('B2', 'str', '<v><![CDATA[500]]></v>'))}</sheetData></worksheet>`,
    }),
    ['500||'],
  ],
  ['macros beside the cells', book({ more: { 'xl/vbaProject.bin': '\0' } }), ['500||']],
  [
    'a merged heading below the rows',
    book({ behind: '<mergeCells><mergeCell ref="A9:B9"/></mergeCells>' }),
    ['500||'],
  ],
  [
    'a second sheet that is hidden',
    book({ sheets: '<sheet name="One" r:id="rId1"/><sheet name="Two" state="hidden" r:id="rId2"/>' }),
    ['500||'],
  ],
];

test.each(right)('%s: read right', async (_name, bytes, expected) => {
  expect(await read(bytes)).toEqual(expected);
});

test('an amount is read as the sheet shows it: 520 with the format 0.00 is 520.00, which needs decimals', async () => {
  const bytes = book({ rows: row(number('B2', '520', 3)) });
  expect(await read(bytes)).toEqual([
    expect.stringContaining('B2: amount 520.00: the profile declares no decimals'),
  ]);
  const declared = { ...plainAmounts, 'amounts.decimals': { MXN: 2 } };
  expect(await read(bytes, undefined, declared)).toEqual(['520.00||']);
});

test.each([
  [{ MXN: 2, JPY: 0 }, number('B2', '1841.5'), { text: '1841.50', places: 2, currency: undefined }],
  [{ MXN: 2, KWD: 3 }, number('B2', '1841.5'), { text: '1841.5', places: 1, currency: undefined }],
  [{ MXN: 2 }, text('B2', '1841.5'), { text: '1841.5', places: 1, currency: undefined }],
])(
  'a number without a format has lost only zeros, which are certain if all currencies have as many: %o',
  async (places, cell, decimals) => {
    const amounts = { ...plainAmounts, 'amounts.decimals': places };
    const { rows } = await readWorkbook(book({ rows: row(cell) }), {
      sheet: undefined,
      for: 'plan',
      amounts,
    });
    expect(rows[0]?.decimals).toEqual({ ...decimals, cell: decimals.text });
  },
);

const wrong: readonly (readonly [name: string, bytes: Buffer, says: string])[] = [
  [
    'a number of 16 digits',
    book({ rows: row(number('B2', '1234567890123460')) }),
    'B2: 1234567890123460 has more than 15 digits',
  ],
  ['1E+300', book({ rows: row(number('B2', '1E+300')) }), 'B2: 1E+300 has more than 15 digits'],
  ['1E+999', book({ rows: row(number('B2', '1e999')) }), 'B2: 1e999 is not a number'],
  ['a number that is none', book({ rows: row(number('B2', 'abc')) }), 'B2: abc is not a number'],
  ['NaN', book({ rows: row(number('B2', 'NaN')) }), 'B2: NaN is not a number'],
  [
    'a sum that the spreadsheet rounds on its screen',
    book({ rows: row(number('B2', '114.99999999999999')) }),
    'B2: holds 114.99999999999999, and shows 115',
  ],
  [
    'decimals',
    book({ rows: row(number('B2', '12.34')) }),
    "B2: amount 12.34: the profile declares no decimals (amounts.decimals.CUR); type the service's whole number: if it counts hundredths 1234",
  ],
  [
    'a long number in another column',
    book({ rows: row(number('B2', '5'), number('D2', '12345678901234567')) }),
    'D2: 12345678901234567 has more than 15 digits',
  ],
  ['an error', book({ rows: row(cell('B2', 'e', '<v>#DIV/0!</v>')) }), 'B2: the spreadsheet shows #DIV/0!'],
  [
    'a formula without its result',
    book({ rows: row('<c r="B2"><f>1+1</f></c>') }),
    'B2: a formula without its result',
  ],
  [
    'a date in place of an amount',
    book({ rows: row(number('B2', '46110', 1)) }),
    'B2: holds the date 2026-03-29',
  ],
  [
    'a date in place of a ref',
    book({ rows: row(number('B2', '5'), number('C2', '46110', 1)) }),
    'C2: holds the date 2026-03-29',
  ],
  [
    'a date that was rounded',
    book({ rows: row(number('B2', '5'), number('D2', '46349.9999999', 2)) }),
    'D2: the spreadsheet rounded its time',
  ],
  [
    '29 February 1900',
    book({ rows: row(number('B2', '5'), number('D2', '60', 1)) }),
    'D2: a date before March 1900',
  ],
  [
    'a date before all',
    book({ rows: row(number('B2', '5'), number('D2', '-1', 1)) }),
    'D2: a date before March 1900',
  ],
  [
    'a shared text that is missing',
    book({ rows: row(cell('B2', 's', '<v>99</v>')) }),
    'B2: its text is missing',
  ],
  [
    'a shared text with a minus',
    book({ rows: row(cell('B2', 's', '<v>-1</v>')) }),
    'B2: its text is missing',
  ],
  [
    'merged cells',
    book({ behind: '<mergeCells><mergeCell ref="B2:B3"/></mergeCells>' }),
    'B2: the cells B2:B3 are merged',
  ],
  ['a hidden row', book({ rows: good.replace('<row ', '<row hidden="1" ') }), 'A2: its row is hidden'],
  [
    'a hidden column',
    book({ before: '<cols><col min="2" max="2" hidden="true"/></cols>' }),
    'B2: its column is hidden',
  ],
  [
    'a hidden first sheet',
    book({ sheets: '<sheet name="One" state="veryHidden" r:id="rId1"/><sheet name="Two" r:id="rId2"/>' }),
    'file: its first sheet, One, is hidden',
  ],
  [
    'a cell beside the titles',
    book({ rows: row(number('B2', '5'), text('XFD2', 'x')) }),
    'row 2: XFD2 there is no title above this cell',
  ],
  [
    'a wrong order',
    book({ rows: `<row r="2">${text('A2', 'SO')}${number('B2', '5')}</row>` }),
    "A2: order_id SO: neither an order's id",
  ],
  [
    'an unknown title',
    book({
      sheet: `<worksheet><sheetData>${titles.replace('ref', 'chargeid')}${good}</sheetData></worksheet>`,
    }),
    'C1: paydesk does not know the column chargeid',
  ],
  ['an empty sheet', book({ sheet: '<worksheet><sheetData/></worksheet>' }), 'file: the sheet One is empty'],
  ['only titles', book({ rows: '' }), 'the file has titles, but no rows'],
  ['no sheet', book({ sheets: '' }), 'file: the workbook has no sheet'],
  [
    'a chart in place of a sheet',
    book({ sheets: '<sheet name="Chart" r:id="rId9"/>' }),
    'file: the workbook has no sheet',
  ],
  ['rows out of order', book({ rows: good + good }), 'file: the file is damaged: its rows are not in order'],
  [
    'cells out of order',
    book({ rows: row(number('C2', '5'), number('B2', '6')) }),
    'file: the file is damaged: its cells are not in order',
  ],
  [
    'a cell in another row',
    book({ rows: row(number('B3', '5')) }),
    'file: the file is damaged: its cells are not in order',
  ],
  [
    'a cell without a right place',
    book({ rows: row(number('2B', '5')) }),
    'file: the file is damaged: a cell has no place',
  ],
  ['XML that is cut', book({ sheet: `<worksheet><sheetData>${titles}${good}` }), damaged],
  ['XML with a wrong end', book({ rows: '<row r="2"></rows>' }), damaged],
  ['a document type', book({ sheet: '<!DOCTYPE w [<!ENTITY a "x">]><worksheet/>' }), damaged],
  ['an entity of its own', book({ rows: row(text('B2', '&lol;')) }), damaged],
  ['a control character', book({ rows: row(text('B2', 'a\u0001')) }), damaged],
  ['U+FFFE', book({ rows: row(text('B2', 'a\ufffe')) }), damaged],
  ['half of a character', book({ rows: row(text('B2', '&#xD800;')) }), damaged],
  ['a flipped bit', patched('500', '900'), damaged],
  ['a zip that is cut', book({}).subarray(0, 900), damaged],
  [
    'a zip without its sheet',
    book({
      sheets: '<sheet name="x" r:id="rId1"/>',
      more: {
        'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/none.xml"/></Relationships>`,
      },
    }),
    damaged,
  ],
  ['a plain zip', zipOf({ 'a.txt': 'x' }), 'file: this is a zip file, not a workbook'],
  ['a text document', zipOf({ 'word/document.xml': 'x' }), 'file: this is a text document (.docx)'],
  ['a presentation', zipOf({ 'ppt/presentation.xml': 'x' }), 'file: this is a presentation (.pptx)'],
  [
    'an OpenDocument file',
    zipOf({ mimetype: 'x', 'content.xml': 'x' }),
    'file: this is an OpenDocument file',
  ],
  ['a binary workbook', zipOf({ 'xl/workbook.bin': 'x' }), 'file: this is a binary workbook (.xlsb)'],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'file: this is an old workbook (.xls)'],
  [
    'a workbook with a password',
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'file: the workbook is locked by a password',
  ],
  ['an empty zip', zipOf({}), 'file: this is a zip file, not a workbook'],
];

test.each(wrong)('%s: refused at its cell', async (_name, bytes, says) => {
  expect((await read(bytes)).join('\n')).toContain(says);
});

test('--sheet names the sheet, and a sheet that is not there is named with those that are', async () => {
  const sheets = '<sheet name="One" r:id="rId1"/><sheet name="R &amp; Co" state="hidden" r:id="rId2"/>';
  expect(await read(book({ sheets }), 'R & Co')).toEqual(['77||']);
  expect(await read(book({ sheets }), 'Three')).toEqual([
    'file: it has no sheet Three; its sheets are One, R & Co',
  ]);
});

/** A zip with one sheet whose list says `size`. */
function bombOf(sheet: Buffer, size: number, packed = deflateRawSync(sheet)): Buffer {
  const bytes = book({ sheet: 'BOMB'.padEnd(packed.length, ' ') });
  const at = bytes.indexOf('BOMB');
  packed.copy(bytes, at);
  const name = Buffer.from('xl/worksheets/sheet1.xml');
  for (const [from, method, sizeAt] of [
    [bytes.indexOf(name) - 30, 8, 22],
    [bytes.lastIndexOf(name) - 46, 10, 24],
  ] as const) {
    bytes.writeUInt16LE(8, from + method);
    bytes.writeUInt32LE(size, from + sizeAt);
  }
  return bytes;
}

test('a small file that unpacks to much, or says that it unpacks to little, is refused in bounded memory', async () => {
  const much = Buffer.alloc(64 * 1024 * 1024, 32);
  expect(await read(bombOf(much, 1_000_000_000))).toEqual([
    'file: the file unpacks to 1000000000 bytes, more than a list of refunds has',
  ]);
  expect(await read(bombOf(much, 1000))).toEqual([damaged]);
  const wide = Array.from(
    { length: 300 },
    (_, index) => `<row r="${index + 1}">${text(`XFD${index + 1}`, 'x')}</row>`,
  );
  expect(
    (await read(book({ sheet: `<worksheet><sheetData>${wide.join('')}</sheetData></worksheet>` }))).join(),
  ).toContain('more cells than a list of refunds');
  const far = Array.from(
    { length: 300 },
    (_, index) => `<row r="${index + 2}">${text(`A${index + 2}`, 'x')}</row>`,
  );
  const one = `<row r="1">${text('XFD1', 'x')}</row>`;
  expect(
    (
      await read(book({ sheet: `<worksheet><sheetData>${one}${far.join('')}</sheetData></worksheet>` }))
    ).join(),
  ).toContain('more cells than a list of refunds');
  const long = `<worksheet><sheetData><row r="1">${text('A1', 'x'.repeat(3_000_000))}</row></sheetData></worksheet>`;
  expect(await read(book({ sheet: long }))).toEqual([damaged]);
});
