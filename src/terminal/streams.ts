/** stdout and stderr as streams: whether each is a terminal, how wide it is, and the one writer of each. */

import type { Writable } from 'node:stream';
import { CliError, systemCode, systemReason } from '../errors.ts';
import type { Piece } from './list-format.ts';
import { cleanLine } from './sanitise.ts';
import type { Secrets } from './secrets.ts';

/** How figures and times are shown; asked for when something is shown, since a profile may be opened late. */
export interface Locale {
  /** IANA name; undefined: the zone of the process. */
  readonly zone: string | undefined;
  /** Currency → decimals (`amounts.decimals`). */
  readonly decimals: Readonly<Record<string, number>>;
  /** The metadata keys that may hold the shop's own number (`reference.keys`). */
  readonly referenceKeys: readonly string[];
}

/** A stream and what is known of it. */
export interface StreamFacts {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** Cells in a line; undefined when it is not a terminal. */
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined when it is not a terminal. */
  readonly rows: number | undefined;
}

/** The width to draw for; undefined when nothing is to be wrapped or cut. */
export function widthOfTerminal({ isTTY, columns }: StreamFacts): number | undefined {
  return isTTY && columns !== undefined && columns > 0 ? columns : undefined;
}

/** Makes a text safe for a screen; the key goes first, since cutting could leave a part of it. */
export function screenClean(secrets: Secrets): (text: string) => string {
  return (text) => cleanLine(secrets.clean(text));
}

/**
 * One stream, written by nobody else: the writer waits while it is full, stops keys, and turns a lost stream into one error.
 */
export interface StreamWriter {
  /** Writes a piece; resolves when there is room for more. Rejects with CliError 'incomplete' once the stream is lost. */
  write(piece: Piece): Promise<void>;
  /** Writes a whole message at once and never throws: for notes, and from a signal's handler. */
  writeNow(text: string): void;
  /** Writes what the key filter held back; resolves when all of it has left the process. */
  end(): Promise<void>;
  /** Why the stream is lost, when it is. */
  readonly lost: CliError | undefined;
}

/** The stream, and what happens when it is lost. */
export interface StreamWriterOptions {
  readonly stream: Writable & { readonly isTTY?: boolean };
  /** `stdout` or `stderr`: how messages call it. */
  readonly name: string;
  readonly secrets: Secrets;
  /** Called once when the stream is lost: the run is to be aborted. */
  readonly onLost: (error: CliError) => void;
  /** Asked before each write: whether nobody can read the stream, although writes to it work. */
  readonly isClosed?: (() => boolean) | undefined;
  /** Called before anything is written, to take away what another stream drew on the same screen. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** Takes over a stream. Nothing else may write to it from now on. */
export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  const { stream, name, secrets, onLost, isClosed, beforeWrite } = options;
  const filter = secrets.filter();
  let lost: CliError | undefined;
  let deserted = false;

  const lose = (cause: unknown): CliError | undefined => {
    // A terminal that was closed: nobody is left to read, and no file lacks anything.
    deserted ||= stream.isTTY === true && systemCode(cause) === 'EIO';
    if (deserted) return undefined;
    return giveUp(whyLost(cause), cause);
  };
  const giveUp = (why: string, cause?: unknown): CliError => {
    if (lost === undefined) {
      lost = new CliError('incomplete', `${name} ${why}`, { cause });
      onLost(lost);
    }
    return lost;
  };
  // Without a listener a closed pipe ends the process with a stack trace.
  stream.on('error', lose);
  const settle = (
    error: Error | null | undefined,
    resolve: () => void,
    reject: (error: CliError) => void,
  ) => {
    const loss = error ? lose(error) : undefined;
    if (loss === undefined) resolve();
    else reject(loss);
  };

  const send = (piece: Piece): Promise<void> =>
    new Promise((resolve, reject) => {
      if (lost !== undefined) return reject(lost);
      if (piece.length === 0 || deserted) return resolve();
      if (isClosed?.() === true)
        return reject(giveUp('is closed, so the result cannot be printed (> /dev/null throws it away)'));
      beforeWrite?.();
      stream.write(piece, (error) => settle(error, resolve, reject));
    });

  return {
    write: (piece) => send(filter.push(piece)),
    writeNow(text) {
      send(filter.end() + secrets.clean(text)).catch(() => undefined);
    },
    end: () => send(filter.end()),
    get lost() {
      return lost;
    },
  };
}

const closedEarly: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

function whyLost(cause: unknown): string {
  const code = systemCode(cause);
  if (closedEarly.includes(code)) return `was closed before everything was written (${code})`;
  return `could not be written: ${systemReason(cause)}`;
}
