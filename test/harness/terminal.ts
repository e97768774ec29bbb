/** A person at a terminal: runs paydesk under a shell in a pseudo-terminal, and looks at the terminal before and after. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, cleanEnv, type RunOptions } from './paydesk.ts';
import { type Pty, type PtyEnd, runInPty } from './pty.ts';

export interface TerminalOptions extends Pick<RunOptions, 'home' | 'env'> {
  readonly columns?: number;
  readonly rows?: number;
  /** Shell text after the command, such as `> f`. */
  readonly redirect?: string;
  /** Shell text before the command, such as `printf 'y\n' |`. */
  readonly first?: string;
}

export interface Ended extends PtyEnd {
  /** Whether `stty -a` says the same as before the run. */
  readonly sameTerminal: boolean;
  /** Whether the cursor is shown at the end. */
  readonly cursorShown: boolean;
}

export interface Terminal extends Omit<Pty, 'end'> {
  readonly end: Promise<Ended>;
  /** Delivers a signal to paydesk itself, not to the shell around it. */
  signal(name: NodeJS.Signals): void;
}

/** Runs `paydesk ARGS` as a person does. Ctrl-C reaches the program, and the shell lives on to tell of the terminal. */
export function atTerminal(args: readonly string[], options: TerminalOptions): Terminal {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-terminal-'));
  const file = (name: string) => join(folder, name);
  const program = `sh -c 'echo $$ > "$0"; exec "$@"' "$folder/pid" "$@"`;
  const script = [
    'folder=$1; shift',
    'trap : INT',
    'stty -a > "$folder/before"',
    `${options.first ?? ''} ${program} ${options.redirect ?? ''}`,
    'code=$?',
    'stty -a > "$folder/after"',
    'exit $code',
  ].join('\n');
  const pty = runInPty('/bin/sh', ['-c', script, 'sh', folder, process.execPath, bin, ...args], {
    env: cleanEnv(options),
    cwd: options.home.path,
    ...(options.columns === undefined ? {} : { columns: options.columns }),
    ...(options.rows === undefined ? {} : { rows: options.rows }),
  });
  const end = pty.end.then((ended) => {
    const sameTerminal = settings(file('before')) === settings(file('after'));
    rmSync(folder, { recursive: true });
    return { ...ended, sameTerminal, cursorShown: isCursorShown(ended.transcript) };
  });
  return {
    ...pty,
    get transcript() {
      return pty.transcript;
    },
    end,
    signal: (name) => process.kill(Number(readFileSync(file('pid'), 'utf8')), name),
  };
}

// Its size is the window's, not the program's.
function settings(path: string): string {
  return readFileSync(path, 'utf8').replace(/rows \d+; columns \d+;/, '');
}

/** Whether the cursor is shown after all of this was written. */
export function isCursorShown(transcript: string): boolean {
  return transcript.lastIndexOf('\x1b[?25l') <= transcript.lastIndexOf('\x1b[?25h');
}
