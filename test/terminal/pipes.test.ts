/** Readers that go away or are slow, full disks, and closed descriptors. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../atmost/running.ts';
import { bin, cleanEnv, type Home, newHome, paydesk } from '../harness/paydesk.ts';
import { endOf, type Ran } from '../harness/ran.ts';
import { type Handler, json, startServer } from '../harness/server.ts';
import { orderPages } from '../harness/service.ts';

const noStack = /\n\s+at |node:internal|Error:/;

function environment(url: string): Record<string, string> {
  return { PAYDESK_BASE_URL: url, PAYDESK_MODE: 'sandbox', PAYDESK_API_KEY: crypto.randomUUID() };
}

// `"$NODE" "$BIN"` is the program in the shell text.
function shell(text: string, home: Home, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return endOf(
    spawn('/bin/sh', ['-c', text], {
      cwd: home.path,
      env: { ...cleanEnv({ home, env }), NODE: process.execPath, BIN: bin },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

// A table that is laid out whole, a document that stays open, and lines; `list` and `ndjson` are lines as well.
const formats = ['table', 'json', 'csv'] as const;

describe.concurrent('a reader that goes away ends a list quietly, with exit 141 and no further page (F52)', () => {
  test.each(formats)('-o %s | head -1', async (format) => {
    using home = newHome();
    const pages = orderPages({ pages: 200, count: 20 });
    // However slowly the reader starts and ends, it is gone before the last pages that it may ask for are given.
    await using server = await startServer(async (request, response, socket) => {
      if (request.index >= 15) await until(() => existsSync(join(home.path, 'gone')));
      return pages(request, response, socket);
    });
    const ran = await shell(
      `{ "$NODE" "$BIN" orders list --all -o ${format}; echo $? > code; } | { head -1; exec <&-; : > gone; }`,
      home,
      environment(server.url),
    );
    expect(readFileSync(join(home.path, 'code'), 'utf8')).toBe('141\n');
    expect(ran.stderr).toBe('');
    expect(server.requests.length).toBeLessThan(20);
  });

  test('the page that arrives after the pipe was closed is the last one asked for', async () => {
    using home = newHome();
    const closed = Promise.withResolvers<void>();
    const pages = orderPages({ pages: 50, count: 20 });
    await using server = await startServer(async (request, response, socket) => {
      if (request.index === 2) await closed.promise;
      return pages(request, response, socket);
    });
    const child = spawn(process.execPath, [bin, 'orders', 'list', '--all', '--ndjson'], {
      env: cleanEnv({ home, env: environment(server.url) }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.resume();
    await server.waitFor(3);
    child.stdout.on('close', () => closed.resolve()).destroy();
    const [code]: unknown[] = await once(child, 'exit');
    expect(code).toBe(141);
    expect(server.requests).toHaveLength(3);
  });

  test('help of a command that changes something ends in the same way', async () => {
    using home = newHome();
    const ran = await shell(
      `{ "$NODE" "$BIN" orders refund --help; echo $? > code; } | { exec <&-; : > gone; }`,
      home,
    );
    expect(readFileSync(join(home.path, 'code'), 'utf8')).toBe('141\n');
    expect(ran.stderr).toBe('');
  });

  test('a refund still says how it ended, with exit 9', async () => {
    using home = newHome();
    const ran = await shell(
      `{ "$NODE" "$BIN" -p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 2 --amount 100 --yes --no-input; echo $? > code; } | { exec <&-; : > gone; }`,
      home,
    );
    expect(readFileSync(join(home.path, 'code'), 'utf8')).toBe('9\n');
    expect(ran.stderr).toContain('EPIPE');
    expect(ran.stderr).toContain('certain: ');
  });
});

// Reads nothing before the answer has left the server, then piece by piece.
async function readSlowly(
  args: readonly string[],
  home: Home,
  answers: Handler,
): Promise<{ readonly code: unknown; readonly text: string }> {
  const answered = Promise.withResolvers<void>();
  await using server = await startServer((request, response, socket) => {
    response.on('finish', () => answered.resolve());
    return answers(request, response, socket);
  });
  const child = spawn(process.execPath, [bin, ...args], {
    env: cleanEnv({ home, env: environment(server.url) }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited: Promise<unknown[]> = once(child, 'exit');
  await answered.promise;
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) {
    pieces.push(piece as Buffer);
    await setImmediate();
  }
  const [code] = await exited;
  return { code, text: Buffer.concat(pieces).toString() };
}

describe('a slow reader gets every byte (F53)', () => {
  const args = ['orders', 'list', '--all', '--json'];

  test('5 MB of a list that ends well', async () => {
    using home = newHome();
    const { code, text } = await readSlowly(args, home, orderPages({ pages: 1, count: 2_300 }));
    expect(code).toBe(0);
    expect(text.length).toBeGreaterThan(5_000_000);
    const { data, has_more } = JSON.parse(text) as { data: unknown[]; has_more: boolean };
    expect(data).toHaveLength(2_300);
    expect(has_more).toBe(false);
  });

  test('5 MB of a list that breaks after them', async () => {
    using home = newHome();
    const first = orderPages({ pages: 2, count: 2_300 });
    const second = json({ object: 'error', type: 'parameter_validation_error', details: [] }, 422);
    const { code, text } = await readSlowly(args, home, (request, response, socket) =>
      (request.index === 0 ? first : second)(request, response, socket),
    );
    expect(code).toBe(9);
    expect(text.length).toBeGreaterThan(5_000_000);
    const { data, has_more } = JSON.parse(text) as { data: unknown[]; has_more: boolean };
    expect(data).toHaveLength(2_300);
    expect(has_more).toBe(true);
  });
});

describe.concurrent('output that cannot be written exits 9 with one line that names the error (F54)', () => {
  // One that is written whole, one that is written as it comes, and the two that load no command.
  const commands = ['-p demo orders list', '-p demo orders list --all --ndjson', '--help', '--version'];
  test.each(commands)('%s > /dev/full', async (words) => {
    using home = newHome();
    const ran = await shell(`"$NODE" "$BIN" ${words} > /dev/full`, home);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain('ENOSPC');
    expect(ran.stderr).not.toMatch(noStack);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('with both streams full it still ends with 9', async () => {
    using home = newHome();
    const ran = await shell('"$NODE" "$BIN" -p demo orders list > /dev/full 2> /dev/full', home);
    expect(ran.code).toBe(9);
  });
});

describe.concurrent('closed descriptors neither hang nor crash it (F55)', () => {
  const closings = ['<&-', '>&-', '2>&-', '<&- >&- 2>&-'];
  const commands = ['-p demo orders list --json', 'orders refund', '--version'];
  const expected: Readonly<Record<string, number>> = { 'orders refund': 4 };
  test.each(commands)('%s', async (words) => {
    using home = newHome();
    // What it reads and shows is closed in turn for the lighter two.
    for (const closing of words.startsWith('-p demo') ? closings.slice(-1) : closings) {
      const ran = await shell(`"$NODE" "$BIN" ${words} ${closing}`, home);
      expect(ran.stderr, closing).not.toMatch(noStack);
      // Output that nobody can read is either noticed or dropped; it never becomes another error.
      expect([expected[words] ?? 0, 9], closing).toContain(ran.code);
    }
  });

  test('what stays open is still written', async () => {
    using home = newHome();
    const whole = await paydesk(['-p', 'demo', 'orders', 'list', '--json'], { home });
    const ran = await shell('"$NODE" "$BIN" -p demo orders list --json <&- 2>&-', home);
    expect(ran).toMatchObject({ code: 0, stdout: whole.stdout });
  });
});

describe.concurrent('when stdout is closed and the result is lost: exit 9, and one line says so (F55)', () => {
  const lines = [
    ...formats.map((format) => `-p demo orders list -o ${format}`),
    '-p demo orders show ID',
    '-p demo orders export',
    '-p demo orders refund ID --dry-run',
    '-p demo api GET orders',
    '-p demo profile show',
    'profile list',
    'completion bash',
    '--help',
  ];
  const isSaid = ({ code, stderr }: Ran) => {
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('stdout is closed');
    expect(stderr).not.toMatch(noStack);
  };

  test.each(lines)('%s', async (words) => {
    using home = newHome();
    const list = ['-p', 'demo', 'orders', 'list', '--csv', '--no-header', '-q'];
    const { stdout } = await paydesk(list, { home });
    const id = /^ord_\w+/m.exec(stdout)?.[0] ?? '';
    isSaid(await paydesk(words.replace('ID', id).split(' '), { home, stdoutClosed: true }));
  });

  test.each(['-p demo orders list', '--help'])('a process: %s >&-', async (words) => {
    using home = newHome();
    isSaid(await shell(`"$NODE" "$BIN" ${words} >&-`, home));
  });

  test('a list and > /dev/null exit 0', async () => {
    using home = newHome();
    const ran = await shell('"$NODE" "$BIN" -p demo orders list -q > /dev/null', home);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  test('a refund that was made keeps its exit code, since its outcome is not lost', async () => {
    using home = newHome();
    const { stdout } = await paydesk(['-p', 'demo', 'orders', 'list', '--csv', '--no-header', '-q'], {
      home,
    });
    const [id = ''] =
      stdout
        .split('\n')
        .filter((line) => line.includes(',paid,'))[0]
        ?.split(',') ?? [];
    const ran = await shell(`"$NODE" "$BIN" -p demo orders refund ${id} --yes >&-; echo $? >&2`, home);
    expect(ran.stderr.trim().endsWith('\n0'), ran.stderr).toBe(true);
    const journal = await paydesk(['journal', 'list', '--ndjson'], { home });
    expect(journal.stdout.trim().split('\n')).toHaveLength(1);
    expect(journal.stdout).toContain('applied');
  });
});
