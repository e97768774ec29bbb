/** Input files as a whole: titles, rows, encodings, and every problem in one run. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainAmounts } from '../../src/amounts.ts';
import { readInputFile } from '../../src/plans/input-file.ts';
import { knownTitles } from '../../src/plans/title-words.ts';
import { isLong } from '../harness/long.ts';
import { id, problemsOf, read } from './files.ts';

const head = 'order_id,charge_id,amount,reason,ref,note';

describe('readInputFile', () => {
  it('reads every column, in any order, and keeps the others', () => {
    const file = read(
      `Seat, Note ,AMOUNT,ref,Order ID,charge-id,reason\nB7,"two ""nights""",900,n1,${id},*4242,other\nB8,,full,,${id},2,\n`,
    );
    expect(file).toEqual({
      hasBom: false,
      lineEnd: '\n',
      canCorrect: true,
      delimiter: ',',
      columns: ['Seat', 'Note', 'AMOUNT', 'ref', 'Order ID', 'charge-id', 'reason'],
      unread: ['Seat'],
      readAs: [],
      hasAmount: true,
      unmarked: 0,
      problems: [],
      rows: [
        {
          line: 2,
          orderId: id,
          reference: undefined,
          charge: '*4242',
          amount: 900,
          reason: 'other',
          ref: 'n1',
          note: 'two "nights"',
          again: [],
          asks: undefined,
          cells: ['B7', 'two "nights"', '900', 'n1', id, '*4242', 'other'],
        },
        {
          line: 3,
          orderId: id,
          reference: undefined,
          charge: '2',
          amount: 'full',
          reason: undefined,
          ref: '',
          note: undefined,
          again: [],
          asks: undefined,
          cells: ['B8', '', 'full', '', id, '2', ''],
        },
      ],
      lines: [
        { line: 2, cells: ['B7', 'two "nights"', '900', 'n1', id, '*4242', 'other'] },
        { line: 3, cells: ['B8', '', 'full', '', id, '2', ''] },
      ],
    });
  });

  it('leaves the charge to paydesk if the file has no column for it', () => {
    expect(read(`order_id,amount\n${id},5`).rows).toMatchObject([{ charge: 'any', amount: 5 }]);
  });

  it.each([
    [';', `order_id;amount;a,b,c\n${id};5;x`],
    ['\t', `order_id\tamount\tx;y;z;w\n${id}\t5\tx`],
    [',', `order_id,amount,x;y;z;w\n${id},5,x`],
    [';', `"order_id";"amount"\n${id};5`],
    [',', `order_id,amount\n${id},5`],
  ] as const)('F50 recognises %j from the titles', (delimiter, text) => {
    const file = read(text);
    expect([file.delimiter, problemsOf(file), file.rows[0]?.amount]).toEqual([delimiter, [], 5]);
  });

  it('goes by the delimiter that was given', () => {
    const file = read(`order_id;amount\n${id};5`, { delimiter: ',' });
    expect([file.delimiter, file.rows, problemsOf(file)]).toEqual([
      ',',
      [],
      ['1 (row): all titles are in one cell: leave out --delimiter, then paydesk finds the right one'],
    ]);
    expect(read(`order_id,amount,x;y\n${id},5,z`, { delimiter: ',' }).rows).toMatchObject([{ amount: 5 }]);
  });

  it('F50 takes a byte order mark, CRLF, CR, a file without a last line break, and empty lines', () => {
    const text = `\ufeff${head}\r\n\r\n${id},1,5,,,\r\n,,,,,\r\n  \r\n${id},2,6,,,`;
    for (const lineBreak of ['\r\n', '\n', '\r']) {
      const file = read(text.replaceAll('\r\n', lineBreak));
      expect([problemsOf(file), file.rows.map(({ line, amount }) => [line, amount])]).toEqual([
        [],
        [
          [3, 5],
          [6, 6],
        ],
      ]);
    }
  });

  it('F50 counts the lines of the file, whatever stands in quotes', () => {
    const file = read(
      `\n"order_id",amount,"ad\r\ndress"\n${id},1,"a\r\nb\nc\rd"\r\n\n${id},x,""\n${id},3,"\n\n"\n${id},y,`,
    );
    expect(file.rows.map(({ line }) => line)).toEqual([4, 10]);
    expect(file.lines.map(({ line }) => line)).toEqual([4, 9, 10, 13]);
    expect(file.problems.map(({ line }) => line)).toEqual([9, 13]);
    expect(file.rows[0]?.cells[2]).toBe('a\r\nb\nc\rd');
  });

  it('F44 F45 F50 names everything that is wrong in one run, with line and column', () => {
    const file = read(
      [
        head,
        `${id},1,1,000,,,`,
        `${id},,,,,`,
        `${id},full,12,,,`,
        `SO,NULL,-,fraud,,`,
        `${id},1`,
        `${id},1,5,,,,more`,
        `${id},1,5,,"a" b,`,
        `${id},1,5,,,fine`,
        `${id},1,5,,b"c,`,
        `${id},1,5,,\0,a\0b`,
        `,1,5,,,`,
        `${id},1,5,,,"never closed`,
        `${id},2,6,,,`,
      ].join('\n'),
    );
    expect(problemsOf(file)).toEqual([
      '2 (row): the row has 7 cells, and the first line has 6 titles: put quotes around a cell that contains the delimiter',
      '3 charge_id: charge_id is blank: type the charge, or full for the whole order, or any if one card paid',
      '3 amount: amount is blank: type the amount, or full for the whole charge or order',
      '4 amount: charge_id is full, which is the whole order, so amount must be full too; for 12 of it type a charge, or any',
      "5 order_id: order_id SO: neither an order's id such as ord_2tQ7zRk9PwE5xNvAm nor the shop's own number",
      '5 charge_id: charge_id NULL says nothing: type the charge, or full for the whole order, or any if one card paid',
      '5 amount: amount - says nothing: type the amount, or full for the whole charge or order',
      '5 reason: reason fraud: not a reason; did you mean suspected_fraud?',
      '6 (row): the row has 2 cells, and the first line has 6 titles: write a blank cell where there is nothing to say',
      '7 (row): the row has 7 cells, and the first line has 6 titles: put quotes around a cell that contains the delimiter',
      '8 ref: the quote that opens this cell is not closed, or a quote inside it is not doubled ("")',
      '10 ref: there is a quote inside this cell: put quotes around the whole cell, and double each quote inside it ("")',
      '11 ref: this cell holds a NUL character: delete it',
      '11 note: this cell holds a NUL character: delete it',
      '12 order_id: order_id is blank: each row names its order',
      '13 note: the quote that opens this cell is never closed',
    ]);
    expect(file.rows.map(({ line }) => line)).toEqual([9, 14]);
    expect(file.lines.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(file.lines.find(({ line }) => line === 13)?.cells).toEqual([
      id,
      '1',
      '5',
      '',
      '',
      '"never closed',
    ]);
  });

  it('a quote that is never closed hides no row behind it', () => {
    const file = read(`order_id,amount,x\n${id},1,"a\n${id},2,b\n${id},3,"c"d\n${id},4,e\n`);
    expect(file.rows.map(({ amount }) => amount)).toEqual([2, 4]);
    expect(file.problems.map(({ line }) => line)).toEqual([2, 4]);
  });
});

describe('F50 titles', () => {
  it.each([
    ['orderid', 'order_id', 'orderid,amount'],
    ['amout', 'amount', 'order_id,amout'],
    ['Charge-ID to refund', 'charge_id', 'order_id,amount,Charge-ID to refund'],
    ['reasons', 'reason', 'order_id,amount,reasons'],
    ['references', 'reference', 'amount,references'],
  ])('%s is not taken for a column of its own, nor for %s', (title, meant, titles) => {
    expect(problemsOf(read(`${titles}\n${id},${id},5`)).at(0)).toBe(
      `1 ${title}: paydesk does not know the column ${title}: write ${meant}, or give it another name if it is not meant`,
    );
  });

  it.each([
    ['Order;Charge;Refund amount;Notes', ['order_id', 'charge_id', 'amount', 'note']],
    ['Order ID;charge no.;Importe;Motivo', ['charge_id', 'amount', 'reason']],
    ['Pedido;Cargo;Monto;Nota', ['order_id', 'charge_id', 'amount', 'note']],
    ['Referencia;Cargo;Monto;Nota', ['order_id', 'charge_id', 'amount', 'note']],
    ['Order;Grund;Refund amount;Kommentar', ['order_id', 'reason', 'amount', 'note']],
    ['Pedido;Why;Monto;Comentarios', ['order_id', 'reason', 'amount', 'note']],
  ])('%s: plain titles are read as their columns, and said', (titles, columns) => {
    const cells = { reason: 'other', note: 'n', charge_id: '2', amount: '5' };
    const last = columns.slice(-3).map((column) => cells[column as keyof typeof cells]);
    const file = read(`${titles}\n${[id, ...last].join(';')}\n`);
    expect(problemsOf(file)).toEqual([]);
    expect(file.readAs.map(({ column }) => column)).toEqual(columns);
    expect(file.rows[0]).toMatchObject({
      orderId: id,
      amount: 5,
      ...(columns.includes('charge_id') && { charge: '2' }),
    });
  });

  it.each(['Tarjeta', 'Card', 'Nº tarjeta', 'Últimos 4', 'Kartennummer', 'card_last4'])(
    'a column %s names the charges by their cards, however a card is written',
    (title) => {
      const cells =
        '*4242,4242,visa *4242,Visa 4242,**** 4242,XXXX4242,visa xxxx4242,•••• 4242,XXXX-XXXX-XXXX-4242,424242******4242';
      const file = read(`Pedido;${title};Importe\n${cells.replaceAll(/([^,]+),?/g, `${id};$1;5\n`)}`);
      expect([problemsOf(file), new Set(file.rows.map(({ charge }) => charge))]).toEqual([
        [],
        new Set(['*4242']),
      ]);
      expect(file.rows).toHaveLength(10);
    },
  );

  it.each(['42', '1', 'visa', 'ch_4242', '*4242 *5100', 'VISA-4242', '42424'])(
    'a cell %s among cards is an error of its row, and the column is never left out',
    (cell) => {
      const file = read(`Pedido,Tarjeta,Importe\n${id},*4242,5\n${id},${cell},7\n`);
      expect([file.unread, problemsOf(file)]).toEqual([
        [],
        [
          `3 Tarjeta: charge_id ${cell}: not a card: write its last four digits, such as *4242; the id or the number of a charge belongs in a column charge_id`,
        ],
      ]);
    },
  );

  it('a column of charges takes ids, numbers and cards, cell by cell', () => {
    const file = read(`Pedido,Cargo,Importe\n${id},1,5\n${id},visa *4242,5\n${id},4242,5\n${id},ch_4242,5\n`);
    expect([problemsOf(file), file.rows.map(({ charge }) => charge)]).toEqual([
      [],
      ['1', '*4242', '4242', 'ch_4242'],
    ]);
  });

  it('a column full of cards under any title is refused where no other one says which charge', () => {
    const rows = `${id},*4242,5\n${id},visa *5100,7\n`;
    expect(problemsOf(read(`order_id,Refund from,amount\n${rows}`))).toEqual([
      '1 Refund from: Refund from looks like the card of each refund: write charge_id above it, or delete it if any card will do',
    ]);
    const named = read(`order_id,Refund from,amount,charge_id\n${rows.replaceAll(/(\d)\n/g, '$1,2\n')}`);
    expect([problemsOf(named), named.unread]).toEqual([[], ['Refund from']]);
  });

  it('a card beside a charge is not read, unless the charge may be any', () => {
    const beside = read(`Pedido,Cargo,Tarjeta,Importe\n${id},2,*4242,5\n`);
    expect([beside.unread, beside.rows[0]?.charge]).toEqual([['Tarjeta'], '2']);
    const any = read(`Pedido,Cargo,Tarjeta,Importe\n${id},any,*4242,5\n${id},any,,7\n`);
    expect(problemsOf(any)).toEqual([
      '2 Tarjeta: charge_id is any, and Tarjeta says *4242: write in charge_id which one is meant, or delete the other cell',
    ]);
  });

  it.each([
    ['Tarjeta', 'charge_id', 'Tarjeta,Karte', '*4242,*5100'],
    ['Cargo a devolver', 'charge_id', 'Cargo a devolver', '2'],
    ['Moneda', 'currency', 'Moneda,Divisa', 'MXN,MXN'],
    ['Moneda del pedido', 'currency', 'Moneda del pedido', 'USD'],
    ['Motivo', 'reason', 'Motivo,Grund', 'other,other'],
    ['Grund', 'reason', 'Grund,note', 'Konzert fiel aus,n'],
  ])('%s is never left out: it may choose what is sent (%s)', (title, meant, titles, cells) => {
    expect(problemsOf(read(`order_id,amount,${titles}\n${id},5,${cells}\n`))).toContain(
      `1 ${title}: paydesk does not know the column ${title}: write ${meant}, or give it another name if it is not meant`,
    );
  });

  it.each(['card_brand', 'Titular de la tarjeta', 'Fecha de cargo', 'amount_charged', 'Razón social'])(
    '%s says nothing about what is sent: it is a column of its own',
    (title) => {
      const file = read(`order_id,amount,${title}\n${id},5,x\n`);
      expect([problemsOf(file), file.unread]).toEqual([[], [title]]);
    },
  );

  it("why in words of one's own is a note; where two columns may be the note, neither is read, which is said", () => {
    const own = read(`order_id,amount,Why\n${id},5,the gig was cancelled\n`);
    const two = read(`order_id,amount,Comment,Notiz\n${id},5,a,b\n`);
    const typo = read(`order_id,amount,Grund\n${id},5,othr\n`);

    expect([own.readAs, own.rows[0]?.note]).toEqual([
      [{ title: 'Why', column: 'note' }],
      'the gig was cancelled',
    ]);
    expect([two.unread, two.rows[0]?.note]).toEqual([['Comment', 'Notiz'], undefined]);
    expect(problemsOf(typo)).toEqual(['2 Grund: reason othr: not a reason; did you mean other?']);
  });

  it.each([
    'Nº de pedido',
    'N° de commande',
    'Número de pedido',
    'Nro. de orden',
    'Numéro de commande',
    'N.º do pedido',
    'ID do pedido',
    'Número da encomenda',
    'Bestell-Nr.',
    'Order no.',
  ])('%s names the order', (title) => {
    const file = read(`${title},amount\n${id},5\n`);
    expect([problemsOf(file), file.rows[0]?.orderId]).toEqual([[], id]);
  });

  it.each([
    ['Pedido;Cartão;Valor a reembolsar;Moeda;Observações', 'charge_id,amount,currency,note'],
    ['Commande;Carte;Montant remboursé;Devise;Commentaire', 'charge_id,amount,currency,note'],
    ['Bestellung;Karte;Rückerstattung;WAEHRUNG;Anmerkung', 'charge_id,amount,note'],
    ['Pedido;TARJETA;Importe a devolver;Divisa;Observacion', 'charge_id,amount,currency,note'],
  ])('%s: titles of other languages are read, with and without accents', (titles, columns) => {
    const file = read(`${titles}\n${id};*4242;5;MXN;n\n`);
    expect(problemsOf(file)).toEqual([]);
    expect(file.readAs.map(({ column }) => column)).toEqual(['order_id', ...columns.split(',')]);
  });

  it.each([
    'Código de autorización',
    'Cód. autorización',
    'codigo de autorizacao',
    "Code d'autorisation",
    'Autorisierungsnummer',
    'Authorisation code',
    'Approval code',
  ])('%s names the payment or the refund in comparisons, and is kept in a plan', (title) => {
    for (const use of ['compare', 'charges'] as const)
      expect(read(`${title},amount\n490215,5\n`, { for: use }).rows[0]?.authCode).toBe('490215');
    expect(read(`order_id,amount,${title}\n${id},5,490215\n`).unread).toEqual([title]);
  });

  it.each(Object.entries(knownTitles).flatMap(([column, titles]) => titles.map((title) => [title, column])))(
    '%s is read as %s, as the page about input files says',
    (title, column) => {
      const cells = {
        charge_id: '*4242',
        amount: '5',
        currency: 'MXN',
        reason: 'other',
        auth_code: '490215',
      };
      const cell = cells[column as keyof typeof cells] ?? (column === 'note' ? 'n' : id);
      const others = ['order_id', 'reference'].includes(column) ? 'amount' : 'order_id,ref';
      const use = column === 'auth_code' ? 'compare' : 'plan';
      const more = column === 'amount' || others === 'amount' ? '' : ',amount';
      const values = others === 'amount' ? '5' : `${id},r`;
      const file = read(`${others}${more},"${title}"\n${values}${more === '' ? '' : ',5'},${cell}\n`, {
        for: use,
      });
      expect(problemsOf(file)).toEqual([]);
      expect(file.unread).toEqual([]);
    },
  );

  it.each(['Importe devuelto', 'Devolución', 'Refunded', 'Refund', 'Amt refunded', 'Erstattung'])(
    '%s above amounts is the amount, in a plan and in a comparison',
    (title) => {
      for (const use of ['plan', 'compare'] as const) {
        const file = read(`order_id,${title},#\n${id},5,1\n${id},7,2\n`, { for: use });
        expect([problemsOf(file), file.rows.map(({ amount }) => amount)]).toEqual([[], [5, 7]]);
        const beside = read(`order_id,${title},amount\n${id},5,6\n`, { for: use });
        expect([problemsOf(beside), beside.rows[0]?.amount]).toEqual([[], 6]);
      }
    },
  );

  it.each(['plan', 'compare'] as const)('row numbers are never offered as the amount: %s', (use) => {
    const file = read(`order_id,#\n${id},1\n${id},2\n`, { for: use });
    expect(problemsOf(file).join()).not.toContain('#');
  });

  it('a column called Refund may be something else than the amount, and what to do about it is said', () => {
    expect(problemsOf(read(`order_id,Refund\n${id},rf_2\n`))).toEqual([
      '1 (row): there is no column amount: it has the amount of each row, or full for the whole charge or order; if refund has what goes back, rename it amount',
    ]);
  });

  it('an id is one under any title of the order, also in capitals, and beside numbers of the shop', () => {
    const file = read(`Order number,amount\n"#1042",5\n${id},5\n ${id.toUpperCase()},5`, {
      referenceKeys: ['order_number'],
    });
    expect(problemsOf(file)).toEqual([]);
    expect(file.rows.map(({ orderId, reference }) => [orderId, reference])).toEqual([
      [undefined, '#1042'],
      [id, undefined],
      [undefined, id.toLowerCase()],
    ]);
  });

  it('blanks around a cell in quotes are ignored', () => {
    const file = read(`order_id; "charge_id" ;amount\n "${id}" ;\t"any";  "5"  \n`);
    expect([problemsOf(file), file.rows[0]]).toMatchObject([[], { orderId: id, charge: 'any', amount: 5 }]);
  });

  it('a total, and a plain title beside the column itself, are columns of their own', () => {
    expect(read(`Order ID,Total,Amount,Charge,charge_id\n${id},900,5,x,2\n`).rows[0]).toMatchObject({
      amount: 5,
      charge: '2',
    });
  });

  it.each([
    'customer_note',
    'reference_number',
    'order_name',
    'amount_paid',
    'seat',
    'ref_2',
    '__proto__',
    'constructor',
    'toString',
  ])('%s is a column of its own', (title) => {
    const file = read(`order_id,amount,ref,note,${title}\n${id},5,,,x`);
    expect([problemsOf(file), file.columns.at(-1), file.rows[0]?.cells.at(-1)]).toEqual([[], title, 'x']);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x');
  });

  it('names a title that stands twice, however it is spelled', () => {
    expect(problemsOf(read(`order_id,amount,Amount,a,a,__proto__,__proto__\n${id},5,6,,,,`))).toEqual([
      '1 Amount: two columns have the title Amount: give each its own',
      '1 a: two columns have the title a: give each its own',
      '1 __proto__: two columns have the title __proto__: give each its own',
    ]);
  });

  it.each([
    [
      'amount,seat\n5,B7',
      ['1 (row): there is no column order_id or reference: it names the order of each row'],
    ],
    [
      `order_id,seat\n${id},B7`,
      [
        '1 (row): there is no column amount: it has the amount of each row, or full for the whole charge or order',
      ],
    ],
    [
      `order_id,Total\n${id},7`,
      [
        '1 (row): there is no column amount: it has the amount of each row, or full for the whole charge or order; if total has what goes back, rename it amount',
      ],
    ],
    [
      '{"object":"list","data":[]}',
      [
        '1 (row): the file is JSON, and paydesk reads only CSV and workbooks: write it again with --to FILE.csv',
      ],
    ],
    [
      `${id},500\n${id},600`,
      ['1 (row): the first line is a row: put a line with the titles above it, such as order_id,amount'],
    ],
    ['order_id,amount\n', ['1 (row): the file has titles, but no rows']],
    ['order_id,amount\n\n,\n', ['1 (row): the file has titles, but no rows']],
    ['', ['1 (row): the file is empty']],
    ['\ufeff', ['1 (row): the file is empty']],
    ['\r\n\r\n , \n', ['1 (row): the file is empty']],
    [
      `order_id,"amount\n${id},5`,
      ['1 (row): the titles cannot be read: the quote that opens this cell is never closed'],
    ],
  ])('says what is missing in %j', (text, problems) => {
    expect(problemsOf(read(text))).toEqual(problems);
  });

  it('a column without a title may be empty, and nothing else', () => {
    expect(problemsOf(read(`order_id,amount,,\n${id},5,,\n`))).toEqual([]);
    expect(problemsOf(read(`order_id,amount,,\n${id},5,,\n${id},6,,ch_1\n${id},7,,ch_2`))).toEqual([
      '3 (row): column 4 has no title, but this row has a cell in it: give it one',
    ]);
  });

  it('names a line above the titles as the one thing that is wrong', () => {
    const titles = 'Nº de pedido;Importe a devolver;Comentario';
    expect(problemsOf(read(`Refunds Monday;;\n${titles}\nA-1;500;x\n`))).toEqual([
      '1 (row): the titles seem to be in line 2: take out line 1, which has only Refunds Monday',
    ]);
    expect(problemsOf(read(`${titles}\nA-1;500;x\n`))).toEqual([]);
  });

  it("takes the shop's own number instead of an id, and one of the two in each row", () => {
    const file = read(`order_id,reference,amount\n${id},,1\n,1042,2\n${id},1042,3\n,,4\n`);
    expect(file.rows).toMatchObject([
      { orderId: id, reference: undefined },
      { orderId: undefined, reference: '1042' },
    ]);
    expect(problemsOf(file)).toEqual([
      '4 reference: the row has an order_id and a reference: leave one of them blank',
      '5 order_id: order_id is blank: each row names its order',
    ]);
    expect(read('reference,amount\n1042,5').rows).toMatchObject([{ reference: '1042' }]);
  });

  it.each(['TOTAL', 'Total:', 'Grand total', 'Suma', 'TOTAL MXN'])(
    'asks whether the row %s is a total',
    (title) => {
      const words = `3 (row): ${title}: is this a total? remove the row`;
      expect(problemsOf(read(`Invoice,order_id,amount\nF1,${id},5\n${title},,5\n`))).toEqual([words]);
      expect(problemsOf(read(`order_id,amount\n${id},5\n${title},5\n`))).toEqual([words]);
      expect(problemsOf(read(`reference,amount\nF1,5\n${title},5\n`))).toEqual([words]);
      // A note or a product may have that name.
      expect(problemsOf(read(`order_id,amount,note\n${id},5,\n${id},6,${title}\n`))).toEqual([]);
    },
  );

  it('says once which column to rename if every row has both', () => {
    const words =
      '1 Reference: every row has an order_id and a reference: rename the column Reference (to ref if it tells rows of one order apart), or delete one of the two columns';
    expect(problemsOf(read(`order_id,Reference,amount\n${id},a,1\n${id},b,2\n`))).toEqual([words]);
    expect(problemsOf(read(`order_id,Reference,amount\n${id},a,1\n`))).toEqual([
      '2 Reference: the row has an order_id and a reference: leave one of them blank',
    ]);
  });
});

describe('F50 bytes', () => {
  const utf16 = 'the file is UTF-16: save it as UTF-8 (in a spreadsheet: CSV UTF-8)';
  const text = `order_id,amount\n${id},5\n`;
  const swapped = (value: string) => Buffer.from(value, 'utf16le').swap16();

  it.each([
    ['little end first, with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big end first, with a mark', swapped(`\ufeff${text}`)],
    ['little end first', Buffer.from(text, 'utf16le')],
    ['big end first', swapped(text)],
  ])('says that the file is UTF-16: %s', (_, bytes) => {
    expect(problemsOf(readInputFile(bytes, { for: 'plan', amounts: plainAmounts }))).toEqual([
      `1 (row): ${utf16}`,
    ]);
  });

  it('names the first line and cell that is not UTF-8, and still all other problems', () => {
    const bytes = Buffer.from(
      `order_id,amount,note\r\n${id},5,a\r\n${id},x,Jos\x8f\r\n${id},y,Jos\n`,
      'latin1',
    );
    expect(problemsOf(readInputFile(bytes, { for: 'plan', amounts: plainAmounts }))).toEqual([
      '3 note: here the file is not UTF-8: save it as UTF-8 (in a spreadsheet: CSV UTF-8)',
      '3 amount: amount x: not a whole number such as 23000, nor full',
      '4 amount: amount y: not a whole number such as 23000, nor full',
    ]);
  });

  it.each([
    ['in the last line', [0x6f, 0x0a, 0x0a, 0xe9], 3],
    ['in a title', [0xc3, 0x28], 1],
    ['half a character at the end of a line', [0x61, 0x0a, 0xc3, 0x0a, 0x61], 2],
  ])('finds a bad byte %s', (_, bytes, line) => {
    const { problems } = readInputFile(Uint8Array.from(bytes), { for: 'plan', amounts: plainAmounts });
    expect(problems.filter(({ words }) => words.startsWith('here the file is not UTF-8'))).toMatchObject([
      { line },
    ]);
  });

  it('a character U+FFFD that stands in the file is a character', () => {
    expect(problemsOf(read(`order_id,amount,note\n${id},5,\ufffd`))).toEqual([]);
  });

  it('never throws, whatever the bytes are, and every line of a problem is one of the file', () => {
    const parts = fc.constantFrom(
      ...'"",;\t\n\r'.split(''),
      '""',
      id,
      'full',
      'amount',
      'order_id',
      '1',
      ' ',
      '\0',
      'é',
      '\ufeff',
    );
    const pieces = fc.array(parts, { maxLength: 60 }).map((all) => Buffer.from(all.join('')));
    const titled = pieces.map((rest) => Buffer.concat([Buffer.from('order_id,amount\n'), rest]));
    const input = fc.oneof(fc.uint8Array({ maxLength: 200 }), pieces, titled);
    fc.assert(
      fc.property(input, fc.constantFrom('plan' as const, 'compare' as const), (bytes, use) => {
        const { problems, rows, lines } = readInputFile(bytes, { for: use, amounts: plainAmounts });
        const count = Buffer.from(bytes)
          .toString('latin1')
          .split(/\r\n|\n|\r/).length;
        expect(problems.filter(({ line }) => line < 1 || line > count)).toEqual([]);
        expect(problems.length + rows.length).toBeGreaterThan(0);
        const wrong = new Set(problems.map(({ line }) => line));
        const read = new Set(rows.map(({ line }) => line));
        const lost = lines.filter(({ line }) => !wrong.has(line) && !read.has(line));
        expect(rows.length === 0 ? [] : lost).toEqual([]);
      }),
      { numRuns: isLong ? 500 : 200 },
    );
  });
});

describe('limits', () => {
  it('takes 100,000 rows, and asks to split a longer file', () => {
    const row = `${id},5\n`;
    const most = read(`order_id,amount\n${row.repeat(100_000)}`);
    expect([problemsOf(most), most.rows.length, most.rows.at(-1)?.line]).toEqual([[], 100_000, 100_001]);
    const more = read(`order_id,amount\n${row.repeat(100_001)}`);
    expect([problemsOf(more), more.rows]).toEqual([
      ['1 (row): the file has more than 100000 rows: split it'],
      [],
    ]);
  });

  // Each would take hours if a pattern went back over the text, or if a row were read again for each row behind it.
  const size = isLong ? 2 ** 20 : 2 ** 18;
  const filled = (text: string) => text.repeat(Math.ceil(size / text.length));
  it.each([
    ['commas', filled(',')],
    ['quotes', filled('"')],
    ['quotes and commas', filled('",')],
    ['quotes inside cells', filled(`${'a'.repeat(80)}"\n`)],
    ['doubled quotes', `"${filled('""')}`],
    ['quotes that open in every line', filled(`a,"${'b'.repeat(80)}\n`)],
    ['quotes that never close', `order_id,amount\n"${filled('""\n')}`],
    ['line breaks', filled('\r\n')],
    ['blanks', filled(' ')],
    ['apostrophes', `line,error,order_id,amount\n,,${filled("'")},=\n`],
    ['commas and apostrophes', `line,error,order_id,amount\n,,"${filled(",'")}",=\n`],
    ['one long title', `order_id,amount,${filled('amount')}\n${id},x,x`],
    ['many titles', `${filled('orderid ,          ')}\n`],
    ['digits', `order_id,amount\n${id},${filled('1')}\n`],
    ['groups of digits', `order_id,amount,x,y\n${id},"1${filled(',000')}x"\n`],
    ['zeros', `order_id,amount\n${id},${filled('0')}x\n`],
    ['signs of money', `order_id,amount\n${id},${filled('5$ ')}x\n`],
    ['a shortened number', `order_id,amount\n${id},"1${filled('.,')}E"\n`],
    ['a long id', `order_id,amount\nord_${filled('a')},5\n`],
    ['a long charge', `order_id,amount,charge_id\n${id},5,${filled('é')}\n`],
    ['a long ref', `order_id,amount,ref\n${id},5,${filled('a b')}\u200b\n`],
    ['a long note', `order_id,amount,note\n${id},5,${filled('a ')}\n`],
    ['a long reason', `order_id,amount,reason\n${id},5,${filled('other')}\n`],
    ['spaces around', `order_id,amount\n${id},5${filled(' ')}x\n`],
    ['columns beside short rows', `order_id,amount${','.repeat(size / 2)}\n${'a\n'.repeat(9000)}`],
    ['lines before a bad byte', Buffer.from(`order_id,amount\n${filled('\n')}\xe9`, 'latin1')],
    ['NUL', `order_id,amount\n${filled('\0')}`],
  ])('F67 a large file of %s is read in one go', (_, text) => {
    const { problems } = readInputFile(Buffer.from(text), { for: 'plan', amounts: plainAmounts });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter(({ words }) => words.length > 400)).toEqual([]);
  });
});

describe('for refunds compare', () => {
  it('needs no amount and no charge, and looks at no reason, ref or note', () => {
    const file = read(
      `order_id,amount,charge_id,reason,ref,note,notes\n${id},,,x, a ,"a\nb",\n${id},full,full,,,,\n${id},-,NULL,,,,\n${id},5,2,,,,`,
      {
        for: 'compare',
      },
    );
    expect(problemsOf(file)).toEqual([]);
    expect(file.rows).toMatchObject([
      { amount: undefined, charge: 'any', reason: undefined, ref: 'a', note: undefined },
      { amount: 'full', charge: 'full' },
      { amount: undefined, charge: 'any' },
      { amount: 5, charge: '2' },
    ]);
  });

  it('takes a list of ids alone', () => {
    expect(read(`order_id\n${id}\n`, { for: 'compare' }).rows).toMatchObject([
      { orderId: id, charge: 'any', amount: undefined },
    ]);
  });

  it('refuses an amount that is wrong, and takes a whole order with a sum', () => {
    const file = read(`order_id,amount,charge_id\n${id},1.00,1\n${id},500,full`, { for: 'compare' });
    expect(file.problems.map(({ line, column }) => [line, column])).toEqual([[2, 'amount']]);
    expect(file.rows).toMatchObject([{ amount: 500, charge: 'full' }]);
  });
});
