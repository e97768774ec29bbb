/** No host but the service is asked for anything, a run loads what it uses, and leaves only what is documented. */

import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { type Home, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { startService, storeShop } from '../harness/service.ts';

const dist = join(import.meta.dirname, '../../dist');

/** Notes, beside the very same program, every connection it opens, every name it resolves and every file it loads. */
const onlooker = `
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
const note = (kind, what) => appendFileSync(process.env.SEEN_FILE, kind + ' ' + what + '\\n');
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [to] = Array.isArray(args[0]) ? args[0] : args;
  note('connect', to.path ?? to.host + ':' + to.port);
  return connect.apply(this, args);
};
for (const [owner, name] of [[dns, 'lookup'], [dns, 'resolve'], [dns.promises, 'lookup']]) {
  const original = owner[name];
  owner[name] = (host, ...rest) => { note('lookup', host); return original(host, ...rest); };
}
syncBuiltinESMExports();
registerHooks({ load: (url, context, next) => { note('load', url); return next(url, context); } });
`;

interface Seen {
  readonly code: number | null;
  readonly hosts: readonly string[];
  /** The text of everything of the program that was loaded. */
  readonly loaded: string;
}

async function watched(args: readonly string[], home: Home, env: Record<string, string> = {}): Promise<Seen> {
  const [hook, seen] = [join(home.path, 'onlooker.mjs'), join(home.path, 'seen')];
  writeFileSync(hook, onlooker);
  writeFileSync(seen, '');
  const { code } = await paydeskProcess(args, {
    home,
    env: { ...env, SEEN_FILE: seen },
    nodeArgs: ['--import', hook],
  });
  const notes = readFileSync(seen, 'utf8').trim().split('\n');
  rmSync(hook);
  rmSync(seen);
  const of = (kind: string) =>
    notes.filter((note) => note.startsWith(`${kind} `)).map((note) => note.slice(kind.length + 1));
  const files = of('load').filter((url) => url.includes('/dist/'));
  return {
    code,
    hosts: [...new Set([...of('connect'), ...of('lookup')])],
    loaded: files.map((url) => readFileSync(new URL(url), 'utf8')).join('\n'),
  };
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

/** Words that stand in one package each, and in nothing of ours. */
const marks = {
  conf: 'Config schema violation',
  commander: 'commander.executeSubCommandAs',
  'cli-table3': 'colWidths',
  prompts: 'User force closed the prompt',
  hono: 'Can not add a route since the matcher is already built.',
} as const;

describe('a run leaves nobody and nothing else touched (K77)', () => {
  test('the marks of packages stand in the program', () => {
    const all = globSync('*.js', { cwd: dist }).map((file) => readFileSync(join(dist, file), 'utf8'));
    for (const mark of Object.values(marks)) expect(all.some((text) => text.includes(mark))).toBe(true);
  });

  test('reads ask the service and nobody else, and load neither conf nor prompts nor the simulator', async () => {
    using home = newHome();
    await using service = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
    await storeShop(home, service);
    for (const args of [
      ['-p', 'shop', 'orders', 'list'],
      ['-p', 'shop', 'orders', 'show', 'ord_1'],
      ['-p', 'shop', 'orders', 'export', '-o', 'ndjson'],
    ]) {
      const { code, hosts, loaded } = await watched(args, home);
      expect({ args, code, hosts }).toEqual({ args, code: 0, hosts: [new URL(service.url).host] });
      for (const mark of [marks.conf, marks.prompts, marks.hono]) expect(loaded).not.toContain(mark);
    }
  });

  test.each([
    ['--version', ['--version'], ['commander', 'cli-table3', 'conf', 'prompts', 'hono']],
    ['--help', ['--help'], ['cli-table3', 'conf', 'prompts', 'hono']],
    ['a TAB', ['__complete', 'bash', '2', 'paydesk', 'orders', 're'], ['commander', 'cli-table3', 'conf']],
    ['the demo', ['-p', 'demo', 'orders', 'list', '-o', 'json'], ['conf', 'prompts']],
  ] as const)('%s asks nobody, and loads no package that it does not use', async (_name, args, unused) => {
    using home = newHome();
    const { code, hosts, loaded } = await watched(args, home);
    expect({ code, hosts }).toEqual({ code: 0, hosts: [] });
    for (const name of unused) expect(loaded).not.toContain(marks[name]);
  });

  test('what a week of work leaves is removed by the command of help environment', async () => {
    using home = newHome();
    await using service = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
    await storeShop(home, service);
    await paydesk(['-p', 'shop', 'orders', 'list'], { home });
    await paydesk(['-p', 'demo', 'orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--yes'], { home });
    expect(filesUnder(home.path).length).toBeGreaterThan(3);
    const { stdout } = await paydesk(['help', 'environment'], { home });
    const [, folders = ''] = /^ +\$ rm -r (.*)$/m.exec(stdout) ?? [];
    // Nothing was sent, so there is no witness.
    const options = { recursive: true, force: true };
    for (const folder of folders.split(' ')) rmSync(folder.replace('~', home.path), options);
    // TMPDIR is the home of a test, so the landmark is there.
    rmSync(join(home.path, `paydesk-${process.getuid?.()}`), options);
    expect(filesUnder(home.path)).toEqual([]);
  });
});
