/**
 * Locks of several senders on one journal: rows that expire by the server's clock, with a number that grows with each holder.
 * After a kill, a sender takes its own rows back at once: the locks of the machine keep its processes apart.
 */

import type { ClockWithTimers } from '../../io.ts';
import type { Busy, Held, Locks } from '../../locks/locks.ts';
import type { Server } from './server.ts';
import { saidInWords } from './server-words.ts';

interface LeaseParts {
  readonly server: Server;
  readonly clock: ClockWithTimers;
  /** The id of this sender, shared by its processes; and the locks between them. */
  readonly holder: () => string;
  readonly ofMachine: Locks;
  /** What others see about the holder. */
  readonly owner: { readonly operator: string; readonly command: string };
  /** Where the journal is, for messages. */
  readonly place: string;
}

/** The locks, and the numbers under which this process holds them. */
export interface Leases extends Locks {
  /** The number under which this process took a name and did not release it; it may have expired. Undefined: not taken. */
  numberOf(name: string): string | undefined;
}

// A lease lasts this long, and is renewed three times within it.
const leaseText = "interval '30 seconds'";
const renewMs = 10_000;

const takeText = `insert into paydesk.leases as held (name, holder, number, until, operator, command)
  values ($1, $2, nextval('paydesk.fence'), clock_timestamp() + ${leaseText}, $3, $4)
  on conflict (name) do update set holder = excluded.holder, number = excluded.number, until = excluded.until,
    operator = excluded.operator, command = excluded.command, since = excluded.since
  where held.until < clock_timestamp() or held.holder = excluded.holder
  returning number`;
const renewText = `update paydesk.leases set until = clock_timestamp() + ${leaseText} where name = $1 and number = $2`;
const releaseText = 'delete from paydesk.leases where name = $1 and number = $2';
const ownerText = `select operator, command, floor(extract(epoch from since) * 1000)::bigint as since
  from paydesk.leases where name = $1`;

/** Connects on first use. */
export function createLeases({ server, clock, owner, place, holder, ofMachine }: LeaseParts): Leases {
  const numbers = new Map<string, string>();
  const ask = (text: string, values: readonly string[]) => saidInWords(place, () => server.ask(text, values));
  const busy = async (name: string): Promise<Busy> => {
    const [found] = await ask(ownerText, [name]);
    if (found === undefined) return { held: false, owner: undefined };
    const { operator, command, since } = found;
    const holding = { operator: operator ?? '', command: command ?? '', since: Number(since) };
    return { held: false, owner: holding };
  };
  return {
    numberOf: (name) => numbers.get(name),
    async take(name, how) {
      const own = await ofMachine.take(name, how);
      if (!own.held) return own;
      try {
        const [taken] = await ask(takeText, [name, holder(), owner.operator, owner.command]);
        const number = taken?.number;
        if (number === undefined || number === null) {
          await own.release();
          return await busy(name);
        }
        numbers.set(name, number);
        // If it cannot be renewed it expires, and nothing more is recorded under it.
        const stop = clock.every(renewMs, () => void ask(renewText, [name, number]).catch(() => undefined));
        return heldLease(async () => {
          stop();
          numbers.delete(name);
          await ask(releaseText, [name, number]).catch(() => undefined);
          await own.release();
        });
      } catch (error) {
        await own.release();
        throw error;
      }
    },
  };
}

function heldLease(release: () => Promise<void>): Held {
  let released: Promise<void> | undefined;
  return {
    held: true,
    release() {
      released ??= release();
      return released;
    },
  };
}
