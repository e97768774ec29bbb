/** What a TAB loads: neither commander nor conf, and no network. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { paydeskProcess } from '../../harness/paydesk.ts';
import { refundOnDemo, shellDesk } from './desk.ts';

const dist = join(import.meta.dirname, '../../../dist');
/** Texts that only commander and conf have. */
const marks = ['commander.unknownCommand', 'clearInvalidConfig'];

/** Notes every module that is loaded, built-in ones too. */
const spy = (file: string) => `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(file)}, url + '\\n'); return next(url, context); } });`;

test('completing an order loads neither commander nor conf, and no module of the network (C67)', async () => {
  using desk = await shellDesk();
  await refundOnDemo(desk.home);
  const log = join(desk.home.path, 'loaded');
  const hook = join(desk.home.path, 'spy.mjs');
  writeFileSync(hook, spy(log));
  const ran = await paydeskProcess(['__complete', 'zsh', '2', 'orders', 'refund'], {
    home: desk.home,
    nodeArgs: ['--import', hook],
  });
  expect(ran.stdout).toContain('ord_');
  const loaded = readFileSync(log, 'utf8').split('\n');
  expect(loaded.filter((url) => /^node:(net|tls|https?|dns|http2|child_process)$/.test(url))).toEqual([]);
  const chunks = loaded.filter((url) => url.includes('/dist/')).map((url) => basename(url));
  expect(chunks).toContain('complete.js');
  for (const mark of marks) {
    const holders = readdirSync(dist).filter((file) => readFileSync(join(dist, file), 'utf8').includes(mark));
    expect(holders, mark).not.toEqual([]);
    expect(
      holders.filter((file) => chunks.includes(file)),
      mark,
    ).toEqual([]);
  }
});
