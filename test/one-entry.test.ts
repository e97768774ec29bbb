/** What a run is given comes in through `io`, and nothing of it stays in a module for the next run. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file,
  body: parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }).body as readonly unknown[],
}));

/** What belongs to the process, the machine or the moment. */
const outside = new Set([
  'process',
  'console',
  'Date.now',
  'performance',
  'new Date()',
  'Intl.DateTimeFormat().resolvedOptions',
  'node:process',
  'node:os',
  'node:v8',
]);
// The simulator plays the network as well, with delays of its own.
const timers = new Set(['setTimeout', 'setInterval', 'node:timers', 'node:timers/promises']);
const playsTheNetwork = join('src', 'simulator', 'faults.ts');

test('nothing in src reads the process, the clock or the machine: it is given an io', () => {
  const wrong = sources.flatMap(({ file, body }) =>
    nodesIn(body)
      .filter((node) => readsOutside(node) || (file !== playsTheNetwork && timers.has(wordsOf(node))))
      .map((node) => `${file} reads ${wordsOf(node)}: take it from io (src/io.ts), which bin/ makes`),
  );
  expect(wrong).toEqual([]);
});

test('no module keeps anything between two runs', () => {
  const wrong = sources.flatMap(({ file, body }) => {
    const kept = new Set(body.flatMap(namesDeclared));
    const variables = body
      .map(declarationOf)
      .filter(({ type, kind }) => type === 'VariableDeclaration' && kind !== 'const')
      .map(() => `${file} has a variable of its own`);
    const changed = nodesIn(body)
      .map((node) => nameChanged(node))
      .filter((name) => name !== undefined && kept.has(name))
      .map((name) => `${file} changes ${name}`);
    return [...variables, ...changed].map(
      (what) => `${what}, which the next run finds: make it inside of a function that a run calls`,
    );
  });
  expect(wrong).toEqual([]);
});

// ── The syntax of a file, as far as it is looked at ─────────────────────────────────────────────

type Syntax = Readonly<Record<string, unknown>>;

function syntax(value: unknown): Syntax {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** All nodes, each with a type, but for the names of properties and of types. */
function nodesIn(value: unknown): readonly Syntax[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  const node = syntax(value);
  if (typeof node.type !== 'string') return [];
  const parts = Object.entries(node).filter(
    ([name]) =>
      !(name === 'property' && node.computed !== true) && !(name === 'key' && node.computed !== true),
  );
  return [node, ...parts.flatMap(([, part]) => nodesIn(part))];
}

function declarationOf(statement: unknown): Syntax {
  const node = syntax(statement);
  return node.type === 'ExportNamedDeclaration' ? syntax(node.declaration) : node;
}

// Top-level values of a module.
function namesDeclared(statement: unknown): readonly string[] {
  const { declarations } = declarationOf(statement);
  if (!Array.isArray(declarations)) return [];
  return declarations.map((one) => String(syntax(syntax(one).id).name));
}

function readsOutside(node: Syntax): boolean {
  return outside.has(wordsOf(node)) && node.type !== 'TSLiteralType';
}

// `Date.now`, `process`, the module of an import.
function wordsOf(node: Syntax): string {
  if (node.type === 'Identifier') return String(node.name);
  if (node.type === 'CallExpression') return `${wordsOf(syntax(node.callee))}()`;
  if (node.type === 'NewExpression') {
    const given = Array.isArray(node.arguments) && node.arguments.length > 0;
    return given ? '' : `new ${wordsOf(syntax(node.callee))}()`;
  }
  if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression')
    return String(syntax(node.source).value);
  if (node.type !== 'MemberExpression') return '';
  return `${wordsOf(syntax(node.object))}.${String(syntax(node.property).name)}`;
}

const changes = 'set add push delete clear splice unshift pop shift sort reverse fill copyWithin'.split(' ');

// The value that an assignment or a call changes. A regular expression remembers where it stopped.
function nameChanged(node: Syntax): string | undefined {
  if (node.type === 'AssignmentExpression') return ownerOf(node.left);
  if (node.type === 'UpdateExpression') return ownerOf(node.argument);
  if (node.type === 'UnaryExpression' && node.operator === 'delete') return ownerOf(node.argument);
  const callee = syntax(node.callee);
  const method = String(syntax(callee.property).name);
  return node.type === 'CallExpression' && callee.type === 'MemberExpression' && changes.includes(method)
    ? ownerOf(callee.object)
    : undefined;
}

function ownerOf(value: unknown): string | undefined {
  const node = syntax(value);
  if (node.type === 'Identifier') return String(node.name);
  return node.type === 'MemberExpression' ? ownerOf(node.object) : undefined;
}
