/** A software agent by the official client of its protocol. */

import { PassThrough } from 'node:stream';
import { Client, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bin, cleanEnv, startInMemory } from '../harness/paydesk.ts';
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

type Seat = Pick<Service, 'home' | 'env'>;

/** Runs `paydesk mcp` in memory, and speaks with it. */
export function agentAt(seat: Seat): Promise<Agent> {
  return agentOver(inMemory(seat), 'legacy');
}

/** Starts `paydesk mcp` as a process, and speaks with it. */
export function agentProcess({ home, env }: Seat, era: Era): Promise<Agent> {
  const options = {
    command: process.execPath,
    args: [bin, 'mcp'],
    env: cleanEnv({ home, env }),
    cwd: home.path,
  };
  return agentOver(new StdioClientTransport(options), era);
}

function inMemory(seat: Seat): Transport {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const received = new ReadBuffer();
  const shown = (chunk: Buffer) => {
    received.append(chunk);
    for (let message = received.readMessage(); message !== null; message = received.readMessage())
      transport.onmessage?.(message);
  };
  const { end } = startInMemory(['mcp'], seat, { keyboard: stdin, shown });
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => void stdin.write(serializeMessage(message)),
    async close() {
      stdin.end();
      await end;
      transport.onclose?.();
    },
  };
  return transport;
}

async function agentOver(transport: Transport, era: Era): Promise<Agent> {
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode: era } });
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
