/** What a software agent can call: the reading commands as tools, and one tool that proposes refunds as a plan. */

import { isObject, itemsOf, type JsonObject, parsedJson } from '../../api/json-values.ts';
import { refundReasonValues } from '../../api/spec.ts';
import type { Command } from '../../commands/command.ts';
import { commands } from '../../commands/commands.ts';
import type { Argument, Flag } from '../../flags/flags.ts';
import { type InputSchema, serveTools, type Tool, type ToolResult } from '../../mcp/mcp.ts';
import { type RanInside, type RunLine, runInside } from '../run-inside.ts';
import type { RunState } from '../run-state.ts';
import { nameIn, personNameWords } from './agent.ts';

// The commands that an agent may call. None of them can send or settle anything.
const readable = new Set([
  'orders list',
  'orders show',
  'orders find',
  'orders summary',
  'orders waiting',
  'orders twins',
  'refunds list',
  'refunds summary',
  'customers list',
  'customers show',
  'customers find',
  'journal list',
  'journal show',
  'today',
]);

// Flags that are for a person at a terminal, or that name files of this machine.
const notForAgents = new Set(['copy', 'watch', 'force', 'from', 'from-file', 'all']);

type RunForAgent = (
  line: readonly string[],
  how: { readonly input?: string; readonly operator?: string | undefined },
) => Promise<RanInside>;

/**
 * Answers an agent on the streams of a run, until it leaves. `run`: the entry of the program; `profile`: the profile of the run;
 * `isProduction`: whether that profile moves real money.
 */
export async function serveAgent(
  run: RunLine,
  { io, version, signal }: Pick<RunState, 'io' | 'version' | 'signal'>,
  profile: string | undefined,
  isProduction: boolean,
): Promise<void> {
  const account = profile === undefined ? [] : ['-p', profile];
  const runLine: RunForAgent = (line, how) => runInside(run, io, line, how);
  const tools = [
    ...(await readTools(runLine, account)),
    proposal(runLine, account, { isProduction, now: () => io.clock.now() }),
  ];
  await serveTools(tools, { stdin: io.stdin, stdout: io.stdout, version, signal });
}

async function readTools(runLine: RunForAgent, account: readonly string[]): Promise<readonly Tool[]> {
  const entries = commands.filter(({ words }) => readable.has(words.join(' ')));
  return await Promise.all(
    entries.map(async ({ words, summary, load }): Promise<Tool> => {
      const command = await load();
      return {
        name: words.join('_'),
        description: [summary, command.description].filter((text) => text !== undefined).join('. '),
        input: inputOf(command),
        isRead: true,
        call: async (input) =>
          resultOf(await runLine([...account, ...words, ...wordsOf(command, input)], {})),
      };
    }),
  );
}

function inputOf({ arguments: args, flags }: Command): InputSchema {
  const ofFlags = Object.entries(flags)
    .filter(([name, { writes }]) => writes !== true && !notForAgents.has(name))
    .map(([name, flag]) => [nameOf(name), flagSchema(flag)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...args.map((one) => [one.name, argumentSchema(one)] as const),
      ...ofFlags,
    ]),
    required: args.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function nameOf(flag: string): string {
  return flag.replaceAll('-', '_');
}

function argumentSchema({ summary, choices, variadic }: Argument): JsonObject {
  const one = { type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) };
  return { description: summary, ...(variadic === true ? { type: 'array', items: one } : one) };
}

function flagSchema({ summary, value, choices, range, repeatable, allowed }: Flag): JsonObject {
  const description = allowed === undefined ? summary : `${summary} (${allowed})`;
  if (value === undefined) return { description, type: 'boolean' };
  const one =
    range === undefined
      ? { type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) }
      : { type: 'integer', minimum: range[0], maximum: range[1] };
  return { description, ...(repeatable === true ? { type: 'array', items: one } : one) };
}

// The input as words of a command line. Values are in one word with their option or after `--`, so none can be an option.
function wordsOf({ arguments: args, flags }: Command, input: JsonObject): readonly string[] {
  const options = Object.keys(flags).flatMap((name) => {
    const given = input[nameOf(name)];
    if (given === undefined || given === false) return [];
    if (given === true) return [`--${name}`];
    return [given].flat().map((one) => `--${name}=${wordOf(one)}`);
  });
  const words = args.flatMap(({ name }) => [input[name] ?? []].flat().map(wordOf));
  return [...options, '--json', '--no-input', '--', ...words];
}

// The schema of a tool lets only texts and whole numbers through.
function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

function resultOf({ code, stdout, stderr }: RanInside): ToolResult {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const last = code === 0 ? undefined : parsedJson(lines.at(-1) ?? '');
  return {
    exit_code: code,
    ...(stdout === '' ? {} : { result: parsedJson(stdout) ?? stdout }),
    notes: last === undefined ? lines : lines.slice(0, -1),
    ...(last === undefined ? {} : { error: last }),
  };
}

const columns = ['order_id', 'charge_id', 'amount', 'reason', 'note', 'ref'] as const;

const text = (description: string) => ({ type: 'string', maxLength: 500, description });

// The only tool that writes: a file, which is a plan.
function proposal(
  runLine: RunForAgent,
  account: readonly string[],
  { isProduction, now }: { readonly isProduction: boolean; readonly now: () => number },
): Tool {
  return {
    name: 'propose_refunds',
    description:
      'Writes a plan of refunds into the current folder, checks each row against its order, and says what would be sent and what cannot be. An amount is a string, in the units of amount in orders_show: "12000" there is "12000" here. Sends nothing: a person looks at the plan, and applies it with `paydesk refunds apply PLAN`, or releases it with `paydesk release PLAN`, so that an agent can apply it once.',
    input: {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          minItems: 1,
          maxItems: 1000,
          items: {
            type: 'object',
            properties: {
              order_id: text('id of the order'),
              charge_id: text('id of the charge, its number in orders_show, or full for the whole order'),
              amount: text(
                'a whole number as a string, in the units of amount in orders_show, such as "12000"; or full',
              ),
              reason: { type: 'string', enum: [...refundReasonValues] },
              note: text('what the reason other needs'),
              ref: text('a name of the row; needed where two rows are about one charge'),
            },
            required: ['order_id', 'charge_id', 'amount', 'reason'],
            additionalProperties: false,
          },
        },
        totals: {
          type: 'object',
          description: `what the rows add up to, by currency and as strings in the same units: {"MXN": "12000"}${isProduction ? '' : '; needed in production'}`,
          minProperties: isProduction ? 1 : 0,
          additionalProperties: { type: 'string' },
        },
        for: {
          ...text(`who asked for this proposal, as the person should see it: ${personNameWords}`),
          maxLength: 64,
        },
      },
      required: ['rows', ...(isProduction ? ['totals'] : [])],
      additionalProperties: false,
    },
    isRead: false,
    call: async (input) => {
      const plan = `proposed-${new Date(now()).toISOString().replaceAll(/[:.]/g, '-')}.plan`;
      const rows = [input.rows ?? []].flat().map((row) => Object(row) as JsonObject);
      const totals = Object.entries(Object(input.totals ?? {}) as JsonObject);
      const line = [
        ...account,
        'refunds',
        'plan',
        '-',
        `--to=${plan}`,
        ...(totals.length === 0 ? [] : [`--expect-count=${rows.length}`]),
        ...totals.map(([currency, sum]) => `--expect-total=${currency}=${wordOf(sum)}`),
        '--json',
        '--no-input',
      ];
      const asker = wordOf(input.for);
      if (asker !== '' && nameIn(asker) === undefined) return noName(asker);
      const ran = await runLine(line, { input: csvOf(rows), operator: asker || undefined });
      const { result, ...told } = resultOf({ ...ran, stderr: ofCall(ran.stderr) });
      return isObject(result)
        ? { ...told, result: { ...result, data: itemsOf(result).map(rowOfCall) } }
        : told;
    },
  };
}

function noName(asker: string): ToolResult {
  const message = `for ${asker}: not the name of a person`;
  return {
    exit_code: 2,
    notes: [],
    error: { kind: 'usage', message, certain: 'no plan was written', now: [personNameWords] },
  };
}

// An agent knows only the rows and fields of its call, so errors must not name a file, lines of a file or options of a command
// line.
const wordsOfCall: readonly (readonly [words: RegExp, ofCall: string])[] = [
  [/--expect-total ([A-Z]{3})=(\d+)/g, 'totals.$1 $2'],
  [/--expect-count (\d+)/g, 'rows $1'],
  [/standard input has/g, 'this call has'],
  [/correct the file(?:; --errors [^"\n]*|(?="))/g, 'correct the rows, then call the tool again'],
  [/the file or the total; then run the command again/g, 'the rows or totals; then call the tool again'],
  [/(in|of) this file/g, '$1 this call'],
  [/add --again (\w+)/g, 'a person refunds it, at a terminal, with --again $1'],
];

function ofCall(text: string): string {
  // The first line that the command reads has the titles, so row 1 is line 2.
  const asRows = text.replaceAll(/\blines? \d+(?:(?:, | and )\d+\b(?! more))*/g, (lines) =>
    lines.replace('line', 'row').replaceAll(/\d+/g, (line) => String(Number(line) - 1)),
  );
  return wordsOfCall.reduce((said, [words, instead]) => said.replaceAll(words, instead), asRows);
}

function rowOfCall({ line, why, notes, ...row }: JsonObject): JsonObject {
  const said = (text: unknown) => (typeof text === 'string' ? ofCall(text) : text);
  return { object: row.object, row: Number(line) - 1, ...row, why: said(why), notes: said(notes) };
}

function csvOf(rows: readonly JsonObject[]): string {
  // Each row becomes one line, so that errors name the right row.
  const cell = (value: unknown) =>
    `"${wordOf(value)
      .replaceAll('"', '""')
      .replaceAll(/[\r\n]+/g, ' ')}"`;
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}
