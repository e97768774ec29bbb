/** Tools for software agents, over the Model Context Protocol: what a tool is, and what it gives back. */

import type { JsonObject } from '../api/spec.ts';

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
