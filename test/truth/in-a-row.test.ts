/** Several screens one after the other, in a journal that has other changes too: what one has read, the next ones say as well. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chargeOf } from '../harness/orders.ts';
import { bought, id, main, send } from './happenings.ts';
import { type Desk, startWorld, type World } from './world.ts';

const others = Array.from({ length: 5 }, (_, index) => `ord_2tBusy000000000${index}`);

/** A desk that has refunded other orders before and after the one that this is about. */
async function busy(fate: 'made' | 'pending'): Promise<World> {
  const world = await startWorld([
    main(),
    ...others.map((other, index) =>
      bought(other, [chargeOf(`ch_${index}b`, 2000)], `b${index}@x.com`, 9000 + index),
    ),
  ]);
  const refund = (other: string) =>
    world.must(world.ana, `orders refund ${other} --charge 1 --amount 40 --reason other --yes`, 0);
  for (const other of others.slice(0, 3)) await refund(other);
  world.at('09:01:00');
  await send(fate, 0)(world, 'part', 'hand');
  for (const other of others.slice(3)) await refund(other);
  return world;
}

// Each is the first to read it. `exit`: how it ends.
const reading: readonly { readonly first: string; readonly exit?: number }[] = [
  { first: `orders show ${id}` },
  { first: `orders show ${id} --json` },
  { first: `orders show ${id} --for-buyer` },
  { first: 'orders list' },
  { first: 'orders list --json' },
  { first: 'orders find mario@example.com' },
  { first: 'today' },
  { first: 'today --json' },
  { first: 'refunds list --period 2d' },
  { first: 'refunds summary' },
  { first: 'orders summary --period 7d' },
  { first: 'orders export --since 30d --rows refunds --to out.csv' },
  { first: 'journal reconcile', exit: 7 },
  { first: 'undo ticket-1' },
];

async function attemptOf(world: World, desk: Desk) {
  const { stdout } = await world.run(desk, ['journal', 'show', 'ticket-1', '--json']);
  return JSON.parse(stdout) as { readonly change: string; readonly state: string; readonly outcome: string };
}

describe('a refund that failed after it was made, among others', () => {
  let world: World;
  let desk: Desk;
  beforeAll(async () => {
    world = await busy('made');
    world.turn(world.records(id)[0] ?? '', 'failed');
    world.at('09:01:07');
    desk = world.snapshot(world.ana);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it.each(reading)(
    'once $first has read it, every screen of the journal says that it failed',
    async (one) => {
      const { first, exit = 0 } = one;
      const own = world.copied(desk);
      const ran = await world.run(own, first.split(' '), 160);
      const { change, state } = await attemptOf(world, own);
      expect(state).toBe('failed');
      expect(ran.code).toBe(exit);
      expect(ran.stdout + ran.stderr).toContain(`paydesk journal show ${change}`);
      expect((await world.run(own, ['journal', 'list', '--open'], 160)).stdout).toMatch(
        /failed after it was made/,
      );
      const undone = await world.run(own, ['undo', change]);
      expect(undone.stdout).toContain('it failed after it was made');
      expect(undone.stdout).not.toContain('checkout create');
      expect((await world.run(own, ['journal', 'reconcile'])).code).toBe(7);
      const said = ['--note', 'the buyer was told, ticket 8851', '--yes'];
      expect((await world.run(own, ['journal', 'acknowledge', change, ...said])).code).toBe(0);
      expect((await world.run(own, ['journal', 'reconcile'])).code).toBe(0);
    },
  );

  it('a dry run records nothing, and prints the command that does', async () => {
    const own = world.copied(desk);
    const { stdout } = await world.run(own, ['orders', 'show', id, '--dry-run'], 160);
    expect(stdout).toContain('record in the journal that it failed:\n  paydesk journal reconcile');
    expect((await attemptOf(world, own)).state).toBe('made');
  });
});

describe.each([
  { becomes: 'succeeded', state: 'made' },
  { becomes: 'failed', state: 'failed' },
])('a refund that was pending and is $state now, among others', ({ becomes, state }) => {
  let world: World;
  let desk: Desk;
  beforeAll(async () => {
    world = await busy('pending');
    world.turn(world.records(id)[0] ?? '', becomes);
    world.at('09:04:00');
    desk = world.snapshot(world.ana);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it.each(reading)('once $first has read it, the journal says so', async ({ first }) => {
    const own = world.copied(desk);
    await world.run(own, first.split(' '));
    expect((await attemptOf(world, own)).state).toBe(state);
    expect((await world.run(own, ['journal', 'list'], 160)).stdout).not.toContain('has not gone back yet');
  });
});
