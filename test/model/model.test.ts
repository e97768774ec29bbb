/**
 * The protocol in a world where everything can go wrong. The short form follows at most `widest` of the states that are equally
 * many moves away; the long form follows all of them. Which rules and assumptions that needs: rules-needed.long.ts.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { isLong } from '../harness/long.ts';
import { startExplorer } from './apart.ts';
import { rulesOf, worlds } from './worlds.ts';

const widest = isLong ? undefined : 600;
const explorer = startExplorer();
afterAll(() => explorer.stop());

describe('the protocol, in the states that two processes and all that can go wrong around them can reach', () => {
  it.each([...worlds].filter(([, { short }]) => isLong || short !== undefined).map(([name]) => name))(
    '%s: never twice, never lost, never falsely applied, never doubled in silence',
    async (name) => {
      const { states, violation } = await explorer.explore(rulesOf(name, isLong ? 'long' : 'short'), widest);
      process.stdout.write(
        `model: ${name}: ${states} states visited, ${violation === undefined ? 0 : 1} violations\n`,
      );
      expect(violation).toBeUndefined();
      expect(states).toBeGreaterThan(isLong ? 10_000 : 4_000);
    },
  );
});
