/** Writes a plan as a program would that wants something else to be sent. */

import { createHash } from 'node:crypto';
import type { RefundService } from './refund-service.ts';

/** Writes refunds.plan anew with other lines, and a last line that fits. */
export function forge(service: RefundService, change: (lines: string[]) => string[]): void {
  const lines = change(service.read('refunds.plan').trimEnd().split('\n').slice(0, -1));
  const text = lines.map((line) => `${line}\n`).join('');
  const rows = lines.slice(1).map((line) => JSON.parse(line));
  const states = [...new Set(rows.map(({ state }) => state))];
  const totals = states.map((state) => {
    const some = rows.filter((row) => row.state === state);
    return {
      state,
      currency: 'MXN',
      rows: some.length,
      amount: some.reduce((sum, row) => sum + row.refunds, 0),
    };
  });
  const digest = createHash('sha256').update(text).digest('hex');
  const end = { object: 'plan_end', rows: rows.length, totals, digest };
  service.write('refunds.plan', `${text}${JSON.stringify(end)}\n`);
}
