// Runs the tests that hold the 80 conventions (C1 to C80) and the 80 faults (F1 to F80) of test/claims.json: `npm run catalogue`.
// It fails for a claim without a test that passed, and for a test that asserts nothing. `-- F18 C69`: these only.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A convention or a fault in our own words, and the test or the group of tests that holds it. */
export interface Claim {
  readonly claim: string;
  readonly file: string;
  readonly title: string;
}

interface Ran {
  readonly fullName: string;
  readonly status: string;
}

const root = join(import.meta.dirname, '..');

export const claims: Readonly<Record<string, Claim>> = JSON.parse(
  readFileSync(join(root, 'test/claims.json'), 'utf8'),
);

/**
 * What is wrong with a claim, by the tests of its file that ran; undefined if one with its title passed, and none of them and of those
 * that carry its number failed.
 */
export function problemOf(id: string, { title }: Claim, tests: readonly Ran[]): string | undefined {
  const parts = title
    .split(/%[sijd]|\$\{[^}]*\}|\$\w+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const named = (pattern: RegExp) => tests.filter(({ fullName }) => pattern.test(fullName));
  const about = named(new RegExp(parts.join('.*'), 's'));
  if ([...about, ...named(new RegExp(`\\b${id}\\b`))].some(({ status }) => status === 'failed'))
    return 'fails, or asserts nothing';
  return about.some(({ status }) => status === 'passed') ? undefined : 'is missing, or did not run';
}

function run(files: readonly string[]): ReadonlyMap<string, readonly Ran[]> {
  const report = join(root, 'reports/tests.json');
  rmSync(report, { force: true });
  // One test at a time: what is asserted is counted for the test that runs.
  const options = ['--expect.requireAssertions', '--maxConcurrency=1'];
  try {
    execFileSync('vitest', ['run', ...options, ...files], { cwd: root, stdio: 'ignore' });
  } catch {
    // Tests that fail are in the report.
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return new Map(
    testResults.map(({ name, assertionResults }: { name: string; assertionResults: readonly Ran[] }) => [
      relative(root, name),
      assertionResults,
    ]),
  );
}

if (import.meta.main) {
  const asked = process.argv.slice(2);
  const wanted = Object.entries(claims).filter(([id]) => asked.length === 0 || asked.includes(id));
  const ran = run([...new Set(wanted.map(([, { file }]) => file))]);
  const checked = wanted.map(([id, claim]) => ({
    id,
    claim,
    problem: problemOf(id, claim, ran.get(claim.file) ?? []),
  }));
  for (const { id, claim, problem } of checked)
    if (problem !== undefined)
      process.stdout.write(`${id} ${claim.claim}: "${claim.title}" of ${claim.file} ${problem}\n`);
  for (const [letter, name] of [
    ['C', 'conventions'],
    ['F', 'faults'],
  ] as const) {
    const of = checked.filter(({ id }) => id.startsWith(letter));
    const held = of.filter(({ problem }) => problem === undefined).length;
    process.stdout.write(`${held}/${of.length} ${name}\n`);
  }
  if (checked.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}
