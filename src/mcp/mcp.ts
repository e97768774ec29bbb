/** Tools for software agents, over the Model Context Protocol: what a tool is, what it gives back, and what of it is masked. */

import { isObject, type JsonObject } from '../api/spec.ts';

/** The input of a tool as a JSON Schema of an object. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** One thing that an agent can ask for. */
export interface Tool {
  /** `orders_show` */
  readonly name: string;
  readonly description: string;
  readonly input: InputSchema;
  /** Whether it writes nothing; undefined: it does. */
  readonly isRead: boolean;
  /** `input` fits the schema. */
  readonly call: (input: JsonObject) => Promise<ToolResult>;
}

/** What a command line gave: its exit code, what it printed as JSON, the lines beside it, and its error. */
export interface ToolResult {
  readonly exit_code: number;
  readonly result?: unknown;
  readonly notes: readonly string[];
  readonly error?: unknown;
}

// Texts of the service and of paydesk that are about no person. Texts of other fields are masked, but for single words in small
// letters, ids, figures and times.
const harmless = new Set(
  (
    'account account_type approved_by auth_code brand certain code command commands currency description digest expected file ' +
    'how issuer kind line message meaning next notes now operator origin outcome path period plan previous problem profile ' +
    'reason report sku state status summary type unit url why words zone'
  ).split(' '),
);
// These are masked whatever they look like.
const personal = new Set(
  'buyer city email last4 metadata name note phone postal_code receiver street1 street2 zip'.split(' '),
);
const plainWord = /^(?:[a-z]+(?:_[A-Za-z0-9]+)*|[-+]?[\d.,:%-]+|\d{4}-\d\d-\d\dT[\d:.]+Z|[A-Z]{2,3})$/;
// What the shop calls a sale: `A-10023`.
const reference = /^[A-Z]{0,4}[-#]?\d{1,9}$/;
const email = /[^\s@<>"',;]+@[^\s@<>"',;]+\.\p{L}{2,}/gu;
const phone = /\+\d[\d ().-]{6,}\d/g;
const masked = '[masked]';

/**
 * The same without personal data: names, e-mails, telephone numbers, addresses, last digits of cards, notes, and texts of metadata
 * that are no reference. What was masked is masked in the texts beside it too. Ids, amounts, states and times stay.
 */
export function withoutPersons(given: ToolResult): ToolResult {
  const seen = new Set<string>();
  const known = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => known(one, path));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, known(one, [...path, name])]),
      );
    if (typeof value !== 'string' || !isPersonal(path, value)) return value;
    seen.add(value);
    return masked;
  };
  const result = known(given.result, []);
  const clean = (text: string): string =>
    [...seen]
      .filter((one) => one.length > 2)
      .toSorted((one, other) => other.length - one.length)
      .reduce((rest, one) => rest.replaceAll(one, masked), text)
      .replace(email, masked)
      .replace(phone, masked);
  const { exit_code, notes, error } = given;
  return {
    exit_code,
    ...(result === undefined ? {} : { result: inTexts(result, clean) }),
    notes: notes.map(clean),
    ...(error === undefined ? {} : { error: inTexts(error, clean) }),
  };
}

function isPersonal(path: readonly string[], value: string): boolean {
  const [name = ''] = path.slice(-1);
  if (value === '') return false;
  if (path.includes('metadata')) return !reference.test(value);
  // What was bought is named too.
  if (path.includes('line_items') && name === 'name') return false;
  if (personal.has(name)) return true;
  return !(harmless.has(name) || /(?:^|_)id$/.test(name) || plainWord.test(value));
}

function inTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((one) => inTexts(one, clean));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inTexts(one, clean)]));
}
