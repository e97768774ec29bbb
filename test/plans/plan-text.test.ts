/** The text of a plan: what is written is read again, and every change of it is refused. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowKey } from '../../src/plans/plan-lines.ts';
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

const anyRows: fc.Arbitrary<PlanRow> = fc.record({
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
  expected: fc.array(fc.record({ chargeId: text, amount: amount.map((one) => -one) }), { maxLength: 2 }),
  tolerated: fc.array(text, { maxLength: 2 }),
  again: fc.array(text, { maxLength: 2 }),
  named: fc.array(text, { maxLength: 2 }),
  before: maybe(befores),
  neighbour: maybe(text),
});

// What a row shows is what it sends: that is checked too when a plan is read.
function truthful(row: PlanRow, { origin, mode }: PlanHead): PlanRow {
  if (row.state !== 'ready' && row.state !== 'look') return row;
  const { orderId, chargeId, reason, ref } = row;
  const named = row.amount === 'full' ? 'full' : row.sum + 1;
  const sum = row.sum + 1;
  const paid = chargeId ?? 'ch_1';
  const body = { charge_id: paid, ...(named === 'full' ? {} : { amount: sum }) };
  return {
    ...row,
    amount: named,
    sum,
    body: reason === undefined ? body : { ...body, reason },
    expected: [{ chargeId: paid, amount: -sum }],
    key: rowKey({ origin, mode, orderId, chargeId, amount: named, ref }),
  };
}

/** A plan with at least and at most so many rows. */
function plansOf(minLength: number, maxLength: number): fc.Arbitrary<[PlanHead, readonly PlanRow[]]> {
  return fc
    .tuple(heads, fc.array(anyRows, { minLength, maxLength }))
    .map(([head, some]) => [head, some.map((row, index) => truthful({ ...row, number: index + 1 }, head))]);
}

function bytesOf(
  head: PlanHead,
  some: readonly PlanRow[],
): { readonly bytes: Buffer; readonly digest: string } {
  const { lines, digest } = writePlan(head, some, (json) => json);
  return { bytes: Buffer.from([...lines].join('')), digest: digest() };
}

// A file comes in chunks, and a line may lie across several.
function read(bytes: Buffer, chunkLength = 7) {
  const starts = Array.from(
    { length: Math.ceil(bytes.length / chunkLength) },
    (_, index) => index * chunkLength,
  );
  return readPlan(
    'a.plan',
    starts.map((at) => bytes.subarray(at, at + chunkLength)),
  );
}

const plans = plansOf(0, 4);

it('F53 a plan is read as it was written, in chunks of any length', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 5000 }), async ([head, some], chunkLength) => {
      const { bytes, digest } = bytesOf(head, some);
      expect(await read(bytes, chunkLength)).toEqual({ ...head, rows: some, digest });
    }),
  );
});

it('F53 a plan of which one byte was changed, added or taken away is refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      plans,
      fc.nat(),
      fc.nat(255),
      fc.constantFrom(0, 1),
      fc.boolean(),
      async ([head, some], where, byte, taken, isAdded) => {
        const { bytes } = bytesOf(head, some);
        const at = where % bytes.length;
        const edited = Buffer.concat([
          bytes.subarray(0, at),
          ...(isAdded ? [Buffer.from([byte])] : []),
          bytes.subarray(at + taken),
        ]);
        fc.pre(!edited.equals(bytes));
        await expect(read(edited)).rejects.toThrow(expect.objectContaining({ kind: 'refused' }));
      },
    ),
    { numRuns: 500 },
  );
});

it('F53 every byte of the first and of the last line counts', async () => {
  await fc.assert(
    fc.asyncProperty(plansOf(0, 1), fc.nat(255), async ([head, some], byte) => {
      const { bytes } = bytesOf(head, some);
      const last = bytes.lastIndexOf('\n', -2);
      const first = bytes.indexOf('\n');
      for (const at of [...bytes.keys()].filter((place) => place <= first || place > last)) {
        if (bytes[at] === byte) continue;
        const edited = Buffer.from(bytes);
        edited[at] = byte;
        await expect(read(edited)).rejects.toThrow(expect.objectContaining({ kind: 'refused' }));
      }
    }),
    { numRuns: 20 },
  );
});

it('F53 a line that is moved, doubled or taken away is seen', async () => {
  await fc.assert(
    fc.asyncProperty(plansOf(2, 4), fc.nat(), async ([head, some], where) => {
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
        await expect(read(Buffer.from(edited.join('')))).rejects.toThrow(
          expect.objectContaining({ kind: 'refused' }),
        );
      }
    }),
  );
});

it.each([
  ['no end', '['.repeat(1024 * 1024)],
  ['an end', `{"object":"plan","x":"${'x'.repeat(300_000)}"}\n`],
])('a line that is longer than paydesk writes, with %s, is refused before it is parsed', async (_, line) => {
  async function* parts() {
    const bytes = Buffer.from(line);
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    throw new Error('it was read on');
  }
  await expect(readPlan('a.plan', parts())).rejects.toThrow('line 1 is longer than paydesk writes');
});
