/** A software agent by the official client of its protocol. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bin, cleanEnv } from '../harness/paydesk.ts';
import type { Service } from '../harness/service.ts';

export type Era = 'legacy' | 'auto';

export interface Agent extends AsyncDisposable {
  readonly call: (name: string, input: Readonly<Record<string, unknown>>) => Promise<Answer>;
  readonly instructions: () => string | undefined;
  readonly tools: () => ReturnType<Client['listTools']>;
}

export interface Answer {
  readonly isError: boolean;
  readonly exit_code?: number;
  readonly text: string;
  readonly data: { readonly result?: unknown; readonly error?: unknown; readonly notes?: readonly string[] };
}

/** Starts `paydesk mcp` as a process, and speaks with it. */
export async function agentAt(
  { home, env }: Pick<Service, 'home' | 'env'>,
  era: Era = 'legacy',
): Promise<Agent> {
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode: era } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp'],
    env: cleanEnv({ home, env }),
    cwd: home.path,
  });
  await client.connect(transport);
  return {
    instructions: () => client.getInstructions(),
    tools: () => client.listTools(),
    async call(name, input) {
      const {
        structuredContent,
        isError = false,
        content,
      } = await client.callTool({ name, arguments: input });
      return {
        isError,
        text: JSON.stringify(content),
        ...(structuredContent === undefined
          ? {}
          : { exit_code: Number(Object(structuredContent).exit_code) }),
        data: Object(structuredContent),
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
