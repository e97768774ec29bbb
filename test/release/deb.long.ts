/** The Debian package of the one file: what lintian says of it, and that installing and removing it leaves nothing of it on this machine. */

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newHome } from '../harness/paydesk.ts';

const root = join(import.meta.dirname, '../..');
const deb = (...words: readonly string[]) =>
  spawnSync(process.execPath, [join(root, 'tools/deb.ts'), ...words], { encoding: 'utf8' });

let file: string;
beforeAll(() => {
  const words = [join(root, 'tools/one-file.ts'), '--platform', 'linux-x64'];
  execFileSync(process.execPath, words, { stdio: 'pipe' });
  file = join(root, deb('--maintainer', 'A Desk <desk@example.org>').stdout.trim());
}, 900_000);

test('it is not made while nobody is named who publishes it', () => {
  const { status, stderr } = deb();
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'package.json does not say who publishes it: fill in author\n',
  });
});

test('lintian finds no error', () => {
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'lintian'], { stdio: 'ignore' });
  const { stdout } = spawnSync('lintian', ['--allow-root', file], { encoding: 'utf8' });
  expect(stdout.split('\n').filter((line) => line.startsWith('E:'))).toEqual([]);
});

test('dpkg installs it, its program runs and its pages are found, and nothing of it is left after its removal', () => {
  using home = newHome();
  const env = { HOME: home.path, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };
  const places = '/{usr,etc,var/lib/dpkg/info}/**/*paydesk*';
  const found = () => globSync(places, { exclude: (path) => path.includes('node_modules') });
  expect(found()).toEqual([]);
  execFileSync('dpkg', ['--install', file], { stdio: 'pipe' });
  try {
    const run = (program: string, ...words: readonly string[]) =>
      execFileSync(program, words, { env, encoding: 'utf8' });
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(run('/usr/bin/paydesk', '--version')).toBe(`${version}\n`);
    expect(run('/usr/bin/paydesk', '-p', 'demo', 'orders', 'list', '--limit', '1')).toContain('ord_');
    expect(run('man', '--where', 'paydesk')).toBe('/usr/share/man/man1/paydesk.1.gz\n');
    for (const [place, own] of [
      ['bash-completion/completions/paydesk', 'paydesk.bash'],
      ['zsh/vendor-completions/_paydesk', '_paydesk'],
      ['fish/vendor_completions.d/paydesk.fish', 'paydesk.fish'],
    ])
      expect(readFileSync(join('/usr/share', place ?? ''), 'utf8')).toBe(
        readFileSync(join(root, 'completions', own ?? ''), 'utf8'),
      );
  } finally {
    execFileSync('dpkg', ['--purge', 'paydesk'], { stdio: 'pipe' });
  }
  expect(found()).toEqual([]);
});
