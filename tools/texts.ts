// Every text that the program can print, file by file, for a person who reads them through (`npm run texts`).
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const root = join(import.meta.dirname, '..');

// Programs for a shell, and the goods and names of the simulator's data.
const noProse = /completion[\\/]scripts\.ts$|simulator[\\/]seed[\\/]/;
const sql =
  /^\s*(CREATE|SELECT|INSERT|UPDATE|DELETE|DROP|ALTER|PRAGMA|BEGIN|WITH|ATTACH|SAVEPOINT|ROLLBACK) /;

/** The texts of one file of src. */
export interface FileTexts {
  readonly file: string;
  readonly texts: readonly string[];
}

/** All texts of two words and more, in the order of the source. What is filled in stands in braces: `{count} orders`. */
export function allTexts(): readonly FileTexts[] {
  return globSync('{src,bin}/**/*.ts', { cwd: root })
    .filter((file) => !noProse.test(file))
    .toSorted()
    .map((file) => ({ file, texts: textsOf(readFileSync(join(root, file), 'utf8')) }))
    .filter(({ texts }) => texts.length > 0);
}

/** The texts of a source of TypeScript, each once. */
export function textsOf(source: string): readonly string[] {
  const texts = stringsIn(parseAst(source, { lang: 'ts' }).body, source);
  return [...new Set(texts.filter((text) => /\p{L}\p{M}*\S* +\S*\p{L}/u.test(text) && !sql.test(text)))];
}

type Syntax = Readonly<Record<string, unknown>>;

function stringsIn(value: unknown, source: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => stringsIn(one, source));
  if (typeof value !== 'object' || value === null) return [];
  const node: Syntax = { ...value };
  if (node.type === 'TSLiteralType') return [];
  const text = textOf(node, source);
  const inner = Object.entries(node)
    // The parts of a text that is joined are not texts of their own.
    .filter(([name]) => text === undefined || name === 'expressions')
    .filter(([name]) => !(name === 'source' || (name === 'key' && node.computed !== true)))
    .flatMap(([, part]) => stringsIn(part, source));
  return text === undefined ? inner : [text, ...inner];
}

// A string, a template, or strings that are added up; undefined for everything else.
function textOf(node: Syntax, source: string): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return templateOf(node, source);
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [textOf(syntax(node.left), source), textOf(syntax(node.right), source)];
  return left === undefined || right === undefined ? undefined : left + right;
}

function templateOf({ quasis, expressions }: Syntax, source: string): string {
  const holes = list(expressions).map(({ start, end }) => nameOf(source.slice(Number(start), Number(end))));
  return list(quasis)
    .map(({ value }, at) => `${String(syntax(value).cooked)}${holes[at] ?? ''}`)
    .join('');
}

// A short name for what is filled in; a longer expression is `…`, and its own texts stand in lines of their own.
function nameOf(expression: string): string {
  return /^[\w.?]{1,24}$/.test(expression) ? `{${expression}}` : '{…}';
}

function list(value: unknown): readonly Syntax[] {
  return Array.isArray(value) ? value.map(syntax) : [];
}

function syntax(value: unknown): Syntax {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

if (import.meta.main) {
  for (const { file, texts } of allTexts()) {
    const lines = texts.map((text) => `  ${text.trim().replaceAll('\n', '\n  ')}`);
    process.stdout.write(`${file}\n${lines.join('\n')}\n\n`);
  }
}
