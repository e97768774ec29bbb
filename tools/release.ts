// Makes the file to publish, reports/paydesk-VERSION.tgz: `npm run release`. It refuses while package.json does not say who
// publishes it; nothing here invents that. `npm run release -- --try` makes it all the same, to install it somewhere.

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { scripts, devDependencies, allowScripts, ...manifest } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const missing = ['repository', 'bugs', 'author'].filter((name) => !manifest[name]);

if (missing.length > 0 && !process.argv.includes('--try')) {
  process.stderr.write(`package.json does not say who publishes it: fill in ${missing.join(', ')}\n`);
  process.exitCode = 1;
} else {
  // npm links the scripts of a manifest to every install. So the packed one has none, and what is packed lies in a folder of its own.
  const folder = join(root, 'reports/package');
  rmSync(folder, { recursive: true, force: true });
  for (const name of [...manifest.files, 'README.md', 'LICENSE'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const packed = execFileSync('npm', ['pack', '--silent', folder], {
    cwd: join(root, 'reports'),
    encoding: 'utf8',
  });
  process.stdout.write(`reports/${packed.trim()}\n`);
}
