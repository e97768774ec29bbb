/** The form of the rows of a team's journal, as a desk checks it: the same rows that the server takes. */

import { expect, test } from 'vitest';
import { chainOf, type StoredRow } from '../../../src/journal/chain.ts';
import type { JournalRow } from '../../../src/journal/journal-rows.ts';
import { formProblem } from '../../../src/journal/postgres/row-forms.ts';
import { refundOf } from '../../team/rows.ts';
import { sent, setting, verdict } from '../rows.ts';

const stored = (row: JournalRow): StoredRow => {
  const [one] = chainOf([row]);
  if (one === undefined) throw new Error('there is no row');
  return one;
};
const approval = { type: 'approval', intent: 'r_1', attempt: 0, time: 1, operator: 'ana' } as const;
const account = { origin: 'o', account: 'a', profile: 'p' };
const planned = {
  id: 'p_1',
  file: 'f',
  madeAt: 1,
  mode: 'sandbox',
  rows: 1,
  sums: [{ currency: 'MXN', amount: 5 }],
} as const;
const { request, proof } = refundOf(5, 'ord_1');

test.each<[string, JournalRow]>([
  ['a SENT row', sent('i_a', 1, { again: ['rf_1'], asked: {}, clocks: { wall: 1 } })],
  [
    'a verdict',
    {
      ...verdict('i_a', 2),
      confirmed: true,
      note: 'n',
      refunds: [{ chargeId: 'ch_1', id: undefined, amount: 5, createdAt: 1, authCode: undefined }],
    },
  ],
  ['a setting', setting(1)],
  [
    'a limit',
    {
      type: 'limit',
      time: 1,
      operator: 'lea',
      member: '*',
      currency: 'MXN',
      name: 'max',
      from: null,
      to: '5',
    },
  ],
  ['a request about a refund', { ...approval, ...account, step: 'asked', request, proof }],
  ['a request about a plan', { ...approval, ...account, step: 'asked', claim: { plan: 'd' }, planned }],
  ['an answer', { ...approval, step: 'approved', until: 7 }],
])('%s can be read', (_, row) => {
  expect(formProblem(stored(row))).toBe(undefined);
});

test.each<[string, JournalRow, (row: StoredRow) => Partial<StoredRow>]>([
  ['row.to', setting(1), ({ row }) => ({ row: row.replace('"to":null', '"to":7') })],
  [
    'row.proof.expected.amount',
    sent('i_a', 1),
    ({ row }) => ({ row: row.replace('"amount":-5', '"amount":0.5') }),
  ],
  [
    'row.proof.expected',
    sent('i_a', 1),
    ({ row }) => ({ row: row.replace(/"expected":\[[^\]]*\]/, '"expected":{}') }),
  ],
  ['row.proof', sent('i_a', 1), ({ row }) => ({ row: row.replace('"proof":{', '"proof":[],"other":{') })],
  ['row.origin', sent('i_a', 1), ({ row }) => ({ row: row.replaceAll('"origin"', '"away"') })],
  ['row.verdict', verdict('i_a', 1), ({ row }) => ({ row: row.replace('applied', 'perhaps') })],
  ['row', verdict('i_a', 1), () => ({ row: '[]' })],
  [
    'row.until',
    { ...approval, step: 'approved', until: 7 },
    ({ row }) => ({ row: row.replace('"until":7', '"until":[]') }),
  ],
  ['body', sent('i_a', 1), () => ({ body: '{nonsense' })],
  ['body', sent('i_a', 1), () => ({ body: 'null' })],
  ['body.note', sent('i_a', 1), () => ({ body: '{"note":7}' })],
])('what cannot be read is named: %s', (name, row, change) => {
  const one = stored(row);
  expect(formProblem({ ...one, ...change(one) })).toBe(`cannot be read: ${name} has another form`);
});
