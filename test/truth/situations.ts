/** All situations: what happened to an order, and what is true of it then. */

import { matrix, otherDesk } from './each-state.ts';
import type { Situation } from './happenings.ts';
import { acknowledged, combined, laterStates, lostReplies, settledByHand } from './histories.ts';
import { contradictory, modes, twins, unrefundable } from './odd-orders.ts';

/** All of them; each has a name of its own. */
export const situations: readonly Situation[] = [
  ...matrix,
  ...otherDesk,
  ...lostReplies,
  ...acknowledged,
  ...settledByHand,
  ...laterStates,
  ...combined,
  ...twins,
  ...contradictory,
  ...modes,
  ...unrefundable,
];
