/** What is said when a refund was made and its outcome could not be written down. */

import { expect, test } from 'vitest';
import { plainAmounts } from '../../src/amounts.ts';
import { checkRecorded } from '../../src/changes/outcome.ts';
import { CliError } from '../../src/errors.ts';
import { serverAway } from '../../src/journal/postgres/server-errors.ts';

function errorFor(cause: Error): CliError {
  const intent = { kind: 'refund', orderId: 'ord_1', amount: 900, currency: 'MXN', request: { path: 'x' } };
  const outcome = { verdict: 'applied', by: 'reply', intent: 'i_1', unrecorded: { row: {}, cause } };
  const profile = { settings: plainAmounts };
  try {
    Reflect.apply(checkRecorded, undefined, [intent, outcome, profile]);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('it was recorded');
}

test.each([
  [new Error('disk full (ENOSPC)'), 'free some space'],
  [serverAway(new Error('connection refused'), 'db:5432/desk'), 'wait until the server of the team answers'],
])('%s: what helps is what is said', (cause, words) => {
  const { now = [] } = errorFor(cause).parts;
  expect(now[0]).toBe(`copy these lines into the ticket; do not repeat it; ${words}, then:`);
});

test('who is not let in any more reads what the refusal says', () => {
  const refusal = Object.assign(new Error('not permitted'), { code: '28000' });
  const { now = [] } = errorFor(serverAway(refusal, 'db:5432/desk')).parts;
  expect(now.slice(0, 4)).toEqual([
    'copy these lines into the ticket; do not repeat it',
    'ask your lead whether you were removed from the team',
    'to use paydesk without the team: once you were added again, paydesk team leave',
    'then:',
  ]);
});
