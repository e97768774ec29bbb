/** Random histories of one order: what can happen next, and how it happens to the service, the desks and the ledger. */

import fc from 'fast-check';
import { chargeOf } from '../harness/orders.ts';
import { type By, bought, fileRow, id, other, type Scope } from './happenings.ts';
import { type Held, type Ledger, leftOf, paid, type Request, rowParts, stateOf, truthFor } from './ledger.ts';
import { type Desk, type Fate, startWorld, Unbuilt, type World } from './world.ts';

/** One step; if it cannot happen, nothing does. */
export interface Step {
  readonly is: keyof typeof happenings;
  readonly fate: Fate;
  readonly charge: 'ch_1' | 'ch_2';
  /** Which of those that it can be about. */
  readonly pick: number;
  /** Which screens are asked after it. */
  readonly look: number;
}

export interface History {
  readonly scope: Scope;
  readonly by: By;
  readonly steps: readonly Step[];
}

export interface Walk extends Ledger {
  readonly world: World;
  readonly by: By;
  minutes: number;
  /** Nothing more can be said of an order that contradicts itself. */
  isOver: boolean;
}

export async function startWalk({ scope, by }: History): Promise<Walk> {
  const charges = Object.entries(paid).map(([charge, amount]) => chargeOf(charge, amount));
  const world = await startWorld([bought(id, charges, 'mario@example.com', 0), other()]);
  for (const desk of [world.ana, world.bob])
    world.write(desk, 'r.csv', ['order_id,charge_id,amount,ref', fileRow[scope]]);
  return { world, scope, by, requests: [], minutes: 0, isDoubted: false, isOver: false };
}

/** Takes a step. Returns what happened, or undefined if it could not. Throws Unbuilt if paydesk did not do what it should. */
export async function take(walk: Walk, step: Step): Promise<string | undefined> {
  // A request for the whole order may take effect for a quarter of an hour only.
  if (walk.isOver || (walk.scope === 'whole' && walk.minutes > 9)) return undefined;
  pass(walk, 1);
  return await happenings[step.is](walk, step);
}

function pass(walk: Walk, minutes: number): void {
  walk.minutes += minutes;
  const [hour, minute] = [9 + Math.floor(walk.minutes / 60), walk.minutes % 60];
  walk.world.at(`${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`);
}

type Happening = (walk: Walk, step: Step) => Promise<string | undefined> | string | undefined;

const happenings = {
  'ana refunds': (walk, step) => refund(walk, walk.world.ana, step),
  'bob refunds': (walk, step) => refund(walk, walk.world.bob, step),
  'somebody else refunds'(walk, { charge, fate }) {
    const amount = nextAmount(walk);
    if (leftOf(walk, charge) < amount || isPromised(walk, charge)) return undefined;
    const status = fate === 'pending' ? 'pending' : 'made';
    const changes = status === 'pending' ? { status } : {};
    const record = { id: walk.world.record(id, charge, amount, changes), charge, amount, status } as const;
    walk.requests.push({
      by: 'others',
      parts: [record],
      records: [{ ...record }],
      isRefused: false,
      isLate: false,
      before: [],
    });
    return `of ${amount}, ${status}`;
  },
  'a refund fails': (walk, step) => turn(walk, step, ['made', 'pending'], 'failed', 'failed'),
  'a pending refund is made': (walk, step) => turn(walk, step, ['pending'], 'made', 'succeeded'),
  'a refund gets a strange status'(walk, step) {
    const turned = turn(walk, step, ['made'], 'strange', 'on_hold');
    walk.isOver = turned !== undefined;
    return turned;
  },
  'a refund fails, and the sums stay'(walk, step) {
    const turned = turn(walk, step, ['made'], 'failed', 'failed', 'sums stay');
    walk.isOver = walk.isDoubted = turned !== undefined;
    return turned;
  },
  async 'a refund vanishes'(walk, { pick }) {
    // While a refund is gone that was there before another one was sent, no read proves that that one was made.
    const open = walk.requests.findLastIndex((one) => one.by !== 'others' && stateOf(one) !== 'made');
    const found = changed(walk, pick, (one) => walk.requests.indexOf(one) > open);
    // Nobody misses what nobody has seen, and what was recorded by hand and arrived since can be read as made only before that.
    if (found !== undefined && walk.requests.some(({ said }) => said !== undefined))
      await walk.world.must(walk.world.ana, 'journal reconcile --all', 0, 7);
    for (const record of found?.records ?? []) {
      walk.world.vanish(record.id);
      record.status = 'gone';
    }
    return found && wordsOf(found);
  },
  'the service doubles it'(walk, { pick }) {
    const found = changed(walk, pick);
    for (const { charge, amount } of found?.parts ?? [])
      found?.records.push({ id: walk.world.record(id, charge, amount), charge, amount, status: 'made' });
    return found && wordsOf(found);
  },
  async 'what was late arrives'(walk) {
    const late = walk.requests.find(({ isLate }) => isLate);
    if (late === undefined) return undefined;
    late.isLate = false;
    const before = walk.world.records(id);
    walk.world.arrive();
    late.records.push(...newRecords(walk, late.parts, before, 'made'));
    // It is unconfirmed until its desk has looked.
    const desk = late.by === 'bob' ? walk.world.bob : walk.world.ana;
    if (late.said === undefined) await walk.world.must(desk, 'journal reconcile --all', 0, 7);
    return wordsOf(late);
  },
  async 'ana looks'({ world }) {
    await world.must(world.ana, 'journal reconcile --all', 0, 7);
    return '';
  },
  'ana settles': (walk, step) =>
    journal(
      walk,
      step,
      (request) => stateOf(request) === 'unconfirmed' && request.said === undefined,
      (request) => {
        request.said = step.charge === 'ch_1' ? 'made' : 'not made';
        return `settle CHANGE ${saidFlag(request)} --note asked-the-bank --confirm ${id}`;
      },
    ),
  'ana corrects': (walk, step) =>
    journal(
      walk,
      step,
      ({ said, records }) => said !== undefined && records.length === 0,
      (request) => {
        request.said = request.said === 'made' ? 'not made' : 'made';
        return `settle CHANGE --correct ${saidFlag(request)} --note it-was-not-so --confirm ${id}`;
      },
    ),
  async 'ana acknowledges'(walk, step) {
    return await journal(
      walk,
      step,
      (request) => {
        const state = stateOf(request);
        // While a refund is gone that was there before, no read proves anything.
        const isGone = walk.requests.some((one) => stateOf(one) === 'gone');
        return (
          !isGone && ['made twice', 'appeared', 'failed'].includes(state) && request.acknowledged !== state
        );
      },
      (request) => {
        request.before = [];
        request.acknowledged = stateOf(request) as 'failed';
        return 'acknowledge CHANGE --note the-bank-recalls-it --yes';
      },
    );
  },
  'time passes'(walk) {
    if (walk.scope === 'whole' || walk.minutes > 600) return undefined;
    pass(walk, 150);
    return '';
  },
} satisfies Readonly<Record<string, Happening>>;

const steps = fc.record<Step>({
  is: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('ana refunds' as const, 'ana acknowledges' as const, 'ana settles' as const),
    },
    { weight: 6, arbitrary: fc.constantFrom(...(Object.keys(happenings) as Step['is'][])) },
  ),
  fate: fc.constantFrom('made', 'pending', 'lost', 'reply lost', 'late', 'twice', 'refused'),
  charge: fc.constantFrom('ch_1', 'ch_2'),
  pick: fc.nat(9),
  look: fc.nat(999),
});

export const histories: fc.Arbitrary<History> = fc.record({
  scope: fc.constantFrom('part', 'part', 'charge', 'whole'),
  by: fc.constantFrom('hand', 'plan'),
  steps: fc.array(steps, { minLength: 1, maxLength: 20, size: 'max' }),
});

// ── What happens ────────────────────────────────────────────────────────────────────────────────

// The first refund of ana is that of the row, by hand or by plan. All others are small, and each has an amount of its own.
async function refund(walk: Walk, desk: Desk, { fate: asked, charge }: Step): Promise<string | undefined> {
  const { world, scope, by } = walk;
  const name = desk.name === 'ana' ? 'ana' : 'bob';
  const isRow = name === 'ana' && !walk.requests.some((one) => one.by === 'ana');
  const isFull = isRow && scope !== 'part';
  const parts = isRow ? rowParts[scope] : [{ charge, amount: nextAmount(walk) }];
  const isThere = parts.every(
    (one) => leftOf(walk, one.charge) >= one.amount && !isPromised(walk, one.charge),
  );
  if (!isThere) return undefined;
  const { mayRefund, first } = truthFor(name, walk);
  // Of a full charge nothing is left to make twice.
  const fate = isFull && asked === 'twice' ? 'made' : asked;
  if (isRow && by === 'plan') await world.must(desk, 'refunds plan r.csv --to r.plan', 0, 7, 8);
  const posts = world.service.posts.length;
  world.fate(fate);
  const amount = isFull ? '' : ` --amount ${parts[0]?.amount}`;
  const where = isRow && scope === 'whole' ? '' : ` --charge ${parts[0]?.charge}${amount}`;
  const ticket = `ticket-${walk.requests.filter((one) => one.by === name).length + 1}`;
  const line =
    isRow && by === 'plan'
      ? 'refunds apply r.plan --yes'
      : `orders refund ${id}${where} --reason other --idempotency-key ${ticket} --yes`;
  const shown = world.records(id);
  const { code, stderr, stdout } = await world.run(desk, line.split(' '));
  world.fate('made');
  const records = newRecords(walk, parts, shown, fate === 'pending' ? 'pending' : 'made');
  const isSent = world.service.posts.length > posts;
  // What was recorded as made is only about its own charge.
  const may = first.includes('recorded made') ? undefined : mayRefund;
  if (may !== undefined && may !== isSent)
    throw new Unbuilt(
      `${line}: exit ${code}, ${isSent ? 'sent although it must not be' : 'not sent'}\n${stdout}${stderr}`,
    );
  const codes = isSent ? ends[fate] : [3, 7, 8];
  if (!codes.includes(code ?? -1))
    throw new Unbuilt(`${line}: exit ${code} after ${fate}, sent: ${isSent}\n${stdout}${stderr}`);
  if (!isSent) return `refused before it was sent (${code})`;
  const isLate = fate === 'late';
  const before: Request['before'] = fate === 'twice' ? ['made'] : [];
  walk.requests.push({ by: name, parts, records, isRefused: fate === 'refused', isLate, before });
  return `${line}: ${fate}`;
}

const ends: Readonly<Record<Fate, readonly number[]>> = {
  made: [0],
  pending: [0, 7, 8],
  lost: [7],
  'reply lost': [0],
  late: [7],
  twice: [0, 7, 8],
  refused: [5, 8],
};

// The records that came since then, as the service was asked for them. Charges stand in the order of their ids.
function newRecords(
  { world }: Walk,
  parts: Request['parts'],
  before: readonly string[],
  status: Held['status'],
): Held[] {
  const added = world.records(id).filter((one) => !before.includes(one));
  return added.flatMap((record, index) => {
    const part = parts[index % parts.length];
    return part === undefined ? [] : [{ id: record, ...part, status }];
  });
}

// A refund that a desk made, and with which the service does something now.
function changed({ requests }: Walk, pick: number, isMeant = (_: Request) => true): Request | undefined {
  const found = oneOf(
    requests.filter((one) => one.by !== 'others' && stateOf(one) === 'made' && isMeant(one)),
    pick,
  );
  if (found !== undefined) found.before = [...found.before, 'made'];
  return found;
}

// Changes the status of one record, of a request about which nobody has an alarm. What nobody understands happens to ana.
function turn(
  { world, requests }: Walk,
  { pick }: Step,
  from: readonly Held['status'][],
  status: Held['status'],
  word: string,
  sums?: 'sums stay',
): string | undefined {
  const has = ({ status: now }: Held) => from.includes(now);
  const isOdd = status === 'strange' || sums !== undefined;
  const some = requests.filter(
    (one) =>
      ['made', 'pending'].includes(stateOf(one)) && one.records.some(has) && (!isOdd || one.by === 'ana'),
  );
  const request = oneOf(some, pick);
  const found = oneOf((request?.records ?? []).filter(has), pick);
  if (request === undefined || found === undefined) return undefined;
  request.before = [...request.before, stateOf(request)];
  found.status = status;
  world.turn(found.id, word, sums);
  return `${found.id} of ${found.amount}`;
}

// Ana does something about one of her attempts.
async function journal(
  walk: Walk,
  { pick }: Step,
  isMeant: (request: Request) => boolean,
  lineOf: (request: Request) => string,
): Promise<string | undefined> {
  const { world } = walk;
  const own = walk.requests.filter(({ by }) => by === 'ana');
  const found = oneOf(own.filter(isMeant), pick);
  if (found === undefined) return undefined;
  // Before that it may still arrive.
  pass(walk, 3);
  const line = lineOf(found);
  const attempts = await world.attempts(world.ana);
  if (attempts.length !== own.length)
    throw new Unbuilt(`${attempts.length} attempts in the journal, and ${own.length} were sent`);
  const { change = '' } = attempts.at(-1 - own.indexOf(found)) ?? {};
  // Whoever does something about an attempt has looked at it.
  await world.must(world.ana, `journal reconcile ${change}`, 0, 7);
  await world.must(world.ana, `journal ${line.replace('CHANGE', change)}`, 0);
  return `${line}: ${wordsOf(found)}`;
}

const saidFlag = ({ said }: Request) => (said === 'made' ? '--applied' : '--not-applied');

function oneOf<T>(some: readonly T[], pick: number): T | undefined {
  return some[pick % Math.max(1, some.length)];
}

// So that no two refunds are equal by chance.
function nextAmount({ requests }: Ledger): number {
  return 20 + requests.length;
}

// A request for all of a charge may still take effect, and would find less.
function isPromised({ requests }: Ledger, charge: string): boolean {
  return requests.some(
    ({ isLate, parts }) =>
      isLate && parts.some((part) => part.charge === charge && part.amount === paid[charge]),
  );
}

function wordsOf({ parts }: Request): string {
  return parts.map(({ charge, amount }) => `${amount} of ${charge}`).join(' and ');
}
