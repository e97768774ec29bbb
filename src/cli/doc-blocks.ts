/** The pages of docs as blocks that help and the man page draw: headings, texts, lists, code and tables. Pure. */

/** A part of a page, with its text on one line and without the signs of Markdown. */
export type Block =
  | { readonly kind: 'title' | 'heading' | 'text'; readonly text: string }
  /** `mark` is `-`, or a number with its full stop. */
  | { readonly kind: 'item'; readonly mark: string; readonly text: string }
  /** Lines to copy; those for a shell begin with `$ `. */
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  /** A row of a table: its first cell, then the second and, in brackets, the third. The heading line is left out. */
  | { readonly kind: 'row'; readonly term: string; readonly text: string };

/** The blocks of a page of Markdown, which has only what the pages in docs use. */
export function blocksOf(markdown: string): readonly Block[] {
  return (markdown.replaceAll(/<!--.*?-->/g, '').match(chunk) ?? []).flatMap(blockOf);
}

// Code; a heading; a table; an item of a list or a text with the lines that go on with it.
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
