/** A sender and desks as processes of their own, which a test kills, stops and starts again. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { bin, cleanEnv, type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { initSender, type SenderOptions, type TestInvitation } from '../harness/sender.ts';

/** A sender that can be killed. */
export interface SenderProcess extends AsyncDisposable {
  readonly url: string;
  readonly home: Home;
  /** Kills it, or stops it and lets it go on. */
  signal(signal: NodeJS.Signals): void;
  /** Starts it again, at the same port. Waits for the end of the one before. */
  start(): Promise<void>;
  /** A home with the profile `shop` of a member. `at`: where this desk reaches the sender; absent: at its port. */
  desk(name: string, at?: string): Promise<Home>;
}

/** Starts a sender at a port that stays the same. */
export async function startSenderProcess(options: SenderOptions): Promise<SenderProcess> {
  const home = newHome();
  const homes = [home];
  const port = await freePort();
  await initSender(home, { ...options, config: { ...options.config, listen: { host: '127.0.0.1', port } } });
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const start = async () => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null)
      await once(child, 'close');
    child = startProgram(['sender', 'serve', '--allow-root', '--json'], home);
    if (child.stdout === null || child.stderr === null) return;
    const said = buffer(child.stderr);
    const isServing = once(createInterface({ input: child.stdout }), 'line').then(() => true);
    const serves = await Promise.race([isServing, once(child, 'close').then(() => false)]);
    if (!serves) throw new Error(`the sender did not start: ${String(await said)}`);
  };
  await start();
  return {
    url,
    home,
    signal: (signal) => child?.kill(signal),
    start,
    async desk(name, at = url) {
      const own = newHome();
      homes.push(own);
      const { stdout } = await paydesk(['sender', 'invite', name, '--role', 'operator', '--allow-root'], {
        home,
      });
      const invitation = { ...(JSON.parse(stdout) as TestInvitation), sender: at };
      const ran = await paydesk(['profile', 'add', 'shop', '--sender', '-', '--key-store', 'file'], {
        home: own,
        machineName: 'desk-1',
        input: JSON.stringify(invitation),
      });
      if (ran.code !== 0) throw new Error(ran.stderr);
      return own;
    },
    async [Symbol.asyncDispose]() {
      child?.kill('SIGKILL');
      if (child !== undefined && child.exitCode === null && child.signalCode === null)
        await once(child, 'close');
      for (const one of homes) one[Symbol.dispose]();
    },
  };
}

/** A desk that runs a command, and can be killed. */
export interface DeskProcess {
  kill(): void;
  readonly end: Promise<Ran>;
}

export function startDeskProcess(home: Home, args: readonly string[]): DeskProcess {
  const child = startProgram(['-p', 'shop', ...args], home);
  const end = async (): Promise<Ran> => {
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    const [[code, signal], stdout, stderr] = await Promise.all([
      closed,
      child.stdout === null ? '' : buffer(child.stdout),
      child.stderr === null ? '' : buffer(child.stderr),
    ]);
    return { code, signal, stdout: String(stdout), stderr: String(stderr) };
  };
  return { kill: () => child.kill('SIGKILL'), end: end() };
}

function startProgram(args: readonly string[], home: Home): ChildProcess {
  return spawn(process.execPath, [bin, ...args], {
    env: cleanEnv({ home }),
    cwd: home.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
