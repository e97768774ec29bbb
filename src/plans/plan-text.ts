/**
 * The text of a plan file: a line of JSON with the account, a line for every row, and a last line with the sums and the digest
 * of all lines before it. Pure.
 */

import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { CliError } from '../errors.ts';
import { endLine, endRecord, headLine, headOf, headRecord, rowLine, rowOf, rowRecord } from './plan-lines.ts';
import type { Plan, PlanHead, PlanRow } from './plan-types.ts';

/** A plan as the lines of its file, one by one, and its digest. `clean` masks keys in a line of JSON. */
export function writePlan(
  head: PlanHead,
  rows: readonly PlanRow[],
  clean: (json: string) => string,
): { readonly lines: Iterable<string>; readonly digest: () => string } {
  const hash = createHash('sha256');
  let digest = '';
  const line = (record: unknown): string => {
    const one = `${clean(JSON.stringify(record))}\n`;
    hash.update(one);
    return one;
  };
  function* lines(): Generator<string> {
    yield line(headRecord(head));
    for (const row of rows) yield line(rowRecord(row));
    digest = hash.digest('hex');
    yield endText(rows, digest);
  }
  return { lines: lines(), digest: () => digest };
}

/** Reads a plan. Throws CliError 'refused' if it is no plan, if it was changed, or if its version is another one. */
export function readPlan(name: string, bytes: Uint8Array): Plan {
  const lines = linesOf(bytes);
  const first = lines.next();
  const head = parsed(name, headLine, first.value, 1);
  const hash = createHash('sha256');
  const rows: PlanRow[] = [];
  let last = first.value;
  let number = 1;
  for (const line of lines) {
    if (last !== undefined) hash.update(last);
    number += 1;
    if (isRow(line)) rows.push(rowOf(parsed(name, rowLine, line, number)));
    else if (line.at(-1) !== newline) throw edited(name, 'it does not end where a plan ends');
    last = line;
  }
  const end = parsed(name, endLine, last, number);
  const digest = hash.digest('hex');
  if (digest !== end.digest) throw edited(name, 'its digest is not that of its rows');
  if (rows.length !== number - 2) throw edited(name, 'it has lines that are no rows');
  // The digest does not cover the last line, so that line must be just the one that paydesk writes.
  if (!Buffer.from(endText(rows, digest)).equals(last ?? Buffer.of()))
    throw edited(name, 'its last line does not fit its rows');
  return { ...headOf(head), rows, digest };
}

const newline = 10;
const rowStart = Buffer.from('{"object":"plan_row"');

function isRow(line: Uint8Array): boolean {
  return rowStart.every((byte, index) => line[index] === byte);
}

// Each line with its end, as a part of the same bytes.
function* linesOf(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at);
    const next = end === -1 ? bytes.length : end + 1;
    yield bytes.subarray(at, next);
    at = next;
  }
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
  if (number === 1) throw noPlan(name);
  throw edited(name, `line ${number} is not a line of a plan`);
}

function noPlan(name: string): CliError {
  return new CliError('refused', `${name} is not a plan of this version of paydesk`, {
    certain: 'nothing was sent',
    now: [`make a plan of a file of refunds first: paydesk refunds plan FILE.csv --to FILE.plan`],
  });
}

function edited(name: string, why: string): CliError {
  return new CliError('refused', `${name} was changed after it was made: ${why}`, {
    certain: 'nothing was sent',
    now: ['make the plan again from its file; change the file, never the plan'],
  });
}

function endText(rows: readonly PlanRow[], digest: string): string {
  return `${JSON.stringify(endRecord(rows, digest))}\n`;
}
