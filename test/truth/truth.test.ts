/**
 * Every screen says the same of an order, and what is true.
 *
 * `PAYDESK_TRUTH='made twice, part, by plan' npx vitest run test/truth/truth.test.ts` shows all screens of this situation, or of
 * those with such words in their names; with `PAYDESK_TRUTH_SCREEN='orders show'` too, only such screens.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { isLong } from '../harness/long.ts';
import { inOneLine } from '../harness/ran.ts';
import { type Contradiction, lineOf } from './compare.ts';
import { bystander, id, look as lookAgain, main, other, type Situation, send } from './happenings.ts';
import { type Looked, look } from './look.ts';
import { screens } from './screens.ts';
import { situations } from './situations.ts';
import { startWorld } from './world.ts';

const only = process.env.PAYDESK_TRUTH;
const onlyScreens = process.env.PAYDESK_TRUTH_SCREEN;
// The short form asks the screens that differ most, half of them in one situation and half in the next; the long one all of them.
const asked =
  onlyScreens !== undefined
    ? screens.filter(({ name }) => name.includes(onlyScreens))
    : isLong || only !== undefined
      ? screens
      : screens.filter(({ isShort }) => isShort);
const named = situations.filter(({ name }) => name === only);
const chosen =
  only === undefined
    ? situations
    : named.length > 0
      ? named
      : situations.filter(({ name }) => name.includes(only));
const looked: Looked[] = [];

afterAll(() => {
  process.stdout.write(only === undefined ? counts() : looked.map(shown).join('\n'));
});

describe('the screens of an order and the truth', () => {
  it.each(chosen)('$name', async (situation: Situation) => {
    const at = chosen.indexOf(situation);
    const some = isLong || only !== undefined ? asked : asked.filter((_, index) => index % 3 === at % 3);
    const one = await look(situation, some);
    looked.push(one);
    expect(linesOf(one.contradictions)).toEqual([]);
  });

  it('words that are no state, wherever they stand', () => {
    expect(linesOf(found().filter(({ situation }) => situation === '*'))).toEqual([]);
  });
});

it('of which only a part shows: its screen says how much, and how a person ends it once the rest cannot come', async () => {
  await using world = await startWorld([main(), other()]);
  await send('lost', 7)(world, 'whole', 'hand');
  world.at('09:05:00');
  world.record(id, 'ch_1', 700);
  const screen = async (line: string) => inOneLine((await world.run(world.ana, line.split(' '), 120)).stdout);
  const show = `orders show ${id}`;
  const part = 'a part of it shows: 700 of 1000 MXN; do not refund it again';
  expect(await screen(show)).toContain(
    `${part} the rest may still come, until today 09:15: paydesk journal reconcile`,
  );
  expect(await screen(`${show} --for-buyer`)).toContain('We are checking a refund of 1000 MXN');
  const { change } = (await world.attempts(world.ana))[0] ?? { change: '' };
  const said = `--note asked-the-bank --confirm ${id}`;
  const early = await world.run(world.ana, `journal settle ${change} --not-applied ${said}`.split(' '));
  expect(early).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('can still arrive until 09:15'),
  });
  await lookAgain('09:06:00', 7)(world);
  world.at('09:25:00');
  const end = `paydesk journal settle ${change} --not-applied --note TEXT`;
  expect(await screen(show)).toContain(
    `${part} the rest did not come in its time. If somebody else made that part: ${end}`,
  );
  await world.must(world.ana, `journal settle ${change} --applied ${said}`, 7);
  await world.must(world.ana, `journal settle ${change} --applied ${said}`, 3);
  await world.must(world.ana, `journal settle ${change} --not-applied ${said}`, 0);
  world.fate('made');
  await world.must(world.ana, `orders refund ${id} --charge 2 --reason other --yes`, 0);
  expect(await screen(show)).toContain('refunded');
});

it('an unconfirmed refund of a charge: which one, and until when; a line about other orders says so', async () => {
  await using world = await startWorld([main(), other()]);
  await send('lost', 7)(world, 'part', 'hand');
  world.at('09:05:00');
  const { stdout } = await world.run(world.ana, ['orders', 'show', id], 120);
  expect(inOneLine(stdout)).toContain('sent at 09:00:00 by ana, from charge 1 it may have been made');
  expect(inOneLine(stdout)).toContain(
    'it may have been made; blocked until tomorrow 09:00 at the latest tell the buyer',
  );
  const { stderr } = await world.run(world.ana, ['orders', 'show', bystander]);
  expect(stderr).toContain(`other orders: 1 refund unconfirmed: ${id}: paydesk journal reconcile --all`);
});

it('has at least 100 situations, all of other names, and 30 screens', () => {
  expect(new Set(situations.map(({ name }) => name)).size).toBe(situations.length);
  expect(situations.length).toBeGreaterThanOrEqual(100);
  expect(new Set(screens.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
});

function found(): readonly Contradiction[] {
  return looked.flatMap(({ contradictions }) => contradictions);
}

function linesOf(some: readonly Contradiction[]): readonly string[] {
  return [...new Set(some.map(lineOf))].toSorted();
}

function counts(): string {
  const all = [...new Map(found().map((one) => [lineOf(one), one])).values()];
  const facts = looked.reduce((sum, one) => sum + one.facts, 0);
  const by = (name: 'kind' | 'screen' | 'part') =>
    [...Map.groupBy(all, (one) => one[name])]
      .toSorted(([, some], [, others]) => others.length - some.length)
      .map(([of, some]) => `  ${String(some.length).padStart(5)}  ${name === 'part' ? 'part ' : ''}${of}`);
  const inSituations = new Set(all.map(({ situation }) => situation)).size;
  return [
    `${looked.length} situations, ${asked.length} screens, ${facts} facts compared; ${all.length} contradictions in ${inSituations} situations`,
    ...by('kind'),
    ...by('part'),
    ...by('screen'),
    '',
  ].join('\n');
}

function shown({ situation, seen, contradictions }: Looked): string {
  const each = seen.map(({ screen, ran, said }) =>
    [
      `──── ${screen.name} (exit ${ran.code}) ────`,
      ran.stdout.trimEnd(),
      ran.stderr.trimEnd(),
      `read as: ${said instanceof Error ? said.message : JSON.stringify(said)}`,
      ...contradictions
        .filter((one) => one.screen === screen.name)
        .map((one) => `WRONG: ${one.kind}: says ${one.says}; truth ${one.truth}`),
    ].join('\n'),
  );
  return [`══════ ${situation.name} ══════`, JSON.stringify(situation.truth), ...each, ''].join('\n');
}
