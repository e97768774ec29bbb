/** `api METHOD PATH`: any request with the profile's key, version and language; a change goes through the journal. */

import type { OpenService } from '../api/api.ts';
import { type JsonObject, type Method, methods, resourceNames } from '../api/spec.ts';
import type { Intent } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { Block } from '../terminal/terminal.ts';
import { accountLabel } from './account.ts';
import { type Field, fieldsBody, parseField, withQuery } from './api/fields.ts';
import { headersOf, parseHeader } from './api/header.ts';
import { mergeLists } from './api/merge.ts';
import { orderOf, parsePath, refuseMoneyRoute, refuseOverrides } from './api/path.ts';
import { changedColumns, includedColumns, showReply } from './api/reply.ts';
import type { Context } from './command.ts';
import { defineCommand, flag, type Input, nonEmpty, oneOf, usage } from './command.ts';
import { checkNamed } from './confirm-by-name.ts';
import { readBody } from './creation/body.ts';
import { creationFlags, parsePair } from './creation/flags.ts';
import { changeWords } from './kind-words.ts';
import { checkMode } from './mode.ts';
import { askedFor, showRecorded } from './repeat.ts';
import { requestLine } from './request-line.ts';
import { headLine, sendNamed } from './send-named.ts';
import { checkRecorded } from './unrecorded.ts';

const flags = {
  field: {
    ...flag.of<Field>({
      value: 'KEY=VALUE',
      summary: 'a value of the query (GET) or the body; true, false, null and whole numbers are that',
      parse: parseField,
      conflicts: ['body'],
    }),
    repeatable: true,
  },
  'raw-field': {
    ...flag.of<Field>({
      value: 'KEY=VALUE',
      summary: 'the same, always text',
      parse: parsePair,
      conflicts: ['body'],
    }),
    repeatable: true,
  },
  body: flag.text({
    value: 'FILE',
    summary: 'the body as a JSON object; - is standard input',
    conflicts: ['field', 'raw-field'],
  }),
  header: {
    ...flag.of({ value: 'NAME:VALUE', summary: 'one more header', parse: parseHeader }),
    repeatable: true,
  },
  paginate: flag.switch({
    summary: `GET ${resourceNames.join(' or ')}: all pages as one list`,
    conflicts: ['include', 'header'],
  }),
  include: flag.switch({ summary: 'show status and headers too', conflicts: ['paginate'] }),
  ...creationFlags,
} as const;

type Flags = Input<readonly [], typeof flags>['flags'];

export const api = defineCommand({
  description: [
    'For what has no command. PATH is relative to the base URL. Anything but GET is a change: confirmed, sent at most once, kept in the journal.',
    'Refunds and captures have commands of their own. Use --json for scripts.',
  ].join(' '),
  arguments: [
    {
      name: 'method',
      summary: 'the method',
      required: true,
      choices: methods,
      parse: (text) => oneOf(methods, text.toUpperCase(), 'METHOD'),
    },
    { name: 'path', summary: 'the path, query included', required: true, parse: nonEmpty },
  ],
  flags,
  examples: [
    'paydesk -p demo api GET orders --field limit=2',
    'paydesk -p demo api GET customers --paginate --json',
    'paydesk -p demo api POST charges --field amount=300 --dry-run',
  ],
  exits: [0, 1, 2, 3, 4, 5, 6, 7, 9, 130],
  async run(ctx, { args: [method, typed], flags: given }) {
    // First, so that a refund in an odd spelling is answered with the command for it, not with a complaint.
    refuseMoneyRoute(method, typed);
    const path = parsePath(typed);
    const service = await ctx.service({ purpose: method === 'GET' ? 'read' : 'change' });
    return method === 'GET' ? read(ctx, service, path, given) : change(ctx, service, { method, path }, given);
  },
});

async function read(ctx: Context, service: OpenService, path: string, given: Flags): Promise<undefined> {
  const unfit = (['body', 'confirm', 'intent', 'again'] as const).find((name) => given[name] !== undefined);
  if (unfit !== undefined) throw usage(`--${unfit} is for changes, and GET is none`);
  const whole = withQuery(path, fieldsOf(given));
  refuseOverrides(whole);
  if (given.paginate === true) return mergeLists(ctx, whole);
  const { head, value, bytes } = await service.get(whole, headersOf(given.header ?? []));
  await showReply(ctx, { value, bytes, head: given.include === true ? head : undefined });
  return undefined;
}

interface Target {
  readonly method: Exclude<Method, 'GET'>;
  readonly path: string;
}

async function change(
  ctx: Context,
  service: OpenService,
  { method, path }: Target,
  given: Flags,
): Promise<undefined> {
  const { profile } = service;
  const { confirm, intent: intentId, again = [], include = false } = given;
  if (given.paginate === true) throw usage('--paginate is for GET');
  if (include) ctx.out.checkColumns(includedColumns);
  checkNamed(ctx, { profile, confirm, body: given.body }, { command: 'api', missing: [] });
  const body = await bodyOf(ctx, given);
  refuseOverrides(path, body);
  const orderId = orderOf(path, body);
  const headers = headersOf(given.header ?? []);
  const repeat = {
    kind: 'api' as const,
    orderId,
    intentId,
    asked: askedFor({ method, path, body, headers: Object.keys(headers ?? {}).join(' ') }),
    again,
  };
  const columnsOf = (value: JsonObject) => changedColumns(ctx, value);
  if (await showRecorded(ctx, service, repeat, columnsOf)) return undefined;
  const intent: Intent = {
    ...repeat,
    request: { method, path, body, headers },
    approve: async (fresh) => checkMode(fresh.value, profile),
  };
  const preview = apiPreview(intent, profile);
  const applied = await sendNamed(ctx, service, { intent, preview, confirm, columnsOf });
  if (applied === undefined) return undefined;
  const { value, bytes } = applied.record;
  await showReply(ctx, { value, bytes, head: include ? applied.head : undefined }, columnsOf);
  checkRecorded(intent, applied, changeWords(intent));
  return undefined;
}

function fieldsOf({ field = [], 'raw-field': raw = [] }: Flags): readonly Field[] {
  return [...field, ...raw];
}

async function bodyOf(ctx: Context, given: Flags): Promise<JsonObject | undefined> {
  if (given.body !== undefined) return readBody(ctx, given.body);
  const fields = fieldsOf(given);
  return fields.length === 0 ? undefined : fieldsBody(fields);
}

function apiPreview({ request, orderId }: Intent, profile: Profile): readonly Block[] {
  const { method, path, body, headers = {} } = request;
  return [
    headLine(`${method} /${path}`, accountLabel(profile)),
    ...(orderId === undefined ? [] : [{ line: `a change of order ${orderId}` }]),
    ...Object.keys(headers).map((name) => ({ line: `header  ${name}` })),
    requestLine(body),
  ];
}
