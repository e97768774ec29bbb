/** What the processes of the model do: each carries out one effect of the protocol, and is answered by one event. */

import { verdictOf } from '../../src/journal/attempt-state.ts';
import type { Event } from '../../src/journal/protocol-types.ts';
import { isPaidTwice } from '../../src/journal/questions/paid-twice.ts';
import type { AttemptRow, SentRow } from '../../src/journal/rows/journal-rows.ts';
import { attemptName } from '../../src/journal/rows/journal-rows.ts';
import { isMisplaced } from '../../src/journal/rows/store-rules.ts';
import { knownTo, next } from './protocol.ts';
import type { Rules } from './rules.ts';
import { sentWrites, takesBack, verdictWrites, type Written } from './server.ts';
import { answersTo, shownOrders } from './service.ts';
import {
  journalOf,
  journalWith,
  lockOf,
  type Move,
  machineOf,
  momentIn,
  type Request,
  type Running,
  replace,
  spend,
  timeAt,
  unlock,
  type World,
  withProcess,
} from './world.ts';

/** An event without its moment, which is taken when it comes. */
type Untimed = Event extends infer One ? (One extends Event ? Omit<One, 'moment'> : never) : never;

/** Everything that a running process can do next. */
export function acts(world: World, rules: Rules, index: number, running: Running): Move[] {
  const { effect } = running;
  const move = (event: Untimed, label: string = event.is): Move => ({
    name: `${index} ${effect.do}: ${label}`,
    world: answer(world, rules, index, event),
  });
  switch (effect.do) {
    case 'lock':
      return lock(world, rules, index, running);
    case 'record':
      if (effect.row.type === 'sent' && rules.order === 'post_then_sent' && running.waitsFor === undefined) {
        return [{ name: `${index} record: the request leaves first`, world: leave(world, index, running) }];
      }
      if (rules.journal === 'server') return recordAtServer(world, rules, index, running, effect.row);
      return [recordRow(world, rules, index, effect.row), ...failToRecord(world, rules, index, effect.row)];
    case 'take_back':
      if (rules.journal === 'server')
        return hear(rules, index, takesBack(world, rules, index, running, effect.row));
      return [recordRow(world, rules, index, effect.row), ...failToRecord(world, rules, index, effect.row)];
    case 'send': {
      if (running.waitsFor !== undefined) return parseReply(world, rules, index, running);
      const notSent = move({ is: 'not_sent', why: 'w' });
      // Under a lock it does not matter when it leaves: nobody else writes a verdict before that.
      const isTooLate =
        rules.journal === 'server' && timeAt(world, world.now) + world.ahead > effect.until.wall;
      if (isTooLate && rules.sendersAwake) return [notSent];
      return [{ name: `${index} send: leaves`, world: leave(world, index, running) }, notSent];
    }
    case 'reread':
      return [...seen(world, rules, running).map((event) => move(event)), move({ is: 'unseen', why: 'w' })];
    default:
      throw new Error(`the model met ${effect.do}`);
  }
}

function seen(world: World, rules: Rules, { state }: Running): Untimed[] {
  const isBelieved = 'search' in state && 'rejected' in state.search.because && !rules.refusalsRead;
  const then = isBelieved
    ? { ...world, ledger: world.ledger.slice(0, countBefore(world, state.search)) }
    : world;
  return shownOrders(then, rules, false).map((value) => ({ is: 'seen', value }));
}

function countBefore({ before }: World, of: { readonly sent: SentRow }): number {
  return before[attemptName(of)] ?? 0;
}

/** Everything up to the first row is one move: nobody else can see it, and it sees the world of one moment. */
export function lock(world: World, rules: Rules, index: number, running: Running): Move[] {
  const isUnlocked =
    rules.lock === 'none' || (rules.lock === 'not_for_reconciling' && running.wanted === undefined);
  const slot = lockOf(rules, index);
  const holder = world.locks[slot] ?? null;
  if (holder !== null && !isUnlocked) {
    const event = { is: 'busy', owner: undefined } as const;
    return [{ name: `${index} lock: busy`, world: answer(world, rules, index, event) }];
  }
  const locks = isUnlocked ? world.locks : replace(world.locks, slot, index);
  return lookAndRead(answer({ ...world, locks }, rules, index, { is: 'locked' }), rules, index).map(
    (after) => {
      const now = after.processes[index];
      return {
        name: `${index} locks, looks, reads: ${typeof now === 'object' ? now.state.at : now}`,
        world: typeof now === 'object' ? withCount(after, now) : after,
      };
    },
  );
}

function withCount(world: World, { state }: Running): World {
  if (!('flight' in state)) return world;
  return { ...world, before: { ...world.before, [attemptName(state.flight)]: world.ledger.length } };
}

function lookAndRead(world: World, rules: Rules, index: number): World[] {
  const running = world.processes[index];
  if (typeof running !== 'object') return [world];
  const on = (event: Untimed) => lookAndRead(answer(world, rules, index, event), rules, index);
  switch (running.effect.do) {
    case 'look': {
      const { rows } = journalOf(world, index);
      const looked = withProcess({ ...world, saw: replace(world.saw, index, rows.at(-1)) }, index, {
        ...running,
        seen: rows.length,
      });
      return lookAndRead(
        answer(looked, rules, index, {
          is: 'known',
          attempts: knownTo(
            journalOf(world, index).attempts,
            rules.origins[index] ?? '',
            rules,
            running.wanted,
          ),
        }),
        rules,
        index,
      );
    }
    case 'read':
      return shownOrders(world, rules, true).flatMap((value) => on({ is: 'fresh', value }));
    case 'reread':
      return [...seen(world, rules, running), { is: 'unseen', why: 'w' } as const].flatMap(on);
    case 'check':
      if (running.wanted === undefined) return isTrue(world, rules, running) ? on({ is: 'checked' }) : [];
      return on(saysYes(world, rules, running) ? { is: 'checked' } : { is: 'stopped', cause: 'changed' });
    default:
      return [world];
  }
}

// What is read is compared with what the person saw before saying yes. Whoever wants one refund, whatever its amount, does not
// send it when the order shows one.
function saysYes(world: World, { amounts, wanted }: Rules, { shown, state }: Running): boolean {
  if (shown !== world.ledger.length) return false;
  if (wanted === 'each_once' || amounts.length === 1 || state.at !== 'checking') return true;
  return state.before.charges.every(({ refunds }) => refunds.length === 0);
}

// Whether what a person states is so: nothing of the attempt is under way any more, and it was made, or not.
function isTrue(world: World, rules: Rules, { state }: Running): boolean {
  if (state.at !== 'asking' || !rules.truthful) return true;
  const { statement: stated } = state.errand;
  const mistaken = stated?.applied === true ? 'made' : 'not_made';
  if (rules.mistakes === mistaken && stated?.corrects === undefined) return true;
  const own = world.requests.filter(({ name }) => name === attemptName(state.record));
  const fates = own.map(({ fate }) => fate);
  return !fates.includes('flying') && fates.includes('applied') === stated?.applied;
}

function recordAtServer(
  world: World,
  rules: Rules,
  index: number,
  running: Running,
  row: AttemptRow,
): Move[] {
  return hear(
    rules,
    index,
    row.type === 'sent'
      ? sentWrites(world, rules, index, running, row)
      : verdictWrites(world, rules, index, running, row),
  );
}

function hear(rules: Rules, index: number, writes: readonly Written[]): Move[] {
  return writes.map(({ name, world, heard }) => {
    const running = world.processes[index];
    const isUnknown = heard === 'unknown' && typeof running === 'object';
    const then = isUnknown
      ? withProcess(world, index, { ...running, isUnknown: true, key: undefined })
      : world;
    const event: Untimed = heard === 'recorded' ? { is: heard } : { is: 'unrecorded', cause: heard };
    return { name: `${index} ${name}`, world: answer(then, rules, index, event) };
  });
}

function recordRow(world: World, rules: Rules, index: number, row: AttemptRow): Move {
  const words = row.type === 'sent' ? 'SENT' : row.verdict;
  const written = withRow(world, rules, index, row);
  // A verdict on what the journal does not hold is refused by it.
  const event: Untimed = written === world ? { is: 'unrecorded', cause: 'stray' } : { is: 'recorded' };
  return { name: `${index} writes ${words}`, world: answer(written, rules, index, event) };
}

function withRow(world: World, rules: Rules, index: number, row: AttemptRow): World {
  const machine = machineOf(world, index);
  const isSent = (one: AttemptRow) =>
    one.type === 'sent' && one.change === row.change && one.attempt === row.attempt;
  if (isMisplaced(row, journalOf(world, index).rows.some(isSent))) return world;
  const isAlarmed = row.type === 'sent' && journalOf(world, index).attempts.some(isPaidTwice);
  const rows = [...journalOf(world, index).rows, row];
  const isSoft =
    rules.commits === 'none_durable' || (rules.commits === 'sent_not_synced' && row.type === 'sent');
  return {
    ...world,
    alarmIgnored: world.alarmIgnored || isAlarmed,
    journals: replace(world.journals, machine, journalWith(rows)),
    witnesses: replace(world.witnesses, machine, [...(world.witnesses[machine] ?? []), row]),
    durable: isSoft ? world.durable : replace(world.durable, machine, rows.length),
  };
}

function failToRecord(world: World, rules: Rules, index: number, row: AttemptRow): readonly Move[] {
  if (world.left.failures === 0) return [];
  const words = row.type === 'sent' ? 'SENT' : row.verdict;
  return [false, true].map((isThere) => {
    const after = spend(isThere ? withRow(world, rules, index, row) : world, 'failures');
    return {
      name: `${index} cannot write ${words}, and it is ${isThere ? 'there' : 'not there'}`,
      world: answer(after, rules, index, { is: 'unrecorded', cause: 'failed' }),
    };
  });
}

function leave(world: World, index: number, running: Running): World {
  const sent = sentOf(running);
  const [first] = sent.proof.expected;
  const request: Request = {
    name: attemptName({ sent }),
    at: world.now,
    fate: 'flying',
    amount: -(first?.amount ?? 0),
    row: sent.idempotencyKey,
  };
  const requests = [...world.requests, request];
  return withProcess({ ...world, requests }, index, {
    ...running,
    key: undefined,
    waitsFor: world.requests.length,
  });
}

function parseReply(world: World, rules: Rules, index: number, running: Running): Move[] {
  const request = world.requests[running.waitsFor ?? 0];
  const removed = rules.removeSentOnError ? withoutSent(world, index, running) : world;
  const isFirst = world.requests.filter(({ name }) => name === request?.name).length === 1;
  return [
    ...(rules.resendOnReset && isFirst
      ? [{ name: `${index} sends again after a reset`, world: leave(world, index, running) }]
      : []),
    {
      name: `${index} send: no reply`,
      world: answer(removed, rules, index, { is: 'no_reply', why: 'reset' }),
    },
    ...answersTo(request, world, rules).map((parsed) => ({
      name: `${index} send: answered with ${parsed.status}`,
      world: answer(world, rules, index, { is: 'replied', parsed }),
    })),
  ];
}

function withoutSent(world: World, index: number, running: Running): World {
  const { change } = sentOf(running);
  const rows = journalOf(world, index).rows.filter((row) => row.change !== change);
  const machine = machineOf(world, index);
  return {
    ...world,
    journals: replace(world.journals, machine, journalWith(rows)),
    durable: replace(world.durable, machine, rows.length),
  };
}

function sentOf({ state }: Running): SentRow {
  if ('flight' in state) return state.flight.sent;
  throw new Error(`nothing is sent while ${state.at}`);
}

// ── Events and states ───────────────────────────────────────────────────────────────────────────

// A `Date` comes with whatever the service answers.
const heardBy: readonly Event['is'][] = ['fresh', 'seen', 'replied'];

function answer(world: World, rules: Rules, index: number, untimed: Untimed): World {
  const running = world.processes[index];
  if (typeof running !== 'object') throw new Error('nobody is there to be answered');
  const dated = running.dated || heardBy.includes(untimed.is);
  const event: Event = { ...untimed, moment: momentIn(world, rules, index, dated) } as Event;
  const { state, effect } = next(running.state, event, rules, running.wanted === undefined);
  const { waitsFor, key: _, ...rest } = running;
  const waits = waitsFor !== undefined && effect.do === 'send' ? { waitsFor } : {};
  return settleIn(world, rules, index, { ...rest, ...waits, dated, state, effect });
}

// Steps that nobody else can see are taken at once: waiting, releasing, ending.
function settleIn(world: World, rules: Rules, index: number, running: Running): World {
  const there = withProcess(world, index, running);
  switch (running.effect.do) {
    case 'wait':
      return answer(there, rules, index, { is: 'waited', hurried: false });
    case 'release':
      return answer(unlock(there, index), rules, index, { is: 'released' });
    case 'finish':
      return withProcess(
        world,
        index,
        rules.wanted === 'once' && isContent(running.state) ? 'content' : 'idle',
      );
    default:
      return there;
  }
}

// Whoever was told that the refund exists asks for nothing more.
function isContent(state: Running['state']): boolean {
  if (state.at !== 'done') return false;
  const { end } = state;
  if (end.how === 'verdict') return end.verdict.verdict === 'applied';
  if (end.how === 'looked') return verdictOf(end.record)?.verdict === 'applied';
  if (end.how === 'refused') return end.refusal.why === 'equal' || end.refusal.why === 'appeared';
  return end.how === 'recorded';
}
