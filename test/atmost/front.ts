/** A door in front of a server: passes connections on, or does to a new one what a broken network does. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What happens to the next connections: they go to a port, are reset or closed at once, or find nobody. */
export type Way =
  | { readonly to: number }
  /** Called before it is closed. */
  | { readonly closing: () => void }
  | 'reset'
  | 'close'
  | 'nobody';

export interface Front extends AsyncDisposable {
  readonly port: number;
  /** Connections of the time since `turn`. */
  readonly connections: number;
  /** From now on. Nobody comes back from `nobody`. */
  turn(way: Way): void;
}

export async function startFront(target: number): Promise<Front> {
  let way: Way = { to: target };
  let connections = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    connections += 1;
    keep(socket);
    if (way === 'reset') socket.resetAndDestroy();
    else if (way === 'close') socket.destroy();
    else if (way !== 'nobody' && 'closing' in way) {
      way.closing();
      socket.destroy();
    } else if (way !== 'nobody') {
      const onward = connect(way.to, '127.0.0.1');
      keep(onward);
      socket.pipe(onward).pipe(socket);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
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
