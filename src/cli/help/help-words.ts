/** Other words for what help is about: which pages answer `paydesk help WORD` if no page has that name. Loaded only then. */

import { commands } from '../../commands/commands.ts';
import { topics, topicText } from './help-topics.ts';

/** A page of help by its name, `exports` or `orders export`, and what it is about. */
export interface Answer {
  readonly name: string;
  readonly summary: string;
}

const mostAnswers = 4;

const whoDid = ['refunds list', 'journal list', 'refunds summary', 'report'];
const spreadsheet = ['exports', 'orders export', 'output'];
const lost = ['when-a-reply-is-lost', 'journal list', 'journal reconcile'];
const twice = ['orders twins', 'when-a-reply-is-lost', 'refund'];
const month = ['report', 'refunds summary', 'orders summary', 'orders export'];
const proof = ['evidence', 'prove', 'journal show'];
const rights = ['settings', 'team', 'accounts'];
const times = ['output', 'reports', 'settings'];
const sums = ['refunds summary', 'orders summary', 'report', 'reports'];
const compared = ['orders compare', 'refunds compare', 'reports'];
const privacy = ['output', 'journal forget', 'index forget', 'environment'];
const waits = ['orders waiting', 'orders capture', 'today'];
const second = ['approvals list', 'approvals approve', 'team'];

// Words of people who close the month, lead a desk, or audit. The likeliest page comes first.
const otherWords: Readonly<Record<string, readonly string[]>> = {
  access: rights,
  accountant: ['exports', 'reports', 'orders compare', 'evidence'],
  accounting: ['exports', 'reports', 'orders compare', 'evidence'],
  approval: second,
  approve: second,
  approver: second,
  audit: ['evidence', 'prove', 'journal list', 'journal verify'],
  auditor: ['evidence', 'prove', 'journal list', 'journal verify'],
  authorization: waits,
  bank: ['evidence', 'prove', 'orders compare', 'refunds receipt'],
  bookkeeping: ['exports', 'reports', 'orders compare', 'evidence'],
  cent: ['output', 'settings'],
  chargeback: ['evidence', 'prove', 'orders show'],
  chart: ['report', 'refunds summary'],
  check: ['prove', 'journal verify', 'orders export', 'profile check'],
  decimal: ['output', 'settings'],
  dispute: ['evidence', 'prove', 'orders show'],
  double: twice,
  duplicate: twice,
  employee: whoDid,
  excel: spreadsheet,
  finance: ['exports', 'reports', 'orders compare', 'evidence'],
  history: ['journal list', 'journal show', 'orders show'],
  html: ['report', 'reports'],
  invoice: ['orders compare', 'reports'],
  largest: ['refunds list', 'report'],
  libreoffice: spreadsheet,
  limit: ['profile show', 'profile set', 'accounts', 'sender limits'],
  lost: lost,
  manager: ['report', 'reports', 'today'],
  month: month,
  monthend: month,
  operator: whoDid,
  paper: ['report', 'reports'],
  pdf: ['report', 'reports'],
  period: ['reports', 'refunds summary', 'orders export'],
  permission: rights,
  pivot: spreadsheet,
  print: ['report', 'refunds receipt'],
  privacy: privacy,
  proof: proof,
  quarter: month,
  reason: ['refunds list', 'refunds summary', 'refund'],
  receipt: ['refunds receipt', 'refund'],
  reconciliation: compared,
  revenue: sums,
  right: rights,
  role: rights,
  sheet: spreadsheet,
  sign: proof,
  signature: proof,
  spreadsheet: spreadsheet,
  staff: whoDid,
  statement: compared,
  sum: sums,
  tampering: ['orders export', 'prove', 'journal verify'],
  tax: ['exports', 'reports', 'orders show'],
  timeout: lost,
  timezone: times,
  total: sums,
  turnover: sums,
  twice: twice,
  unconfirmed: lost,
  unknown: lost,
  vat: ['exports', 'reports', 'orders show'],
  verify: ['orders export', 'prove', 'journal verify', 'sender verify'],
  voucher: ['refunds receipt', 'refund'],
  week: month,
  who: whoDid,
  workbook: spreadsheet,
  xlsx: spreadsheet,
  year: month,
  zone: times,
};

/**
 * At most four pages that answer these words, the likeliest first: a topic of that name, the table above, or else pages that have the
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
  const known = forms.find((form) => Object.hasOwn(otherWords, form)) ?? '';
  const page = forms.find((form) => Object.hasOwn(topics, form));
  if (page !== undefined) return [page];
  return otherWords[known] ?? (isSearched ? namesWith(forms) : []);
}

// Pages that most words name come first; among equals, the one that stands earlier in a list.
function mostNamed(lists: readonly (readonly string[])[]): readonly string[] {
  const all = lists.flatMap((names) => [...new Set(names)].map((name, at) => ({ name, at })));
  return [...Map.groupBy(all, ({ name }) => name)]
    .map(([name, found]) => ({ name, count: found.length, at: Math.min(...found.map(({ at }) => at)) }))
    .toSorted((one, other) => other.count - one.count || one.at - other.at)
    .map(({ name }) => name);
}

/** The command of this name, `orders export`. */
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
