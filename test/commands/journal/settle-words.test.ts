import { expect, test } from 'vitest';
import { noteProblem } from '../../../src/commands/journal/settle-words.ts';

test.each([
  'asked the service: nothing there',
  'Ana looked, ticket 8840',
  'bankconfirmed',
  'llamé al banco, no consta',
  'проверил в банке',
  'test with the bank test',
])('a note that says something is taken: %s', (note) => {
  expect(noteProblem(note)).toBeUndefined();
});

test.each(['', 'idk', 'not made', 'a b c d e', '!!!!!!!!!!!!!!', '123456789'])('%j is too short', (note) => {
  expect(noteProblem(note)).toBe('too short: 10 letters or more, saying how you know');
});

test.each(['ord_2tQ7zRk9PwE5xNvAm', ' i_7f3k2m9q ', 'f597a1b2c3d4e5f60718293a, rf_2'])(
  '%j is nothing but ids',
  (note) => {
    expect(noteProblem(note)).toMatch(/^(this is only an id|these are only ids): say how you know$/);
    expect(noteProblem(`asked about ${note}`)).toBeUndefined();
  },
);

test.each([
  'test test test test',
  'Checked checked CHECKED',
  'xxxxxxxxxxxx',
  'idkidkidkidk',
  'no, no, no, no, no, no',
])('%j says the same again and again', (note) => {
  expect(noteProblem(note)).toBe('the same again and again: say how you know');
});
