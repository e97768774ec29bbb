/** Limits each member's requests and connections, so that nobody crowds out the others. */

import type { Socket } from 'node:net';

/**
 * What a request needs. Each kind has places of its own: reads cannot take those of changes.
 * - `reads`: what passes through to the service
 * - `questions`: about the journal and the account
 * - `changes`: changes and plans, and what became of them
 */
export type Share = 'reads' | 'questions' | 'changes';

/** Per member running, per member waiting, and running in total. */
interface Sizes {
  readonly each: number;
  readonly wait: number;
  readonly all: number;
}

// An unread reply keeps its place until its connection is cut.
const sizes: Readonly<Record<Share, Sizes>> = {
  reads: { each: 6, wait: 60, all: 24 },
  questions: { each: 6, wait: 60, all: 48 },
  changes: { each: 16, wait: 64, all: 256 },
};

/** Takes a place for a member: see `Shares.take`. */
type TakePlace = (member: string) => Promise<(() => void) | undefined>;

interface Shares {
  /** Resolves with a function that gives the place back; at once with undefined if too many of this member wait. */
  take(member: string, share: Share): Promise<(() => void) | undefined>;
}

export function createShares(): Shares {
  const places = {
    reads: newPlaces(sizes.reads),
    questions: newPlaces(sizes.questions),
    changes: newPlaces(sizes.changes),
  };
  return { take: (member, share) => places[share](member) };
}

interface OfMember {
  running: number;
  readonly waiting: (() => void)[];
}

/** Places for something that members run at the same time. */
export function newPlaces({ each, wait, all }: Sizes): TakePlace {
  const members = new Map<string, OfMember>();
  let running = 0;
  const canRun = (one: OfMember) => running < all && one.running < each;
  // Takes turns: the member served last goes to the end.
  const next = (): void => {
    for (const [name, one] of members) {
      const start = canRun(one) ? one.waiting.shift() : undefined;
      if (start === undefined) continue;
      members.delete(name);
      members.set(name, one);
      start();
      return;
    }
  };
  return async (member) => {
    const one = members.get(member) ?? { running: 0, waiting: [] };
    members.set(member, one);
    if (!canRun(one)) {
      if (one.waiting.length >= wait) return undefined;
      await new Promise<void>((resolve) => {
        one.waiting.push(() => {
          take(one);
          resolve();
        });
      });
    } else take(one);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      running -= 1;
      one.running -= 1;
      if (one.running === 0 && one.waiting.length === 0) members.delete(member);
      next();
    };
  };
  function take(one: OfMember): void {
    running += 1;
    one.running += 1;
  }
}

// The most ids that a member may close, and plans stop, within an hour. Each adds a row that stays in the journal for ever.
const closingsMax = 200;
const closingsMs = 60 * 60_000;

/** Counts what each member closes. False: too many within an hour. */
export function createClosings(monotonic: () => number): (member: string) => boolean {
  const closings = new Map<string, readonly number[]>();
  return (member) => {
    const now = monotonic();
    const recent = (closings.get(member) ?? []).filter((at) => now - at < closingsMs);
    const isFew = recent.length < closingsMax;
    closings.set(member, isFew ? [...recent, now] : recent);
    return isFew;
  };
}

// Connections without a valid token so far. A new one replaces the oldest, so a desk always gets in.
const mostUnknown = 128;
const mostOfMember = 96;

interface Sockets {
  opened(socket: Socket): void;
  /** A valid token of this member came on it. */
  belongsTo(socket: Socket, member: string): void;
  /** A request began on it. Returns a function to call at its end. */
  busy(socket: Socket): () => void;
}

export function createSockets(): Sockets {
  const unknown = new Map<string, Socket>();
  const members = new Map<string, Map<string, Socket>>();
  const requests = new Map<string, number>();
  return {
    opened(socket) {
      const name = nameOf(socket);
      unknown.set(name, socket);
      socket.once('close', () => {
        unknown.delete(name);
        requests.delete(name);
        for (const [member, own] of members) if (own.delete(name) && own.size === 0) members.delete(member);
      });
      const [oldest] = unknown.values();
      if (unknown.size > mostUnknown) oldest?.destroy();
    },
    belongsTo(socket, member) {
      const name = nameOf(socket);
      const raw = unknown.get(name);
      if (raw === undefined) return;
      unknown.delete(name);
      const own = members.get(member) ?? new Map<string, Socket>();
      members.set(member, own.set(name, raw));
      if (own.size <= mostOfMember) return;
      const idle = [...own].find(([other]) => (requests.get(other) ?? 0) === 0);
      (idle?.[1] ?? raw).destroy();
    },
    busy(socket) {
      const name = nameOf(socket);
      requests.set(name, (requests.get(name) ?? 0) + 1);
      return () => {
        const left = (requests.get(name) ?? 1) - 1;
        if (left > 0) requests.set(name, left);
        else requests.delete(name);
      };
    },
  };
}

// A TLS connection and the TCP connection under it are two objects with the same addresses.
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
