/**
 * Guesses which commands were meant by words that are none, such as `order ls`. Loaded only for an error; a guess is shown,
 * never run. Pure.
 */

import { commands, groups } from '../commands/commands.ts';

// Words of other programs, and of the desk. What is not here is left to similar spelling.
const nouns: Readonly<Record<string, string>> = {
  account: 'profile',
  accounts: 'profile',
  auth: 'profile',
  buyer: 'customers',
  buyers: 'customers',
  client: 'customers',
  clients: 'customers',
  config: 'profile',
  customer: 'customers',
  history: 'journal',
  link: 'checkout',
  links: 'checkout',
  log: 'journal',
  order: 'orders',
  profiles: 'profile',
};

const verbs: Readonly<Record<string, readonly string[]>> = {
  authorize: ['capture'],
  cat: ['show'],
  charge: ['capture'],
  delete: ['remove'],
  describe: ['show'],
  download: ['export'],
  dump: ['export'],
  edit: ['set'],
  get: ['show'],
  grep: ['find'],
  index: ['list'],
  info: ['show'],
  lookup: ['find'],
  ls: ['list'],
  make: ['create', 'add'],
  new: ['create', 'add'],
  open: ['show'],
  query: ['find'],
  refunds: ['refund'],
  return: ['refund'],
  reimburse: ['refund'],
  rm: ['remove'],
  search: ['find'],
  start: ['serve'],
  switch: ['use'],
  test: ['check'],
  update: ['set'],
  view: ['show'],
};

// Single words that mean a whole command.
const phrases: Readonly<Record<string, string>> = {
  configure: 'profile add',
  curl: 'api',
  demo: '-p demo orders list',
  init: 'profile add',
  login: 'profile add',
  logout: 'profile remove',
  pay: 'checkout create',
  request: 'api',
  retry: 'journal reconcile',
  settings: 'profile show',
  setup: 'profile add',
  signin: 'profile add',
  status: 'profile check',
  whoami: 'profile show',
};

// An id says whose record it is.
const nounOfId: readonly (readonly [RegExp, string])[] = [
  [/^ord_/, 'orders'],
  [/^cus_/, 'customers'],
  [/^i_/, 'journal'],
];

const mostMeant = 4;

/**
 * The commands that these words may have meant, the likeliest first: `orders refund`. A noun alone stands for its help.
 * `similar` returns the names that are spelled like the last word. It knows the words before that one.
 */
export function meantCommands(
  words: readonly string[],
  similar: (words: readonly string[]) => readonly string[],
): readonly string[] {
  const [first, second] = words;
  if (first === undefined) return [];
  // The help of this noun is named under every such error anyway.
  if (Object.hasOwn(groups, first)) return ofNoun(first, second, similar).filter((meant) => meant !== first);
  if (Object.hasOwn(phrases, first)) return [phrases[first] ?? ''];
  const noun = Object.hasOwn(nouns, first) ? nouns[first] : undefined;
  if (noun !== undefined) return ofNoun(noun, second, similar);
  const asVerb = withVerb(verbsLike(first), words.slice(1));
  if (asVerb.length > 0) return asVerb;
  const near = similar([first]).flatMap((name) =>
    Object.hasOwn(groups, name) ? ofNoun(name, second, similar) : [name],
  );
  if (near.length > 0) return near.slice(0, mostMeant);
  return withVerb(
    Object.keys(groups).flatMap((one) => similar([one, first])),
    words.slice(1),
  );
}

// A noun with a verb that it does not have gets the noun's help, which lists the verbs.
function ofNoun(
  noun: string,
  verb: string | undefined,
  similar: (words: readonly string[]) => readonly string[],
): readonly string[] {
  if (verb === undefined) return [noun];
  const known = verbsLike(verb).filter((one) => exists(noun, one));
  const found = known.length > 0 ? known : similar([noun, verb]);
  return found.length === 0 ? [noun] : found.map((one) => `${noun} ${one}`);
}

function verbsLike(word: string): readonly string[] {
  return Object.hasOwn(verbs, word) ? (verbs[word] ?? []) : [word];
}

// The commands with one of these verbs. Most of the day's work is about orders, so these come first unless an id says else.
function withVerb(wanted: readonly string[], rest: readonly string[]): readonly string[] {
  const owner = nounOfId.find(([pattern]) => rest.some((word) => pattern.test(word)))?.[1];
  const found = commands
    .filter(({ words: [, verb] }) => verb !== undefined && wanted.includes(verb))
    .map(({ words }) => words.join(' '));
  const owned = found.filter((words) => words.startsWith(`${owner} `));
  return (owned.length > 0 ? owned : found).slice(0, mostMeant);
}

function exists(noun: string, verb: string): boolean {
  return commands.some(({ words }) => words[0] === noun && words[1] === verb);
}
