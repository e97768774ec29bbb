/**
 * The form that each kind of row has in a team's journal. The server takes no row of another form (schema/forms.ts), and
 * `team verify` names one that got there past it. Pure.
 */

import { isObject } from '../../api/spec.ts';
import type { StoredRow } from '../chain.ts';

/**
 * A text: the types that a value may have, `string|null`; or its words, `=read|person`; `integer`: a whole number that is exact.
 * A list with one form: a list of such values. An object: the forms of its members; `?` at the end of a name says that it may be
 * missing. Other members may be anything.
 */
type Form = string | readonly [Form] | { readonly [name: string]: Form };

const refunds = [
  { 'id?': 'string', chargeId: 'string', amount: 'integer', 'createdAt?': 'integer' },
] as const;
const account = { origin: 'string', account: 'string', profile: 'string' } as const;
const request = { method: 'string', path: 'string' } as const;
const kinds = '=refund|capture|order|checkout|api';
const clocks = { 'skewed?': 'boolean', 'clocks?': { wall: 'number' } } as const;
const asked = {
  'amount?': 'integer',
  'currency?': 'string',
  'reason?': 'string',
  'again?': ['string'],
} as const;
const proof = {
  kind: kinds,
  'orderId?': 'string',
  livemode: 'boolean',
  expected: [{ chargeId: 'string', amount: 'integer' }],
  tolerated: ['string'],
} as const;
const before = {
  charges: [{ id: 'string', refunds: [{ id: 'string', amount: 'integer', 'createdAt?': 'integer' }] }],
  'newest?': ['string'],
} as const;

/** By the kind of row: what the program writes of it, without what the server states. */
export const rowForms = {
  sent: {
    ...account,
    ...clocks,
    ...asked,
    horizonMs: 'integer',
    request,
    proof: { ...proof, before },
    'given?': 'string',
    'asked?': 'object',
    'ref?': 'string',
    'plan?': 'string',
    'line?': 'integer',
    'twins?': ['string'],
    'neighbour?': 'string',
    'keyFingerprint?': 'string',
    'version?': 'string',
    'lost?': 'string',
    'approval?': 'string',
    'claim?': { plan: 'string', order: 'integer', row: 'integer', token: 'integer' },
  },
  verdict: {
    ...clocks,
    verdict: '=applied|rejected|not_sent|unknown|not_seen',
    by: '=reply|read|person|sender',
    why: 'string',
    'alarm?': 'string',
    'acknowledged?': 'string',
    'confirmed?': 'boolean',
    'corrects?': 'boolean',
    'refunds?': refunds,
    'created?': 'string',
    'error?': 'object',
  },
  setting: { ...account, ...clocks, name: 'string', from: 'string|null', to: 'string|null' },
  decided: { until: 'number|null' },
  askedRefund: { ...account, ...asked, request, proof },
  askedPlan: {
    ...account,
    claim: { plan: 'string' },
    planned: {
      id: 'string',
      file: 'string',
      madeAt: 'integer',
      mode: '=sandbox|production',
      rows: 'integer',
      sums: [{ currency: 'string', amount: 'integer' }],
    },
  },
} as const satisfies Record<string, Form>;

/** What no desk could read of a stored row, in words; undefined if it has its form. The row itself was checked before. */
export function formProblem({ type, row, body }: StoredRow): string | undefined {
  const kept: unknown = JSON.parse(row);
  const form = formFor(type, kept);
  const wrong =
    (form && wrongIn(kept, form, 'row')) ??
    (body === null ? undefined : wrongIn(parsed(body), bodyForm, 'body'));
  return wrong === undefined ? undefined : `cannot be read: ${wrong} has another form`;
}

/** The parts of a row that may be erased. */
export const bodyForm = {
  'body?': 'object',
  'note?': 'string',
  'link?': 'string',
  'told?': { noted: 'integer', notes: ['string'], reasons: [{ reason: 'string', rows: 'integer' }] },
} as const satisfies Form;

function formFor(type: string, row: unknown): Form | undefined {
  if (type === 'sent' || type === 'verdict' || type === 'setting') return rowForms[type];
  if (type !== 'approval' || !isObject(row)) return undefined;
  if (row.step !== 'asked') return rowForms.decided;
  return 'claim' in row ? rowForms.askedPlan : rowForms.askedRefund;
}

// The name of the first value that has not its form, such as `row.proof.before`.
function wrongIn(value: unknown, form: Form, name: string): string | undefined {
  if (typeof form === 'string') return isOf(value, form) ? undefined : name;
  if (isList(form)) {
    if (!Array.isArray(value)) return name;
    return value.map((part: unknown) => wrongIn(part, form[0], name)).find((wrong) => wrong !== undefined);
  }
  if (!isObject(value)) return name;
  for (const [key, part] of Object.entries(form)) {
    const member = key.replace(/\?$/, '');
    if (member !== key && !(member in value)) continue;
    const wrong = wrongIn(value[member], part, `${name}.${member}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isList(form: Exclude<Form, string>): form is readonly [Form] {
  return Array.isArray(form);
}

function isOf(value: unknown, words: string): boolean {
  if (words === 'integer') return Number.isSafeInteger(value);
  if (words.startsWith('=')) return typeof value === 'string' && words.slice(1).split('|').includes(value);
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return words.split('|').includes(type);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
