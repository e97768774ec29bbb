/** What is said when a refund was made and its outcome could not be written down. */

import { expect, test } from 'vitest';
import { plainAmounts } from '../../src/amounts.ts';
import { checkRecorded } from '../../src/changes/outcome.ts';
import { CliError } from '../../src/errors.ts';

function errorFor(cause: Error): CliError {
  const change = { kind: 'refund', orderId: 'ord_1', amount: 900, currency: 'MXN', request: { path: 'x' } };
  const outcome = { verdict: 'applied', by: 'reply', change: 'i_1', unrecorded: { row: {}, cause } };
  const profile = { settings: plainAmounts };
  try {
    Reflect.apply(checkRecorded, undefined, [change, outcome, profile]);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('it was recorded');
}

test('a full disk: what helps is what is said', () => {
  const { now = [] } = errorFor(new Error('disk full (ENOSPC)')).parts;
  expect(now[0]).toBe('copy these lines into the ticket; do not repeat it; free some space, then:');
});
