/** Tables fit and stand straight in every script, and say all they say without colour. */

import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { customerOf, paidOrder } from '../harness/orders.ts';
import { onScreen } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { pages, type Service, startAnswering } from '../harness/service.ts';

// CJK, a family joined by ZWJ, a flag, the other ways to make an emoji of one character or of several, combining marks, Thai, Devanagari, right to left.
const names = [
  'Ana Torres',
  '山田太郎株式会社東京本店',
  '👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 Familia',
  '🇲🇽🇲🇽🇲🇽 México',
  '🌵👍🏽❤️☺️☺1️⃣⌚ Lupita',
  'Zoe\u0301 Nun\u0303ez de la Vega y Compañía',
  'สมชายใจดีมีสุขเสมอ',
  'अनुराधा श्रीवास्तव',
  'محمد عبد الله الأنصاري',
];
const customers = names.map((name, index) =>
  customerOf(`cus_${index}`, { name, email: `a${index}@example.com` }),
);
const orders = names.map((name, index) =>
  paidOrder(`ord_${index}`, {
    customer_info: { name, email: `a${index}@example.com` },
    amount_refunded: index,
  }),
);

async function screenOf(
  { home, env }: Service,
  args: readonly string[],
  columns: number,
  noColor = '',
): Promise<string> {
  return (await onScreen(args, { home, env: { ...env, NO_COLOR: noColor }, columns })).screen;
}

function rowsOf(screen: string, prefix: string): readonly string[] {
  return withoutEscapes(screen)
    .split('\n')
    .filter((line) => line.startsWith(prefix));
}

test('at every width lines fit, columns stand straight, and text is cut between graphemes (C26, C27)', async () => {
  await using desk = await startAnswering(pages(orders, customers));
  for (const columns of [40, 60, 80, 120, 200]) {
    const rows = rowsOf(await screenOf(desk, ['customers', 'list'], columns), 'cus_');
    expect(rows).toHaveLength(names.length);
    for (const [index, row] of rows.entries()) {
      const at = `${columns}: ${row}`;
      expect(stringWidth(row), at).toBe(stringWidth(rows[0] ?? ''));
      expect(stringWidth(row), at).toBeLessThanOrEqual(columns);
      const [, kept = ''] = /([^ ]+(?: [^ ]+)*)…/.exec(row.slice(row.indexOf('  '))) ?? [];
      const name = kept.split('  ').at(-1) ?? '';
      expect(prefixes(names[index] ?? ''), at).toContain(name.includes('@') ? '' : name);
    }
    const emails = rows.map((row) => stringWidth(row.slice(0, Math.max(0, row.search(/a\d@/)))));
    expect(new Set(emails).size, `${columns}`).toBe(1);
  }
  // C28 has orders at the other widths.
  for (const columns of [40, 120]) {
    const rows = rowsOf(await screenOf(desk, ['orders', 'list'], columns), 'ord_');
    expect(rows).toHaveLength(names.length);
    for (const row of rows) expect(stringWidth(row), row).toBeLessThanOrEqual(columns);
  }
});

/** What is left of a text cut after any of its graphemes. */
function prefixes(text: string): readonly string[] {
  const ends = [...new Intl.Segmenter('en').segment(text)].map(
    ({ index, segment }) => index + segment.length,
  );
  return ['', ...ends.map((end) => text.slice(0, end).trimEnd())];
}

const lines: readonly (readonly string[])[] = [
  ['orders', 'list'],
  ['orders', 'show', 'ord_1'],
  ['orders', 'show', 'ord_nothing'],
  ['orders', 'find', 'torres'],
  ['orders', 'refund', 'ord_0', '--reason', 'other', '--dry-run'],
  ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:3:1', '--currency', 'MXN', '--dry-run'],
];

test.each(lines)(
  '%s %s says the same without colour, and has the 16 colours alone (C80)',
  async (...args) => {
    await using desk = await startAnswering(pages(orders, customers));
    const coloured = await screenOf(desk, args, 80);
    const plain = await screenOf(desk, args, 80, '1');
    // A slow run shows on the way how far it is, and takes that line off again.
    const still = (screen: string) =>
      withoutEscapes(screen)
        .replaceAll(/\r(?!\n)[^\r\n]*(?=\r(?!\n))/g, '')
        .replaceAll(/\r(?!\n)/g, '')
        .replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS');
    expect(still(plain)).toBe(still(coloured));
    // The end of the line that a slow run shows on the way.
    expect(plain.replaceAll('\x1b[K', '')).not.toContain('\x1b[');
    for (const [, codes = ''] of coloured.matchAll(/\x1b\[([\d;]*)m/g))
      expect(codes).toMatch(/^(0|1|2|22|3[0-79]|4[0-79]|9[0-7]|10[0-7])?$/);
  },
);

test('each format of -o list is Field: value lines (C80)', async () => {
  await using desk = await startAnswering(pages(orders, customers));
  for (const args of [
    ['orders', 'list'],
    ['orders', 'show', 'ord_1'],
    ['customers', 'show', 'cus_1'],
  ]) {
    const { code, stdout } = await desk.run([...args, '-o', 'list']);
    expect(code).toBe(0);
    for (const line of stdout.split('\n')) expect(line).toMatch(/^$|^[\w.]+: \S/);
  }
});
