// Keeps what is made of the program equal to the program: the tables in README and docs, the completion scripts, the man page.
// `npm run drift -- --write` brings them up to date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { completionScript, scriptFiles } from '../src/cli/completion/scripts.ts';
import { topicFile, topics } from '../src/cli/help/help-topics.ts';
import { globalFlags } from '../src/cli/typed/global-options.ts';
import { exitMeanings } from '../src/errors.ts';
import type { Flag } from '../src/flags/flags.ts';
import { knownTitles, moneyNouns } from '../src/plans/title-words.ts';
import { refusalMeanings } from '../src/refusal-codes.ts';
import { shells } from '../src/terminal/terminal.ts';
import { manFile, manPage } from './man.ts';

const root = join(import.meta.dirname, '..');
const write = process.argv.includes('--write');

const variables = Object.entries<Flag>(globalFlags).flatMap(([name, { env, summary }]) =>
  env === undefined ? [] : [[`\`${env}\``, `\`--${name}\`: ${summary}`]],
);
const guides = Object.entries(topics).map(([name, { summary }]) => [
  `[${titleOf(topicFile(name))}](${topicFile(name)})`,
  `\`${name}\``,
  summary,
]);
const refusals = Object.entries(refusalMeanings).map(([code, why]) => [`\`${code}\``, why]);
const exitCodes = [...exitMeanings].map(([code, meaning]) => [`${code}`, meaning]);

/** A table of Markdown with cells as wide as the longest of their column, as the formatter has them. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_cell, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n');
}

/** The page with this text between `<!-- made by npm run drift -->` and `<!-- end -->`. */
function withMade(file: string, text: string): string {
  return textOf(file).replace(
    /(<!-- made by npm run drift -->\n)[\s\S]*?(?=<!-- end -->)/,
    (_found, mark: string) => `${mark}\n${text}\n\n`,
  );
}

function withTable(file: string, rows: readonly (readonly string[])[]): string {
  return withMade(file, table(rows));
}

/** The titles of input files that are read as a column, one column a line. */
function titleList(): string {
  const line = (column: string, titles: readonly string[]) => `- \`${column}\`: ${titles.join(', ')}`;
  return [
    ...Object.entries(knownTitles).map(([column, titles]) => line(column, titles)),
    `- \`amount\` of a comparison: any title with one of the words ${moneyNouns.join(', ')}`,
  ].join('\n');
}

function titleOf(file: string): string {
  return /^# (.*)$/m.exec(textOf(file))?.[1] ?? '';
}

function textOf(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return '';
  }
}

const wanted: readonly (readonly [file: string, text: string])[] = [
  ['README.md', withTable('README.md', [['page', '`paydesk help …`', 'what it is about'], ...guides])],
  ['docs/environment.md', withTable('docs/environment.md', [['variable', 'option'], ...variables])],
  ['docs/exit-codes.md', withTable('docs/exit-codes.md', [['code', 'meaning'], ...exitCodes])],
  ['docs/many-refunds.md', withMade('docs/many-refunds.md', titleList())],
  ['docs/scripting.md', withTable('docs/scripting.md', [['code', 'why'], ...refusals])],
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
