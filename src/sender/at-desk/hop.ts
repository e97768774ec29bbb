/** The connection from a desk to its sender: one kept connection, the token, a time limit, and its errors in words. */

import * as v from 'valibot';
import { type ClientParts, failureOf, type Transport } from '../../api/api.ts';
import type { Mode } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { SenderOfProfile } from '../../profiles/profiles.ts';
import { type EndLine, isEnd, type Line, lineForm } from '../change-wire.ts';
import { errorForm, errorFromWire, hopHeaders, mediaTypes } from '../wire.ts';

/** What it takes to reach a sender. */
interface HopParts extends Pick<ClientParts, 'clock' | 'version' | 'signal'> {
  readonly sender: SenderOfProfile;
  readonly token: () => Promise<string>;
  readonly transport: Transport;
  readonly machine: string;
  readonly mode: Mode;
  /** The time limit of a question, in milliseconds. */
  readonly timeoutMs: number;
}

/** How a request for lines ended. `sent`: whether a byte of it may have left this machine. */
export type Heard =
  | { readonly how: 'end'; readonly line: EndLine }
  /** The sender refused the request itself, and did nothing. */
  | { readonly how: 'refused'; readonly error: CliError }
  | { readonly how: 'broke'; readonly why: string; readonly sent: boolean };

/** A request to the sender. `path`: from `hopPaths`. */
interface HopRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** If it is a text, it is sent unchanged. */
  readonly body?: object | string | undefined;
}

export interface Hop {
  /** `sender.example:8443`, for messages. */
  readonly name: string;
  /**
   * One reply, as JSON of this form. Asks again if the connection breaks, unless `once`. Throws the sender's CliError, or
   * 'network' if the sender cannot be reached.
   */
  ask<const Form extends v.GenericSchema>(
    request: HopRequest,
    form: Form,
    how?: { readonly once?: boolean },
  ): Promise<v.InferOutput<Form>>;
  /** Reads lines until an end, or until none can come. Never throws. `over` stops it. */
  listen(request: HopRequest, hear: (line: Line) => void, over: AbortSignal): Promise<Heard>;
  close(): void;
}

// A working sender says something every 5 seconds.
const silenceMs = 20_000;
const tries = 3;
const pauseMs = 300;
const lineMax = 32 * 1024 * 1024;

export function createHop(parts: HopParts): Hop {
  const { sender, transport, clock, timeoutMs, signal } = parts;
  const name = new URL(sender.origin).host;
  const send = async (request: HopRequest, onSent: () => void, over: AbortSignal): Promise<Response> =>
    await transport.send(await wireOf(parts, request), { fresh: false, onSent, over });
  const askOnce = async (request: HopRequest): Promise<string | CliError> => {
    const late = new AbortController();
    const stop = clock.after(timeoutMs, () =>
      late.abort(new Error(`no answer within ${timeoutMs / 1000} s`)),
    );
    try {
      const over = AbortSignal.any([signal, late.signal]);
      const reply = await send(request, () => undefined, over);
      const text = await textOf(reply);
      return reply.ok ? text : errorIn(reply, text, name);
    } finally {
      stop();
    }
  };
  return {
    name,
    async ask(request, form, { once = false } = {}) {
      for (let round = 1; ; round += 1) {
        try {
          const found = await askOnce(request);
          if (found instanceof CliError) throw found;
          return readAs(form, found, name);
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof CliError) throw error;
          if (once || round >= tries) throw unreachable(name, error, once);
          await clock.sleep(pauseMs * round, signal);
        }
      }
    },
    async listen(request, hear, over) {
      const state = { sent: false, status: undefined as number | undefined };
      const silence = new AbortController();
      let stop = () => undefined as unknown;
      const again = () => {
        stop();
        stop = clock.after(silenceMs, () => silence.abort(new Error('it stopped answering')));
      };
      again();
      try {
        const onSent = () => {
          state.sent = true;
        };
        const reply = await send(request, onSent, AbortSignal.any([over, silence.signal]));
        state.status = reply.status;
        if (!reply.ok) {
          const error = errorIn(reply, await textOf(reply), name);
          // A proxy may have passed the request on anyway.
          return isOfSender(reply)
            ? { how: 'refused', error }
            : { how: 'broke', why: error.message, sent: true };
        }
        const line = await endIn(reply, again, hear);
        return line === undefined
          ? { how: 'broke', why: 'it sent no end', sent: true }
          : { how: 'end', line };
      } catch (error) {
        return { how: 'broke', why: reasonIn(error, name, state.status), sent: state.sent };
      } finally {
        stop();
      }
    },
    close: () => transport.close(),
  };
}

// Stops at the end line: nothing after it matters. A line without a line feed is ignored.
async function endIn(
  reply: Response,
  heard: () => void,
  hear: (line: Line) => void,
): Promise<EndLine | undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of reply.body ?? []) {
    heard();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineMax) return undefined;
    for (const text of lines) {
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), lineForm), text);
      if (!read.success) return undefined;
      if (isEnd(read.output)) return read.output;
      hear(read.output);
    }
  }
  return undefined;
}

async function textOf(reply: Response): Promise<string> {
  return Buffer.concat(await Array.fromAsync(reply.body ?? [])).toString('utf8');
}

async function wireOf(
  { sender, token, version, machine, mode }: HopParts,
  { method, path, body }: HopRequest,
) {
  const isText = typeof body === 'string';
  const headers: Record<string, string> = {
    authorization: `Bearer ${await token()}`,
    [hopHeaders.desk]: encodeURIComponent(machine),
    [hopHeaders.mode]: mode,
    accept: `${mediaTypes.json}, ${mediaTypes.lines}`,
    'user-agent': `paydesk/${version}`,
    ...(body === undefined ? {} : { 'content-type': isText ? mediaTypes.lines : mediaTypes.json }),
  };
  const content = isText ? body : body === undefined ? '' : JSON.stringify(body);
  return {
    url: `${sender.origin}${path}`,
    method,
    headers: Object.entries(headers),
    text: () => Promise.resolve(content),
  };
}

function readAs<const Form extends v.GenericSchema>(
  form: Form,
  text: string,
  name: string,
): v.InferOutput<Form> {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), form), text);
  if (read.success) return read.output;
  throw new CliError('reply', `the sender ${name} answers in a form that this paydesk does not know`, {
    now: ['install the same version on both: paydesk --version'],
  });
}

function isOfSender(reply: Response): boolean {
  return reply.headers.get(hopHeaders.error) !== null;
}

// Something else may answer: a proxy, or another program at that port.
function errorIn(reply: Response, text: string, name: string): CliError {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), errorForm), text);
  if (read.success && isOfSender(reply)) return errorFromWire(read.output.error);
  return new CliError('network', `the sender ${name} is not working right now (HTTP ${reply.status})`, {
    httpStatus: reply.status,
    now: ['wait a little, then run the same command again'],
  });
}

function reasonIn(error: unknown, name: string, status?: number): string {
  return failureOf(error, name, status).reason;
}

function unreachable(name: string, error: unknown, once: boolean): CliError {
  return new CliError('network', `the sender ${name} does not answer: ${reasonIn(error, name)}`, {
    certain: once ? 'nothing was sent; it is not certain whether it was recorded' : 'nothing was sent',
    now: ['run the same command again when it answers'],
  });
}
