/** What each start loads: the chunks of the build, the packages in them, and modules of Node. A careless import shows here. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydeskProcess } from '../harness/paydesk.ts';

const packagesOf = join(import.meta.dirname, '../../reports/packages');

/** Notes every module that is loaded. The build asks for modules of Node by `getBuiltinModule`, and for their functions later. */
const spy = (log: string) => `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const note = (name) => appendFileSync(${JSON.stringify(log)}, name + '\\n');
registerHooks({ load(url, context, next) { note(url); return next(url, context); } });
const builtin = process.getBuiltinModule;
process.getBuiltinModule = (name) => { note(name.replace(/^(node:)?/, 'node:')); return builtin(name); };
process.on('exit', () => process.moduleLoadList.includes('NativeModule internal/deps/undici/undici') && note('node:undici'));
`;

interface Loaded {
  readonly chunks: string;
  readonly packages: string;
  readonly node: string;
}

async function loadedBy(args: readonly string[], home: Home, env = {}): Promise<Loaded> {
  const log = join(home.path, 'loaded');
  const hook = join(home.path, 'spy.mjs');
  writeFileSync(hook, spy(log));
  writeFileSync(log, '');
  const ran = await paydeskProcess(args, { home, env, nodeArgs: ['--import', hook] });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const loaded = [...new Set(readFileSync(log, 'utf8').trim().split('\n'))].filter((name) => name !== '');
  const chunks = loaded.filter((url) => url.includes('/dist/')).map((url) => basename(url));
  const packages = chunks.flatMap((chunk): string[] => {
    const file = join(packagesOf, `${chunk}.json`);
    const folders: readonly string[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
    return folders.map((folder) =>
      folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
    );
  });
  // The hook itself makes the program ask whether a debugger is open.
  const ofNode = loaded.filter((name) => name.startsWith('node:') && name !== 'node:inspector');
  const words = (names: readonly string[]) => [...new Set(names)].sort().join(' ');
  return {
    chunks: words(chunks.map((chunk) => chunk.replace(/(-[\w-]{8})?\.js$/, ''))),
    packages: words(packages),
    node: words(ofNode.map((name) => name.slice('node:'.length))),
  };
}

test('a version, help and a TAB load no package, and nothing of the network (C67)', async () => {
  using home = newHome();
  expect(await loadedBy(['--version'], home)).toMatchInlineSnapshot(`
    {
      "chunks": "",
      "node": "fs",
      "packages": "",
    }
  `);
  expect(await loadedBy(['--help'], home)).toMatchInlineSnapshot(`
    {
      "chunks": "help",
      "node": "fs sea tty",
      "packages": "",
    }
  `);
  expect(await loadedBy(['orders', 'refund', '--help'], home)).toMatchInlineSnapshot(`
    {
      "chunks": "help",
      "node": "fs sea tty",
      "packages": "",
    }
  `);
  expect(await loadedBy(['__complete', 'bash', '2', 'paydesk', 'orders', 're'], home)).toMatchInlineSnapshot(`
    {
      "chunks": "compile-cache complete tab",
      "node": "buffer fs module os path",
      "packages": "",
    }
  `);
});

test('a look at the journal loads nothing of the network', async () => {
  using home = newHome();
  expect(await loadedBy(['journal', 'list', '--quiet'], home)).toMatchInlineSnapshot(`
    {
      "chunks": "changes-list common compile-cache context core lines rolldown-runtime start table",
      "node": "buffer events fs module os path process stream timers/promises url",
      "packages": "ansi-regex cli-table3 commander get-east-asian-width string-width strip-ansi valibot",
    }
  `);
});

test('a list and a refund load what they need', async () => {
  await using desk = await startDesk({});
  expect(await loadedBy(['orders', 'list', '--quiet'], desk.home, desk.env)).toMatchInlineSnapshot(`
    {
      "chunks": "client common compile-cache context core lines list rolldown-runtime start table",
      "node": "buffer events fs http module net os path process stream timers/promises url",
      "packages": "ansi-regex cli-table3 commander get-east-asian-width ky string-width strip-ansi valibot",
    }
  `);
  const order = await desk.take(({ payment_status }) => payment_status === 'paid');
  const refund = ['orders', 'refund', order.id, '--yes', '--quiet'];
  expect(await loadedBy(refund, desk.home, desk.env)).toMatchInlineSnapshot(`
    {
      "chunks": "capture-order client common compile-cache context core lines list make-change refund refunding rolldown-runtime shared start",
      "node": "buffer crypto events fs fs/promises http module net os path process sqlite stream timers/promises url",
      "packages": "ansi-regex cli-table3 commander get-east-asian-width ky string-width strip-ansi valibot",
    }
  `);
});
