/** A relay in front of a database server that cuts, mutes, delays or holds what goes through, also at a certain statement. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What becomes of the next bytes to the server that hold a text, such as the name of a function. It happens once. */
export type AtText =
  /** The connection is cut, and the server never gets these bytes. */
  | 'cut before'
  /** The server gets them; the connection is cut when its reply comes. */
  | 'cut after'
  /** The client's connection is cut; the server gets the bytes when `release` is called. */
  | 'hold'
  /** The server gets them, and its reply never comes. The connection stays. */
  | 'mute';

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections there were so far. */
  readonly connections: number;
  at(text: string, what: AtText): void;
  /** Resolves when what was asked of `at` has happened. */
  happened(): Promise<void>;
  /** Gives the server the bytes that were held. */
  release(): Promise<void>;
  /** From now on nothing passes any more, in either direction, and nothing is closed. */
  mute(on: boolean): void;
  /** Every byte takes this long, each way. */
  delay(ms: number): void;
  /** Resets all connections. */
  cut(): void;
  /** From now on nobody listens, or somebody does again. */
  refuse(on: boolean): void;
}

/** Starts a proxy to a port of this machine. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const held: { readonly server: Socket; readonly bytes: Buffer }[] = [];
  let rule: { readonly text: string; readonly what: AtText; readonly done: () => void } | undefined;
  let happened: Promise<void> = Promise.resolve();
  let [isMuted, isRefusing, delayMs, connections] = [false, false, 0, 0];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const later = (act: () => void) => (delayMs === 0 ? act() : void setTimeout(act, delayMs));
  const listener = createServer((client) => {
    connections += 1;
    keep(client);
    if (isRefusing) return void client.resetAndDestroy();
    const server = connect(target, '127.0.0.1');
    keep(server);
    let [isCutAfter, isMuteHere, isHeld] = [false, false, false];
    client.on('data', (bytes) => {
      if (isMuted || isMuteHere) return;
      if (rule === undefined || !bytes.includes(rule.text)) return later(() => void server.write(bytes));
      const { what, done } = rule;
      rule = undefined;
      if (what === 'cut before') {
        client.resetAndDestroy();
        server.resetAndDestroy();
      } else if (what === 'hold') {
        isHeld = true;
        held.push({ server, bytes });
        client.resetAndDestroy();
      } else {
        isCutAfter = what === 'cut after';
        isMuteHere = what === 'mute';
        server.write(bytes);
      }
      if (!isCutAfter) done();
      else server.once('data', () => done());
    });
    server.on('data', (bytes) => {
      if (isCutAfter) {
        client.resetAndDestroy();
        server.resetAndDestroy();
        return;
      }
      if (!isMuted && !isMuteHere) later(() => void client.write(bytes));
    });
    client.on('close', () => {
      if (!isHeld) later(() => server.destroy());
    });
    server.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    at(text, what) {
      happened = new Promise((resolve) => {
        rule = { text, what, done: resolve };
      });
    },
    happened: () => happened,
    async release() {
      for (const { server, bytes } of held.splice(0)) {
        const answered = new Promise((resolve) => server.once('data', resolve));
        server.write(bytes);
        await answered;
        server.destroy();
      }
    },
    mute(on) {
      isMuted = on;
    },
    delay(ms) {
      delayMs = ms;
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    refuse(on) {
      isRefusing = on;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
