// Keeps what README shows of the program equal to what the program prints. `npm run drift -- --write` brings it up to date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const readme = join(root, 'README.md');
const write = process.argv.includes('--write');

/** `<!-- paydesk ARGS -->` in README is followed by a fenced block that holds what the program prints. */
const block = /<!-- paydesk ([^>]*?) -->\n```text\n[\s\S]*?```/g;

function printed(args: string): string {
  const env = { ...process.env, COLUMNS: '80', NO_COLOR: '1' };
  return execFileSync(process.execPath, [join(root, 'bin/paydesk.js'), ...args.split(' ')], {
    env,
    encoding: 'utf8',
  });
}

const before = readFileSync(readme, 'utf8');
const after = before.replace(
  block,
  (_found, args: string) => `<!-- paydesk ${args} -->\n\`\`\`text\n${printed(args).trimEnd()}\n\`\`\``,
);

if (write) {
  writeFileSync(readme, after);
} else if (before !== after) {
  process.stderr.write('README.md does not show what the program prints: npm run drift -- --write\n');
  process.exitCode = 1;
}
