/** The topics of `paydesk help TOPIC`: each is a page of docs, which is read when it is asked for. */

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { type Block, blocksOf } from './doc-blocks.ts';

interface Topic {
  readonly summary: string;
  /** The page in docs, if it is not named like the topic: where a noun has its name. */
  readonly page?: string;
}

/** All topics, in the order of help and of README. */
export const topics: Readonly<Record<string, Topic>> = {
  refund: { page: 'refunds', summary: 'charges, parts, twins, what a yes is; and a capture' },
  'when-a-reply-is-lost': { summary: 'unconfirmed, settled by hand, made twice' },
  'many-refunds': { summary: 'a CSV file of refunds, a plan of it, the rest of it' },
  find: { summary: 'an order or a customer, at once with an index' },
  reports: { summary: 'sums of refunds and orders, what waits, one HTML file to mail' },
  exports: { summary: 'all orders, charges or refunds in a file' },
  create: { summary: 'make an order or a payment link' },
  accounts: { summary: 'profiles, keys, limits, several people on one machine' },
  settings: { summary: 'every setting of a profile' },
  team: { summary: 'one sender for all desks, limits, a second person' },
  scripting: { summary: 'JSON, errors, idempotency keys, a simulator to test with' },
  output: { summary: 'formats, columns, amounts, dates' },
  'exit-codes': { summary: 'what a script can rely on' },
  environment: { summary: 'variables, folders, how to remove every trace' },
  safety: { summary: 'what paydesk guarantees, and what it relies on' },
  words: { summary: 'each concept and its name' },
};

/** The file of a topic in the package. */
export function topicFile(name: string): string {
  return `docs/${topics[name]?.page ?? name}.md`;
}

/** The topics that a word may mean: its name or its summary has a word of the same stem, as `team` and `teams`, `testing` and `test`. */
export function topicsLike(word: string): readonly string[] {
  const stem = stemOf(word);
  if (stem.length < 3) return [];
  const stems = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .map(stemOf);
  const names = Object.entries(topics);
  const named = names.filter(([name]) => stems(name).includes(stem));
  return (named.length > 0 ? named : names.filter(([, { summary }]) => stems(summary).includes(stem))).map(
    ([name]) => name,
  );
}

function stemOf(word: string): string {
  return word.toLowerCase().replace(/(?:ing|ed|es|s)$/, '');
}

/** The blocks of a topic. */
export function topicBlocks(name: string): readonly Block[] {
  const root = dirname(findPackageJSON(import.meta.url) ?? '');
  return blocksOf(readFileSync(join(root, topicFile(name)), 'utf8'));
}
