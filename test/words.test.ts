/** Code, JSON, screens and docs use the words of docs/words.md, and words that are gone stand nowhere. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { planColumns, reportColumns } from '../src/changes/bulk/row-records.ts';
import { compareColumns } from '../src/commands/compare/refund-columns.ts';
import { allTexts } from '../tools/texts.ts';

const root = join(import.meta.dirname, '..');

// The names in the code of each file, and strings that are one word: fields of JSON, options, states.
const names = globSync('{src,bin}/**/*.ts', { cwd: root }).map((file) => ({
  file,
  names: new Set(namesIn(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }).body)),
}));

function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(namesIn);
  if ('name' in value && typeof value.name === 'string') return [value.name, ...inner];
  const text = 'value' in value ? value.value : undefined;
  return typeof text === 'string' && /^[\w-]+$/.test(text) ? [text, ...inner] : inner;
}

// `scriptId`, `script_id` and `--script-id` are all `script id`.
function asWords(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
}

// A change was an intent, and an idempotency key was an id of one's own, a given one, or one of a script.
const gone = /\b(intents?|(script|own|given) ids?)\b/;

describe('words that are gone stand nowhere', () => {
  test('as names in the code', () => {
    const found = names.flatMap((one) => [...one.names].filter((name) => gone.test(asWords(name))));
    expect(found).toEqual([]);
  });

  test('in texts on screens', () => {
    const found = allTexts().flatMap(({ texts }) => texts.filter((text) => gone.test(asWords(text))));
    expect(found).toEqual([]);
  });

  test("sentences say the shop's own number, and JSON, columns and settings reference", () => {
    const others =
      /\bnumbers? (at|of) the shop\b|\bshop's (order )?numbers?\b|\border numbers?\b|\b(has|have) the reference\b/;
    const found = allTexts().flatMap(({ texts }) => texts.filter((text) => others.test(text)));
    expect(found).toEqual([]);
  });

  test('in docs, help and completions', () => {
    const pages = globSync('{README.md,SECURITY.md,CONTRIBUTING.md,docs/*.md,man/*,completions/*}', {
      cwd: root,
    });
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page) => gone.test(asWords(readFileSync(join(root, page), 'utf8'))))).toEqual([]);
  });
});

test('refunds plan, status and compare name a field and its column alike', () => {
  const lists = [planColumns(true), reportColumns({ columns: [] }), compareColumns({ columns: [] }, [])];
  const all = lists.flat();
  const namesBy = Map.groupBy(all, ({ title }) => title);
  const titlesBy = Map.groupBy(all, ({ name }) => name);
  const many = (of: typeof namesBy, part: 'name' | 'title') =>
    [...of].filter(([, same]) => new Set(same.map((one) => one[part])).size > 1).map(([word]) => word);
  expect([...many(namesBy, 'name'), ...many(titlesBy, 'title')]).toEqual([]);
  // What became of a row, and what the refund of it is, are two things.
  for (const list of lists) expect(list.map(({ name }) => name)).toContain('verdict');
  expect(planColumns(true).map(({ name }) => name)).not.toContain('state');
});

test('a Field is one thing: a column of a list of our own', () => {
  const declared = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    /\b(interface|type) Field\b(?! *\}|,)/.test(
      readFileSync(join(root, file), 'utf8').replaceAll(/^import[^;]*;/gm, ''),
    ),
  );
  expect(declared).toEqual(['src/api/resources.ts']);
});

test('approval is a word of a second person: what knows of no team has no name with it', () => {
  const alone =
    /src[\\/](context|exports|flags|index|locks|orders|plans|profiles|simulator)[\\/]|journal[\\/](at-most-once|effects|guards|read-guards|judge-\w+|protocol-types)\.ts$/;
  const found = names
    .filter(({ file }) => alone.test(file))
    .flatMap((one) => [...one.names].filter((name) => /approv/i.test(name)));
  expect(found).toEqual([]);
});

test('each name that docs/words.md gives for code and JSON is one of the code', () => {
  const rows = readFileSync(join(root, 'docs/words.md'), 'utf8').matchAll(/^\|[^|]*\|[^|]*\|([^|]*)\|$/gm);
  const given = [...rows].flatMap(([, last = '']) =>
    [...last.matchAll(/`(?:--)?([\w-]+)`/g)].map(([, name = '']) => name),
  );
  expect(given.length).toBeGreaterThan(20);
  const all = new Set(names.flatMap((one) => [...one.names]));
  expect(given.filter((name) => !all.has(name))).toEqual([]);
});
