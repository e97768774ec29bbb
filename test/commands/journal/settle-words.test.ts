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
  expect(noteProblem(note)).toBe('at least 10 letters: say how you know');
});

test.each([
  'test test test test',
  'Checked checked CHECKED',
  'xxxxxxxxxxxx',
  'idkidkidkidk',
  'no, no, no, no, no, no',
])('%j says the same again and again', (note) => {
  expect(noteProblem(note)).toBe('the same again and again: say how you know');
});
