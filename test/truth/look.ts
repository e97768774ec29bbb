/** Builds one situation and asks its screens, each on a copy of the desk, so that none sees what another has written. */

import type { Ran } from '../harness/paydesk.ts';
import { type Contradiction, compare, compareEachOther, type Seen } from './compare.ts';
import { fileRow, id, lookedAt, type Situation } from './happenings.ts';
import type { Screen } from './screens.ts';
import { type Desk, startWorld, Unbuilt, type World } from './world.ts';

/** Changes what a screen said, so that a test can see that this is noticed. */
export type Alter = (ran: Ran) => Ran;

export interface Looked {
  readonly situation: Situation;
  readonly seen: readonly Seen[];
  readonly facts: number;
  readonly contradictions: readonly Contradiction[];
}

/** Builds a situation, and gives its world to a look. */
export async function inWorld<T>(
  situation: Situation,
  use: (world: World, desk: Desk) => Promise<T>,
): Promise<T> {
  await using world = await startWorld(situation.orders);
  for (const desk of [world.ana, world.bob])
    world.write(desk, 'r.csv', ['order_id,charge_id,amount,ref', fileRow[situation.scope]]);
  await situation.build(world);
  world.at(situation.lookedAt ?? lookedAt);
  return await use(world, world.snapshot(world[situation.seenBy]));
}

/** What these screens say of a situation. If it cannot even be built, that is the one contradiction. */
export async function look(
  situation: Situation,
  screens: readonly Screen[],
  alter: Alter = (ran) => ran,
): Promise<Looked> {
  try {
    return await lookAtAll(situation, screens, alter);
  } catch (error) {
    if (!(error instanceof Unbuilt)) throw error;
    const [says = ''] = error.message.split('\n');
    const { name, part } = situation;
    const one = {
      situation: name,
      screen: 'building it',
      kind: 'next step',
      says,
      truth: 'it can be done',
      part,
    } as const;
    return { situation, seen: [], facts: 1, contradictions: [one] };
  }
}

async function lookAtAll(situation: Situation, screens: readonly Screen[], alter: Alter): Promise<Looked> {
  return await inWorld(situation, (world, desk) => lookFrom(world, desk, situation, screens, alter));
}

/** What these screens say from this desk, which is a snapshot. Throws if one of them sent something. */
export async function lookFrom(
  world: World,
  desk: Desk,
  situation: Situation,
  screens: readonly Screen[],
  alter: Alter = (ran) => ran,
): Promise<Looked> {
  const asked = screens.filter(({ isFor }) => isFor?.(situation) ?? true);
  const posts = world.service.posts.length;
  let indexed: Desk | undefined;
  const seen: Seen[] = [];
  for (const screen of asked) {
    if (screen.needsIndex === true && indexed === undefined) {
      const built = world.copied(desk);
      await world.must(built, 'index build --yes', 0);
      indexed = world.snapshot(built);
    }
    const own = world.copied(screen.needsIndex === true ? (indexed ?? desk) : desk);
    const ran = alter(await screen.ask(world, own, situation));
    const said = readOrError(() => screen.read(ran, world, own));
    seen.push({ screen, ran, said, refused: await refusedSteps(screen, said, world, own) });
  }
  if (world.service.posts.length !== posts) throw new Error(`${situation.name}: a screen sent something`);
  const compared = seen.map((one) => compare(situation, one));
  return {
    situation,
    seen,
    facts: compared.reduce((sum, { facts }) => sum + facts, 0),
    contradictions: [
      ...compared.flatMap(({ contradictions }) => contradictions),
      ...compareEachOther(situation, seen),
    ],
  };
}

// The commands that a screen offers, and that end otherwise than a person expects who follows them. Nothing is sent by them.
async function refusedSteps(
  { hasNextSteps }: Screen,
  said: Seen['said'],
  world: World,
  desk: Desk,
): Promise<readonly string[]> {
  const offered = hasNextSteps === true && !(said instanceof Error) ? (said.commands ?? []) : [];
  const refused: string[] = [];
  for (const command of offered) {
    const step = steps.find(({ of }) => command.startsWith(of));
    if (step === undefined) throw new Error(`a screen offers what the test does not know: ${command}`);
    const typed: Readonly<Record<string, string>> = { TEXT: 'looked-into-it', ID: id };
    const words = command.split(' ').map((word) => typed[word] ?? word);
    const { code } = await world.run(desk, [...words, ...step.more]);
    if (!step.codes.includes(code ?? -1))
      refused.push(`offers "${command.replaceAll(/\bi_[0-9a-f]+/g, 'CHANGE')}", which ends with ${code}`);
  }
  return refused;
}

const steps: readonly {
  readonly of: string;
  readonly more: readonly string[];
  readonly codes: readonly number[];
}[] = [
  { of: 'orders refund', more: ['--dry-run'], codes: [0] },
  { of: 'orders show', more: [], codes: [0] },
  { of: 'journal show', more: [], codes: [0] },
  { of: 'journal list', more: [], codes: [0] },
  { of: 'journal reconcile', more: [], codes: [0, 7] },
  { of: 'journal acknowledge', more: ['--yes', '--dry-run'], codes: [0] },
  { of: 'journal settle', more: ['--dry-run'], codes: [0] },
];

/** What is read, or the error that says which words are not known. */
export function readOrError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}
