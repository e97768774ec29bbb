// Run it after `npm install`: `npm run lock`. npm leaves optional packages of other platforms out of the lock file when
// the registry at hand does not have them, and `npm ci` then refuses the file: this adds them back, by their names. It
// also takes out who wants to be funded: the lock file holds no URL.
import { readFileSync, writeFileSync } from 'node:fs';

interface Locked {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
  funding?: unknown;
}

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

function platformOf(name: string): Pick<Locked, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  const musl = words.some((word) => word.startsWith('musl'));
  if (cpu.length === 0) throw new Error(`${name}: its platform does not show in its name`);
  return {
    cpu,
    ...(os.includes('linux') ? { libc: [musl ? 'musl' : 'glibc'] } : {}),
    ...(os.length === 0 ? {} : { os }),
  };
}

for (const file of [
  'package-lock.json',
  'tools/protocol/package-lock.json',
  'tools/house/package-lock.json',
  'tools/browser/package-lock.json',
]) {
  const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(file, 'utf8'));
  for (const locked of Object.values(lock.packages)) delete locked.funding;
  const added = ofOtherPlatforms(lock.packages);
  lock.packages = Object.fromEntries(
    Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`${file}: ${Object.keys(added).length} optional packages of other platforms added\n`);
}

function ofOtherPlatforms(packages: Record<string, Locked>): Record<string, Locked> {
  const added: Record<string, Locked> = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    if (path === '') continue;
    for (const [name, version] of Object.entries(optionalDependencies)) {
      // Where npm looks, from the inside out: the first that is there must have the version that is wanted.
      const beside = path.slice(0, path.lastIndexOf('node_modules/'));
      const places = [path, beside.slice(0, -1), ''].map(
        (folder) => `${folder === '' ? '' : `${folder}/`}node_modules/${name}`,
      );
      const nearest = places.find((place) => (packages[place] ?? added[place]) !== undefined);
      if ((packages[nearest ?? ''] ?? added[nearest ?? ''])?.version === version || !/^\d/.test(version))
        continue;
      const at = nearest === undefined ? `node_modules/${name}` : `${path}/node_modules/${name}`;
      added[at] = { version, ...platformOf(name), ...(dev === true ? { dev } : {}), optional: true };
    }
  }
  return added;
}
