/** JSON set out for reading. */

import { expect, test } from 'vitest';
import { indented } from '../../src/commands/api.ts';

test('a text of megabytes is set out for reading like any other', () => {
  const note = 'a {b}:\\"'.repeat(3_000_000);
  expect(
    indented(`{"note":"${note}","n":1.50}`).join('\n') === `{\n  "note": "${note}",\n  "n": 1.50\n}`,
  ).toBe(true);
});
