/** Gives a run its streams, environment, clock and signals. Only the files of this folder touch the process itself. */

import { fstatSync, readFileSync, statSync } from 'node:fs';
import { homedir, hostname, uptime, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { ClockWithTimers, Io, StopSignal } from '../src/io.ts';

/** Makes the io of a process. No stream is opened yet. An uncaught error sets the exit code of the process. */
export function ioOf(process: NodeJS.Process): Io {
  const uncaught: ((error: unknown) => number)[] = [];
  const onError = (error: unknown): void => {
    process.exitCode = uncaught.at(-1)?.(error) ?? 1;
  };
  return {
    env: process.env,
    // Opening a stream takes time, so each is opened when it is first used.
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
      uncaught.push(listener);
      if (uncaught.length === 1) process.on('uncaughtException', onError).on('unhandledRejection', onError);
      return () => {
        const at = uncaught.indexOf(listener);
        if (at !== -1) uncaught.splice(at, 1);
        if (uncaught.length === 0)
          process.off('uncaughtException', onError).off('unhandledRejection', onError);
      };
    },
    uid: process.getuid?.(),
    userName: () => userInfo().username,
    machineName: hostname,
    home: homeFolder,
    cwd: () => process.cwd(),
    machineFile: machineFileOf(process.platform),
    platform: process.platform,
    execPath: process.execPath,
    execArgv: process.execArgv,
    zone: undefined,
    zoneName: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    keepHeapSmall: (space, percent = 35) =>
      setFlagsFromString(
        space === 'old' ? `--heap-growing-percent=${percent}` : '--semi-space-growth-factor=1',
      ),
  };
}

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The clock of this machine. A sleep that is aborted rejects with the reason of the abort. */
export const systemClock: ClockWithTimers = {
  now: () => Date.now(),
  // performance.now() counts the same time, but the first call loads a dozen modules of Node.
  monotonic: () => process.uptime() * 1000,
  uptime: () => uptime() * 1000,
  // The mark says that the call changes nothing, so that the bundler can leave all of this out of what answers TAB.
  boot: /* @__PURE__ */ createBoot(),
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

// A batch asks for the boot several times a row. Its id stays the same for as long as a process lives.
function createBoot(): NonNullable<ClockWithTimers['boot']> {
  let id: string | undefined;
  return () => {
    try {
      id ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return { id, ms: Math.round(uptime() * 1000) };
    } catch {
      return undefined;
    }
  };
}

/** The configuration of a machine. A variable such as %ProgramData% does not count, since every user can change it. */
export function machineFileOf(platform: string): string {
  if (platform === 'win32') return 'C:\\ProgramData\\paydesk\\config.json';
  return platform === 'darwin'
    ? '/Library/Application Support/paydesk/config.json'
    : '/etc/paydesk/config.json';
}

/**
 * The home folder of this user, even if HOME is missing. If the system does not know the user, it is a folder that does not
 * exist, so nothing is stored.
 */
export function homeFolder(): string {
  try {
    const home = homedir();
    // With an empty or relative HOME, paydesk would read files of the current folder.
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    return '/nonexistent';
  }
}

/**
 * Whether this stream was closed when the program started (`>&-`). Node opens /dev/null in its place, for reading and
 * writing, so every write seems to work. False if the system does not say how the stream was opened.
 */
export function startedClosed(descriptor: 1 | 2): boolean {
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

// The flag O_RDWR. A shell opens `> /dev/null` for writing only.
const readAndWrite = 2;
