/** With which signs charts are drawn on which terminal. */

import { expect, test } from 'vitest';
import { chartSigns, type SignFacts } from '../../src/terminal/color.ts';

const usual: SignFacts = {
  accessible: false,
  env: { LANG: 'es_MX.UTF-8' },
  platform: 'linux',
};

test.each<[string, Partial<SignFacts>, string]>([
  ['UTF-8', {}, 'blocks'],
  ['a screen reader', { accessible: true }, 'none'],
  ['NO_COLOR', { env: { LANG: 'C.utf8', NO_COLOR: '1' } }, 'blocks'],
  ['a terminal without colours', { env: { LANG: 'C.utf8', TERM: 'dumb' } }, 'blocks'],
  ['the locale C over LANG', { env: { LANG: 'es_MX.UTF-8', LC_ALL: 'C' } }, 'plain'],
  ['an empty LC_ALL', { env: { LANG: 'es_MX.UTF-8', LC_ALL: '' } }, 'blocks'],
  ['LC_CTYPE over LANG', { env: { LANG: 'C', LC_CTYPE: 'en_US.UTF-8' } }, 'blocks'],
  ['no locale on Linux', { env: {} }, 'plain'],
  ['no locale on Windows', { env: {}, platform: 'win32' }, 'blocks'],
])('%s', (_, facts, signs) => expect(chartSigns({ ...usual, ...facts })).toBe(signs));
