/** `api METHOD PATH`: sends any request with the key of a profile, and shows the reply as it is. */

import type { ChangeRequest, OpenService, ReplyHead } from '../api/api.ts';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { type Column, column, type ResourceName, resourceNames, resources } from '../api/resources.ts';
import { type Method, methods } from '../api/spec.ts';
import {
  type BodyField,
  checkProfileConfirmable,
  creationFlags,
  fieldsBody,
  headersOf,
  headLine,
  makeChange,
  onlyGiven,
  orderOf,
  parseField,
  parseHeader,
  parsePair,
  parsePath,
  readBody,
  refuseMoneyRoute,
  refuseOverrides,
  withQuery,
} from '../changes/changes.ts';
import type { Context } from '../context/context.ts';
import { flag, type Input, nonEmpty, oneOf, recordId, usage } from '../flags/flags.ts';
import { checkMode, type Profile } from '../profiles/profiles.ts';
import { type Block, toJson } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';
import { type Paging, showList } from './listing.ts';

function fieldFlag(summary: string, parse: (text: string, name: string) => BodyField) {
  const one = flag.of<BodyField>({ value: 'KEY=VALUE', summary, parse, conflicts: ['body'] });
  return { ...one, repeatable: true } as const;
}

const flags = {
  field: fieldFlag(
    'a value for the query (GET) or the body; true, false, null and whole numbers are sent as such, the rest as text',
    parseField,
  ),
  'raw-field': fieldFlag('the same, but always sent as text', parsePair),
  body: flag.text('FILE', 'the body as a JSON object; - is standard input', {
    conflicts: ['field', 'raw-field'],
  }),
  header: {
    ...flag.of({ value: 'NAME:VALUE', summary: 'one more header', parse: parseHeader }),
    repeatable: true,
  },
  paginate: flag.switch(`GET ${resourceNames.join(' or ')}: all pages as one list`, {
    conflicts: ['include', 'header'],
  }),
  include: flag.switch('show status and headers too', { conflicts: ['paginate'] }),
  ...creationFlags,
} as const;

type Flags = Input<readonly [], typeof flags>['flags'];

export const api = defineCommand({
  description:
    'PATH comes after the base URL. Everything but GET is a change: paydesk asks first, sends it at most once, and keeps it in the journal. Refunds and captures have commands of their own.',
  arguments: [
    {
      name: 'method',
      summary: 'the method',
      required: true,
      choices: methods,
      parse: (text: string) => oneOf(methods, text.toUpperCase(), 'METHOD'),
    },
    { name: 'path', summary: 'the path, query included', required: true, parse: nonEmpty },
  ],
  flags,
  examples: [
    'paydesk -p demo api GET orders --field limit=2',
    'paydesk -p demo api GET customers --paginate --json',
  ],
  async run(ctx, { args: [method, typed], flags: given }) {
    // This check comes first, so that an oddly spelled refund gets the right command and not a complaint about its path.
    refuseMoneyRoute(method, typed);
    const path = parsePath(typed);
    const service = await ctx.service(method === 'GET' ? {} : { purpose: 'change', kind: 'api' });
    return method === 'GET' ? read(ctx, service, path, given) : change(ctx, service, { method, path }, given);
  },
});

async function read(ctx: Context, service: OpenService, path: string, given: Flags): Promise<undefined> {
  const unfit = (['body', 'confirm', 'idempotency-key', 'again'] as const).find(
    (name) => given[name] !== undefined,
  );
  if (unfit !== undefined) throw usage(`--${unfit} is for changes, and a GET changes nothing`);
  const whole = withQuery(path, fieldsOf(given));
  refuseOverrides(whole);
  if (given.paginate === true) return mergeLists(ctx, whole);
  const { head, value, bytes } = await service.get(whole, headersOf(given.header ?? []));
  await showReply(ctx, { value, bytes, head: given.include === true ? head : undefined });
}

async function change(
  ctx: Context,
  service: OpenService,
  { method, path }: { readonly method: Exclude<Method, 'GET'>; readonly path: string },
  given: Flags,
): Promise<undefined> {
  const { profile } = service;
  const { confirm, 'idempotency-key': idempotencyKey, again = [], include = false } = given;
  if (given.paginate === true) throw usage('--paginate is for GET');
  if (include) ctx.out.checkColumns(includedColumns);
  const confirmation = { profile, confirm };
  checkProfileConfirmable(ctx, confirmation, { command: 'api', missing: [], body: given.body });
  const body = await bodyOf(ctx, given);
  refuseOverrides(path, body);
  const orderId = orderOf(path, body);
  const headers = headersOf(given.header ?? []);
  const request = { method, path, body, headers };
  const asked = onlyGiven({ method, path, body, headers: Object.keys(headers ?? {}).join(' ') });
  const columnsOf = (value: JsonObject) => repliedColumns(ctx, value);
  await makeChange(ctx, service, { kind: 'api', idempotencyKey, asked, again }, columnsOf, async () => ({
    change: { orderId, request },
    checkFresh: async (fresh) => checkMode(fresh.value, profile),
    preview: preview(request, orderId, profile),
    confirmation,
    show: ({ record: { value, bytes }, head }) =>
      showReply(ctx, { value, bytes, head: include ? head : undefined }, columnsOf),
  }));
}

function fieldsOf({ field = [], 'raw-field': raw = [] }: Flags): readonly BodyField[] {
  return [...field, ...raw];
}

async function bodyOf(ctx: Context, given: Flags): Promise<JsonObject | undefined> {
  if (given.body !== undefined) return readBody(ctx, given.body);
  const fields = fieldsOf(given);
  return fields.length === 0 ? undefined : fieldsBody(fields);
}

function preview(
  { method, path, headers = {} }: ChangeRequest,
  orderId: string | undefined,
  profile: Profile,
): readonly Block[] {
  return [
    headLine(`${method} /${path}`, profile),
    ...(orderId === undefined ? [] : [{ line: `a change of order ${orderId}` }]),
    ...Object.keys(headers).map((name) => ({ line: `header  ${name}` })),
  ];
}

// Shows all pages of the list that a path names. Throws CliError 'usage' if it is not a documented list.
function mergeLists(ctx: Context, path: string): Promise<undefined> {
  const [name = ''] = path.split('?');
  const resource = resourceNames.find((one) => resources[one].path === name);
  if (resource === undefined)
    throw usage(`--paginate ${name}: only ${resourceNames.join(' and ')} are lists`);
  const query = new URLSearchParams(path.slice(name.length));
  return showList(ctx, resource, { ...pagingOf(resource, query), all: true }, []);
}

function pagingOf(resource: ResourceName, query: URLSearchParams): Paging {
  const unknown = [...query.keys()].find((key) => key !== 'limit' && key !== 'next');
  if (unknown !== undefined) throw usage(`--paginate takes limit and next, not ${unknown}`);
  const limit = query.get('limit');
  const next = query.get('next');
  if (limit !== null && !/^[1-9][0-9]{0,3}$/.test(limit)) throw usage(`limit ${limit}: not a page size`);
  return {
    ...(limit === null ? {} : { limit: Number(limit) }),
    ...(next === null ? {} : { next: recordId(resource, next, 'next') }),
  };
}

interface Shown {
  readonly value: unknown;
  readonly bytes: Uint8Array;
  /** Status and headers, only with `--include`. */
  readonly head?: ReplyHead | undefined;
}

/** Prints a reply, as indented JSON unless another format was asked for. */
async function showReply(
  ctx: Context,
  { value, bytes, head }: Shown,
  columns: (value: JsonObject) => readonly Column[] = (record) => repliedColumns(ctx, record),
): Promise<void> {
  const bodyOf = (shown: unknown) => (ctx.redaction.isOn() ? new TextEncoder().encode(toJson(shown)) : bytes);
  if (head === undefined) {
    // The reply may also be a list or a single value.
    const record = { value: isObject(value) ? value : { value }, bytes };
    await ctx.out.record(record, columns(record.value), (shown) => jsonBlocks(bodyOf(shown.value)));
    return;
  }
  const reply = { object: 'reply', status: head.status, headers: headersShown(head), body: value };
  await ctx.out.own(reply, (shown) => [
    { line: `HTTP ${head.status}` },
    ...Object.entries(isObject(shown.value.headers) ? shown.value.headers : {}).map(([name, text]) => ({
      line: `${name}: ${String(text)}`,
    })),
    'blank',
    ...jsonBlocks(bodyOf(shown.value.body)),
  ]);
}

/**
 * The columns of a reply: its fields, and the names in --columns. An unknown name is not an error here, because a change may have
 * been made.
 */
function repliedColumns({ options }: Context, value: JsonObject): readonly Column[] {
  const names = new Set([...Object.keys(value), ...(options.columns ?? []).map((name) => name.trim())]);
  return columnsOf([...names]);
}

const includedColumns = columnsOf(['object', 'status', 'headers', 'body']);

// A part of a field is a column too: `customer_info.email`.
function columnsOf(names: readonly string[]): readonly Column[] {
  return names.map((name) => column(name, 'text'));
}

function headersShown({ headers }: ReplyHead): JsonObject {
  const byName = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, text]) => text).join(', ')]));
}

function jsonBlocks(bytes: Uint8Array): readonly Block[] {
  return indented(new TextDecoder().decode(bytes)).map((line) => ({ line }));
}

function tokensOf(json: string): readonly string[] {
  const token = /["{}[\],:]|[^\s{}[\],:"]+/g;
  const tokens: string[] = [];
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    if (found[0] === '"') token.lastIndex = endOfText(json, found.index);
    tokens.push(json.slice(found.index, token.lastIndex));
  }
  return tokens;
}

// Uses no regular expression, because megabytes of escapes would overflow its stack.
function endOfText(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

// Indents JSON for reading. Every token stays unchanged, so no number is rounded.
export function indented(json: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const start = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  const all = tokensOf(json);
  for (const [index, token] of all.entries()) {
    const closes = token === '}' || token === ']';
    const opened = closes && ['{', '['].includes(all[index - 1] ?? '');
    if (closes) depth -= 1;
    if (closes && !opened) start();
    line += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    const next = all[index + 1];
    if ((token === '{' || token === '[') && next !== '}' && next !== ']') start();
    if (token === ',') start();
  }
  return [...lines, line];
}
