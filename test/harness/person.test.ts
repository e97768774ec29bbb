/** A person in memory sees what one at a real terminal sees, and what they type does the same. */

import { expect, test } from 'vitest';
import { chargeOf, orderOf, refundedWhole } from './orders.ts';
import { newHome } from './paydesk.ts';
import { type Seat, sit } from './person.ts';
import { screenOf } from './screen.ts';
import { json } from './server.ts';
import { startService } from './service.ts';
import { atTerminal } from './terminal.ts';

const order = orderOf('ord_1', [chargeOf('ch_1', 35_000)]);

type Typed = readonly (readonly [shown: string, keys: string])[];

interface Left {
  readonly code: number | null;
  readonly screen: string;
}

/** Starts a refund at a seat, types, and tells how it ends. */
type Sit = (seat: Seat, typed: Typed) => Promise<Left>;

const inMemory: Sit = async (seat, typed) => {
  const person = sit(['orders', 'refund'], seat, 100);
  for (const [shown, keys] of typed) await person.answer(shown, keys);
  const { code } = await person.leaves;
  return { code, screen: screenOf(person.transcript, 100) };
};

const atRealTerminal: Sit = async (seat, typed) => {
  const person = atTerminal(['orders', 'refund'], { ...seat, columns: 100 });
  for (const [shown, keys] of typed) await person.answer(shown, keys);
  const { exitCode, transcript } = await person.end;
  return { code: exitCode, screen: screenOf(transcript, 100) };
};

async function leftBy(where: Sit, typed: Typed): Promise<Left> {
  await using service = await startService({ orders: [order], onPost: () => json(refundedWhole(order)) });
  using home = newHome();
  const { code, screen } = await where({ home, env: { ...service.env, NO_COLOR: '1' } }, typed);
  return { code, screen: screen.replaceAll(/i_\w{8}|\d\d:\d\d:\d\d/g, '…') };
}

test.each<[string, Typed, number]>([
  [
    'an order that is chosen, a wrong amount, a reason, and a yes',
    [
      ['Which order?', ''],
      ['ord_1', '\r'],
      ['How much?', '900000\r'],
      ['only 35000 is left', '\x1535000\r'],
      ['Why?', '\x1b[B\x1b[B\r'],
      ['Note', 'a note\r'],
      ['Send back', 'y\r'],
    ],
    0,
  ],
  [
    'Ctrl-C at a choice',
    [
      ['Which order?', ''],
      ['ord_1', '\x03'],
    ],
    130,
  ],
  [
    'Ctrl-D at a text',
    [
      ['Which order?', ''],
      ['ord_1', '\r'],
      ['How much?', '\x04'],
    ],
    3,
  ],
])('%s', async (_, typed, code) => {
  const seen = await leftBy(inMemory, typed);
  expect(seen).toMatchObject({ code });
  expect(seen).toEqual(await leftBy(atRealTerminal, typed));
});
