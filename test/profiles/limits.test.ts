/** Which changes of a setting allow more than before. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { raiseOf, type SettingTexts } from '../../src/profiles/limits.ts';

const mxn = 'refund.max_amount.MXN';
const usd = 'refund.max_amount.USD';
const other = 'refund.other_currencies';

test.each<[string, string, SettingTexts, SettingTexts, string, string]>([
  [
    'a shorter moment to stop a refund',
    'refund.hold',
    { 'refund.hold': '20s' },
    { 'refund.hold': '5s' },
    '20s',
    '5s',
  ],
  ['a refunder in place of a viewer', 'role', { role: 'viewer' }, { role: 'refunder' }, 'viewer', 'refunder'],
  [
    'a capturer in place of a refunder',
    'role',
    { role: 'refunder' },
    { role: 'capturer' },
    'refunder',
    'capturer',
  ],
  ['every role', 'role', { role: 'capturer' }, {}, 'capturer', 'full'],
  ['a higher limit', mxn, { [mxn]: '500' }, { [mxn]: '501' }, '500', '501'],
  ['no limit any more', mxn, { [mxn]: '500' }, {}, '500', 'no limit'],
  [
    'no limit for one of two currencies',
    mxn,
    { [mxn]: '500', [usd]: '5' },
    { [usd]: '5' },
    '500',
    'no limit',
  ],
  [
    'a limit for a currency that was refused',
    usd,
    { [mxn]: '500' },
    { [mxn]: '500', [usd]: '5' },
    'refused',
    '5',
  ],
  ['a limit in place of one that cannot be read', mxn, { [mxn]: '1.5' }, { [mxn]: '5' }, '1.5', '5'],
  [
    'a higher total of a plan',
    'plan.max_total.MXN',
    { 'plan.max_total.MXN': '9' },
    { 'plan.max_total.MXN': '10' },
    '9',
    '10',
  ],
  ['more rows of a plan', 'plan.max_count', { 'plan.max_count': '9' }, { 'plan.max_count': '10' }, '9', '10'],
  ['any number of rows', 'plan.max_count', { 'plan.max_count': '9' }, {}, '9', 'no limit'],
  ['older plans than the default', 'plan.max_age', {}, { 'plan.max_age': '25h' }, '24h', '25h'],
  ['older plans, back to the default', 'plan.max_age', { 'plan.max_age': '60min' }, {}, '60min', '24h'],
  ['other currencies', other, {}, { [other]: 'allow' }, 'refuse', 'allow'],
  [
    'no note any more',
    'refund.require',
    { 'refund.require': 'note,reason' },
    { 'refund.require': 'reason' },
    'note,reason',
    'reason',
  ],
  ['nothing that is required', 'refund.require', { 'refund.require': 'note' }, {}, 'note', 'none'],
  ['a shorter note', 'refund.note_length', {}, { 'refund.note_length': '1' }, '3', '1'],
  ['some money in place of none', mxn, { [mxn]: '0' }, { [mxn]: '1' }, '0', '1'],
  ['other currencies after all', other, { [other]: 'refuse' }, { [other]: 'allow' }, 'refuse', 'allow'],
])('%s allows more', (_, name, before, after, from, to) => {
  expect(raiseOf(name, before, after)).toEqual({ from, to });
});

test.each<[string, string, SettingTexts, SettingTexts]>([
  ['a lower limit', mxn, { [mxn]: '500' }, { [mxn]: '499' }],
  ['the same limit', mxn, { [mxn]: '500' }, { [mxn]: '500' }],
  ['the first limit of all', mxn, {}, { [mxn]: '500' }],
  [
    'the first limit of a plan beside one of a refund',
    'plan.max_total.MXN',
    { [usd]: '5' },
    { [usd]: '5', 'plan.max_total.MXN': '5' },
  ],
  [
    'a second limit where other currencies are allowed',
    usd,
    { [mxn]: '5', [other]: 'allow' },
    { [mxn]: '5', [other]: 'allow', [usd]: '5' },
  ],
  ['nothing that was set, removed', mxn, {}, {}],
  ['nothing that was refused, removed', usd, { [mxn]: '5' }, { [mxn]: '5' }],
  ['the same age in another unit', 'plan.max_age', {}, { 'plan.max_age': '1d' }],
  ['older plans no more', 'plan.max_age', { 'plan.max_age': '2d' }, {}],
  ['other currencies no more', other, { [other]: 'allow' }, {}],
  ['refuse, which is the default', other, {}, { [other]: 'refuse' }],
  [
    'more that is required',
    'refund.require',
    { 'refund.require': 'note' },
    { 'refund.require': 'note,reason' },
  ],
  ['a viewer', 'role', { role: 'refunder' }, { role: 'viewer' }],
  ['a capturer in place of everything', 'role', {}, { role: 'capturer' }],
  ['a longer note', 'refund.note_length', {}, { 'refund.note_length': '10' }],
])('%s does not', (_, name, before, after) => {
  expect(raiseOf(name, before, after)).toBeUndefined();
});

test('between two limits exactly the higher one allows more, in any currency and of either kind', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('refund.max_amount', 'plan.max_total'),
      fc.constantFrom('MXN', 'USD'),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom<SettingTexts>({}, { [mxn]: '7' }, { 'plan.max_total.USD': '7' }, { [other]: 'allow' }),
      (kind, currency, one, two, besides) => {
        const name = `${kind}.${currency}`;
        const texts = (amount: number) => ({ ...besides, [name]: String(amount) });
        expect(raiseOf(name, texts(one), texts(two)) !== undefined).toBe(two > one);
      },
    ),
  );
});
