/** `paydesk help WORD` with the words of a lead, an accountant and an auditor: it prints a page, or names at most four. */

import { describe, expect, test } from 'vitest';
import { chargeFields, orderFields, refundFields } from '../../src/api/documented-fields.ts';
import { meaningOf } from '../../src/cli/help/help-words.ts';
import { newHome, paydesk } from '../harness/paydesk.ts';

async function help(...words: readonly string[]) {
  using home = newHome();
  return await paydesk(['help', ...words], { home });
}

/** A word, and the command or topic that answers it: the first of those that are named, or the page that is printed. */
const words: readonly (readonly [word: string, answer: string])[] = [
  ['audit', 'evidence'],
  ['auditor', 'evidence'],
  ['proof', 'evidence'],
  ['signature', 'evidence'],
  ['bank', 'evidence'],
  ['chargeback', 'evidence'],
  ['verify', 'orders export'],
  ['tampering', 'orders export'],
  ['history', 'journal list'],
  ['accountant', 'exports'],
  ['excel', 'exports'],
  ['spreadsheet', 'exports'],
  ['workbooks', 'exports'],
  ['invoice', 'orders compare'],
  ['reconciliation', 'orders compare'],
  ['compare', 'orders compare'],
  ['sums', 'refunds summary'],
  ['total', 'refunds summary'],
  ['month', 'report'],
  ['month-end', 'report'],
  ['pdf', 'report'],
  ['manager', 'report'],
  ['timezone', 'output'],
  ['time zone', 'output'],
  ['decimals', 'output'],
  ['receipt', 'refunds receipt'],
  ['double', 'orders twins'],
  ['twins', 'orders twins'],
  ['unconfirmed', 'when-a-reply-is-lost'],
  ['lost', 'when-a-reply-is-lost'],
  ['permissions', 'settings'],
  ['limits', 'settings'],
  ['maximum', 'settings'],
  ['block', 'policy'],
  ['disable', 'policy'],
  ['pii', 'output'],
  ['GDPR', 'output'],
  ['refund limit', 'settings'],
  ['raise', 'settings'],
  ['viewer', 'settings'],
  ['hold', 'settings'],
  ['redact', 'settings'],
  ['masked', 'settings'],
  ['age', 'settings'],
  ['read-only', 'settings'],
  ['commands.off', 'policy'],
  ['turn off', 'policy'],
  ['administrator', 'policy'],
  ['note', 'refund'],
  ['approve', 'approvals list'],
  ['who', 'refunds list'],
  ['operators', 'refunds list'],
  ['authorizations', 'orders waiting'],
  ['month invoice', 'report'],
  ['approved refund', 'approvals list'],
  ['net', 'reports'],
  ['october', 'report'],
];

test('words that are the heading of a section open that section', async () => {
  const { code, stdout } = await help('personal', 'data');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^PERSONAL DATA\n/);
  expect(stdout).toMatch(/\n\nThe whole page: paydesk help output\n$/);
  expect(stdout).not.toContain('FORMATS');
  for (const word of ['fees', 'fee'])
    expect((await help(word)).stdout).toMatch(/^FEES\n(?:.*\n)* .* --rows charges .* --to fees\.xlsx/);
  for (const word of ['tax', 'taxes', 'VAT'])
    expect((await help(word)).stdout).toMatch(
      /^TAX AND VAT\n(?:.*\n)* .* --columns id,amount,currency,tax_lines/,
    );
  for (const word of ['dispute', 'disputes'])
    expect((await help(word)).stdout).toMatch(/^DISPUTES AND CHARGEBACKS\n\npaydesk cannot see disputes/);
});

describe('a word that is no page', () => {
  test.each(words)('%s is answered by %s, and by three more pages at most', async (word, answer) => {
    const { code, stdout, stderr } = await help(...word.split(' '));
    expect([code, stderr]).toEqual([0, '']);
    const named = [...stdout.matchAll(/^ {2}paydesk help ([a-z-]+(?: [a-z]+)?)(?: {2}|$)/gm)];
    expect(named[0]?.[1]).toBe(answer);
    expect(named.length).toBeLessThanOrEqual(4);
    for (const [, page = ''] of named) expect((await help(...page.split(' '))).code, page).toBe(0);
  });

  test.each([
    ['teams', ['team']],
    ['testing', ['scripting']],
    ['practise', ['simulator', 'drill']],
  ])('%s has only one answer, so that page is printed', async (word, page) => {
    const { code, stdout } = await help(word);
    expect([code, stdout]).toEqual([0, (await help(...page)).stdout]);
    expect(stdout).not.toBe('');
  });

  test('failed is answered by the list of what failed', async () => {
    expect((await help('failed')).stdout).toMatch(
      /refunds list --state failed[\s\S]*About failed:\n {2}paydesk help refunds list /,
    );
  });

  test('what paydesk cannot do is said before the pages', async () => {
    const { stdout } = await help('chargeback');
    expect(stdout).toMatch(/^a chargeback is made by the bank of the buyer; paydesk cannot see it\n\nAbout /);
  });

  test.each([
    ['pending', /^ +pending +the service has taken the refund/],
    ['again', /^ +again +names the refund that a refund repeats/],
    ['never arrived', /^ +never arrived +sent, and no read showed it in its time/],
  ])('%s, a word of the page of words, is answered by its row and where the page is', async (word, row) => {
    const { code, stdout } = await help(...word.split(' '));
    expect(code).toBe(0);
    expect(stdout).toMatch(row);
    expect(stdout).toMatch(/\n {2}paydesk help words +each concept and its name\n$/);
    expect(stdout.split('\n').length).toBeLessThan(15);
  });

  test.each(['cancel', 'cancel refund', 'undo refund'])('%s is answered by what undo says', async (word) => {
    const { code, stdout, stderr } = await help(...word.split(' '));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/paydesk undo says what can still be done[\s\S]*\n {2}paydesk help undo /);
  });

  test('typed as a command it is an error that names the page', async () => {
    using home = newHome();
    const { code, stderr } = await paydesk(['audit'], { home });
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean: paydesk help audit\n')]);
  });

  test.each(['xyzzy', 'exprot', '123'])('%s is an error, as before', async (word) => {
    const { code, stdout, stderr } = await help(...word.split(' '));
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`no help for ${word}`)]);
  });

  test('several words are searched word by word, in quotes too', async () => {
    const { code, stdout } = await help('who approved');
    expect(code).toBe(0);
    expect(stdout).toMatch(/paydesk help refunds list {2}[\s\S]*paydesk help approvals list {2}/);
    expect((await help('who', 'approved')).stdout).toBe(stdout);
  });

  test('a word that no page is about is an error that names the three nearest pages', async () => {
    const { code, stderr } = await help('clock');
    expect(code).toBe(2);
    expect(stderr.match(/paydesk help (?!commands)/g)).toHaveLength(3);
  });

  test('a program gets no list to choose from, but the error that names the pages', async () => {
    const { code, stderr } = await help('audit', '--json');
    expect([code, JSON.parse(stderr).now]).toEqual([
      2,
      expect.arrayContaining(['paydesk help evidence', 'paydesk help prove']),
    ]);
  });
});

describe('a column is explained in one line', () => {
  const lists = [
    'refunds list',
    'refunds summary',
    'orders summary',
    'orders export --rows refunds --csv',
    'orders export --rows charges --csv',
    'orders list',
    'journal list',
  ];
  // What the service calls so itself, in the words of its document.
  const documented = new Set(
    [orderFields, chargeFields, refundFields].flatMap((fields) => Object.keys(fields)),
  );

  test.each(lists)('every column of %s', async (line) => {
    using home = newHome();
    const words = ['-p', 'demo', ...line.split(' '), '--columns', 'no-such-one'];
    const { stderr } = await paydesk(words, { home, columns: 10_000 });
    const names = /the columns here are (.*)/.exec(stderr)?.[1]?.split(', ') ?? [];
    expect(names.length).toBeGreaterThan(10);
    const own = names.filter((name) => !name.includes('.') && !documented.has(name));
    expect(own.filter((name) => meaningOf(name) === undefined)).toEqual([]);
  });

  test.each([
    ['asked_by', 'who asked for a refund'],
    ['left', 'what can still be refunded of the order'],
    ['part_ref', 'partially refunded'],
    ['refunded_of_paid', 'of the payments of the period'],
    ['refunded of paid', 'of the payments of the period'],
    ['state', 'what became of a refund'],
  ])('paydesk help %s', async (word, text) => {
    const ran = await help(word);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(text);
    expect(ran.stdout).not.toMatch(/simulator reset|help orders refund/);
  });
});
