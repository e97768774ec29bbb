// Prints the folder of the PostgreSQL programs that this machine has installed, the newest ones, for the tests
// (npm run test:postgres). Where there are none, it installs those of Debian first.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

const installed = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/bin/postgres')
    .map((file) => dirname(file))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);

const install = (): void => {
  spawnSync('apt-get', ['install', '-y', 'postgresql'], { stdio: ['ignore', 'ignore', 'inherit'] });
};

if (installed() === undefined) install();
const folder = installed();
if (folder === undefined) throw new Error('there is no PostgreSQL in /usr/lib, and none can be installed');
process.stdout.write(`${folder}\n`);
