// Makes release/paydesk_VERSION_amd64.deb of the one file: `npm run deb`. It refuses while nobody is named who publishes it: package.json
// (author), or `-- --maintainer "NAME <ADDRESS>"`.

import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { scriptFiles } from '../src/cli/completion/scripts.ts';
import { manFile } from './man.ts';

const root = join(import.meta.dirname, '..');
const { version, description, author } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { maintainer = author } = parseArgs({ options: { maintainer: { type: 'string' } } }).values;

if (maintainer === undefined) {
  process.stderr.write('package.json does not say who publishes it: fill in author\n');
  process.exitCode = 1;
} else {
  const tree = join(root, 'reports/deb/paydesk');
  rmSync(dirname(tree), { recursive: true, force: true });
  const put = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  const own = (path: string) => readFileSync(join(root, path));
  // With -n no time and no name get into the file: it has the same bytes each time.
  const zipped = (text: string | Uint8Array) => execFileSync('gzip', ['-9n'], { input: text });
  const share = 'usr/share';
  put('usr/bin/paydesk', own('release/paydesk-linux-x64'));
  put(`${share}/man/man1/paydesk.1.gz`, zipped(own(manFile)));
  put(`${share}/bash-completion/completions/paydesk`, own(scriptFiles.bash));
  put(`${share}/zsh/vendor-completions/_paydesk`, own(scriptFiles.zsh));
  put(`${share}/fish/vendor_completions.d/paydesk.fish`, own(scriptFiles.fish));
  const made = execFileSync('git', ['log', '-1', '--format=%cD'], { cwd: root, encoding: 'utf8' }).trim();
  put(
    `${share}/doc/paydesk/changelog.gz`,
    zipped(
      `paydesk (${version}) unstable; urgency=medium\n\n  * See paydesk --version.\n\n -- ${maintainer}  ${made}\n`,
    ),
  );
  put(
    `${share}/doc/paydesk/copyright`,
    `${own('LICENSE').toString()}\nThe licences of all that is inside of it: /usr/share/doc/paydesk/LICENSES.gz\n`,
  );
  put(`${share}/doc/paydesk/LICENSES.gz`, zipped(own('release/LICENSES')));
  put(
    `${share}/lintian/overrides/paydesk`,
    '# All of Node is inside, so that it runs where none is.\npaydesk: embedded-library *\n',
  );
  const files = globSync('usr/**', { cwd: tree }).filter((path) => statSync(join(tree, path)).isFile());
  put('DEBIAN/md5sums', execFileSync('md5sum', files.toSorted(), { cwd: tree }));
  const needs = sharedLibraries(tree);
  const size = files.reduce((sum, path) => sum + statSync(join(tree, path)).size, 0);
  const control = {
    Package: 'paydesk',
    Version: version,
    Architecture: 'amd64',
    Maintainer: maintainer,
    'Installed-Size': Math.ceil(size / 1024),
    Depends: needs,
    Section: 'utils',
    Priority: 'optional',
    Description: `desk for an orders-based payments service\n ${description}.`,
  };
  put(
    'DEBIAN/control',
    `${Object.entries(control)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n`,
  );
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', tree]);
  execFileSync('chmod', ['755', join(tree, 'usr/bin/paydesk')]);
  const file = `release/paydesk_${version}_amd64.deb`;
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, join(root, file)], {
    stdio: 'pipe',
  });
  process.stdout.write(`${file}\n`);
}

/** The packages with the libraries that the program loads, and from which version on. */
function sharedLibraries(tree: string): string {
  const folder = dirname(tree);
  mkdirSync(join(folder, 'debian'));
  writeFileSync(join(folder, 'debian/control'), 'Source: paydesk\n\nPackage: paydesk\nArchitecture: amd64\n');
  const printed = execFileSync('dpkg-shlibdeps', ['-O', join(tree, 'usr/bin/paydesk')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  return printed.trim().replace(/^shlibs:Depends=/, '');
}
