/** Writes to stdout and stderr: one writer per stream, which keeps keys out and notices when nobody reads any more. */

import type { Writable } from 'node:stream';
import type { AmountStyle } from '../amounts.ts';
import { CliError, systemCode, systemReason } from '../errors.ts';
import type { Piece } from './list-format.ts';
import { cleanLine } from './sanitise.ts';
import type { Secrets } from './secrets.ts';

/** How amounts and times are shown. A profile may be opened late, so its settings are looked up whenever something is shown. */
export interface Locale {
  /** An IANA name. Undefined: the zone of the process. */
  readonly zone: string | undefined;
  readonly amounts: AmountStyle;
  /** The metadata keys that may hold the shop's own number (`reference.keys`). */
  readonly referenceKeys: readonly string[];
}

/** A stream, and what is known about its terminal. */
export interface StreamFacts {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** Cells in a line; undefined if it is not a terminal. */
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined if it is not a terminal. */
  readonly rows: number | undefined;
  /** `--width`: how wide tables and screens are, whatever the terminal's own width is. */
  readonly width?: number | undefined;
}

/** The width to draw for. Undefined: nothing is wrapped or cut. */
export function widthToDraw(facts: StreamFacts): number | undefined {
  return facts.width ?? widthOfTerminal(facts);
}

/** How wide the terminal is; undefined if there is none. */
export function widthOfTerminal({ isTTY, columns }: StreamFacts): number | undefined {
  return isTTY && columns !== undefined && columns > 0 ? columns : undefined;
}

/** Makes a text safe for a screen. Keys are masked first, because after other changes a key might not be found. */
export function screenClean(secrets: Secrets): (text: string) => string {
  return (text) => cleanLine(secrets.clean(text));
}

/** The only writer of a stream. It waits while the stream is full, masks keys, and reports a lost stream once. */
export type StreamWriter = ReturnType<typeof createStreamWriter>;

export interface StreamWriterOptions {
  readonly stream: Writable & { readonly isTTY?: boolean };
  /** `stdout` or `stderr`, for messages. */
  readonly name: string;
  readonly secrets: Secrets;
  /** Called once when the stream is lost. */
  readonly onLost: (error: CliError) => void;
  /** Called before each write. Returns true if the stream was closed at the start: writing then only seems to work. */
  readonly isClosed?: (() => boolean) | undefined;
  /** Called before each write, so that a line of progress on the same screen can be removed. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** Takes over a stream. Nothing else may write to it from now on. */
export function createStreamWriter(options: StreamWriterOptions) {
  const { stream, name, secrets, onLost, isClosed, beforeWrite } = options;
  const filter = secrets.filter();
  let lost: CliError | undefined;
  let deserted = false;

  const lose = (cause: unknown): CliError | undefined => {
    // The terminal was closed. Nobody is left to read, and no file is incomplete, so this is not an error.
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
  // Without a listener a closed pipe would end the process with a stack trace.
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
    /** Resolves when there is room for more. Rejects with CliError 'incomplete' once the stream is lost. */
    write: (piece: Piece) => send(filter.push(piece)),
    /** Like `write`, for bytes that are not text: whoever made them has masked the keys. */
    writeBytes: send,
    /** Writes a whole message without waiting, and never throws. For notes, and after a signal. */
    writeNow(text: string) {
      send(filter.end() + secrets.clean(text)).catch(() => undefined);
    },
    /** Writes the rest that might have begun a key. Resolves when everything has left the process. */
    end: () => send(filter.end()),
    /** Why the stream is lost; undefined if it is not. */
    get lost() {
      return lost;
    },
  };
}

const closedEarly: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/** Whether a stream was lost because its reader went away, as with `| head`. */
export function isUnread({ cause }: CliError): boolean {
  return closedEarly.includes(systemCode(cause));
}

function whyLost(cause: unknown): string {
  const code = systemCode(cause);
  if (closedEarly.includes(code)) return `was closed before everything was written (${code})`;
  return `could not be written: ${systemReason(cause)}`;
}
