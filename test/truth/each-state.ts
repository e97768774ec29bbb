/** Each state of a refund, of a whole order, a charge and a part, by hand and by plan; and as another desk sees it. */

import { acts, type By, main, other, type Scope, type Situation, sums } from './happenings.ts';
import { type Besides, fromElsewhere, type State, type Truth, truthOf } from './truth.ts';

const partOf: Readonly<Record<State, number>> = {
  made: 1,
  pending: 2,
  failed: 2,
  unconfirmed: 5,
  'recorded made': 1,
  'recorded not made': 1,
  appeared: 1,
  'made twice': 3,
  elsewhere: 1,
  gone: 1,
};

const scopes: readonly Scope[] = ['whole', 'charge', 'part'];
const ways: readonly By[] = ['hand', 'plan'];

// What a plan says of a row that it never sent, because somebody else refunded the same.
const unsent: Besides = { row: { ofPlan: 'none', status: 8 } };

function truthOfOne(state: State, scope: Scope, by: By): Truth {
  const amount = state === 'made twice' ? 2 * sums[scope] : sums[scope];
  // A charge from which more went back than was paid has nothing left, and takes nothing from the others.
  const left = { whole: 0, charge: 300, part: 400 }[scope];
  return truthOf(`${state} ${amount}`, {
    ...(state === 'made twice' ? { left } : {}),
    ...(state === 'elsewhere' && by === 'plan' ? unsent : {}),
  });
}

function one(state: State, scope: Scope, by: By, more: Partial<Situation> = {}): Situation {
  return {
    name: `${state}, ${scope}, by ${by}`,
    part: partOf[state],
    orders: [main(), other()],
    build: (world) => acts[state](world, scope, by),
    seenBy: 'ana',
    scope,
    by,
    truth: truthOfOne(state, scope, by),
    ...more,
  };
}

export const matrix = (Object.keys(acts) as State[]).flatMap((state) =>
  scopes.flatMap((scope) => ways.map((by) => one(state, scope, by))),
);

// The same as another desk sees it, which has sent nothing and shares no journal.
export const otherDesk = (
  [
    'made',
    'pending',
    'failed',
    'unconfirmed',
    'recorded made',
    'recorded not made',
    'appeared',
    'made twice',
    'gone',
  ] as const
).flatMap((state) => {
  const scope: Scope = state === 'made' || state === 'made twice' ? 'part' : 'charge';
  const here = one(state, scope, 'hand');
  return [
    {
      ...here,
      name: `${state}, ${scope}, seen by the other desk`,
      seenBy: 'bob' as const,
      truth: fromElsewhere(here.truth),
    },
  ];
});
