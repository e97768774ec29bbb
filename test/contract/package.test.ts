/** The package that npm gets: what its manifest does, what it is made of, and what installing it leaves. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { partOf } from '../../tools/licences.ts';
import { isLong } from '../harness/long.ts';
import { newHome } from '../harness/paydesk.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
const release = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, 'tools/release.ts'), ...args], { encoding: 'utf8' });

/** The folders of the packages whose modules the bundler put into a chunk. */
const folders = [
  ...new Set(
    globSync('dist/*.js', { cwd: root }).flatMap((chunk): readonly string[] =>
      JSON.parse(textOf(`reports/packages/${basename(chunk)}.json`)),
    ),
  ),
];
const bundled = folders
  .map((folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  .map(({ name, version }) => `${name} ${version}`)
  .sort();

/** The file that is published, by its path. */
let packed: string;
beforeAll(() => {
  packed = join(root, release('--try').stdout.trim());
});

test('npm run release refuses while nobody is named who publishes it', () => {
  const { status, stderr } = release();
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'package.json does not say who publishes it: fill in repository, bugs, author\n',
  });
});

test('an install runs nothing of the package, and links man page and a program that runs by itself; an uninstall takes all of it away', () => {
  using home = newHome();
  const env = { PATH: process.env.PATH, HOME: home.path, npm_config_prefix: home.path };
  const npm = (...args: readonly string[]) =>
    spawnSync('npm', [...args, '--global', '--offline', '--no-audit', '--no-fund', '--omit=optional'], {
      env,
      encoding: 'utf8',
    });
  const manifest = JSON.parse(
    execFileSync('tar', ['xzOf', packed, 'package/package.json'], { encoding: 'utf8' }),
  );

  expect(Object.keys(manifest).filter((name) => /scripts|devDependencies/i.test(name))).toEqual([]);
  expect(npm('install', packed)).toMatchObject({ status: 0, stderr: '' });
  const run = (...args: readonly string[]) =>
    execFileSync(join(home.path, 'bin/paydesk'), args, { env, encoding: 'utf8' });
  expect(run('--version')).toBe(`${manifest.version}\n`);
  expect(run('-p', 'demo', 'orders', 'list', '--limit', '1')).toContain('ord_');
  expect(run('help', 'safety')).toContain('WHAT PAYDESK GUARANTEES');
  expect(readFileSync(join(home.path, 'share/man/man1/paydesk.1'), 'utf8')).toBe(textOf('man/paydesk.1'));
  const installed = join(home.path, 'lib/node_modules/paydesk');
  for (const name of ['LICENSE', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json', 'completions/_paydesk'])
    expect(existsSync(join(installed, name)), name).toBe(true);
  expect(npm('uninstall', 'paydesk').status).toBe(0);
  expect(globSync('{bin,lib,share}/**/*paydesk*', { cwd: home.path })).toEqual([]);
}, 60_000);

test('the container file of a sender installs the packed program that lies beside it', () => {
  using home = newHome();
  const env = {
    PATH: process.env.PATH,
    HOME: home.path,
    npm_config_prefix: home.path,
    npm_config_offline: 'true',
  };
  const run = (program: string, args: readonly string[]) =>
    execFileSync(program, args, { env, cwd: home.path, encoding: 'utf8' });
  const file = run(process.execPath, [
    join(root, 'bin/paydesk.js'),
    'sender',
    'init',
    '--print',
    'container',
  ]);
  const [, beside = '', there = ''] = /^COPY (\S+) (\S+)$/m.exec(file) ?? [];
  const [, install = ''] = /^RUN (.*) && useradd --create-home paydesk$/m.exec(file) ?? [];

  cpSync(packed, join(home.path, basename(packed)));
  expect(globSync(beside, { cwd: home.path })).toEqual([basename(packed)]);
  // There is no container engine here: what the image would do is done in a folder.
  cpSync(packed, join(home.path, there), { recursive: true });
  run('sh', ['-c', install.replaceAll(there, join(home.path, there))]);
  expect(run(join(home.path, 'bin/paydesk'), ['sender', 'serve', '--help'])).toContain(
    'paydesk sender serve',
  );
}, 60_000);

test('THIRD-PARTY-LICENSES names every package that the bundle holds, with the text of its licence', () => {
  const [, ...parts] = textOf('THIRD-PARTY-LICENSES').split(`\n${'-'.repeat(80)}\n`);
  expect(parts.map((part) => part.split(' (')[0])).toEqual(bundled);
  expect(parts.filter((part) => !/copyright/i.test(part) || part.length < 500)).toEqual([]);
});

test('nothing of the bundle starts an editor, reads other encodings or compiles schemas', () => {
  expect(bundled.filter((name) => /editor|iconv|chardet|^ajv/.test(name))).toEqual([]);
});

test('sbom.cdx.json lists the same, and what npm may install beside it', () => {
  const { bomFormat, components } = JSON.parse(textOf('sbom.cdx.json'));
  const listed = (wanted: string) =>
    components
      .filter(({ scope }: { scope: string }) => scope === wanted)
      .map(({ name, version }: { name: string; version: string }) => `${name} ${version}`);
  expect({ bomFormat, required: listed('required'), optional: listed('optional') }).toEqual({
    bomFormat: 'CycloneDX',
    required: bundled,
    optional: [expect.stringMatching(/^@napi-rs\/keyring \d/)],
  });
});

const mit = 'Permission is hereby granted, free of charge';

test.each([
  [
    'asks for more than to be named',
    { license: 'GPL-3.0-only' },
    { LICENSE: mit },
    'its licence is GPL-3.0-only',
  ],
  ['is not named', {}, { LICENSE: mit }, 'its licence is undefined'],
  [
    'has no text',
    { license: 'MIT' },
    { 'README.md': '# A\n\n## License\n\nMIT\n' },
    'its licence has no text',
  ],
])('a package whose licence %s makes the build fail', (_, fields, files, problem) => {
  using home = newHome();
  writeFileSync(join(home.path, 'package.json'), JSON.stringify({ name: 'a', version: '1.0.0', ...fields }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, name), text);
  expect(() => partOf(home.path)).toThrow(`a 1.0.0: ${problem}`);
});

test('a licence that stands in the README is found there', () => {
  using home = newHome();
  writeFileSync(
    join(home.path, 'package.json'),
    JSON.stringify({ name: 'a', version: '1.0.0', license: 'MIT' }),
  );
  writeFileSync(join(home.path, 'README.md'), `# A\n\n## License\n\n${mit}\n\n## Thanks\n\nto all\n`);
  expect(partOf(home.path).text).toBe(mit);
});

if (isLong) {
  test('another folder, with linked packages, makes the same bytes', () => {
    using home = newHome();
    for (const part of ['bin', 'src', 'tools', 'package.json', 'package-lock.json', 'rolldown.config.ts'])
      cpSync(join(root, part), join(home.path, part), {
        recursive: true,
        filter: (file) => basename(file) !== 'node_modules',
      });
    symlinkSync(join(root, 'node_modules'), join(home.path, 'node_modules'));
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: home.path, stdio: 'ignore' });
    const filesIn = (folder: string) =>
      globSync(['dist/**/*.{js,json}', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json'], { cwd: folder })
        .sort()
        .map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
    expect(filesIn(home.path)).toEqual(filesIn(root));
  }, 120_000);
}
