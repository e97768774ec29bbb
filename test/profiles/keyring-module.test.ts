/** The keyring's module is the package's own: one that was planted elsewhere is never loaded. */

import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bin, type Home, newHome, paydeskProcess, type Ran } from '../harness/paydesk.ts';

const project = join(dirname(bin), '..');

// The program without its node_modules, at `place` under the folder.
function installAt(folder: string, place: string): string {
  const root = join(folder, place);
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(project, name), join(root, name), { recursive: true });
  return join(root, 'bin/paydesk.js');
}

// A package that says where it was loaded from and keeps what it is given; `needs`: what it requires first.
function plant(modules: string, home: Home, { name = '@napi-rs/keyring', needs = '' } = {}): void {
  const folder = join(modules, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
  writeFileSync(
    join(folder, 'index.js'),
    `${needs}
const { appendFileSync } = require('fs');
appendFileSync(${JSON.stringify(loadedFile(home))}, __filename + '\\n');
exports.AsyncEntry = class {
  constructor(_service, account) { this.file = ${JSON.stringify(join(home.path, 'kept-'))} + Buffer.from(account).toString('hex'); }
  async getPassword() { try { return require('fs').readFileSync(this.file, 'utf8'); } catch { return null; } }
  async setPassword(secret) { require('fs').writeFileSync(this.file, secret); }
  async deletePassword() { require('fs').rmSync(this.file); return true; }
};
`,
  );
}

const loadedFile = (home: Home) => join(home.path, 'loaded');
const loaded = (home: Home) =>
  existsSync(loadedFile(home)) ? [...new Set(readFileSync(loadedFile(home), 'utf8').split('\n'))] : [];

function addProfile(
  program: string,
  home: Home,
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ran> {
  const words = ['--base-url', 'https://api.example.com', '--mode', 'sandbox', '--key-stdin', '--no-check'];
  return paydeskProcess(['profile', 'add', 'x', ...words], {
    home,
    cwd,
    env,
    input: 'key_planted_4u9fQ2',
    bin: program,
  });
}

describe.concurrent('a keyring module that was planted is never loaded', () => {
  test('in the current folder, above the package, in the home or in NODE_PATH: the key is kept nowhere', async () => {
    using home = newHome();
    using place = newHome();
    const cwd = join(place.path, 'work/here');
    const program = installAt(place.path, 'opt/app/program');
    const planted = [
      join(cwd, 'node_modules'),
      join(place.path, 'work/node_modules'),
      join(place.path, 'opt/app/node_modules'),
      join(place.path, 'opt/node_modules'),
      join(place.path, 'node_modules'),
      join(place.path, 'node_path'),
      join(home.path, 'node_modules'),
      join(home.path, '.node_modules'),
      join(home.path, '.node_libraries'),
    ];
    for (const modules of planted) plant(modules, home);
    const ran = await addProfile(program, home, cwd, { NODE_PATH: join(place.path, 'node_path') });
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stderr).toContain('@napi-rs/keyring is not installed with paydesk');
    expect(loaded(home)).toEqual([]);
    expect(existsSync(join(home.path, '.config/paydesk'))).toBe(false);
  });

  test('nor is a planted binary that the module itself asks for', async () => {
    using home = newHome();
    using place = newHome();
    const program = installAt(place.path, 'opt/program');
    const name = '@napi-rs/keyring-planted-x64';
    plant(join(place.path, 'opt/program/node_modules'), home, { needs: `require('${name}');` });
    const planted = ['.node_modules', 'node_modules'].map((modules) => join(home.path, modules));
    for (const modules of [...planted, join(place.path, 'opt/node_modules')]) plant(modules, home, { name });
    const ran = await addProfile(program, home, home.path, { NODE_PATH: join(home.path, 'node_modules') });
    expect(ran.code, ran.stderr).toBe(3);
    expect(loaded(home)).toEqual([]);
  });
});

describe.concurrent('the one that was installed with paydesk is loaded', () => {
  test.each([
    ['in the node_modules of the package', 'lib/program', 'lib/program/node_modules'],
    ['beside the package in one node_modules', 'lib/node_modules/paydesk', 'lib/node_modules'],
  ])('%s', async (_where, root, modules) => {
    using home = newHome();
    using place = newHome();
    const program = installAt(place.path, root);
    const name = '@napi-rs/keyring-own-x64';
    plant(join(place.path, modules), home, { needs: `require('${name}');` });
    plant(join(place.path, modules), home, { name });
    const ran = await addProfile(program, home, home.path);
    expect(ran.code, ran.stderr).toBe(0);
    // A script that says no place has its key in the keyring that answers.
    expect(ran.stdout).toContain('system keyring');
    expect(existsSync(join(home.path, '.config/paydesk/keys.json'))).toBe(false);
    const own = ['keyring-own-x64', 'keyring'].map((part) =>
      join(place.path, modules, '@napi-rs', part, 'index.js'),
    );
    expect(loaded(home)).toEqual([...own, '']);
  });

  test('where the installer made links of all packages', async () => {
    using home = newHome();
    using place = newHome();
    const program = installAt(place.path, 'store/a/node_modules/paydesk');
    const name = '@napi-rs/keyring-own-x64';
    plant(join(place.path, 'store/b/node_modules'), home, { needs: `require('${name}');` });
    plant(join(place.path, 'store/c/node_modules'), home, { name });
    const link = (from: string, to: string) => {
      const path = join(place.path, 'store', from, 'node_modules/@napi-rs');
      mkdirSync(path, { recursive: true });
      symlinkSync(join(place.path, 'store', to), join(path, basename(to)));
    };
    link('a', 'b/node_modules/@napi-rs/keyring');
    link('b', 'c/node_modules/@napi-rs/keyring-own-x64');
    const ran = await addProfile(program, home, home.path);
    expect(ran.code, ran.stderr).toBe(0);
    expect(loaded(home)).toHaveLength(3);
  });

  test('where the folder of the program is a link to it', async () => {
    using home = newHome();
    using place = newHome();
    const program = installAt(place.path, 'store/node_modules/paydesk');
    plant(join(place.path, 'store/node_modules'), home);
    mkdirSync(join(place.path, 'bin'));
    symlinkSync(program, join(place.path, 'bin/paydesk'));
    const ran = await addProfile(join(place.path, 'bin/paydesk'), home, home.path);
    expect(ran.code, ran.stderr).toBe(0);
    expect(loaded(home)).toHaveLength(2);
  });
});
