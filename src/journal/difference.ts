/** What was recorded under a script's id, and what is asked for under it now, as far as they differ. Pure. */

import type { JsonObject } from '../api/spec.ts';
import type { SentRow } from './rows.ts';
import { sameJson } from './same-json.ts';
import type { Typed } from './same-wish.ts';

/** `the intent ticket-8840 was something else: recorded with amount 300; asked for now with amount 500`. */
export function differenceWords({ given, proof, asked }: SentRow, now: Typed): string {
  const was = `the intent ${given ?? ''} was something else`;
  if (now.kind !== undefined && now.kind !== proof.kind)
    return `${was}: recorded as ${proof.kind}, asked for now as ${now.kind}`;
  if (asked === undefined || now.asked === undefined) return was;
  const [before, after] = [fieldsOf(asked), fieldsOf(now.asked)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.has(name) !== after.has(name) || !sameJson(before.get(name), after.get(name)),
  );
  const said = (fields: ReadonlyMap<string, unknown>) =>
    names.map((name) => (fields.has(name) ? `${name} ${short(fields.get(name))}` : `no ${name}`)).join(', ');
  return `${was}: recorded with ${said(before)}; asked for now with ${said(after)}`;
}

// Those of a whole body by their own names.
function fieldsOf({ body, ...asked }: JsonObject): ReadonlyMap<string, unknown> {
  const ofBody = Object.entries(body ?? {}).map(([name, value]) => [`body.${name}`, value] as const);
  return new Map<string, unknown>([...Object.entries(asked), ...ofBody]);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}
