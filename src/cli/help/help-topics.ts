/** The topics of `paydesk help TOPIC`: each is a page of docs, read when it is asked for, as blocks that help and the man page draw. */

import { packageFile } from '../../package-files.ts';

interface Topic {
  readonly summary: string;
  /** The page in docs, if its name differs from the topic's, because a noun already has that name. */
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
  evidence: { summary: 'refunds in a signed file that others check' },
  create: { summary: 'make an order or a payment link' },
  accounts: { summary: 'profiles, keys, limits, several people on one machine' },
  settings: { summary: 'every setting of a profile, and the limits of an account' },
  policy: { summary: 'what an administrator sets for all users of a machine' },
  team: { summary: 'one sender for all desks, limits, a second person' },
  scripting: { summary: 'JSON, errors, idempotency keys, a simulator to test with' },
  agents: { summary: 'software agents: what they can read, and how they propose' },
  output: { summary: 'formats, columns, amounts, dates' },
  'exit-codes': { summary: 'what a script can rely on' },
  environment: { summary: 'variables, folders, how to remove every trace' },
  safety: { summary: 'what paydesk guarantees, and what it relies on' },
  words: { summary: 'each concept and its name' },
};

/** What `paydesk help` prints as it is: the script that checks a proof without paydesk. */
export const proofScript = 'check-proof';

/** The file of a topic in the package, or of the script. */
export function topicFile(name: string): string {
  if (name === proofScript) return 'docs/check-proof.mjs';
  return `docs/${topics[name]?.page ?? name}.md`;
}

export function topicBlocks(name: string): readonly Block[] {
  // The blocks of a page of Markdown, which has only what the pages in docs use.
  return (topicText(name).match(chunk) ?? []).flatMap(blockOf);
}

/** The page of a topic, as Markdown; or the script. */
export function topicText(name: string): string {
  return packageFile(topicFile(name)).replaceAll(/<!--.*?-->\n*/g, '');
}

/** A part of a page, with its text on one line and without Markdown characters. */
export type Block =
  | { readonly kind: 'title' | 'heading' | 'text'; readonly text: string }
  /** `mark` is `-`, or a number with its full stop. */
  | { readonly kind: 'item'; readonly mark: string; readonly text: string }
  /** Lines to copy; those for a shell begin with `$ `. */
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  /** A row of a table: its first cell, then the second and, in brackets, the third. The heading line is left out. */
  | { readonly kind: 'row'; readonly term: string; readonly text: string };

// Matches code; a heading; a table; or an item of a list or a text, with the lines that continue it.
const chunk = /^```[\s\S]*?^```|^#.*|^\|.*(?:\n\|.*)*|^\S.*(?:\n(?!- |\d+\. |\||```|#)[^\n]*\S[^\n]*)*/gm;

function blockOf(source: string): readonly Block[] {
  if (source.startsWith('```')) return [{ kind: 'code', lines: codeOf(source) }];
  if (source.startsWith('|')) return source.split('\n').slice(2).map(rowOf);
  const [, signs, mark, text = ''] = /^(?:(#+) |(-|\d+\.) )?([\s\S]*)/.exec(source) ?? [];
  if (mark !== undefined) return [{ kind: 'item', mark, text: plain(text) }];
  return [{ kind: signs === undefined ? 'text' : signs === '#' ? 'title' : 'heading', text: plain(text) }];
}

function codeOf(source: string): readonly string[] {
  const lines = source.split('\n').slice(1, -1);
  return source.startsWith('```sh\n') ? lines.map((line) => `$ ${line}`) : lines;
}

function rowOf(line: string): Block {
  const [term = '', text = '', more = ''] = line
    .slice(1, -1)
    .split('|')
    .map((cell) => plain(cell.trim()));
  return { kind: 'row', term, text: more === '' ? text : `${text} (${more})` };
}

function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
