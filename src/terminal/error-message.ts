/** Writes errors for people and for scripts: what happened, what is certain, what to do now. */

import type { CliError, ErrorDetail, ErrorKind } from '../errors.ts';
import { blockLines } from './blocks.ts';
import { ownJson } from './json.ts';
import { commandIn, type ScreenStyle } from './text-lines.ts';

// Continuation lines start under the first word after the opening.
const indent = 9;

const openings: Readonly<Record<ErrorKind, string>> = {
  internal: 'error:',
  reply: 'error:',
  usage: 'error:',
  refused: 'refused:',
  cancelled: 'cancelled:',
  auth: 'error:',
  rejected: 'refused by the service:',
  not_found: 'not found:',
  network: 'error:',
  unconfirmed: 'unconfirmed:',
  batch: 'stopped:',
  incomplete: 'incomplete:',
  hangup: 'interrupted:',
  interrupted: 'interrupted:',
  terminated: 'interrupted:',
};

/** An error as text for a person. With `debug` its stack traces follow. */
export function renderError(error: CliError, style: ScreenStyle, debug = false): string {
  const { read, certain = read, now = [] } = error.parts;
  const opening = error.parts.opening ?? openings[error.kind];
  const lines = [
    ...part(opening, 'bad', firstSentence(error), style),
    ...detailLines(error).flatMap((line) => part('', undefined, line, style)),
    ...(certain === undefined ? [] : part('certain:', 'strong', certain, style)),
    ...now.flatMap((line, index) => part(index === 0 ? 'now:' : '', 'strong', line, style)),
    ...(debug ? stackLines(error, style) : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** An error as one JSON object on one line. `notes` are the lines that a person would have seen before it. */
export function errorJson(error: CliError, notes: readonly string[], debug = false): string {
  const { read, certain = read, now, type, code, logId, httpStatus, details } = error.parts;
  const { change, idempotencyKey, orderId, profile, approval, commands, ownCode, roomAt } = error.parts;
  return `${ownJson({
    object: 'error',
    kind: error.kind,
    exit_code: error.exitCode,
    message: wholeMessage(error),
    change,
    idempotency_key: idempotencyKey,
    order_id: orderId,
    profile,
    approval,
    room_at: roomAt,
    certain,
    now: now ?? [],
    commands: commands ?? [],
    type,
    code: code ?? ownCode,
    log_id: logId,
    http_status: httpStatus,
    details: (details ?? []).map(({ message, debugMessage, code: own, param }) => ({
      message,
      debug_message: debugMessage,
      code: own,
      param,
    })),
    notes,
    stack: debug ? error.stack : undefined,
  })}\n`;
}

// The message with its opening, unless the opening is only a label such as `error:`. Other openings are the first words of the
// message.
function wholeMessage({ message, parts: { opening = '' } }: CliError): string {
  return opening === '' || opening.endsWith(':') ? message : `${opening} ${message}`;
}

// One part of an error, such as `certain:`. Its line breaks are our own, so they are kept: those in texts of the service were
// already removed.
function part(
  opening: string,
  style: 'bad' | 'strong' | undefined,
  text: string,
  screen: ScreenStyle,
): readonly string[] {
  const start = opening.length < indent ? opening.padEnd(indent) : `${opening} `;
  return text.split('\n').flatMap((line, index) => {
    const first = index > 0 || style === undefined ? ' '.repeat(indent) : { text: start, style };
    // A command and a row of the journal are never broken, so that each can be copied as one line.
    const whole = commandIn(line.trimStart()) === 0 || line.trimStart().startsWith('{"');
    return blockLines(
      [{ line: [index === 0 ? first : ' '.repeat(indent), line], hang: indent }],
      whole ? { ...screen, width: undefined } : screen,
    );
  });
}

function firstSentence(error: CliError): string {
  const { httpStatus, logId, code, type, details = [] } = error.parts;
  const only = details.length === 1 ? details[0] : undefined;
  const told = only !== undefined && saidBy(error, only);
  const facts = [
    told ? only.code : details.length === 0 ? (code ?? type) : undefined,
    told && only.param !== undefined ? `param ${only.param}` : undefined,
    httpStatus === undefined ? undefined : `HTTP ${httpStatus}`,
    logId === undefined ? undefined : `log_id ${logId}`,
  ].filter((fact) => fact !== undefined && !error.message.includes(fact));
  if (facts.length === 0) return error.message;
  // Ids are on lines of their own after the first.
  const [first = '', ...ids] = error.message.split('\n');
  return [`${first} (${facts.join(', ')})`, ...ids].join('\n');
}

// Whether the words of a detail are already in the message.
function saidBy(error: CliError, detail: ErrorDetail): boolean {
  return detail.message === undefined || error.message.includes(detail.message);
}

function detailLines(error: CliError): readonly string[] {
  const { details = [] } = error.parts;
  const only = details.length === 1 ? details[0] : undefined;
  if (only !== undefined && saidBy(error, only)) return [];
  return details.map(({ message, debugMessage, code, param }) => {
    const words = message ?? debugMessage ?? 'no message';
    const facts = [code, param === undefined ? undefined : `param ${param}`].filter(
      (fact) => fact !== undefined,
    );
    return (facts.length === 0 ? words : `${words} (${facts.join(', ')})`).replaceAll('\n', ' ');
  });
}

function stackLines(error: CliError, style: ScreenStyle): readonly string[] {
  const stacks: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && stacks.length < 5; cause = cause.cause)
    stacks.push(cause.stack ?? String(cause));
  return blockLines(
    stacks.flatMap((stack) => stack.split('\n').map((line) => ({ line }))),
    { ...style, width: undefined },
  );
}
