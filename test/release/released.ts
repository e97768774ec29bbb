/** A person who enrols a passphrase and releases plans at a terminal, and the agent that sends them. */

import crypto, { type ScryptOptions } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import type { Json } from '../harness/orders.ts';
import { newHome, type Ran, type RunOptions } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { order, type RefundService, startRefunds } from '../refunds/refund-service.ts';

export const passphrase = 'four words of hers';
export const asAgent = { PAYDESK_AGENT: 'helper', PAYDESK_OPERATOR: 'ana' };
export const keysFile = '.config/paydesk/release-keys';
export const asAna = { PAYDESK_OPERATOR: 'ana' };

/** Two orders in production, the passphrase of ana, and a plan that the agent has made: all of `ord_1`, and 100 of `ord_2`. */
export async function proposed(): Promise<RefundService> {
  const live: Json = { livemode: true };
  const service = await startRefunds([order('ord_1', live), order('ord_2', live)], { mode: 'production' });
  mkdirSync(join(service.home.path, dirname(keysFile)), { recursive: true, mode: 0o700 });
  service.write(keysFile, await keys);
  await planOf(service, ['ord_1,any,full', 'ord_2,any,100'], '35100');
  return service;
}

export async function planOf(
  service: RefundService,
  rows: readonly string[],
  total: string,
  to = 'refunds.plan',
) {
  service.write(`${to}.csv`, ['order_id,charge_id,amount', ...rows, ''].join('\n'));
  const totals = ['--expect-count', `${rows.length}`, '--expect-total', `MXN=${total}`];
  return await service.run(['refunds', 'plan', `${to}.csv`, '--to', to, '--force', ...totals], {
    env: asAgent,
  });
}

// Node's scrypt takes half a second of the processor for a passphrase: what it gives for the same one is kept, and is the same
// for every test of this process.
const { scrypt } = crypto;
const seeds = new Map<string, Promise<Buffer>>();
const scryptOnce = (
  passphrase: string,
  salt: Buffer,
  length: number,
  cost: ScryptOptions,
  done: (error: null, seed: Buffer) => void,
): void => {
  const given = JSON.stringify([passphrase, salt, length, cost]);
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const made = seeds.get(given) ?? promise;
  if (made === promise) scrypt(passphrase, salt, length, cost, (_, seed) => resolve(seed));
  seeds.set(given, made);
  void made.then((seed) => done(null, seed));
};
Object.assign(crypto, { scrypt: scryptOnce });
syncBuiltinESMExports();

const keys = (async () => {
  using home = newHome();
  await enrol({ home, env: {} });
  return readFileSync(join(home.path, keysFile), 'utf8');
})();

type Env = Readonly<Record<string, string>>;

/** Enrols a passphrase at a terminal. */
export async function enrol(
  { home, env }: Pick<RunOptions, 'home' | 'env'>,
  words = passphrase,
  as: Env = asAna,
) {
  const person = sit(['release', '--enrol'], { home, env: { ...env, ...as } }, 200);
  await person.answer('New passphrase', `${words}\r`);
  await person.answer('The same again', `${words}\r`);
  return await person.leaves;
}

/** Releases a plan at a terminal, and types the digest and a passphrase. */
export async function release(
  service: RefundService,
  { plan = 'refunds.plan', words = passphrase, env = {} }: { plan?: string; words?: string; env?: Env } = {},
) {
  const person = sit(
    ['release', plan],
    { home: service.home, env: { ...service.env, ...asAna, ...env } },
    200,
  );
  await person.answer('Type the digest', `${digestOf(service, plan)}\r`);
  await person.answer('Passphrase of', `${words}\r`);
  return await person.leaves;
}

export function digestOf(service: RefundService, plan = 'refunds.plan'): string {
  return /"digest":"(\w{8})/.exec(service.read(plan))?.[1] ?? '';
}

/** The agent applies a plan, with what it wants to add. */
export function apply(
  service: RefundService,
  env: Env = {},
  plan = 'refunds.plan',
  ...more: readonly string[]
): Promise<Ran> {
  return service.run(['refunds', 'apply', plan, '--json', ...more], { env: { ...asAgent, ...env } });
}
