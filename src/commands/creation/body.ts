/** A request body: read from a file or standard input, and checked against the service's schema with every fault named. */

import { type BodyFault, checkRequest, type JsonObject } from '../../api/spec.ts';
import { usage } from '../../command.ts';
import { CliError } from '../../errors.ts';
import type { Context } from '../../ports.ts';
import { repeatedKey } from './repeated-key.ts';

const maxBytes = 1024 * 1024;

/** Reads `--body FILE`: one JSON object. Throws CliError 'usage' when it is none, or would not be sent as it was written. */
export async function readBody(ctx: Context, path: string): Promise<JsonObject> {
  const text = (await ctx.file(path, maxBytes)).replace(/^\uFEFF/, '');
  const where = path === '-' ? 'standard input' : path;
  const value = parse(text, where);
  const twice = repeatedKey(text);
  if (twice !== undefined) throw usage(`--body: ${twice} stands twice in one object of ${where}`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
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
export function checkedBody<const T extends Parameters<typeof checkRequest>[0]>(
  schema: T,
  value: unknown,
  where: string,
): ReturnType<typeof bodyOf<T>> {
  return bodyOf(schema, value, where);
}

function bodyOf<const T extends Parameters<typeof checkRequest>[0]>(
  schema: T,
  value: unknown,
  where: string,
) {
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
