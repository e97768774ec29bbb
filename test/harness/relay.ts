/** A relay in front of a server: passes connections on, from another address, through a tunnel or with other replies, or breaks them as a bad network does. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

/** What happens to the next connections: they go to a port, are reset or closed at once, or find nobody. */
export type Way =
  | { readonly to: number }
  /** Called before it is closed. */
  | { readonly closing: () => void }
  | 'reset'
  | 'close'
  | 'nobody';

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Connections since the last `turn`. */
  readonly connections: number;
  /** From now on. Nobody comes back from `nobody`. */
  turn(way: Way): void;
}

export interface RelayOptions {
  /** Absent: a free port of 127.0.0.1. */
  readonly at?: { readonly port: number; readonly host: string };
  /** Answers the request for a tunnel first, as a proxy does. */
  readonly tunnel?: true;
  /** Changes what the server sends; made anew for each connection. */
  readonly replies?: () => (bytes: Buffer) => Buffer;
}

/** Starts a relay to a port of this machine. */
export async function startRelay(target: number, { at, tunnel, replies }: RelayOptions = {}): Promise<Relay> {
  let way: Way = { to: target };
  let connections = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const passOn = (socket: Socket, port: number): void => {
    const onward = connect(port, '127.0.0.1');
    keep(onward);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    const change = replies?.();
    const transform = (bytes: Buffer, _: unknown, done: TransformCallback) => done(null, change?.(bytes));
    const back = change === undefined ? onward : onward.pipe(new Transform({ transform }));
    socket.pipe(onward);
    back.pipe(socket);
  };
  const server = createServer((socket) => {
    connections += 1;
    keep(socket);
    if (way === 'reset') return void socket.resetAndDestroy();
    if (way === 'close') return void socket.destroy();
    if (way === 'nobody') return;
    if ('closing' in way) {
      way.closing();
      socket.destroy();
      return;
    }
    const { to } = way;
    if (tunnel !== true) return passOn(socket, to);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      passOn(socket, to);
    });
  });
  const { port, host } = at ?? { port: 0, host: '127.0.0.1' };
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    turn(next) {
      way = next;
      connections = 0;
      if (next === 'nobody') server.close();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
