import { expect, test } from 'vitest';
import { differences } from './two-widths.ts';

const from = 'order ord_1\nbuyer Ana\nTorres\npaid\n';

test.each([
  { what: 'equal screens', screen: from, told: '' },
  {
    what: 'lines that became one',
    screen: 'order ord_1\nbuyer Ana Torres\npaid\n',
    told: 'instead of lines 2 to 3:\nbuyer Ana Torres',
  },
  { what: 'one more line', screen: `${from}ok\n`, told: 'after line 4:\nok' },
  { what: 'one line less', screen: 'order ord_1\nbuyer Ana\nTorres\n', told: 'without line 4' },
  {
    what: 'two places',
    screen: 'ord_1\nbuyer Ana\nTorres\n\npaid\n',
    told: 'instead of line 1:\nord_1\nafter line 3:\n',
  },
])('$what', ({ screen, told }) => {
  expect(differences(screen, from)).toBe(told);
});
