import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled } from '../harness/compiled.ts';

const driver = fileURLToPath(new URL('drivers/print.ts', import.meta.url));

function shell(script: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    env: {
      PATH: process.env.PATH ?? '',
      NODE: process.execPath,
      NODE_COMPILE_CACHE: compiled,
      PRINT: driver,
      ...env,
    },
  });
  return { status, stdout, stderr };
}

describe('stdout', () => {
  it('that is a full disk ends with 9 and one line naming the write error', () => {
    const { status, stderr } = shell('"$NODE" "$PRINT" json 3 > /dev/full');
    expect(status).toBe(9);
    expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({
      kind: 'incomplete',
      message: 'stdout could not be written: no space left on device (ENOSPC)',
    });
  });

  it('that is closed early stops the run with 9 and no stack trace', () => {
    const { stdout, stderr } = shell(
      `"$NODE" "$PRINT" ndjson 2000 | head -1 | wc -l; echo "\${PIPESTATUS[0]}"`,
    );
    expect(stdout).toBe('1\n9\n');
    expect(stderr).toContain('EPIPE');
    expect(stderr).not.toContain('    at ');
    expect(Number(/pages (\d+)/.exec(stderr)?.[1])).toBeLessThan(2000);
  });

  it.each(['0', '1'])('gets all of 5 MB through a slow pipe (failing afterwards: %s)', (fail) => {
    const { stdout } = shell(
      `"$NODE" "$PRINT" json 100 | (sleep 0.5; cat) | wc -c; echo "\${PIPESTATUS[0]}"`,
      {
        FAIL: fail,
      },
    );
    // 5,000 records of 1,063 bytes with a separator of two, and the envelope.
    expect(stdout).toBe(`${5000 * 1065 + 45}\n${fail === '1' ? 9 : 0}\n`);
  });

  it.each(['<&-', '>&-', '2>&-', '<&- >&- 2>&-'])('neither hangs nor crashes with %s', (closed) => {
    const { status, stderr } = shell(`"$NODE" "$PRINT" table 2 ${closed}`);
    expect(status).toBe(0);
    expect(stderr).not.toContain('    at ');
  });
});

describe('scripts', () => {
  it('load nothing that is for people only', () => {
    const reached = staticImports(['output.ts', 'notes.ts', 'prompts/ask.ts', 'secrets.ts', 'color.ts']);
    expect(reached.packages.filter((name) => !name.startsWith('node:'))).toEqual(['valibot']);
    expect(reached.files).not.toContain('table/table.ts');
  });
});

// What is loaded with these files before anything is imported dynamically; the service's description brings valibot.
function staticImports(files: readonly string[]) {
  const folder = new URL('../../src/terminal/', import.meta.url);
  const waiting = [...files];
  const seen = new Set<string>();
  const packages = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = readFileSync(new URL(file, folder), 'utf8');
    for (const [, from = ''] of source.matchAll(/^import (?!type )[^;]*?from '([^']+)'/gms)) {
      const path = from.startsWith('.') ? new URL(from, new URL(file, folder)).pathname : undefined;
      if (path?.startsWith(folder.pathname) === true) waiting.push(path.slice(folder.pathname.length));
      else if (path !== undefined) packages.add('valibot');
      else packages.add(from);
    }
  }
  return { files: [...seen], packages: [...packages] };
}
