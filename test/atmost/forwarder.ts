/** Another way to a port of this machine: from another address, or through a proxy. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Leads every connection to a port of this machine; as a proxy does, it answers the request for a tunnel first. */
export async function startForwarder(
  to: number,
  { port, host, proxy = false }: { readonly port: number; readonly host: string; readonly proxy?: boolean },
): Promise<{ readonly url: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const forward = (socket: Socket): void => {
    const onward = connect(to, '127.0.0.1');
    sockets.add(onward.on('error', () => socket.destroy()));
    socket.pipe(onward).pipe(socket);
  };
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (!proxy) return forward(socket);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      forward(socket);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
