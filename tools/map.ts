// Prints the tree of src with the first sentence of every file: what a newcomer reads first (`npm run map`).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

function print(folder: string, depth: number): void {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const sorted = entries.toSorted(
    (one, other) =>
      Number(one.isDirectory()) - Number(other.isDirectory()) || (one.name < other.name ? -1 : 1),
  );
  for (const entry of sorted) {
    const path = `${folder}/${entry.name}`;
    const name = '  '.repeat(depth) + entry.name;
    console.log(entry.isDirectory() ? `${name}/` : `${name.padEnd(34)}  ${firstSentence(path)}`);
    if (entry.isDirectory()) print(path, depth + 1);
  }
}

// Of the comment that a file opens with.
function firstSentence(path: string): string {
  const [comment = ''] =
    /^(#!.*\n)?(\/\*\*[\s\S]*?\*\/|(\/\/.*\n)+)/.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  const text = comment.replace(/^#!.*\n/, '').replaceAll(/^\s*(\/\*\*|\*\/|\*|\/\/)\s?|\*\/$/gm, '');
  const [sentence = text] = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=\.) (?=[A-Z])/);
  return sentence;
}

print('src', 0);
