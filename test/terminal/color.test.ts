import { describe, expect, it } from 'vitest';
import { type ColorChoice, colorLevel, loadPaint } from '../../src/terminal/color.ts';

type Case = readonly [
  claim: string,
  isTTY: boolean,
  flag: ColorChoice | undefined,
  env: Readonly<Record<string, string>>,
  level: 0 | 1,
];

describe('colour', () => {
  it.each<Case>([
    ['a terminal is coloured', true, undefined, {}, 1],
    ['a pipe is not', false, undefined, {}, 0],
    ['--color always colours a pipe', false, 'always', {}, 1],
    ['--color always wins over NO_COLOR', false, 'always', { NO_COLOR: '1' }, 1],
    ['--color never wins over FORCE_COLOR', true, 'never', { FORCE_COLOR: '1' }, 0],
    ['--color auto wins over PAYDESK_COLOR', true, 'auto', { PAYDESK_COLOR: 'never' }, 1],
    ['PAYDESK_COLOR=never disables', true, undefined, { PAYDESK_COLOR: 'never' }, 0],
    ['PAYDESK_COLOR wins over NO_COLOR', true, undefined, { PAYDESK_COLOR: 'always', NO_COLOR: '1' }, 1],
    ['an empty PAYDESK_COLOR changes nothing', true, undefined, { PAYDESK_COLOR: '' }, 1],
    ['--color never wins over PAYDESK_COLOR', true, 'never', { PAYDESK_COLOR: 'always' }, 0],
    ['--color always wins over TERM=dumb', true, 'always', { TERM: 'dumb' }, 1],
    ['NO_COLOR disables', true, undefined, { NO_COLOR: '1' }, 0],
    ['NO_COLOR=0 disables as well', true, undefined, { NO_COLOR: '0' }, 0],
    ['NO_COLOR wins over FORCE_COLOR', true, undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, 0],
    ['an empty NO_COLOR changes nothing', true, undefined, { NO_COLOR: '' }, 1],
    ['FORCE_COLOR colours a pipe', false, undefined, { FORCE_COLOR: '1' }, 1],
    ['FORCE_COLOR wins over TERM=dumb', true, undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, 1],
    ['FORCE_COLOR=0 disables', true, undefined, { FORCE_COLOR: '0' }, 0],
    ['an empty FORCE_COLOR changes nothing', false, undefined, { FORCE_COLOR: '' }, 0],
    ['TERM=dumb disables', true, undefined, { TERM: 'dumb' }, 0],
  ])('%s', (_, isTTY, flag, env, level) => {
    expect(colorLevel({ isTTY }, flag, env)).toBe(level);
  });

  it.each(['strong', 'faint', 'good', 'warn', 'bad', 'out'] as const)(
    'uses one of the 16 colours for %s',
    async (style) => {
      const paint = await loadPaint(1);
      expect(paint('x', style)).toMatch(/^\x1b\[(1|2|3[0-7]|9[0-7])mx\x1b\[\d+m$/);
      expect((await loadPaint(0))('x', style)).toBe('x');
    },
  );
});
