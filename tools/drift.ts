// Keeps what is made of the program equal to the program: what README shows of it, the completion scripts, the man page.
// `npm run drift -- --write` brings them up to date.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { completionScript, scriptFiles } from '../src/cli/completion/scripts.ts';
import { shells } from '../src/terminal/terminal.ts';
import { manFile, manPage } from './man.ts';

const root = join(import.meta.dirname, '..');
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

function textOf(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return '';
  }
}

const readme = textOf('README.md').replace(
  block,
  (_found, args: string) => `<!-- paydesk ${args} -->\n\`\`\`text\n${printed(args).trimEnd()}\n\`\`\``,
);

const wanted: readonly (readonly [file: string, text: string])[] = [
  ['README.md', readme],
  ...shells.map((shell) => [scriptFiles[shell], completionScript(shell)] as const),
  [manFile, await manPage()],
];

for (const [file, text] of wanted) {
  if (textOf(file) === text) continue;
  if (write) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  } else {
    process.stderr.write(`${file} is not what the program makes it: npm run drift -- --write\n`);
    process.exitCode = 1;
  }
}
