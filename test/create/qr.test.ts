/** The link of a checkout as a QR code on the screen: where it stands, where it does not, and what a camera reads. */

import { encode } from 'uqr';
import { describe, expect, test } from 'vitest';
import { onScreen, type RunOptions } from '../harness/paydesk.ts';
import { withoutEscapes } from '../harness/pty.ts';
import { json } from '../harness/server.ts';
import { type Service, startCreations } from '../harness/service.ts';

const link = 'https://pay.example.com/link/1';
const checkout = [
  'checkout',
  'create',
  '--name',
  'Lamp',
  '--item',
  'Lamp:300:1',
  '--currency',
  'MXN',
  '--yes',
];
const order = ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN', '--yes'];

/** Modules as a camera sees them, dark true: each character is two of them, one above the other. */
const halves: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [false, false],
  '▀': [false, true],
  '▄': [true, false],
  ' ': [true, true],
};

function drawn(screen: string): readonly string[] {
  return withoutEscapes(screen)
    .split(/\r?\n/)
    .filter((line) => /^[█▀▄][█▀▄ ]{20,}$/.test(line));
}

function modulesOf(lines: readonly string[]): readonly (readonly boolean[])[] {
  const row = (line: string, half: 0 | 1) => Array.from(line, (cell) => halves[cell]?.[half] ?? false);
  return lines.flatMap((line) => [row(line, 0), row(line, 1)]);
}

/** What stands around the code: light, two modules wide. */
function expected(text: string): readonly (readonly boolean[])[] {
  const { data, size } = encode(text, { border: 2, boostEcc: true });
  // Half a line is left under an odd number of rows; it is the terminal's own background.
  return size % 2 === 0 ? data : [...data, data[0]?.map(() => true) ?? []];
}

type Seen = Partial<Pick<RunOptions, 'env' | 'columns' | 'rows'>>;

async function screenOf({ home, env }: Service, args: readonly string[], { env: more, ...size }: Seen = {}) {
  const seen = { home, env: { ...env, NO_COLOR: '', ...more }, columns: 80, rows: 24, ...size };
  const { code, screen } = await onScreen(args, seen);
  expect(code, screen).toBe(0);
  return screen;
}

describe('on a terminal', () => {
  test.each([
    ['in colour, light on dark', {}, '\x1b[97m\x1b[40m██'],
    ['without colour', { NO_COLOR: '1' }, '\n██'],
  ])('a payment link is drawn %s, as a camera reads it', async (_, env, bytes) => {
    await using desk = await startCreations();
    const screen = await screenOf(desk, checkout, { env });
    expect(screen).toContain(bytes);
    expect(modulesOf(drawn(screen))).toEqual(expected(link));
    expect(screen.indexOf(link)).toBeLessThan(screen.indexOf('██'));
  });

  test('so is the link of an order with a hosted checkout', async () => {
    const url = 'https://pay.example.com/checkout/a1b2';
    const answer = { id: 'ord_new1', object: 'order', livemode: false, checkout: { url } };
    await using desk = await startCreations({ onChange: json(answer) });
    const screen = await screenOf(desk, [...order, '--checkout', 'HostedPayment']);
    expect(modulesOf(drawn(screen))).toEqual(expected(url));
  });

  test('an order without a link shows none, and says so to who asked', async () => {
    await using desk = await startCreations();
    expect(drawn(await screenOf(desk, order))).toEqual([]);
    expect(await screenOf(desk, [...order, '--qr'])).toContain('no QR code: the reply shows no link');
  });

  test.each([
    ['--no-qr', ['--no-qr'], {}],
    ['a terminal too narrow', ['--quiet'], { columns: 28 }],
    ['a terminal too low', [], { rows: 12 }],
    ['line prompts', ['-o', 'table'], { env: { PAYDESK_ACCESSIBLE: '1' } }],
    ['a dumb terminal', ['-o', 'table'], { env: { TERM: 'dumb' } }],
    ['a list', ['-o', 'list'], {}],
  ] as const)('none with %s, and the link stands all the same', async (_, flags, options) => {
    await using desk = await startCreations();
    const screen = await screenOf(desk, [...checkout, ...flags], options);
    expect(screen).not.toMatch(/[█▀▄]/);
    expect(screen).not.toContain('QR');
    expect(withoutEscapes(screen)).toContain(link);
  });

  test('--qr draws one that is too high, but never one that is too wide', async () => {
    await using desk = await startCreations();
    expect(modulesOf(drawn(await screenOf(desk, [...checkout, '--qr'], { rows: 12 })))).toEqual(
      expected(link),
    );
    const narrow = await screenOf(desk, [...checkout, '--qr'], { columns: 28 });
    expect(narrow).not.toMatch(/[█▀▄]/);
    expect(narrow.replaceAll(/\s+/g, ' ')).toContain(
      'no QR code: it is 29 columns wide, the terminal only 28',
    );
  });
});

describe.concurrent('without a terminal', () => {
  test('none in a table, one with --qr', async () => {
    await using desk = await startCreations();
    expect((await desk.run(checkout)).stdout).not.toMatch(/[█▀▄]/);
    const asked = await desk.run([...checkout, '--qr']);
    expect(modulesOf(drawn(asked.stdout))).toEqual(expected(link));
    expect(asked.stdout).not.toContain('\x1b');
  });

  test('--qr and --no-qr contradict each other, and nothing is sent', async () => {
    await using desk = await startCreations();
    const ran = await desk.run([...checkout, '--qr', '--no-qr']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('--qr and --no-qr contradict each other');
    expect(desk.server.requests).toEqual([]);
  });
});
