/**
 * Words that people use for what paydesk calls something else, and what they mean: nouns, verbs, commands, and the pages that answer
 * `paydesk help WORD`. Loaded only where a word is not known.
 */

import { commands } from '../../commands/commands.ts';
import { topicBlocks, topics, topicText } from './help-topics.ts';

/**
 * The noun that is meant by a word from other programs or from the desk, also in Spanish. Other words are compared by their
 * spelling.
 */
export const nouns: ReadonlyMap<string, string> = byWord({
  'account accounts auth config profiles': 'profile',
  approval: 'approvals',
  'buyer buyers client clients customer cliente clientes': 'customers',
  'checkouts link links payment payments': 'checkout',
  'history log': 'journal',
  'order orden ordenes órdenes pedido pedidos': 'orders',
});

/** The verbs that may be meant. */
export const verbs: ReadonlyMap<string, readonly string[]> = byWord({
  'ack clear dismiss': ['acknowledge'],
  'authorize capturar cobrar': ['capture'],
  'cat describe get info mostrar open ver view': ['show'],
  close: ['settle'],
  confirm: ['settle', 'capture'],
  'delete rm': ['remove'],
  'download dump': ['export'],
  'edit update': ['set'],
  'erase purge': ['forget'],
  fix: ['reconcile', 'settle', 'verify'],
  'buscar grep lookup query search': ['find'],
  'index lista listar ls': ['list'],
  'make new': ['create', 'add'],
  recheck: ['reconcile'],
  'devolver reembolsar reembolso reembolsos refunds reimburse return reverse': ['refund'],
  repair: ['verify'],
  resolve: ['reconcile', 'settle'],
  'execute run send': ['plan', 'apply'],
  start: ['serve'],
  switch: ['use'],
  test: ['check'],
});

/** Single words that mean whole commands. */
export const phrases: ReadonlyMap<string, readonly string[]> = byWord({
  'configure init login setup signin': ['profile add'],
  'curl request': ['api'],
  demo: ['-p demo orders list'],
  hoy: ['today'],
  'limit limits': ['profile show', 'profile set', 'journal list --kind setting', 'sender limits'],
  pay: ['checkout create'],
  retry: ['journal reconcile'],
  'settings whoami': ['profile show'],
  status: ['profile check'],
  unconfirmed: ['journal list --open'],
  'v version': ['--version'],
});

/** Words that people type as options, and what does what they want. */
export const options: ReadonlyMap<string, string> = byWord({
  compare:
    'a period beside the one before it: paydesk report; months side by side: paydesk refunds summary --by month --period 2026-Q4',
  customer: 'the orders of a customer, with their sums: paydesk orders find --customer TEXT',
  demo: 'did you mean: -p demo',
  'email mail name buyer card last4 query search':
    "paydesk orders find looks for names, e-mails, cards and the shop's own number",
  format: 'did you mean: --output',
  'language locale': 'did you mean: --lang',
  'not-made': 'did you mean: --not-applied',
  made: 'did you mean: --applied',
  refunds: 'paydesk orders export --rows refunds',
  ticket: 'tickets are a column: paydesk refunds list --columns order_id,amount,ticket',
  verify:
    'an export or a report: paydesk orders export --verify FILE; what prove wrote: paydesk prove --check FILE',
  'v verbose': 'did you mean: --version, or --debug',
});

/** Words for what paydesk cannot do. Any command that is suggested for them would do something else with money or keys. */
export const impossible: ReadonlyMap<string, string> = byWord({
  'cancel release abort revert rollback stop undo unauthorize void':
    'paydesk undo says what can still be done about the last change; only the shop can release an authorized order, at the bank',
  'charge debit': 'nobody can be charged here: orders capture takes the money of an authorized order only',
  chargeback: 'a chargeback is made by the bank of the buyer; paydesk cannot see it',
  'logout signout': 'there is nothing to sign out of: each request carries the key of its profile',
});

/**
 * Words that people use when they close the month, lead a desk, or audit, with the pages that answer them. The likeliest page
 * comes first.
 */
export const pagesByWord: ReadonlyMap<string, readonly string[]> = byWord({
  'access permission right role viewer': ['settings', 'team', 'accounts'],
  administrator: ['policy', 'accounts', 'safety'],
  'accountant accounting bookkeeping finance': ['exports', 'reports', 'orders compare', 'evidence'],
  'approval approve approver': ['approvals list', 'approvals approve', 'team'],
  'audit auditor': ['evidence', 'prove', 'journal list', 'journal verify'],
  authorization: ['orders waiting', 'orders capture', 'today'],
  bank: ['evidence', 'prove', 'orders compare', 'refunds receipt'],
  'cent decimal': ['output', 'settings'],
  chargeback: ['evidence', 'prove', 'refund', 'orders show'],
  dispute: ['refund'],
  'abort cancel revert rollback stop unauthorize void': ['undo', 'refund'],
  chart: ['report', 'refunds summary'],
  csv: ['exports', 'output', 'many-refunds'],
  check: ['prove', 'journal verify', 'orders export', 'profile check'],
  'double duplicate twice': ['orders twins', 'when-a-reply-is-lost', 'refund'],
  'employee operator staff who': ['refunds list', 'journal list', 'refunds summary', 'report'],
  fail: ['refunds list', 'today', 'refund'],
  'excel libreoffice pivot sheet spreadsheet workbook xlsx': ['exports', 'orders export', 'output'],
  'commission fee': ['exports'],
  history: ['journal list', 'journal show', 'orders show'],
  hold: ['settings', 'orders refund', 'refunds apply'],
  'html paper pdf': ['report', 'reports'],
  invoice: ['orders compare', 'reports'],
  largest: ['refunds list', 'report'],
  left: ['refunds list', 'orders list', 'orders export', 'reports'],
  'limit maximum raise refundlimit': ['settings', 'profile set', 'policy', 'sender limits'],
  'age readonly': ['settings', 'policy'],
  'block commands.off disable turnoff': ['policy', 'settings'],
  'lost timeout unconfirmed unknown': ['when-a-reply-is-lost', 'journal list', 'journal reconcile'],
  'mask masked masking redact redaction': ['settings', 'output', 'policy', 'agents'],
  manager: ['report', 'reports', 'today'],
  'april august december february january july june march may month monthend november october quarter september week year':
    ['report', 'refunds summary', 'orders summary', 'orders export'],
  net: ['reports', 'refunds summary', 'orders summary', 'exports'],
  note: ['refund', 'settings', 'journal forget'],
  period: ['reports', 'refunds summary', 'orders export'],
  print: ['report', 'refunds receipt'],
  'gdpr pii privacy': ['output', 'journal forget', 'index forget', 'environment'],
  'proof sign signature': ['evidence', 'prove', 'journal show'],
  reason: ['refunds list', 'refunds summary', 'refund'],
  'receipt voucher': ['refunds receipt', 'refund'],
  'reconciliation statement': ['orders compare', 'refunds compare', 'reports'],
  'revenue sum total turnover': ['refunds summary', 'orders summary', 'report', 'reports'],
  state: ['refunds list', 'orders export', 'when-a-reply-is-lost'],
  tampering: ['orders export', 'prove', 'journal verify'],
  'tax vat': ['exports'],
  'timezone zone': ['output', 'reports', 'settings'],
  verify: ['orders export', 'prove', 'journal verify', 'sender verify'],
});

// Makes a map by word from rows that hold all words of one meaning.
function byWord<Meaning>(rows: Readonly<Record<string, Meaning>>): ReadonlyMap<string, Meaning> {
  return new Map(
    Object.entries(rows).flatMap(([words, meaning]) => words.split(' ').map((word) => [word, meaning])),
  );
}

/** A page of help by its name, `exports` or `orders export`, and what it is about. */
export interface Answer {
  readonly name: string;
  readonly summary: string;
}

const mostAnswers = 4;

/**
 * At most four pages that answer these words, the likeliest first: a topic of that name, `pagesByWord`, or else pages that have the
 * word in their name, a heading or their summary. If the words mean nothing together, each is looked up. Empty if one of them finds
 * nothing.
 */
export function answersOf(asked: readonly string[]): readonly Answer[] {
  const words = asked.flatMap((text) => text.split(/\s+/)).filter((word) => word !== '');
  const whole = namesOf(words.join(''), words.length === 1);
  if (whole.length > 0) return withSummary(whole);
  const each = words.filter((word) => !fillerWords.test(word)).map((word) => namesOf(word, true));
  return each.some((names) => names.length === 0) ? [] : withSummary(mostNamed(each));
}

/** What a word means here, and the topic that says so. */
export interface Meaning {
  readonly term: string;
  readonly text: string;
  readonly page: string;
}

/** What a word means here, if it is one of the page of words (docs/words.md), or a column (docs/output.md), also without its `_`. */
export function meaningOf(word: string): Meaning | undefined {
  const forms = [...formsOf(word), ...formsOf(word.replaceAll(' ', '_'))];
  return ['words', 'output']
    .flatMap((page) => topicBlocks(page).flatMap((one) => (one.kind === 'row' ? { ...one, page } : [])))
    .find(({ term }) => term.split(', ').some((one) => forms.includes(one)));
}

// Words that are in every question.
const fillerWords = /^(?:..?|the|how|and|for|can|did|does|was|what|which|are|were|with|from)$/i;

/** The three topics that are nearest to words that no page answers: their texts have them most often. */
export function topicsWith(asked: readonly string[]): readonly Answer[] {
  const words = asked.flatMap((text) => text.toLowerCase().split(/\s+/));
  const mentions = Object.keys(topics)
    .map((name) => {
      const found = topicText(name)
        .toLowerCase()
        .split(/[^a-z]+/)
        .filter((word) => words.includes(word));
      return { name, count: found.length };
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .map(({ name }) => name);
  return withSummary(mentions).slice(0, 3);
}

function withSummary(names: readonly string[]): readonly Answer[] {
  return [...new Set(names)].slice(0, mostAnswers).flatMap((name) => {
    const summary = topics[name]?.summary ?? commandNamed(name)?.summary;
    return summary === undefined ? [] : [{ name, summary }];
  });
}

function namesOf(word: string, isSearched: boolean): readonly string[] {
  const forms = formsOf(word.replaceAll('-', ''));
  const known = forms.find((form) => pagesByWord.has(form)) ?? '';
  const page = forms.find((form) => Object.hasOwn(topics, form));
  if (page !== undefined) return [page];
  return pagesByWord.get(known) ?? (isSearched ? namesWith(forms) : []);
}

// Pages that most words name come first; among equals, the one that is earlier in a list.
function mostNamed(lists: readonly (readonly string[])[]): readonly string[] {
  const all = lists.flatMap((names) => [...new Set(names)].map((name, at) => ({ name, at })));
  return [...Map.groupBy(all, ({ name }) => name)]
    .map(([name, found]) => ({ name, count: found.length, at: Math.min(...found.map(({ at }) => at)) }))
    .toSorted((one, other) => other.count - one.count || one.at - other.at)
    .map(({ name }) => name);
}

export function commandNamed(name: string): (typeof commands)[number] | undefined {
  return commands.find(({ words }) => words.join(' ') === name);
}

// `Invoices` is also `invoice`.
function formsOf(word: string): readonly string[] {
  const plain = word.toLowerCase();
  const shorter = ['s', 'es', 'd', 'ing', 'ed']
    .filter((end) => plain.endsWith(end))
    .map((end) => plain.slice(0, -end.length));
  return [plain, ...shorter].filter((form) => form.length > 1);
}

function namesWith(forms: readonly string[]): readonly string[] {
  const has = (text: string): boolean =>
    text
      .split(/[^A-Za-z]+/)
      .flatMap(formsOf)
      .some((form) => forms.includes(form));
  const headings = (name: string) =>
    topicText(name)
      .match(/^#+ .*$/gm)
      ?.join(' ') ?? '';
  const ways: readonly ((one: Answer) => boolean)[] = [
    ({ name }) => has(name),
    ({ name }) => Object.hasOwn(topics, name) && has(headings(name)),
    ({ summary }) => has(summary),
  ];
  const pages: readonly Answer[] = [
    ...Object.entries(topics).map(([name, { summary }]) => ({ name, summary })),
    ...commands.map(({ words, summary }) => ({ name: words.join(' '), summary })),
  ];
  return ways.flatMap((isFound) => pages.filter(isFound).map(({ name }) => name));
}
