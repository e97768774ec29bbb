/** A relay between a desk and its sender that breaks the way of a hand-over at any byte of the request or of the reply. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What becomes of the bytes after a position. `fin`, `rst`: the connection ends both ways; `mute`: nothing passes any more;
 * `delay`: the rest passes 200 ms later; `hang-up`: the desk hears an end, and the sender gets the whole request later.
 */
export type HowBroken = 'fin' | 'rst' | 'mute' | 'delay' | 'hang-up';

export interface Break {
  readonly side: 'request' | 'reply';
  /** How many bytes pass. */
  readonly at: number;
  readonly how: HowBroken;
}

export interface BreakingHop extends AsyncDisposable {
  readonly url: string;
  /** The bytes of the first hand-over and of its reply, as far as they came. */
  readonly seen: { readonly request: number; readonly reply: number };
  /** How many hand-overs came by. */
  readonly handOvers: number;
  /** Whether as many bytes came by as a break waits for. */
  readonly hasBroken: boolean;
}

const handOver = /POST \/v1\/changes\/[^/ ]+ HTTP/;
const delayMs = 200;

/** Starts a relay to a port of this machine. `breaks`: what happens to the first hand-overs, one after the other. */
export async function startBreakingHop(target: number, breaks: readonly Break[] = []): Promise<BreakingHop> {
  const sockets = new Set<Socket>();
  const seen = { request: 0, reply: 0 };
  let handOvers = 0;
  let hasBroken = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.setNoDelay(true);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    keep(client);
    keep(upstream);
    // Undefined until a hand-over begins on this connection.
    let under: { readonly nth: number; readonly what: Break | undefined } | undefined;
    const passed = { request: 0, reply: 0 };
    let isOver = false;
    const pass = (from: Socket, to: Socket, side: 'request' | 'reply') =>
      from.on('data', (chunk: Buffer) => {
        if (side === 'request' && under === undefined && handOver.test(chunk.toString('latin1'))) {
          under = { nth: handOvers, what: breaks[handOvers] };
          handOvers += 1;
        }
        if (under?.nth === 0) seen[side] += chunk.length;
        if (isOver) return;
        const what = under?.what;
        const left = what?.side === side ? what.at - passed[side] : Number.POSITIVE_INFINITY;
        passed[side] += chunk.length;
        if (what === undefined || left > chunk.length) return void to.write(chunk);
        if (left > 0) to.write(chunk.subarray(0, left));
        isOver = true;
        hasBroken = true;
        const rest = chunk.subarray(Math.max(0, left));
        brokenNow(what.how, { client, upstream, rest, to, goOn: () => (isOver = false) });
      });
    pass(client, upstream, 'request');
    pass(upstream, client, 'reply');
    client.on('close', () => setTimeout(() => upstream.destroy(), isOver ? 4 * delayMs : 0));
    upstream.on('close', () => isOver || client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get handOvers() {
      return handOvers;
    },
    get hasBroken() {
      return hasBroken;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Broken {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly rest: Buffer;
  readonly to: Socket;
  readonly goOn: () => void;
}

function brokenNow(how: HowBroken, { client, upstream, rest, to, goOn }: Broken): void {
  switch (how) {
    case 'fin':
      client.end();
      upstream.end();
      return;
    case 'rst':
      client.resetAndDestroy();
      setTimeout(() => upstream.resetAndDestroy(), 5);
      return;
    case 'mute':
      return;
    case 'delay':
      setTimeout(() => {
        to.write(rest);
        goOn();
      }, delayMs);
      return;
    case 'hang-up':
      client.end();
      setTimeout(() => upstream.write(rest), delayMs);
  }
}
