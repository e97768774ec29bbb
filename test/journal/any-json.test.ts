import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeRead, preImage } from '../../src/journal/judge-read.ts';
import { judgeReply, parseReply } from '../../src/journal/judge-reply.ts';
import type { Proof } from '../../src/journal/rows/journal-rows.ts';
import { isLong } from '../harness/long.ts';

// The service's names, and names that mean something to JavaScript.
const names =
  'object id livemode charges data refunds amount amount_refunded has_more total type details code payment_status status is_refundable line_items currency metadata __proto__ constructor toString valueOf length map'.split(
    ' ',
  );
const leaves = ['order', 'error', 'ord_1', 'ch_1', 'paid', 'list', 'refund', true, false, null, 0, -5, 5];
const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(fc.constantFrom<unknown>(...leaves), fc.string(), fc.double(), fc.integer()),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 8 }),
  ),
}));

const proof = (kind: Proof['kind']): Proof => ({
  kind,
  orderId: 'ord_1',
  livemode: false,
  body: { currency: 'MXN', metadata: { a: 1 } },
  expected: [{ chargeId: 'ch_1', amount: -5 }],
  tolerated: [],
  before: { charges: [{ id: 'ch_1', refunds: [] }] },
});

it('whatever JSON comes as a reply or a read, it is judged, and a refund is applied by one record only', () => {
  const kinds = fc.constantFrom<Proof['kind']>('refund', 'capture', 'order', 'checkout', 'api');
  fc.assert(
    fc.property(any, fc.integer({ min: 100, max: 599 }), kinds, (value, status, kind) => {
      const text = JSON.stringify(value);
      const parsed = parseReply({
        status,
        contentType: 'application/json',
        body: new TextEncoder().encode(text),
      });
      const answer = judgeReply(proof(kind), parsed);
      const evidence = judgeRead(proof(kind), JSON.parse(text), new Set());
      preImage(kind, JSON.parse(text));
      if (kind !== 'refund') return;
      if (answer.says === 'applied') expect(answer.refunds).toMatchObject([{ chargeId: 'ch_1', amount: -5 }]);
      if (evidence.shows === 'expected')
        expect(evidence.refunds).toMatchObject([{ chargeId: 'ch_1', amount: -5 }]);
    }),
    { numRuns: isLong ? 200_000 : 500 },
  );
}, 600_000);
