/** How the words that shells hand over are read. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTypedLine } from '../../../src/cli/completion/callback.ts';

test('bash: words cut at = and : are whole again, and what stands before the last piece is kept', () => {
  const cases: readonly (readonly [sent: string[], current: string, kept: number])[] = [
    [['orders', '--reason', '=', 're'], '--reason=re', 9],
    [['orders', '--reason', '='], '--reason=', 9],
    [['orders', '--reason', '=', ''], '--reason=', 9],
    [['--base-url', 'https', ':', '//x', ''], '', 0],
    [['orders', '"su'], 'su', 0],
    [['orders', 'a\\ b'], 'a b', 0],
    [['orders', '$(touch x)'], '$(touch x)', 0],
  ];
  for (const [sent, current, kept] of cases) {
    expect(readTypedLine('bash', sent.length - 1, sent)).toMatchObject({ current, kept });
  }
  expect(readTypedLine('bash', 4, ['--base-url', 'https', ':', '//x', '']).before).toEqual([
    '--base-url',
    'https://x',
  ]);
});

test('a word that the shell left out, since it is empty, is the one to be completed', () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'] as const) {
    expect(readTypedLine(shell, 2, ['orders', 'show'])).toEqual({
      before: ['orders', 'show'],
      current: '',
      kept: 0,
    });
  }
});

test('plain words are read as they are by every shell', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_@.,/+-]{1,12}$/);
  const shell = fc.constantFrom('bash', 'zsh', 'fish', 'powershell');
  fc.assert(
    fc.property(shell, fc.array(word, { minLength: 1 }), (name, words) => {
      const line = readTypedLine(name, words.length - 1, words);
      expect([...line.before, line.current]).toEqual(words);
    }),
  );
});

test('whatever is typed, reading it ends, and no more is kept than there is', () => {
  const shell = fc.constantFrom('bash', 'zsh', 'fish', 'powershell');
  const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('=', ':', '"', "'", '\\', '--a'));
  fc.assert(
    fc.property(shell, fc.array(piece), fc.nat(10), (name, pieces, index) => {
      const { before, kept } = readTypedLine(name, index, pieces);
      expect(before.length).toBeLessThanOrEqual(pieces.length);
      expect(kept).toBeGreaterThanOrEqual(0);
    }),
  );
});
