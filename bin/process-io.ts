/** What a run is given of this process. Only the files of this folder read it, or change what belongs to all of it. */

import { fstatSync, readFileSync, statSync } from 'node:fs';
import { homedir, uptime, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { ClockWithTimers, Dispatcher, HttpsProxy, Io, StopSignal } from '../src/io.ts';

/** Reads nothing yet and opens no stream; uncaught errors set the exit code of the process. */
export function ioOf(process: NodeJS.Process): Io {
  return {
    env: process.env,
    // To open one takes time: only those that are used are opened.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    stdoutWasClosed: () => startedClosed(1) && !startedClosed(2),
    clock: systemClock,
    onSignal(listener) {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    onUncaught(listener) {
      const onError = (error: unknown) => {
        process.exitCode = listener(error);
      };
      process.on('uncaughtException', onError).on('unhandledRejection', onError);
    },
    uid: process.getuid?.(),
    userName: () => userInfo().username,
    home: homeFolder,
    cwd: () => process.cwd(),
    platform: process.platform,
    execPath: process.execPath,
    execArgv: process.execArgv,
    zone: undefined,
    zoneName: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    dispatcherFor,
    stopHeapGrowth: () => setFlagsFromString('--semi-space-growth-factor=1'),
  };
}

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Wall and monotonic time of this machine; a sleep that is aborted rejects with the reason of the abort. */
export const systemClock: ClockWithTimers = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  boot: () => {
    try {
      const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return { id, ms: Math.round(uptime() * 1000) };
    } catch {
      return undefined;
    }
  },
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // The reason of the abort says more than Node's AbortError.
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};

/** The home folder, also where HOME does not say. A user whom the system does not know gets a folder that is not there: nothing is kept then. */
export function homeFolder(): string {
  try {
    const home = homedir();
    // HOME may be empty, or relative: no file of the current folder is read.
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    return '/nonexistent';
  }
}

/**
 * The dispatcher of a proxy. Without one: undefined, unless Node was told to use proxies by itself (NODE_USE_ENV_PROXY,
 * --use-env-proxy); then one that uses none.
 */
export async function dispatcherFor(proxy: HttpsProxy | undefined): Promise<Dispatcher | undefined> {
  const { dispatcherInUse } = await import('../src/api/one-dispatch.ts');
  // Before the first request there is a dispatcher only if Node uses proxies by itself.
  if (proxy === undefined && dispatcherInUse() === undefined) return undefined;
  const { setGlobalProxyFromEnv } = await import('node:http');
  // Without any proxy here Node would take its own. `no_proxy: '*'` makes sure that the one named is never used.
  const restore = setGlobalProxyFromEnv(
    proxy === undefined
      ? { https_proxy: 'http://127.0.0.1:9', no_proxy: '*' }
      : { https_proxy: proxy.url, no_proxy: proxy.except },
  );
  try {
    return dispatcherInUse();
  } finally {
    restore();
  }
}

/**
 * Whether this stream was closed (`>&-`). Node then opens /dev/null in its place, for reading and writing, so that every
 * write seems to work. False where the system does not tell how a stream was opened.
 */
function startedClosed(descriptor: 1 | 2): boolean {
  try {
    const stream = fstatSync(descriptor);
    if (!stream.isCharacterDevice() || stream.rdev !== statSync('/dev/null').rdev) return false;
    const [, flags = '0'] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & 3) === readAndWrite;
  } catch {
    return false;
  }
}

// O_RDWR. A shell's `> /dev/null` opens for writing only.
const readAndWrite = 2;
