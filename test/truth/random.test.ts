/**
 * Random histories of an order under a hostile service: after each step some screens are asked, and each says what the test's own
 * ledger says. `PAYDESK_TEST_LONG=1` takes 2,000 of them, `PAYDESK_TEST_SEED=N` those of another seed.
 */

import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { isLong } from '../harness/long.ts';
import { seed } from '../harness/seed.ts';
import { found } from './found.ts';
import { own, type Situation } from './happenings.ts';
import { isRowClear, leftOf, stateOf, truthFor } from './ledger.ts';
import { type Alter, lookFrom } from './look.ts';
import { type Screen, screens } from './screens.ts';
import { type History, histories, startWalk, take, type Walk } from './steps.ts';
import { Unbuilt } from './world.ts';

const numRuns = isLong ? 2000 : 6;
// A long run ends by itself before its test would be stopped, and says how far it came.
const interruptAfterTimeLimit = isLong ? 55 * 60_000 : undefined;
const counts = { histories: 0, steps: 0, screens: 0, facts: 0 };
const states = new Map<string, number>();

afterAll(() => {
  const { histories: walks, steps, screens: seen, facts } = counts;
  const each = [...states].map(([state, times]) => `${state} ${times}`).join(', ');
  process.stdout.write(
    `seed ${seed}: ${walks} histories, ${steps} steps, ${seen} screens, ${facts} facts compared; refunds by state after each step: ${each}\n`,
  );
});

it(`every screen says what is true after each step of ${numRuns} random histories (seed ${seed})`, async () => {
  const walks = fc.asyncProperty(histories, async (history) => {
    counts.histories += 1;
    const wrong = await walk(history, screens);
    if (wrong !== undefined) throw new Error(wrong);
  });
  await fc.assert(walks, {
    numRuns,
    seed,
    markInterruptAsFailure: false,
    ...(interruptAfterTimeLimit === undefined ? {} : { interruptAfterTimeLimit }),
  });
});

it.each(found)('%s', async (_, history, where) => {
  const some = isLong ? screens : screens.filter(({ name }) => where.test(name));
  expect(await walk({ ...history, steps: withLastLook(history.steps) }, some)).toBeUndefined();
});

// All screens of ana are asked after the last step.
function withLastLook(steps: History['steps']): History['steps'] {
  return steps.map((step, index) => (index === steps.length - 1 ? { ...step, look: 20 } : step));
}

const says = (from: RegExp, to: string) => (stdout: string) => stdout.replace(from, to);

it.each<[string, string, (stdout: string) => string]>([
  ['orders list, 80 columns', 'keeps the word of the service', says(/made twice/, 'paid      ')],
  ['refunds summary --json', 'is wrong by one', says(/"refunded":(\d+)/, '"refunded":1$1')],
  ['orders show, 120 columns', 'does not say that a refund failed', says(/(id rf_.*) {2}failed$/m, '$1')],
])('notices a screen that judges by itself: %s %s', async (name, _, defect) => {
  const only = screens.filter((screen) => screen.name === name);
  const walks = fc.asyncProperty(histories, async (history) => {
    const wrong = await walk(history, only, (ran) => ({ ...ran, stdout: defect(ran.stdout) }));
    return wrong === undefined;
  });
  const { counterexample } = await fc.check(walks, { numRuns: 100, seed: 30, endOnFailure: true });
  const [history] = counterexample ?? [];
  expect(history).toBeDefined();
  if (history !== undefined) expect(await walk(history, only)).toBeUndefined();
});

/** Walks until a screen says something else than the truth. Returns what happened until then, or undefined if none does. */
async function walk(
  history: History,
  some: readonly Screen[],
  alter: Alter = (ran) => ran,
): Promise<string | undefined> {
  const walked = await startWalk(history);
  const { world } = walked;
  await using _world = world;
  const log = [`refunds of ${history.scope}, by ${history.by}`];
  const look = async (number: number, isAll: boolean) => {
    const situation = situationOf(walked, number);
    const desk = world.snapshot(world[situation.seenBy]);
    const asked = isAll
      ? knowable(walked, situation, some)
      : sampleOf(knowable(walked, situation, some), number);
    const { seen, facts, contradictions } = await lookFrom(world, desk, situation, asked, alter);
    counts.screens += seen.length;
    counts.facts += facts;
    const [wrong] = contradictions;
    if (wrong === undefined) return undefined;
    const ran = seen.find(({ screen }) => screen.name === wrong.screen)?.ran;
    return [
      ...log,
      `${situation.seenBy} asks ${wrong.screen}: ${wrong.kind}: says ${wrong.says}; truth ${wrong.truth}`,
      JSON.stringify(situation.truth),
      `${ran?.stdout}${ran?.stderr}`,
    ].join('\n');
  };
  for (const step of history.steps) {
    const done = await take(walked, step).catch(unbuilt);
    if (done === undefined) continue;
    log.push(`${world.now()} ${step.is}: ${done instanceof Unbuilt ? done.message : done}`);
    if (done instanceof Unbuilt) return log.join('\n');
    counts.steps += 1;
    for (const state of walked.requests.map(stateOf)) states.set(state, (states.get(state) ?? 0) + 1);
    const wrong = await look(step.look, false);
    if (wrong !== undefined) return wrong;
  }
  const last = history.steps.at(-1)?.look ?? 0;
  return last % 20 === 0 ? await look(last / 20, true) : undefined;
}

function unbuilt(error: unknown): Unbuilt {
  if (error instanceof Unbuilt) return error;
  throw error;
}

function situationOf(walked: Walk, look: number): Situation {
  const seenBy = look % 4 === 0 ? 'bob' : 'ana';
  const isPlanned =
    walked.by === 'plan' && seenBy === 'ana' && walked.requests.some(({ by }) => by === 'ana');
  return own('a history', 0, truthFor(seenBy, walked), async () => undefined, {
    scope: walked.scope,
    by: isPlanned ? 'plan' : 'hand',
    seenBy,
  });
}

const ofRow = /compare|refunds plan/;
const isPreview = /orders refund(?:, declined| --dry-run)/;

// The screens of which it is known what they must say.
function knowable(walked: Walk, situation: Situation, some: readonly Screen[]): readonly Screen[] {
  const { scope, seenBy, truth } = situation;
  const isClear = isRowClear(seenBy, walked);
  const isRoom = leftOf(walked, scope === 'charge' ? 'ch_2' : 'ch_1') >= 50;
  // What was recorded as made is only about its own charge.
  const isOther = truth.first.includes('recorded made');
  return some.filter(
    ({ isFor, name }) =>
      (isFor?.(situation) ?? true) &&
      (isClear || !ofRow.test(name)) &&
      ((isRoom && !isOther) || !isPreview.test(name)),
  );
}

// Four of them, others after each step.
function sampleOf(some: readonly Screen[], number: number): readonly Screen[] {
  const every = Math.max(1, Math.floor(some.length / 4));
  return some.filter((_, index) => (index + number) % every === 0);
}
