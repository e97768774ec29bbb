/** The text of a plan: what is written is read again, and every change of it is refused. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPlan, writePlan } from '../../src/plans/plan-text.ts';
import { type PlanHead, type PlanRow, rowStates } from '../../src/plans/plan-types.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const amount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const integer = fc.maxSafeInteger();
const reason = fc.constantFrom('requested_by_client' as const, 'other' as const);
const named = { id: text, amount: integer };

const heads: fc.Arbitrary<PlanHead> = fc.record({
  id: fc.stringMatching(/^p_[a-z0-9]{4,32}$/),
  madeAt: integer,
  origin: text,
  account: text,
  profile: text,
  mode: fc.constantFrom('sandbox' as const, 'production' as const),
  operator: text,
  file: text,
  columns: fc.array(text, { maxLength: 3 }),
  refreshes: maybe(text),
  again: fc.array(text, { maxLength: 2 }),
});

const befores = fc.record({
  amount: integer,
  currency: maybe(text),
  amountRefunded: maybe(integer),
  status: maybe(text),
  isRefundable: maybe(fc.boolean()),
  charges: fc.array(
    fc.record({
      ...named,
      status: maybe(text),
      isRefundable: maybe(fc.boolean()),
      refunds: fc.array(fc.record(named), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
});

const rows: fc.Arbitrary<PlanRow> = fc.record({
  number: integer,
  line: integer,
  orderId: text,
  charge: text,
  chargeId: maybe(text),
  amount: fc.oneof(amount, fc.constant('full' as const)),
  reason: maybe(reason),
  ref: text,
  note: maybe(text),
  more: fc.array(text, { maxLength: 3 }),
  key: text,
  partOf: maybe(text),
  state: fc.constantFrom(...rowStates),
  why: maybe(text),
  marks: fc.array(text, { maxLength: 2 }),
  sum: fc.integer({ min: 0, max: 2 ** 40 }),
  currency: maybe(text),
  body: maybe(fc.record({ charge_id: text, amount, reason })),
  expected: fc.array(fc.record({ chargeId: text, amount: integer }), { maxLength: 2 }),
  tolerated: fc.array(text, { maxLength: 2 }),
  again: fc.array(text, { maxLength: 2 }),
  named: fc.array(text, { maxLength: 2 }),
  before: maybe(befores),
  neighbour: maybe(text),
});

function bytesOf(
  head: PlanHead,
  some: readonly PlanRow[],
): { readonly bytes: Buffer; readonly digest: string } {
  const { lines, digest } = writePlan(head, some, (json) => json);
  return { bytes: Buffer.from([...lines].join('')), digest: digest() };
}

const plans = fc.tuple(heads, fc.array(rows, { maxLength: 4 }));

it('F53 a plan is read as it was written', () => {
  fc.assert(
    fc.property(plans, ([head, some]) => {
      const { bytes, digest } = bytesOf(head, some);
      expect(readPlan('a.plan', bytes)).toEqual({ ...head, rows: some, digest });
    }),
  );
});

it('F53 a plan of which one byte was changed, added or taken away is refused', () => {
  fc.assert(
    fc.property(
      plans,
      fc.nat(),
      fc.nat(255),
      fc.constantFrom(0, 1),
      fc.boolean(),
      ([head, some], where, byte, taken, isAdded) => {
        const { bytes } = bytesOf(head, some);
        const at = where % bytes.length;
        const edited = Buffer.concat([
          bytes.subarray(0, at),
          ...(isAdded ? [Buffer.from([byte])] : []),
          bytes.subarray(at + taken),
        ]);
        fc.pre(!edited.equals(bytes));
        expect(() => readPlan('a.plan', edited)).toThrow(expect.objectContaining({ kind: 'refused' }));
      },
    ),
    { numRuns: 500 },
  );
});

it('F53 every byte of the first and of the last line counts', () => {
  fc.assert(
    fc.property(fc.tuple(heads, fc.array(rows, { maxLength: 1 })), fc.nat(255), ([head, some], byte) => {
      const { bytes } = bytesOf(head, some);
      const last = bytes.lastIndexOf('\n', -2);
      const first = bytes.indexOf('\n');
      for (const at of [...bytes.keys()].filter((place) => place <= first || place > last)) {
        if (bytes[at] === byte) continue;
        const edited = Buffer.from(bytes);
        edited[at] = byte;
        expect(() => readPlan('a.plan', edited)).toThrow(expect.objectContaining({ kind: 'refused' }));
      }
    }),
    { numRuns: 20 },
  );
});

it('F53 a line that is moved, doubled or taken away is seen', () => {
  fc.assert(
    fc.property(heads, fc.array(rows, { minLength: 2, maxLength: 4 }), fc.nat(), (head, some, where) => {
      const { bytes } = bytesOf(head, some);
      const lines = bytes.toString().split(/(?<=\n)/);
      const at = where % lines.length;
      const line = lines[at] ?? '';
      for (const edited of [
        lines.toSpliced(at, 1),
        lines.toSpliced(at, 0, line),
        [line, ...lines.toSpliced(at, 1)],
      ]) {
        if (edited.join('') === bytes.toString()) continue;
        expect(() => readPlan('a.plan', Buffer.from(edited.join('')))).toThrow(
          expect.objectContaining({ kind: 'refused' }),
        );
      }
    }),
  );
});
