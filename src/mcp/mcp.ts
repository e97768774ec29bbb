/**
 * Serves tools to software agents over the Model Context Protocol: what a tool is, what it gives back, and how it is served.
 * Loaded only by the command `mcp`.
 */

import type { Readable, Writable } from 'node:stream';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { isObject, type JsonObject, valueAt } from '../api/json-values.ts';

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
  /** Whether it writes nothing. */
  readonly isRead: boolean;
  /** `input` fits the schema. */
  readonly call: (input: JsonObject) => Promise<ToolResult>;
}

/** What a command line gave: its exit code, what it printed as JSON, its notes, and its error. */
export interface ToolResult {
  readonly exit_code: number;
  readonly result?: unknown;
  readonly notes: readonly string[];
  readonly error?: unknown;
}

// What every tool gives back.
const output = {
  type: 'object',
  properties: {
    exit_code: { type: 'integer', description: '0: done. Others: paydesk help exit-codes' },
    result: { description: 'what the command printed as JSON' },
    notes: { type: 'array', items: { type: 'string' } },
    error: { type: 'object', description: 'kind, message, certain, now' },
  },
  required: ['exit_code', 'notes'],
  additionalProperties: false,
} as const;

interface ServedTo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Serves these tools until the agent leaves or the run is stopped. Both eras of the protocol are answered. */
export async function serveTools(
  tools: readonly Tool[],
  { stdin, stdout, version, signal }: ServedTo,
): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout);
  const gone = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => gone.resolve(), { once: true });
  stdin.once('end', () => gone.resolve());
  const handle = serveStdio(() => serverOf(tools, version), { transport });
  await gone.promise;
  await handle.close();
}

// What an agent is told before it calls anything.
const instructions =
  'paydesk reads the orders, refunds, customers and the journal of one account of a payments service. Amounts are whole numbers in the units of orders_show, and personal data is masked. Nothing here moves money: propose_refunds writes a plan, and a person sends or releases it.';

function serverOf(tools: readonly Tool[], version: string): McpServer {
  const server = new McpServer({ name: 'paydesk', version }, { instructions });
  for (const { name, description, input, isRead, call } of tools) {
    const annotations = {
      readOnlyHint: isRead,
      destructiveHint: false,
      idempotentHint: isRead,
      openWorldHint: true,
    };
    const config = {
      description,
      inputSchema: schemaOf(input),
      outputSchema: fromJsonSchema(output),
      annotations,
    };
    server.registerTool(name, config, async (given) => answerOf(await call(given)));
  }
  return server;
}

// If an input has a field that the schema does not have, the library says only that there is one, and not which.
function schemaOf(input: InputSchema) {
  const { '~standard': standard } = fromJsonSchema<JsonObject>({ ...input, required: [...input.required] });
  return {
    '~standard': {
      ...standard,
      async validate(value: unknown) {
        const problem = unknownField(input, value, '');
        if (problem !== undefined) return { issues: [{ message: problem }] };
        const checked = await standard.validate(value);
        return checked.issues === undefined
          ? checked
          : { issues: checked.issues.map(({ message }) => ({ message: inWords(input, message) })) };
      },
    },
  };
}

// `row 1: amount must be string; row 1 needs the field reason; then call the tool again` for what the library says about
// `data/rows/0/amount`.
function inWords(input: InputSchema, said: string): string {
  const rule =
    /data((?:\/\w+)*) must (?:have required property '(\w+)'|(be equal to one of the allowed values)|([^,]*))/g;
  const words = [...said.matchAll(rule)].map(([, path = '', needed, isChoice, other = '']) => {
    const [field, at, inner] = path.split('/').slice(1);
    const item = at === undefined ? (field ?? 'the call') : `${field?.replace(/s$/, '')} ${Number(at) + 1}`;
    const place = inner === undefined ? item : `${item}: ${inner}`;
    if (needed !== undefined) return `${place} needs the field ${needed}`;
    return `${place} must ${isChoice === undefined ? other.toLowerCase() : `be one of ${choicesAt(input, path)}`}`;
  });
  return words.length === 0 ? said : `${words.join('; ')}; correct that, then call the tool again`;
}

function choicesAt(input: InputSchema, path: string): string {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? ['items'] : ['properties', step]));
  const choices = valueAt(input, [...steps.flat(), 'enum']);
  return Array.isArray(choices) ? choices.join(', ') : 'those of its schema';
}

// Names a field that an input, or an object in one of its lists, must not have: `row 2: there is no field again; the fields are
// order_id, …`. Undefined if there is none.
function unknownField(schema: unknown, value: unknown, where: string): string | undefined {
  if (!isObject(schema) || !isObject(schema.properties) || !isObject(value)) return undefined;
  const { properties } = schema;
  for (const [name, one] of Object.entries(value)) {
    if (!Object.hasOwn(properties, name)) {
      if (schema.additionalProperties !== false) continue;
      return `${where}there is no field ${name.slice(0, 60)}; the fields are ${Object.keys(properties).join(', ')}`;
    }
    const items = isObject(properties[name]) ? properties[name].items : undefined;
    const inItems = [one]
      .flat()
      .map((item, at) => unknownField(items, item, `${name.replace(/s$/, '')} ${at + 1}: `));
    const problem = inItems.find((found) => found !== undefined);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function answerOf(result: ToolResult) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: { ...result },
    isError: result.exit_code !== 0,
  };
}
