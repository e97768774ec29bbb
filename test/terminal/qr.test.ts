import { expect, test } from 'vitest';
import { createSecrets } from '../../src/terminal/secrets.ts';
import { outputOf } from './screens.ts';

const link = 'https://pay.example.com/link/1';

test.each(['json', 'ndjson', 'csv'] as const)('%s never holds one', async (format) => {
  const { out, text } = outputOf({ format, width: 80 });
  expect(await out.qr(link, true)).toBe(`-o ${format} cannot show one`);
  expect(text()).toBe('');
});

test.each([
  ['table', 80, false, 15],
  ['table', undefined, false, 0],
  ['table', undefined, true, 15],
  ['list', 80, false, 0],
  ['list', undefined, true, 15],
  ['table', 28, true, 0],
] as const)('in a %s of width %s, asked for %s: %s lines', async (format, width, asked, lines) => {
  const { out, text } = outputOf({ format, ...(width === undefined ? {} : { width }) });
  const missing = await out.qr(link, asked);
  expect(text().split('\n').length - 1).toBe(lines);
  expect(missing === undefined).toBe(lines > 0);
});

const secrets = createSecrets();
secrets.add('key_test_4u9fQ2');

test.each([
  ['what is no web address', 'javascript:alert(1)'],
  ['what a screen would show in another way', 'https://pay.example.com/\u202Emoc.live'],
  ['what holds control characters', 'https://pay.example.com/\u001b]0;x\u0007'],
  ['two words', 'https://pay.example.com/ x'],
  ['what is longer than any code', `https://pay.example.com/${'x'.repeat(3000)}`],
  ['a key', 'https://pay.example.com/key_test_4u9fQ2'],
])('no code is drawn of %s', async (_, url) => {
  const { out, text } = outputOf({ secrets });
  expect(await out.qr(url, true)).toBe('this is not a plain web link');
  expect(text()).toBe('');
});

test('the longest link that a code can hold is drawn', async () => {
  const { out, text } = outputOf({});
  expect(await out.qr(`https://${'x'.repeat(2945)}`, true)).toBeUndefined();
  expect(text()).toContain('█');
});
