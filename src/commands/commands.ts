/** The table of commands: the words and summary of each, and how it is loaded. Help and the command line start here. */

import type { Command } from './command.ts';

/** What a command can change: `service`, by sending to it; `journal`, only what the journal records. */
export type WhatChanges = 'service' | 'journal';

/** A command. Its code is loaded only when it runs or when its help is asked for. */
export interface CommandEntry extends Row {
  readonly words: readonly [string, ...string[]];
  readonly changes: NonNullable<Row['changes']>;
}

/** What the table says about a command besides its word, its summary and its file. */
interface More {
  /**
   * The most that it can change, by itself or by commands that it runs; absent: nothing. Without `service` it cannot send. `machine`:
   * settings, keys (also that of the desk, which an export makes if there is none), the index or other files of this machine, and the
   * limits of an account. Files that options name, such as `--to`, do not count.
   */
  readonly changes?: WhatChanges | 'machine' | 'nothing';
  /** The commands that it runs for the person at its screen. By itself it changes nothing. */
  readonly runs?: readonly string[];
  /** The command asks for a key, so somebody may type one as an argument. */
  readonly takesSecret?: true;
  /** Whether it only reads when these words are typed. */
  readonly isRead?: (words: readonly string[]) => boolean;
  /** The help topic about it, if it is not that of its noun. */
  readonly guide?: string;
}

interface Row extends More {
  readonly word: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

// A row of the table. `load` imports the file, which exports the command under its word.
function row<Word extends string>(
  word: Word,
  summary: string,
  load: () => Promise<{ readonly [Own in Word]: Command }>,
  more: More = {},
): Row {
  return { word, summary, load: async () => (await load())[word], ...more };
}

/** A noun such as `orders`, with its summary, an example, the help topic about its commands, and the commands. */
interface Group {
  readonly summary: string;
  readonly example: string;
  readonly guide: string;
  readonly verbs: readonly Row[];
}

/** Every noun with its verbs, and every command of one word, in the order of a working day, which is the order of help. */
const table: Readonly<Record<string, Group | Row>> = {
  orders: {
    summary: 'List, find, show, refund, capture, create and export orders',
    example: 'paydesk -p demo orders list --limit 5',
    guide: 'refund',
    verbs: [
      row('list', 'List orders, one page at a time', () => import('./orders/list.ts'), { guide: 'output' }),
      row('show', 'Show one order: its money, refunds and items', () => import('./orders/show.ts'), {
        guide: 'when-a-reply-is-lost',
      }),
      row(
        'find',
        'Find orders by what they show: a name, a card, an amount, an id',
        () => import('./orders/find.ts'),
        { guide: 'find' },
      ),
      row(
        'browse',
        'Look through the newest orders on a screen: show, refund, capture, mark',
        () => import('./orders/browse.ts'),
        {
          changes: 'service',
          runs: ['orders show', 'orders refund', 'orders capture', 'refunds plan'],
          guide: 'find',
        },
      ),
      row(
        'refund',
        'Refund an order, one of its charges, or part of a charge',
        () => import('./orders/refund.ts'),
        { changes: 'service' },
      ),
      row('capture', 'Capture an order that was authorized earlier', () => import('./orders/capture.ts'), {
        changes: 'service',
      }),
      row(
        'create',
        'Create an order, with a checkout or without',
        async () => ({ create: (await import('./create.ts')).createOrders }),
        { changes: 'service', guide: 'create' },
      ),
      row(
        'export',
        'Export all orders, charges or refunds of a time range',
        () => import('./orders/export.ts'),
        { changes: 'machine', guide: 'exports' },
      ),
      row(
        'summary',
        'Add up the orders of a period: by status, day, week, month or brand of card',
        () => import('./orders/summary.ts'),
        { guide: 'reports' },
      ),
      row(
        'waiting',
        'Count the authorized orders that wait for their capture, by age',
        () => import('./orders/waiting.ts'),
        { guide: 'reports' },
      ),
      row('compare', 'Compare an invoice list with what was charged', () => import('./orders/compare.ts'), {
        guide: 'reports',
      }),
      row(
        'twins',
        'List orders of a period that somebody may have paid twice',
        () => import('./orders/twins.ts'),
        { guide: 'reports' },
      ),
    ],
  },
  refunds: {
    summary: 'Refund many orders from a file, and add up what was refunded',
    example: 'paydesk -p demo refunds plan refunds.csv --to refunds.plan',
    guide: 'many-refunds',
    verbs: [
      row(
        'plan',
        'Check a file of refunds and make a plan of it; sends nothing',
        () => import('./refunds/plan.ts'),
      ),
      row('apply', 'Send the refunds of a plan, each at most once', () => import('./refunds/plan.ts'), {
        changes: 'service',
      }),
      row('status', 'Show what became of every row of a plan', () => import('./refunds/plan.ts')),
      row('compare', 'Compare a list of orders with what was refunded', () => import('./refunds/plan.ts')),
      row(
        'receipt',
        'Write the words for the buyer about one refund',
        () => import('./orders/for-buyer.ts'),
        { guide: 'refund' },
      ),
      row(
        'list',
        'List the refunds of a period: how much, why, and by whom',
        () => import('./refunds/list.ts'),
        { guide: 'reports' },
      ),
      row(
        'summary',
        'Add up the refunds of a period: by reason, operator, day or brand of card, and the rate',
        () => import('./refunds/summary.ts'),
        { guide: 'reports' },
      ),
    ],
  },
  undo: row('undo', 'Say what can still be done about the last change', () => import('./undo.ts'), {
    guide: 'refund',
  }),
  today: row(
    'today',
    'Show the day of the desk: unconfirmed, refunded, waiting, twins',
    () => import('./today.ts'),
    { guide: 'reports' },
  ),
  customers: {
    summary: 'List, show, find and export customers',
    example: 'paydesk -p demo customers list --limit 5',
    guide: 'find',
    verbs: [
      row('list', 'List customers, one page at a time', () => import('./customers/show.ts')),
      row('show', 'Show one customer', () => import('./customers/show.ts')),
      row('find', 'Find customers by name, e-mail, phone or reference', () => import('./customers/find.ts')),
      row('export', 'Export all customers', () => import('./customers/show.ts'), {
        changes: 'machine',
        guide: 'exports',
      }),
    ],
  },
  checkout: {
    summary: 'Make a payment link',
    example: 'paydesk -p demo checkout create',
    guide: 'create',
    verbs: [
      row(
        'create',
        'Create a payment link',
        async () => ({ create: (await import('./create.ts')).createCheckout }),
        { changes: 'service' },
      ),
    ],
  },
  journal: {
    summary: 'See what was sent, and clear up what is unconfirmed',
    example: 'paydesk journal list --open',
    guide: 'when-a-reply-is-lost',
    verbs: [
      row('list', 'List what was sent, and whether it was made', () => import('./journal/list.ts')),
      row('show', 'Show one change, its history, and what to do now', () => import('./journal/show.ts')),
      row(
        'reconcile',
        'Read orders again to clear up unconfirmed changes',
        () => import('./journal/reconcile.ts'),
        { changes: 'journal' },
      ),
      row(
        'settle',
        'Record by hand whether an unconfirmed change was made',
        () => import('./journal/settle.ts'),
        { changes: 'journal' },
      ),
      row(
        'acknowledge',
        'Clear an alarm, such as a duplicate refund, that somebody has dealt with',
        () => import('./journal/acknowledge.ts'),
        { changes: 'journal' },
      ),
      row('verify', 'Check that the journal is whole; repair it', () => import('./journal/verify.ts'), {
        changes: 'journal',
      }),
      row('forget', 'Erase bodies, notes and links of settled changes', () => import('./journal/export.ts'), {
        changes: 'journal',
      }),
      row('archive', 'Move old settled changes into a file', () => import('./journal/export.ts'), {
        changes: 'journal',
      }),
      row(
        'export',
        'Write the journal into a file, for another machine',
        () => import('./journal/export.ts'),
      ),
      row('import', 'Import the journal of another machine', () => import('./journal/export.ts'), {
        changes: 'journal',
      }),
    ],
  },
  report: row('report', 'Write an HTML report about the refunds of a period', () => import('./report.ts'), {
    guide: 'reports',
  }),
  prove: row(
    'prove',
    'Write one refund, or a period, into a signed file; check one',
    () => import('./prove.ts'),
    { changes: 'machine', guide: 'evidence' },
  ),
  index: {
    summary: 'Find orders at once, with an index on this machine',
    example: 'paydesk -p demo index build',
    guide: 'find',
    verbs: [
      row(
        'build',
        'Read all orders into an index on this machine, so that they are found at once',
        () => import('./index/build.ts'),
        { changes: 'machine' },
      ),
      row(
        'refresh',
        'Bring the index up to date: read new orders, and old ones that may have changed',
        () => import('./index/refresh.ts'),
        { changes: 'machine' },
      ),
      row('status', 'Show what the index knows, and how old that is', () => import('./index/build.ts')),
      row(
        'forget',
        'Take a buyer, old orders or everything out of the index',
        () => import('./index/forget.ts'),
        { changes: 'machine' },
      ),
      row('rekey', 'Seal the index with a new key', () => import('./index/build.ts'), { changes: 'machine' }),
    ],
  },
  sender: {
    summary: 'Let one service of the team send for all its desks',
    example: 'paydesk sender members',
    guide: 'team',
    verbs: [
      row(
        'init',
        'Make the file of a sender: accounts, address, certificate',
        () => import('./sender/serve.ts'),
        { changes: 'machine' },
      ),
      row('serve', 'Run the sender until a signal comes', () => import('./sender/serve.ts'), {
        changes: 'machine',
      }),
      row(
        'migrate',
        'Make the tables of the journal in a database, or print the statements',
        () => import('./sender/serve.ts'),
        { changes: 'journal' },
      ),
      row(
        'verify',
        'Check every row of the journal of the sender, and what is derived from them',
        () => import('./sender/serve.ts'),
      ),
      row(
        'invite',
        'Print an invitation to the sender, for one use within a day',
        () => import('./sender/members.ts'),
        { changes: 'journal' },
      ),
      row(
        'members',
        'List the members, their desks, and when each was last used',
        () => import('./sender/members.ts'),
      ),
      row('limits', 'Show the limits of the team; a lead sets them', () => import('./sender/limits.ts'), {
        changes: 'journal',
      }),
      row('revoke', 'End the tokens of a member, or that of one desk', () => import('./sender/members.ts'), {
        changes: 'journal',
      }),
    ],
  },
  approvals: {
    summary: 'Approve refunds of a team that need a second person',
    example: 'paydesk approvals list',
    guide: 'team',
    verbs: [
      row('list', 'List what waits for the approval of a second person', () => import('./approvals.ts')),
      row('show', 'Show a request, with the order as it is now', () => import('./approvals.ts')),
      row('approve', 'Approve the refund or plan of somebody else', () => import('./approvals.ts'), {
        changes: 'journal',
      }),
      row('reject', 'Reject a request, or take your own back', () => import('./approvals.ts'), {
        changes: 'journal',
      }),
    ],
  },
  profile: {
    summary: 'Add, check and set up accounts and their keys',
    example: 'paydesk profile list',
    guide: 'accounts',
    verbs: [
      row('add', 'Add an account: its address, mode and key', () => import('./profile/add.ts'), {
        changes: 'machine',
        takesSecret: true,
      }),
      row('list', 'List the accounts', () => import('./profile/show.ts')),
      row(
        'show',
        'Show a profile, where each value comes from, and where files are',
        () => import('./profile/show.ts'),
      ),
      row('use', 'Make a profile the default', () => import('./profile/show.ts'), { changes: 'machine' }),
      row('set', 'Change a setting of a profile', () => import('./profile/set.ts'), {
        changes: 'machine',
        guide: 'settings',
      }),
      row('key', 'Replace the key of a profile', () => import('./profile/key.ts'), {
        changes: 'machine',
        takesSecret: true,
      }),
      row('remove', 'Remove a profile and its key', () => import('./profile/key.ts'), { changes: 'machine' }),
      row(
        'purge',
        'Remove all that paydesk keeps for you on this machine',
        () => import('./profile/purge.ts'),
        { changes: 'journal' },
      ),
      row(
        'check',
        'Check that a profile reaches its account, by reading only',
        () => import('./profile/check.ts'),
        { changes: 'machine' },
      ),
    ],
  },
  simulator: {
    summary: 'Serve the simulated service, practise on the demo, or reset it',
    example: 'paydesk simulator reset',
    guide: 'scripting',
    verbs: [
      row('serve', 'Run a simulated service on this machine', () => import('./simulator.ts'), {
        changes: 'machine',
      }),
      row('drill', 'Practise seven cases from real life on the demo', () => import('./simulator.ts'), {
        changes: 'machine',
      }),
      row('reset', 'Reset the demo to its first state', () => import('./simulator.ts'), {
        changes: 'journal',
      }),
    ],
  },
  api: row('api', 'Send any request, with the key and version of a profile', () => import('./api.ts'), {
    changes: 'service',
    isRead: (words) => words.find((word) => /^(?:get|post|put|delete)$/i.test(word))?.toUpperCase() === 'GET',
    guide: 'scripting',
  }),
  release: row(
    'release',
    'Let a software agent send a plan, once, within an hour',
    () => import('./agents.ts'),
    { changes: 'journal', guide: 'agents' },
  ),
  mcp: row('mcp', 'Let a software agent read, and propose refunds as a plan', () => import('./agents.ts'), {
    guide: 'agents',
  }),
  completion: row(
    'completion',
    'Print the script for TAB completion in a shell',
    () => import('./completion.ts'),
    { changes: 'machine' },
  ),
};

/** The nouns that have verbs, by name. */
export const groups: Readonly<Record<string, Group>> = Object.fromEntries(
  Object.entries(table).flatMap(([noun, one]) => ('verbs' in one ? [[noun, one]] : [])),
);

/** Every command, in the order of help. */
export const commands: readonly CommandEntry[] = Object.entries(table).flatMap(([first, one]) =>
  'verbs' in one ? one.verbs.map((verb) => entryOf([first, verb.word], verb)) : [entryOf([first], one)],
);

function entryOf(words: CommandEntry['words'], row: Row): CommandEntry {
  return { words, changes: 'nothing', ...row };
}

/** The commands of a noun, in the order of help. */
export function commandsOf(noun: string): readonly CommandEntry[] {
  return commands.filter(({ words }) => words[0] === noun);
}

/** The command whose words a line starts with; undefined if it names no command. */
export function findCommand(typed: readonly string[]): CommandEntry | undefined {
  return commands.find(({ words }) => words.every((word, index) => typed[index] === word));
}

/** Every first word of a command with what it is about, in the order of help. */
export function nounSummaries(): ReadonlyMap<string, string> {
  return new Map(commands.map(({ words: [noun], summary }) => [noun, groups[noun]?.summary ?? summary]));
}
