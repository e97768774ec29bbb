import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLimit, parseLimits } from '../../src/profiles/limits.ts';
import { readSettings, settingName, settingProblem, settingWords } from '../../src/profiles/settings.ts';

test('a setting that nobody set has its default', () => {
  const settings = readSettings({}, 'production', 'shop');
  expect({ ...settings, 'refund.max_amount': {}, 'plan.max_total': {}, 'amounts.decimals': {} }).toEqual({
    'orders.get': 'paged',
    'customers.get': 'paged',
    'orders.order': 'unknown',
    'checkouts.path': 'checkouts',
    'checkouts.expiry_field': 'expired_at',
    'reference.keys': ['shop_order', 'reference', 'order_number'],
    role: 'full',
    'refund.require': [],
    'refund.note_length': 3,
    'refund.hold': 0,
    'refund.send_within': 10_000,
    'refund.horizon_part': 86_400_000,
    'refund.horizon_whole': 900_000,
    'reconcile.after': [0, 2000, 5000, 15_000],
    'amounts.grouping': 'off',
    'index.fields': ['name', 'email', 'phone', 'card', 'auth', 'reference', 'item', 'metadata'],
    'index.keep': Number.POSITIVE_INFINITY,
    'refund.max_amount': {},
    'refund.other_currencies': 'refuse',
    'plan.max_total': {},
    'agents.personal_data': 'masked',
    redact: 'off',
    'plan.max_age': 86_400_000,
    'amounts.decimals': {},
  });
});

test.each([
  ['orders.get', 'direct', 'direct'],
  ['orders.order', 'newest-first', 'newest-first'],
  ['orders.status', 'paid', 'paid'],
  ['checkouts.path', '/pay/checkouts', 'pay/checkouts'],
  ['index.fields', 'card, reference', ['card', 'reference']],
  ['index.fields', 'none', []],
  ['index.keep', '400d', 34_560_000_000],
  ['reference.keys', 'pedido, número de orden,a.b', ['pedido', 'número de orden', 'a.b']],
  ['role', 'viewer', 'viewer'],
  ['refund.require', 'note,reason', ['reason', 'note']],
  ['refund.hold', '20s', 20_000],
  ['refund.require', 'note', ['note']],
  ['refund.other_currencies', 'allow', 'allow'],
  ['plan.max_count', '1', 1],
  ['plan.max_count', '100000', 100_000],
  ['plan.max_age', '3d', 259_200_000],
  ['refund.send_within', '500ms', 500],
  ['refund.horizon_part', '0s', 0],
  ['refund.horizon_whole', '90 min', 5_400_000],
  ['refund.horizon_whole', '90m', 5_400_000],
  ['refund.horizon_whole', '2m', 120_000],
  ['reconcile.after', '0,0.05,1', [0, 50, 1000]],
  ['time.zone', 'America/Mexico_City', 'America/Mexico_City'],
] as const)('%s %s is understood', (name, text, value) => {
  const texts = { [name]: text };
  const read = isLimit(name) ? parseLimits(texts) : readSettings(texts, 'sandbox', 'test');
  expect(read).toMatchObject({ [name]: value });
});

test.each([
  ['orders.get', 'Direct'],
  ['checkouts.path', '/orders'],
  ['checkouts.path', '/orders/ord_1/refunds'],
  ['checkouts.path', '/v1/orders/ord_1'],
  ['checkouts.path', '/pay/Refunds'],
  ['checkouts.path', '/pay/ch_1/capture'],
  ['checkouts.path', '/../orders'],
  ['checkouts.path', '//evil.example'],
  ['checkouts.path', 'https://evil.example'],
  ['reference.keys', 'a,,b'],
  ['reference.keys', ''],
  ['reference.keys', 'a\u202eb'],
  ['refund.require', 'reason,none'],
  ['refund.max_amount.MXN', '1.5'],
  ['refund.max_amount.MXN', '9007199254740992'],
  ['refund.other_currencies', 'allowed'],
  ['plan.max_total.MXN', '1.5'],
  ['refund.note_length', '0'],
  ['refund.hold', '11min'],
  ['refund.hold', '20'],
  ['plan.max_count', '100001'],
  ['plan.max_count', '01'],
  ['plan.max_count', '1e3'],
  ['plan.max_age', '0s'],
  ['plan.max_age', '24'],
  ['amounts.decimals.MXN', '7'],
  ['refund.horizon_part', '24'],
  ['refund.horizon_part', '400d'],
  ['refund.send_within', '0s'],
  ['reconcile.after', '5,2'],
  ['reconcile.after', ''],
  ['time.zone', 'Mars/Olympus'],
])('%s %j is not understood', (name, text) => {
  expect(settingProblem(name, text)).toEqual(expect.any(String));
});

test('one amount for each currency that was set, however its letters were typed', () => {
  expect(settingName('refund.max_amount.mxn')).toBe('refund.max_amount.MXN');
  const settings = parseLimits({ 'refund.max_amount.MXN': '50000', 'plan.max_total.MXN': '0' });
  expect(settings['plan.max_total'].MXN).toBe(0);
  expect(settings['refund.max_amount'].MXN).toBe(50_000);
  expect(settings['refund.max_amount'].constructor).toBeUndefined();
  expect(Object.getPrototypeOf(settings['refund.max_amount'])).toBeNull();
});

test('a limit in the file of an older paydesk is refused, with the command that sets it', () => {
  expect(() => readSettings({ 'refund.max_amount.MXN': '500' }, 'sandbox', 'test')).toThrow(
    expect.objectContaining({
      kind: 'refused',
      parts: expect.objectContaining({ now: ['paydesk profile set test refund.max_amount.MXN 500'] }),
    }),
  );
});

test.each(['__proto__', 'constructor', 'toString', 'refund.max_amount', 'refund.max_amount.__proto__', ''])(
  'there is no setting %j',
  (name) => {
    expect(settingName(name)).toBeUndefined();
  },
);

test.each([
  ['reconcile.after', '0,2,5', false],
  ['reconcile.after', '0,2,5,14', false],
  ['reconcile.after', '0,1,2,5,20', true],
  ['refund.horizon_part', '23h', false],
  ['refund.horizon_part', '25h', true],
  ['refund.horizon_whole', '14min', false],
  ['refund.horizon_whole', '15min', true],
  ['refund.send_within', '11s', false],
  ['refund.send_within', '9s', true],
])('in production %s %s is allowed: %s', (name, text, allowed) => {
  const read = () => readSettings({ [name]: text }, 'production', 'shop');
  if (allowed) expect(read).not.toThrow();
  else
    expect(read).toThrow(
      expect.objectContaining({ kind: 'refused', message: expect.stringContaining(name) }),
    );
  expect(() => readSettings({ [name]: text }, 'sandbox', 'test')).not.toThrow();
});

test('whatever the name and the text of a setting, nothing but a refusal is thrown', () => {
  const names = settingWords().map(({ name }) => name.replace('CUR', 'MXN'));
  fc.assert(
    fc.property(
      fc.constantFrom(...names, '__proto__', 'x'),
      fc.oneof(fc.string(), fc.stringMatching(/^[0-9.,a-z -]{0,12}$/)),
      (name, text) => {
        try {
          readSettings(Object.fromEntries([[name, text]]), 'production', 'shop');
        } catch (error) {
          expect(error).toMatchObject({ kind: 'refused' });
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test('every duration is read as its number of milliseconds', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 364 }),
      fc.constantFrom(
        ['ms', 1],
        ['s', 1000],
        ['m', 60_000],
        ['min', 60_000],
        ['h', 3_600_000],
        ['d', 86_400_000],
      ),
      (count, [unit, ms]) => {
        const settings = readSettings({ 'refund.horizon_part': `${count}${unit}` }, 'sandbox', 'test');
        expect(settings['refund.horizon_part']).toBe(count * Number(ms));
      },
    ),
  );
});

test('docs/settings.md names every setting and its default', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8');
  const missing = settingWords().filter(
    ({ name, defaultText }) =>
      !page.includes(name) || (defaultText !== undefined && !page.includes(`${defaultText})`)),
  );
  expect(missing).toEqual([]);
});
