/** The body of a creation: out of a file or of what was said, and checked with every fault named. */

import {
  type BodyFault,
  checkRequest,
  isObject,
  type JsonObject,
  type RequestOf,
  type RequestSchema,
} from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { Context } from '../command.ts';
import { usage } from '../command.ts';
import { askedFor } from '../repeat.ts';
import type { Expiry } from './expiry.ts';
import { repeatedKey } from './repeated-key.ts';

const maxBytes = 1024 * 1024;

/** How a body comes about where no file holds it. */
export interface Saying<D> {
  /** What is created, in words. */
  readonly what: string;
  /** What was said, by flags or at prompts. */
  readonly gather: () => Promise<D>;
  readonly bodyOf: (draft: D) => JsonObject;
}

/** The body to send, and what a repeat under the same `--intent` is compared by. Throws CliError 'usage' with every fault. */
export async function wantedBody<const T extends RequestSchema, D extends { readonly expires?: Expiry }>(
  ctx: Context,
  schema: T,
  file: string | undefined,
  { what, gather, bodyOf }: Saying<D>,
): Promise<{ readonly body: RequestOf<T>; readonly asked: JsonObject }> {
  if (file !== undefined) {
    const body = checkedBody(schema, await readBody(ctx, file), `--body ${file}`);
    return { body, asked: askedFor({ body }) };
  }
  const draft = await gather();
  const body = checkedBody(schema, bodyOf(draft), what);
  // A span such as 7d is the same wish tomorrow.
  return { body, asked: askedFor({ ...draft, expires: draft.expires?.text }) };
}

/** Reads `--body FILE`: one JSON object. Throws CliError 'usage' when it is none, or would not be sent as it was written. */
export async function readBody(ctx: Context, path: string): Promise<JsonObject> {
  const text = (await ctx.file(path, maxBytes)).replace(/^\uFEFF/, '');
  const where = path === '-' ? 'standard input' : path;
  const value = parse(text, where);
  const twice = repeatedKey(text);
  if (twice !== undefined) throw usage(`--body: ${twice} stands twice in one object of ${where}`);
  if (isObject(value)) return { ...value };
  throw usage(`--body ${path}: ${where} holds JSON that is no object`);
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text, exactly);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('usage', `--body: ${where} holds no JSON`, {
      certain: 'nothing was sent',
      cause: error,
    });
  }
}

// A number that JavaScript rounds would be sent as another one.
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  const rounded = /^-?\d+$/.test(source) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
  if (typeof value === 'number' && rounded)
    throw usage(`--body: ${source} cannot be sent exactly; put large numbers in quotes`);
  return value;
}

/** The body as it may be sent. Throws CliError 'usage' with every fault by its path. `where` is what holds it, in words. */
function checkedBody<const T extends RequestSchema>(schema: T, value: unknown, where: string): RequestOf<T> {
  const checked = checkRequest(schema, value);
  if ('body' in checked) return checked.body;
  throw faultsError(checked.faults, where);
}

function faultsError(faults: readonly BodyFault[], where: string): CliError {
  const details = faults.map(({ param, message }) => ({ message, param: param ?? 'the body' }));
  const [only, second] = details;
  const words = second === undefined ? `${only?.param}: ${only?.message}` : `${faults.length} faults`;
  return new CliError('usage', `${where}: ${words}`, { certain: 'nothing was sent', details });
}
