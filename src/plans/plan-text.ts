/**
 * Writes and reads the text of a plan file: a JSON line with the account, one for every row, and a last one with the sums and the
 * digest of all earlier lines. Pure.
 */

import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { CliError } from '../errors.ts';
import {
  anyHeadLine,
  endLine,
  endRecord,
  headJson,
  headLine,
  headOf,
  rowJson,
  rowKey,
  rowLine,
  rowOf,
  version,
} from './plan-lines.ts';
import type { Plan, PlanHead, PlanRow } from './plan-types.ts';

/** The lines of a plan's file, one by one, and its digest. `clean` masks keys in a line of JSON. */
export function writePlan(head: PlanHead, rows: readonly PlanRow[], clean: (json: string) => string) {
  const hash = createHash('sha256');
  let digest = '';
  const line = (json: string): string => {
    const one = `${clean(json)}\n`;
    hash.update(one);
    return one;
  };
  function* lines(): Generator<string> {
    yield line(headJson(head));
    for (const row of rows) yield line(rowJson(row));
    digest = hash.digest('hex');
    yield endText(rows, digest);
  }
  return { lines: lines(), digest: () => digest };
}

export function planText(plan: Plan): string {
  return [...writePlan(plan, plan.rows, (json) => json).lines].join('');
}

/** Throws CliError 'refused' if it is not a plan, if it was changed, or if it has another version. */
export async function readPlan(
  name: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Plan> {
  const hash = createHash('sha256');
  const rows: PlanRow[] = [];
  let head: PlanHead | undefined;
  let last: Uint8Array | undefined;
  let number = 0;
  let isOver = false;
  for await (const line of linesOf(chunks)) {
    if (isOver) throw edited(name, 'it has lines that are not rows');
    if (last !== undefined) hash.update(last);
    number += 1;
    if (line.length > lineMax) throw edited(name, `line ${number} is longer than paydesk writes`);
    if (head === undefined) {
      head = headOf(parsed(name, headLine, line, number));
      checkWritten(name, headJson(head), line, number);
    } else if (rowStart.every((byte, index) => line[index] === byte)) {
      const row = rowOf(parsed(name, rowLine, line, number));
      checkWritten(name, rowJson(row), line, number);
      const problem = row.number === number - 1 ? rowProblem(row, head) : 'has the wrong number';
      if (problem !== undefined) throw edited(name, `line ${number} ${problem}`);
      rows.push(row);
    } else {
      if (line.at(-1) !== newline) throw edited(name, 'it does not end where a plan ends');
      isOver = true;
    }
    last = line;
  }
  if (head === undefined) throw noPlan(name);
  const end = parsed(name, endLine, last, number);
  const digest = hash.digest('hex');
  if (digest !== end.digest) throw edited(name, 'its digest does not match its rows');
  // The digest does not cover the last line, so that line must be exactly the one that paydesk writes.
  if (!Buffer.from(endText(rows, digest)).equals(last ?? Buffer.of()))
    throw edited(name, 'its last line does not match its rows');
  return { ...head, rows, digest };
}

const newline = 10;
// No row is as long as this, in bytes. Parsing a line of many MB takes seconds.
const lineMax = 256 * 1024;
const rowStart = Buffer.from('{"object":"plan_row"');

// Each line with its line break; of a line that is too long only the beginning. Never holds the whole plan in memory.
async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  // The parts of an unfinished line.
  let begun: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, at)) {
      const rest = chunk.subarray(at, end + 1);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      [begun, size] = [[], 0];
      at = end + 1;
    }
    if (at === chunk.length) continue;
    begun.push(chunk.subarray(at));
    size += chunk.length - at;
    if (size <= lineMax) continue;
    yield Buffer.concat(begun);
    [begun, size] = [[], 0];
  }
  if (begun.length > 0) yield Buffer.concat(begun);
  return undefined;
}

function parsed<T extends v.GenericSchema>(
  name: string,
  schema: T,
  line: Uint8Array | undefined,
  number: number,
): v.InferOutput<T> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    throw number === 1 ? noPlan(name) : edited(name, `line ${number} cannot be read`);
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  if (number > 1) throw edited(name, `line ${number} is not a line of a plan`);
  const other = v.safeParse(anyHeadLine, value);
  throw noPlan(name, other.success ? other.output.version : undefined);
}

// JSON allows a repeated field, and two programs may read different ones. paydesk never writes such a line.
function checkWritten(name: string, json: string, line: Uint8Array, number: number): void {
  if (Buffer.from(`${json}\n`).equals(line)) return;
  throw edited(name, `line ${number} is not written as paydesk writes it`);
}

function noPlan(name: string, other = version): CliError {
  return new CliError(
    'refused',
    other > version
      ? `${name} was made by a newer version of paydesk, which this one cannot read`
      : `${name} is not a plan of this version of paydesk`,
    {
      now: [
        ...(other > version ? ['update paydesk, or:'] : []),
        'make a plan of a file of refunds first: paydesk refunds plan FILE.csv --to FILE.plan',
      ],
    },
  );
}

function edited(name: string, why: string): CliError {
  return new CliError('refused', `${name} was changed after it was made: ${why}`, {
    now: [
      'make the plan again from the file that it was made from (change that file, never the plan):',
      'paydesk refunds plan FILE.csv --to NEW.plan',
    ],
  });
}

function endText(rows: readonly PlanRow[], digest: string): string {
  return `${JSON.stringify(endRecord(rows, digest))}\n`;
}

// What is wrong with a row, in words that follow `line 3`; undefined if nothing. Another program may have written the file, and a
// row must send exactly what it shows.
function rowProblem(row: PlanRow, { origin, mode }: Pick<PlanHead, 'origin' | 'mode'>): string | undefined {
  const { state, sum, expected, orderId, chargeId, amount, ref } = row;
  // Nothing of it is sent or counted.
  if (state === 'impossible') return undefined;
  // A negative row would lower the sum that people and limits look at.
  if (sum < 0 || expected.some((one) => one.amount >= 0)) return 'takes money instead of paying it back';
  // Rows that were sent before are written as the journal has them, and a repaired journal may not know everything.
  if (state === 'done' || state === 'unconfirmed') return undefined;
  if (!sendsWhatItShows(row)) return 'would send a different refund from the one it shows';
  // If a text held an API key, the file has only the mask, so nothing can be compared.
  if ([orderId, chargeId, ref].some((text) => text?.includes(mask))) return undefined;
  // With another key, the journal would not find what was sent for this row.
  return row.key === rowKey({ origin, mode, orderId, chargeId, amount, ref })
    ? undefined
    : 'has the key of another row';
}

const mask = '[key]';

function sendsWhatItShows({ sum, expected, body, amount, chargeId, reason }: PlanRow): boolean {
  if (body === undefined || body.reason !== reason) return false;
  if (sum !== expected.reduce((all, one) => all - one.amount, 0)) return false;
  if (amount !== 'full' && (amount !== sum || body.amount !== amount)) return false;
  if (body.amount !== undefined && body.amount !== sum) return false;
  if (chargeId !== undefined && body.charge_id !== chargeId) return false;
  // Without a charge the service refunds the whole order.
  if (body.charge_id === undefined) return body.amount === undefined && sum > 0;
  return expected.length === 1 && expected[0]?.chargeId === body.charge_id;
}
